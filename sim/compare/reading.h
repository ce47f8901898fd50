/* reading.h - the result folder of one run while it is read into the tables of a comparison. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/compare/comparison.h"
#include "sim/results/results.h"
C_LINKAGE_BEGIN

struct reading {
    struct comparison *comparison;
    enum difference_run run;
    const char *folder;
    const struct results *results; /* summary.json, config.yaml */
    struct diagnostic *diagnostic;
};

/* config.yaml and summary.json.  STATUS_CONFIGURATION when one is cut off. */
enum status reading_take_summary(const struct reading *reading);

/* The tables (CSV).  STATUS_CONFIGURATION with the file when one is missing or cut off, or
 * contradicts summary.json. */
enum status reading_take_tables(const struct reading *reading);

/* Refuses a file of the folder, with the advice to run again; returns STATUS_CONFIGURATION. */
enum status reading_refuse(const struct reading *reading, const char *file, const char *what);
extern const char READING_CUT_OFF[]; /* such a `what` */

/* first, between and second in one text that lives as long as the comparison. */
const char *reading_join(const struct reading *reading, const char *first, const char *between,
                         const char *second);

/* Whether a text is a count of at most 19 digits. */
bool reading_is_count(const char *text);

C_LINKAGE_END
