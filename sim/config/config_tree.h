/* config_tree.h - a configuration as it was written: a tree of named texts, each with its place.
 * The tree has YAML's shapes (map, list, scalar, null) but no knowledge of keys or types.  Nodes
 * live in an arena and are immutable once they are in a tree; merging creates new nodes. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config.h"
#include "sim/config/config_arena.h"
C_LINKAGE_BEGIN

enum config_shape { CONFIG_NULL, CONFIG_SCALAR, CONFIG_LIST, CONFIG_MAP };

enum {
    CONFIG_NAME_CHARS = 64, /* longest key */
    CONFIG_CHILDREN = 1000, /* most entries of one map or list */
    CONFIG_DEPTH = 8,       /* deepest nesting: more than any key needs */
    CONFIG_PATH_CHARS = CONFIG_DEPTH * (CONFIG_NAME_CHARS + 8)
};

struct config_node {
    enum config_shape shape;
    bool quoted;      /* a scalar in quotes, or a block of text */
    const char *name; /* the key; "" in a list and at the root */
    const char *path; /* dotted, from the root: timing.load, app[1].cores; "" at the root */
    const char *text; /* of a scalar */
    struct config_place place;      /* of the value */
    struct config_place name_place; /* of the key; in a list, of the value */
    struct config_node *first, *last, *next;
    size_t count; /* of children */
};

/* The file name in every place of an override. */
extern const char CONFIG_SET_FILE[];

/* Adds a node as the last child of `parent`, a map (`name` is the key) or a list (`name` is "");
 * parent NULL: a root.  The place is that of value and name. */
struct config_node *config_node_add(struct config_arena *arena, struct config_node *parent,
                                    const char *name, enum config_shape shape,
                                    struct config_place place);

/* The map less the key of that name. */
struct config_node *config_node_without(struct config_arena *arena, const struct config_node *map,
                                        const char *name);

/* The child of that name; NULL when there is none or `map` is not a map. */
const struct config_node *config_node_child(const struct config_node *map, const char *name);

/* The same, but NULL for a null child. */
const struct config_node *config_node_given(const struct config_node *map, const char *name);

/* The node at a dotted path below `root`, ignoring null nodes; NULL when there is none. */
const struct config_node *config_node_find(const struct config_node *root, const char *path);

/* Merges `over` into `base`: maps key by key; any other node, null included, replaces the base's.
 * Either may be NULL (nothing). */
const struct config_node *config_node_merge(struct config_arena *arena,
                                            const struct config_node *base,
                                            const struct config_node *over);

enum { CONFIG_SHOWN_CHARS = 72 };
struct config_shown {
    char text[CONFIG_SHOWN_CHARS];
};

/* A text, or a node's value, as messages show it: quoted and truncated when long; or "a list". */
struct config_shown config_show_text(const char *text);
struct config_shown config_show(const struct config_node *node);

/* Fills a diagnostic about a node's value, or about its key (see diagnose() for text and hint), and
 * returns STATUS_CONFIGURATION. */
enum status config_refuse_value(struct diagnostic *diagnostic, const struct config_node *node,
                                const char *format, ...) PRINTF_LIKE(3, 4);
enum status config_refuse_key(struct diagnostic *diagnostic, const struct config_node *node,
                              const char *format, ...) PRINTF_LIKE(3, 4);

C_LINKAGE_END
