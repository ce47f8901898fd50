/* config_include.h - from a file to one tree: what it includes, and the overrides. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config_tree.h"
C_LINKAGE_BEGIN

enum {
    CONFIG_INCLUDE_DEPTH = 16, /* files that include each other, one below the other */
    CONFIG_INCLUDE_FILES = 256 /* files read for one configuration */
};

/* Called for each document and override by itself, before it is merged. */
struct config_checker {
    enum status (*check)(void *context, const struct config_node *tree,
                         struct diagnostic *diagnostic);
    void *context;
};

/* Reads the request's file (or text) with all that it includes: maps merge, lists and single values
 * replace; the including file wins over the included, a later include over an earlier one.  The
 * tree has no `include` left. */
enum status config_gather(const struct config_request *request,
                          const struct config_checker *checker, struct config_arena *arena,
                          const struct config_node **tree, struct diagnostic *diagnostic);

/* Lays "key=value" overrides over *tree, in order.  All keys must begin with `prefix` ("" for any).
 */
enum status config_override(const char *const *sets, size_t set_count, const char *prefix,
                            const struct config_checker *checker, struct config_arena *arena,
                            const struct config_node **tree, struct diagnostic *diagnostic);

/* folder of `file` + `name`, or `name` when it is absolute; then configs_folder + name: the first
 * that exists, in the arena; NULL when neither does. */
const char *config_find(struct config_arena *arena, const char *file, const char *configs_folder,
                        const char *name);

C_LINKAGE_END
