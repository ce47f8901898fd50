/* config_include.h - merges a file, its includes and the overrides into one tree. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config_tree.h"
C_LINKAGE_BEGIN

enum {
    CONFIG_INCLUDE_DEPTH = 16, /* nesting depth of includes */
    CONFIG_INCLUDE_FILES = 256 /* files read for one configuration */
};

/* Checks each document and each override separately, before it is merged. */
struct config_checker {
    enum status (*check)(void *context, const struct config_node *tree,
                         struct diagnostic *diagnostic);
    void *context;
};

/* Reads the request's file (or text) and all its includes.  Maps are merged; lists and scalars are
 * replaced.  The including file overrides the included one, a later include an earlier one.  The
 * resulting tree has no `include` key. */
enum status config_gather(const struct config_request *request,
                          const struct config_checker *checker, struct config_arena *arena,
                          const struct config_node **tree, struct diagnostic *diagnostic);

/* Applies "key=value" overrides to *tree, in order.  Each key must begin with `prefix` ("": any).
 */
enum status config_override(const char *const *sets, size_t set_count, const char *prefix,
                            const struct config_checker *checker, struct config_arena *arena,
                            const struct config_node **tree, struct diagnostic *diagnostic);

/* Looks for `name` in the folder of `file` (or as it is, when absolute), then in configs_folder.
 * Returns the first path that exists, allocated in the arena; NULL when there is none. */
const char *config_find(struct config_arena *arena, const char *file, const char *configs_folder,
                        const char *name);

C_LINKAGE_END
