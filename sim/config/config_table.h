/* config_table.h - reads a YAML map (an entry of a list, a layer of a network) into a struct by a
 * table of keys, with the values, ranges, units and messages of the configuration.
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

/* The field that a row's value goes to. */
#define CONFIG_FIELD(type, member)                                                                 \
    .offset = offsetof(type, member), .bytes = sizeof(((type *)0)->member)

/* Reads a map by rows; a row without a name ends the table.  Each field gets its key's value, or
 * the default when the key is absent.  Texts live in the arena.  STATUS_CONFIGURATION with place,
 * key and hint: not a map, an unknown key (with the nearest name), a bad value, a missing required
 * key. */
enum status config_table_read(const struct config_node *map, const struct config_key *keys,
                              void *fields, struct config_arena *arena,
                              struct diagnostic *diagnostic);

/* Reads the key of one row; ignores the other keys of the map. */
enum status config_table_read_key(const struct config_node *map, const struct config_key *key,
                                  void *fields, struct config_arena *arena,
                                  struct diagnostic *diagnostic);

C_LINKAGE_END
