/* golden.h - exact counts of an experiment, recorded in a file to be compared with later runs.
 *
 * A golden is a table `name,value`. First what who recorded it has asked for:
 *     experiment          its file: relative to the golden's folder, or else to the configurations
 *     counters            if not all counts are to be held: patterns of names, with commas
 *     tolerance PATTERN   how far counts of such names may move: 0.5 %
 * then what was measured:
 *     compiler            the compiler of the programs
 *     program NAME        SHA-256 of the loaded program
 *     anything else       a count: time_ps, component.counter over the run,
 *                         stage/layer/phase:component.counter
 * A pattern is a name in which * stands for any characters, as in a shell. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/results/recorder.h"
C_LINKAGE_BEGIN

enum { GOLDEN_NAME_CHARS = 128, GOLDEN_VALUE_CHARS = 256 };

struct golden_row {
    char name[GOLDEN_NAME_CHARS];
    char value[GOLDEN_VALUE_CHARS];
};

struct golden {
    struct golden_row *row; /* owned */
    size_t count, room;
    bool incomplete; /* memory ran out while rows were added */
};

/* STATUS_CONFIGURATION with file and line. */
enum status golden_read(struct golden *golden, const char *path, struct diagnostic *diagnostic);

/* Adds a row.  False, and nothing is added, when it cannot be a row of a golden: a text is empty or
 * too long, a tolerance is not a percentage. */
bool golden_add(struct golden *golden, const char *name, const char *value);

/* Makes the golden of a run, with what `asked`, which may be an older golden, asks for. */
enum status golden_of_run(struct golden *golden, const struct golden *asked,
                          const struct record *record, struct diagnostic *diagnostic);

enum status golden_write(const struct golden *golden, const char *path,
                         struct diagnostic *diagnostic);
void golden_deinit(struct golden *golden);

/* NULL when there is no row of that name. */
const char *golden_value(const struct golden *golden, const char *name);

/* Whether a row is a count, or the digest of a program. */
bool golden_is_count(const struct golden_row *row);
bool golden_is_program(const struct golden_row *row);

/* How far a count may move, in percent of the recorded one; 0: not at all. */
double golden_tolerance(const struct golden *golden, const char *name);

/* Whether each pattern that the golden asks for is that of one of its counts; if not, writes the
 * pattern. */
bool golden_check_patterns(const struct golden *golden, char *pattern, size_t size);

C_LINKAGE_END
