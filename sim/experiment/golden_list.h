/* golden_list.h - which goldens there are, and where their experiments lie. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/results/golden.h"
C_LINKAGE_BEGIN

struct golden_entry {
    char *name;       /* of its file, without .csv */
    char *file;       /* path of the golden */
    char *experiment; /* path of the experiment's file */
    struct golden golden;
};

struct golden_list {
    struct golden_entry *of; /* owned; in order of name */
    size_t count;
};

struct golden_places {
    const char *golden_folder;  /* of spinnsim's own goldens */
    const char *configs_folder; /* second place of experiments */
};

/* Reads the goldens that `which` says: those of a folder; a file NAME.csv; a name in the golden
 * folder; NULL: all of the golden folder.  An experiment is looked for beside its golden, then
 * among the configurations.  STATUS_CONFIGURATION when there is none, when a golden cannot be read,
 * or when its experiment is missing. */
enum status golden_list_read(struct golden_list *list, const char *which,
                             const struct golden_places *places, struct diagnostic *diagnostic);

/* A golden that is to be recorded. */
struct golden_wish {
    const char *experiment;       /* its file */
    const char *counters;         /* patterns with commas; NULL: all */
    const char *const *tolerance; /* "PATTERN=PERCENT" */
    size_t tolerances;
};

/* Makes a list of one golden without counts, whose file does not exist yet.  `which` is a folder,
 * which need not exist, or a file NAME.csv; NULL: the golden folder. */
enum status golden_list_wish(struct golden_list *list, const char *which,
                             const struct golden_places *places, const struct golden_wish *wish,
                             struct diagnostic *diagnostic);

void golden_list_deinit(struct golden_list *list);

C_LINKAGE_END
