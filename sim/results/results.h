/* results.h - reads values of a result folder by their dotted names. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdbool.h>
#include <stddef.h>
C_LINKAGE_BEGIN

struct config_arena;
struct config_node;
struct sim_config;

struct results {
    const char *folder; /* the caller's */
    struct config_arena *arena;
    const struct config_node *summary; /* summary.json */
    const struct config_node *config;  /* config.yaml */
};

enum { RESULT_UNIT_CHARS = 16 };

/* A value, with its range if it has one (low, default, high) and its unit if one is written. */
struct result_value {
    const char *text; /* as written; for a range, the text of its default */
    bool is_number;
    double value, low, high;
    char unit[RESULT_UNIT_CHARS];
};

/* Whether a folder has the file that marks results as complete; says nothing about its content. */
bool results_exist(const char *folder);

/* STATUS_CONFIGURATION with file and hint when the folder holds no results, or not those that the
 * run wrote (manifest.h). */
enum status results_open(struct results *results, const char *folder,
                         struct diagnostic *diagnostic);

/* The same without the check against the manifest: to decide whether results may be replaced. */
enum status results_open_unchecked(struct results *results, const char *folder,
                                   struct diagnostic *diagnostic);
void results_close(struct results *results);

/* The same for several folders; close them after an error, too. */
struct results_list {
    struct results *of;
    size_t count;
};
enum status results_open_all(struct results_list *results, const char *const *folder, size_t count,
                             struct diagnostic *diagnostic);
void results_close_all(struct results_list *results);

/* A key of summary.json ("energy.joules", "accuracy") or, where there is none, of config.yaml
 * ("clock.cpu").  False when neither has it. */
bool results_find(const struct results *results, const char *key, struct result_value *value);

/* The same in brief: the text as written, "" without one; the number, 0 without one. */
const char *results_text(const struct results *results, const char *key);
double results_number(const struct results *results, const char *key);

/* The same for a required key: STATUS_CONFIGURATION, naming the folder, when neither has it. */
enum status results_require(const struct results *results, const char *key,
                            struct result_value *value, struct diagnostic *diagnostic);

/* The configuration of a result folder, as its run was given it; config_deinit() after success. */
enum status results_load_config(const char *folder, struct sim_config *config,
                                struct diagnostic *diagnostic);

/* Whether a key is one of these, or below one. */
bool results_key_is_of(const char *key, const char *const *groups, size_t count);

/* Whether a key of the configuration, or what is below it, changes nothing that a run does: its
 * name, what is recorded, accepted or drawn. */
bool results_key_is_aside(const char *key);

C_LINKAGE_END
