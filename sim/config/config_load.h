/* config_load.h - YAML text into a tree of nodes.  The only place that knows yaml-cpp; what that
 * library lets pass (duplicate keys, unclosed quotes, a second document) is refused here. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config_tree.h"
C_LINKAGE_BEGIN

/* Largest document. */
enum { CONFIG_TEXT_BYTES = 1 << 20 };

/* Reads one YAML document; `file` names it in places and messages (it lives in the arena).  The
 * root is a map (an empty document: an empty map).  Refused, each with its place: anything that is
 * no YAML, duplicate keys, anchors, aliases, tags, keys that are no plain names, several documents,
 * control characters, bytes that are no UTF-8, tabs in the indentation. */
enum status config_load_document(struct config_arena *arena, const char *file, const char *text,
                                 size_t bytes, const struct config_node **root,
                                 struct diagnostic *diagnostic);

/* The value of an override: any YAML value, hung under `parent` (a map) as `name`; every place is
 * that of `parent`.  An empty text is null. */
enum status config_load_value(struct config_arena *arena, struct config_node *parent,
                              const char *name, const char *text, struct diagnostic *diagnostic);

C_LINKAGE_END
