/* tally.h - the counters of a run, summed over parts of the same kind; energy is computed from
 * them. Made from an outcome, or read back from the counters.csv of a result folder. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/energy/energy.h"
#include "sim/results/result_table.h"
#include "sim/run_control/outcome.h"
C_LINKAGE_BEGIN

enum { TALLY_COUNTERS_MAX = 256, TALLY_NAME_CHARS = 48 };

/* Sums by "component.counter". */
struct tally_sums {
    char name[TALLY_COUNTERS_MAX][TALLY_NAME_CHARS];
    struct energy_count count[TALLY_COUNTERS_MAX];
    size_t size;
};

/* Counts that cores caused in one phase of one stage. */
struct tally_phase {
    enum stage stage;
    struct phase phase;
    uint64_t least_cycles, most_cycles; /* smallest and largest count of one core */
    struct tally_sums sums;
};

/* What an epoch of a training takes: the mean of those trained or, with run.sample, the estimate.
 */
struct tally_epoch_count {
    char name[TALLY_NAME_CHARS];
    double value;
};
struct tally_epoch {
    uint64_t number; /* of which it is the mean; 1: an estimate; 0: there is none */
    double time_ps;
    struct tally_epoch_count count[TALLY_COUNTERS_MAX];
    size_t size;
};

struct tally {
    uint64_t time_ps;
    uint64_t stage_ps[STAGES];
    uint32_t chips, boards;
    struct tally_sums total;
    struct tally_sums stage[STAGES]; /* they add up to the total; `run`: what is in no other */
    struct tally_epoch epoch;
    struct tally_phase *phase; /* only those that occurred; owned */
    size_t phase_count;
};

/* STATUS_INTERNAL when out of memory. */
enum status tally_of_outcome(struct tally *tally, const struct outcome *outcome,
                             struct diagnostic *diagnostic);

/* The phase, in counters.csv, of what all epochs together have counted. */
extern const char TALLY_EPOCHS[];

/* A row of counters.csv. */
struct tally_row {
    const char *phase, *component;
    int16_t x, y, instance; /* chip, and its core or link; -1: sum over all */
    const char *counter, *unit;
    uint64_t value;
};
enum { TALLY_COLUMN_COUNT = 8 };
extern const struct result_column TALLY_COLUMNS[TALLY_COLUMN_COUNT];

/* Writes the table that tally_read() reads: times, the outcome's counters of every part (by_core:
 * for each core, else summed over the cores of a chip), then the counts of cores by phase (zeros:
 * those that are 0, too). */
void tally_write(FILE *stream, const struct outcome *outcome, bool by_core, bool zeros);

/* Reads the counters.csv of a result folder, and its sampled.csv, if there is one.
 * STATUS_CONFIGURATION with file and line. */
enum status tally_read(struct tally *tally, const char *folder, struct diagnostic *diagnostic);

/* Opens counters.csv for reading row by row: result_table_next(), then result_table_take() with
 * TALLY_COLUMNS. */
enum status tally_open(struct result_table *table, const char *folder,
                       struct diagnostic *diagnostic);

void tally_deinit(struct tally *tally);

/* A counter of the machine by its name, "component.counter": a folder's counters.csv has no rows
 * for those that are 0.  NULL: there is none. */
const struct counter_info *tally_counter(const char *name);

/* The sum of that name; 0 if there is none. */
uint64_t tally_value(const struct tally_sums *sums, const char *name);

/* What a term of the energy table is charged for in an epoch, as energy_count_of(). */
double tally_epoch_value(const struct tally *tally, const struct energy_term *term);

/* For tally.c.  Adding a count: false when there is no room.  Dividing: sums become means.
 * STATUS_CONFIGURATION: of a folder's sampled.csv; without one nothing is read. */
bool tally_epoch_add(struct tally_epoch *epoch, const char *name, double value);
void tally_epoch_divide(struct tally_epoch *epoch);
bool tally_epoch_of_sample(struct tally_epoch *epoch, const struct outcome_sample *sample);
enum status tally_epoch_read(struct tally_epoch *epoch, const char *folder,
                             struct diagnostic *diagnostic);

/* How cores spent their time in the phases of a stage. */
struct outcome_core_time tally_core_time(const struct tally *tally, enum stage stage,
                                         uint64_t core_hz);

/* Packets of all types: sent by cores, received by cores. */
uint64_t tally_packets_sent(const struct tally_sums *sums);
uint64_t tally_deliveries(const struct tally_sums *sums);

C_LINKAGE_END
