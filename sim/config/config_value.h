/* config_value.h - reads one value from a node into a field, with its error messages, and writes it
 * back as text. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config_read.h"
C_LINKAGE_BEGIN

/* Read a number within bounds, for kinds with a form of their own; messages as for a key. */
enum status config_whole_read(const struct config_node *node, enum units_kind kind,
                              uint64_t minimum, uint64_t maximum, uint64_t *value,
                              struct diagnostic *diagnostic);
enum status config_real_read(const struct config_node *node, enum units_kind kind, double minimum,
                             double maximum, double *value, struct diagnostic *diagnostic);

/* Rejects a node that is no scalar, where `what` is expected. */
enum status config_expect_scalar(const struct config_node *node, const char *what,
                                 struct diagnostic *diagnostic);

/* Reads a text that is not empty and has no control characters (those of KIND_TEXT are paths, which
 * may have them, written as escapes in double quotes). */
enum status config_text_read(const struct config_node *node, const char **text,
                             struct diagnostic *diagnostic);

/* "a, b or c", without empty names; NULL ends the list and `last` stands before its last name. */
void config_list_names(const char *const *names, const char *last, char *text, size_t capacity);

/* Whether a text matches [a-z0-9_-]+. */
bool config_is_name(const char *text);

/* A field's value as YAML ("": absent); and a key's range and unit as messages and --explain show
 * them ("" for none).  Texts live in the arena; NULL: out of memory. */
const char *config_value_text(const struct config_writing *of);
const char *config_range_text(const struct config_key *key, struct config_arena *arena);

/* A UTF-8 text as one line of YAML: plain if it reads back unchanged, else in double quotes. */
const char *config_yaml_text(const char *text, struct config_arena *arena);

C_LINKAGE_END
