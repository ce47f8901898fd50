/* config_table.c - see config_table.h. */
#include "sim/config/config_table.h"

#include "sim/config/config_read.h"
#include "sim/config/config_value.h"
#include "sim/steps.h"

static enum status refuse_missing(const struct config_node *map, const struct config_key *key,
                                  struct config_arena *arena, struct diagnostic *diagnostic)
{
    const bool whole = key->group_keys == NULL && !key->raw;
    const char *range = whole ? config_range_text(key, arena) : "";
    const char *what = range == NULL || range[0] == '\0' ? key->help : range;
    return config_refuse_value(diagnostic, map, "%s is missing\vgive %s%s%s", key->name, key->name,
                               what == NULL ? "" : ": ", what == NULL ? "" : what);
}

enum status config_table_read_key(const struct config_node *map, const struct config_key *key,
                                  void *fields, struct config_arena *arena,
                                  struct diagnostic *diagnostic)
{
    static const struct config_node NOTHING = {.shape = CONFIG_MAP};
    const struct config_node *node = config_node_given(map, key->name);
    if (node == NULL && key->required) {
        return refuse_missing(map, key, arena, diagnostic);
    }
    if (key->group_keys != NULL) {
        return config_table_read(node == NULL ? &NOTHING : node, key->group_keys, fields, arena,
                                 diagnostic);
    }
    if (key->raw) {
        *(const struct config_node **)(void *)((unsigned char *)fields + key->offset) = node;
        return STATUS_OK;
    }
    if (node == NULL) {
        config_set_default(fields, key);
        return STATUS_OK;
    }
    return config_value_read(fields, key, node, arena, diagnostic);
}

static enum status check_names(const struct config_node *map, const struct config_key *keys,
                               struct diagnostic *diagnostic)
{
    enum { MOST_KEYS = 32 };
    const char *names[MOST_KEYS + 1] = {NULL};
    for (size_t i = 0; keys[i].name != NULL && i < MOST_KEYS; i++) {
        names[i] = keys[i].name;
    }
    for (const struct config_node *node = map->first; node != NULL; node = node->next) {
        if (config_name_index(node, names, diagnostic) < 0) {
            return STATUS_CONFIGURATION;
        }
    }
    return STATUS_OK;
}

enum status config_table_read(const struct config_node *map, const struct config_key *keys,
                              void *fields, struct config_arena *arena,
                              struct diagnostic *diagnostic)
{
    TRY(config_expect(map, CONFIG_MAP, diagnostic));
    TRY(check_names(map, keys, diagnostic));
    for (; keys->name != NULL; keys++) {
        TRY(config_table_read_key(map, keys, fields, arena, diagnostic));
    }
    return STATUS_OK;
}
