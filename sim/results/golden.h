/* golden.h - exact counts of an experiment, recorded in a file to be compared with later runs.
 *
 * A golden is a table `name,value`:
 *     experiment          its file in the configuration folder
 *     compiler            the compiler of the programs
 *     program NAME        SHA-256 of the loaded program
 *     anything else       a count: time_ps, component.counter over the run,
 *                         stage/layer/phase:component.counter
 * Counts are compared only if the programs have the same digests; otherwise the comparison is
 * skipped, with the reason. */
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

/* Makes the golden of a run; `experiment` is its file in the configuration folder. */
enum status golden_of_run(struct golden *golden, const char *experiment,
                          const struct record *record, struct diagnostic *diagnostic);

enum status golden_write(const struct golden *golden, const char *path,
                         struct diagnostic *diagnostic);
void golden_deinit(struct golden *golden);

/* NULL when there is no row of that name. */
const char *golden_value(const struct golden *golden, const char *name);

/* Whether a row is a count; false for experiment, compiler and programs. */
bool golden_is_count(const struct golden_row *row);

C_LINKAGE_END
