/* config_value.h - one value: from a node into a field, with every message about it; and back to
 * text. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config_schema.h"
#include "sim/config/config_tree.h"
C_LINKAGE_BEGIN

/* Reads a key's value into its field of a struct.  Texts are copied into the arena. */
enum status config_value_read(void *fields, const struct config_key *key,
                              const struct config_node *node, struct config_arena *arena,
                              struct diagnostic *diagnostic);

/* A number within bounds, for the hand-written groups; messages as for a key. */
enum status config_whole_read(const struct config_node *node, enum units_kind kind,
                              uint64_t minimum, uint64_t maximum, uint64_t *value,
                              struct diagnostic *diagnostic);
enum status config_real_read(const struct config_node *node, enum units_kind kind, double minimum,
                             double maximum, double *value, struct diagnostic *diagnostic);

/* A scalar's text, not empty; NULL with the message when it is none.  A path may have control
 * characters in it, written as escapes within double quotes. */
const char *config_text_read(const struct config_node *node, struct diagnostic *diagnostic);
const char *config_path_read(const struct config_node *node, struct diagnostic *diagnostic);

/* Whether a text is made of [a-z0-9_-] and not empty. */
bool config_is_name(const char *text);

/* A field's value as YAML; a range and unit as messages and --explain show it ("" for none).  Texts
 * live in the arena; NULL: out of memory. */
const char *config_value_text(const struct sim_config *config, const struct config_key *key,
                              struct config_arena *arena);
const char *config_range_text(const struct config_key *key, struct config_arena *arena);

/* A text (UTF-8) as YAML in one line: plain when that reads back, else in double quotes. */
const char *config_yaml_text(const char *text, struct config_arena *arena);

C_LINKAGE_END
