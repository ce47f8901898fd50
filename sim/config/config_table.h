/* config_table.h - a map of another file than the configuration's, read by a table of keys into the
 * fields of a struct: the same values, ranges, units and messages as the configuration has.
 *
 *     static const struct config_key SHAPE_KEYS[] = {
 *         {.name = "width", .kind = KIND_COUNT, .required = true, .whole = {0, 1, 1024},
 *          CONFIG_FIELD(struct shape, width)},
 *         {.name = NULL}}; */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config_schema.h"
#include "sim/config/config_tree.h"
C_LINKAGE_BEGIN

/* Where a row's value goes. */
#define CONFIG_FIELD(type, member)                                                                 \
    .offset = offsetof(type, member), .bytes = sizeof(((type *)0)->member)

/* Reads a map by rows, of which one without a name is the last: what is given goes into its field,
 * the default of what is not.  Texts are the arena's.  STATUS_CONFIGURATION with the place, the key
 * and a hint: no map, an unknown key (with the nearest), a bad value, a required key that is
 * missing. */
enum status config_table_read(const struct config_node *map, const struct config_key *keys,
                              void *fields, struct config_arena *arena,
                              struct diagnostic *diagnostic);

/* One row's key of a map; the other keys are not looked at. */
enum status config_table_read_key(const struct config_node *map, const struct config_key *key,
                                  void *fields, struct config_arena *arena,
                                  struct diagnostic *diagnostic);

C_LINKAGE_END
