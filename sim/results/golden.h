/* golden.h - exact counts and answers of an experiment, recorded in a file to be compared with
 * later runs.
 *
 * A golden is a table `name,value`. First what who recorded it has asked for:
 *     experiment          its file: relative to the golden's folder, or else to the configurations
 *     counters            if not all counts and answers are to be held: patterns of names, with
 *                         commas
 *     tolerance PATTERN   how far counts of such names may move: 0.5 %
 * then what was measured:
 *     compiler            the compiler of the programs
 *     program NAME        SHA-256 of the loaded program
 *     answer NAME         what the run has answered, as text or as a digest:
 *         console             all that was printed: the first 64 bits of SHA-256, as all digests
 *                             but those of memory
 *         console line 3      the third line, in quotes; of the first hundred
 *         predictions 0-49    what the images were taken for
 *         scores 0-49         digest of their logits
 *         weights PART        digest of what was trained, or of what the run was given
 *         memory 0 0 core 3   of chip (0,0): address:digest of each block that was written, 32
 *                             bits; an ITCM is one block.  Or SDRAM, System RAM
 *         stages              of a training in stages, instead of weights and memory: its
 *                             stats_hash
 *     function NAME       instructions and active cycles of a function, for explanations only: the
 *                         first thousands of cycles of a core are exact, the others sampled
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

/* Whether a row is a count, an answer, a function, or the digest of a program. */
bool golden_is_count(const struct golden_row *row);
bool golden_is_answer(const struct golden_row *row);
bool golden_is_function(const struct golden_row *row);
bool golden_is_program(const struct golden_row *row);

/* How far a count may move, in percent of the recorded one; 0: not at all. */
double golden_tolerance(const struct golden *golden, const char *name);

/* Whether each pattern that the golden asks for is that of one of its counts or answers; if not,
 * writes the pattern. */
bool golden_check_patterns(const struct golden *golden, char *pattern, size_t size);

C_LINKAGE_END
