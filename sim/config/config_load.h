/* config_load.h - parses YAML text into a tree of nodes.  Only this module uses yaml-cpp; it
 * rejects what that library accepts: duplicate keys, unclosed quotes, a second document. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config_tree.h"
C_LINKAGE_BEGIN

/* Largest document. */
enum { CONFIG_TEXT_BYTES = 1 << 20 };

/* Reads one YAML document; `file` is its name in places and messages and must live in the arena.
 * The root is a map (empty for an empty document).  Rejects, with the place: invalid YAML,
 * duplicate keys, anchors, aliases, tags, keys that are not plain names, several documents, control
 * characters, invalid UTF-8, tabs in the indentation. */
enum status config_load_document(struct config_arena *arena, const char *file, const char *text,
                                 size_t bytes, const struct config_node **root,
                                 struct diagnostic *diagnostic);

/* Parses the value of an override (any YAML value) and adds it to the map `parent` as `name`.  All
 * its places are the place of `parent`.  An empty text is null. */
enum status config_load_value(struct config_arena *arena, struct config_node *parent,
                              const char *name, const char *text, struct diagnostic *diagnostic);

C_LINKAGE_END
