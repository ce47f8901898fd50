/* config_read.c - see config_read.h. */
#include "sim/config/config_read.h"

#include "sim/config/config_value.h"
#include "sim/config/suggestion.h"
#include "sim/steps.h"

#include <stdlib.h>

/* The groups with parsers of their own. */
static const struct hand_group {
    const char *name;
    enum status (*read)(const struct config_reader *reader, const struct config_node *node);
} HAND_GROUPS[] = {
    {"accept", config_read_accept}, {"app", config_read_app},       {"energy", config_read_energy},
    {"faults", config_read_faults}, {"stages", config_read_stages}, {"sweep", config_read_sweep},
    {"vote", config_read_vote},
};
enum { HAND_GROUP_COUNT = sizeof HAND_GROUPS / sizeof HAND_GROUPS[0] };

/* ---- what is unknown ---- */

/* Reports "unknown key" with the nearest of `names`, or with all names when none is near. */
static enum status refuse_unknown(const struct config_node *node, const char *const *names,
                                  struct diagnostic *diagnostic)
{
    char known[DIAGNOSTIC_TEXT_CHARS / 2];
    const char *nearest = suggestion_among(node->name, names);
    if (nearest != NULL) {
        return config_refuse_key(diagnostic, node, "unknown key\vdid you mean \"%s\"?", nearest);
    }
    config_list_names(names, ", ", known, sizeof known);
    return config_refuse_key(diagnostic, node, "unknown key\vknown here: %s", known);
}

int config_name_index(const struct config_node *key, const char *const *names,
                      struct diagnostic *diagnostic)
{
    for (int i = 0; names[i] != NULL; i++) {
        if (strcmp(names[i], key->name) == 0) {
            return i;
        }
    }
    (void)refuse_unknown(key, names, diagnostic);
    return -1;
}

/* Detects a key in the wrong group: "width" at the top level instead of board.width. */
static void hint_elsewhere(const struct config_node *node, struct diagnostic *diagnostic)
{
    size_t count = 0;
    const struct config_key *keys = config_keys(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(keys[i].name, node->name) == 0) {
            diagnostic_hint(diagnostic, "did you mean %s?", config_key_path(&keys[i]));
            return;
        }
    }
}

/* The names of all keys of `group` ("": top level), or of a map in it ("": none), NULL-terminated,
 * in the arena. */
static const char *const *known_names(const char *group, const char *map,
                                      struct config_arena *arena)
{
    size_t count = 0;
    const struct config_key *keys = config_keys(&count);
    const bool top = group[0] == '\0';
    const char **names = config_arena_take(arena, (count + HAND_GROUP_COUNT + 2) * sizeof *names);
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const bool new_group = i == 0 || strcmp(keys[i].group, keys[i - 1].group) != 0;
        const char *name = config_key_name_in(&keys[i], group, map);
        if (name != NULL) {
            names[found++] = name;
        } else if (top && new_group) {
            names[found++] = keys[i].group;
        }
    }
    for (size_t i = 0; top && i < HAND_GROUP_COUNT; i++) {
        names[found++] = HAND_GROUPS[i].name;
    }
    if (top) {
        names[found] = "include";
    }
    return names;
}

static enum status refuse_unknown_in(const struct config_reader *reader, const char *group,
                                     const char *map, const struct config_node *node)
{
    (void)refuse_unknown(node, known_names(group, map, reader->arena), reader->diagnostic);
    if (reader->diagnostic != NULL && strncmp(reader->diagnostic->hint, "did", 3) != 0) {
        hint_elsewhere(node, reader->diagnostic);
    }
    return STATUS_CONFIGURATION;
}

/* ---- shapes ---- */

enum status config_expect(const struct config_node *node, enum config_shape shape,
                          struct diagnostic *diagnostic)
{
    if (node->shape == shape) {
        return STATUS_OK;
    }
    const bool map = shape == CONFIG_MAP;
    return config_refuse_value(diagnostic, node, "%s where %s is expected\v%s%s%s",
                               config_show(node).text, map ? "a group of keys" : "a list",
                               node->name, node->name[0] == '\0' ? "" : ": ",
                               map ? "{key: value}" : "[one, another]");
}

enum status config_read_list(const struct config_reader *reader, const struct config_node *node,
                             const struct config_list *list, const void **items, size_t *count)
{
    const bool scalar = list->single && node->shape == CONFIG_SCALAR;
    if (!scalar) {
        TRY(config_expect(node, CONFIG_LIST, reader->diagnostic));
    }
    const size_t size = scalar ? 1 : node->count;
    const struct config_node *entry = scalar ? node : node->first;
    char *read = config_arena_take(reader->arena, (size + 1) * list->item_bytes);
    for (size_t i = 0; i < size; i++, entry = entry->next) {
        char *item = read + i * list->item_bytes;
        TRY(list->read(reader, entry, list->about, item));
        for (const char *before = read; before < item; before += list->item_bytes) {
            if (list->compare(before, item) == 0) {
                return config_refuse_value(reader->diagnostic, entry,
                                           "%s stands here twice\vremove one",
                                           config_show(entry).text);
            }
        }
    }
    qsort(read, size, list->item_bytes, list->compare);
    *items = read;
    *count = size;
    return STATUS_OK;
}

static int compare_texts(const void *a, const void *b)
{
    const char *const *first = a;
    const char *const *second = b;
    return strcmp(*first, *second);
}

static enum status read_one_text(const struct config_reader *reader,
                                 const struct config_node *entry, const void *about, void *item)
{
    (void)about;
    return config_text_read(entry, item, reader->diagnostic);
}

enum status config_read_texts(const struct config_reader *reader, const struct config_node *node,
                              bool single, const char *const **texts, size_t *count)
{
    const struct config_list list = {sizeof *texts, NULL, read_one_text, compare_texts, single};
    const void *items = NULL;
    TRY(config_read_list(reader, node, &list, &items, count));
    *texts = items;
    return STATUS_OK;
}

bool config_take_number(const char **text, uint32_t below, uint32_t *number)
{
    enum { RADIX = 10 };
    const size_t digits = strspn(*text, "0123456789");
    if (digits == 0 || digits > 3 || (digits > 1 && **text == '0')) {
        return false;
    }
    *number = 0;
    for (size_t i = 0; i < digits; i++) {
        *number = *number * RADIX + (uint32_t)((*text)[i] - '0');
    }
    *text += digits;
    return *number < below;
}

/* ---- the table's keys ---- */

/* A map within a group: `run: {sample: {updates: 20}}`. */
static enum status read_map(const struct config_reader *reader, const char *group,
                            const struct config_node *map)
{
    TRY(config_expect(map, CONFIG_MAP, reader->diagnostic));
    for (const struct config_node *node = map->first; node != NULL; node = node->next) {
        const struct config_key *key = config_key_find_in(group, map->name, node->name);
        if (key == NULL) {
            return refuse_unknown_in(reader, group, map->name, node);
        }
        if (node->shape != CONFIG_NULL) {
            TRY(config_value_read(reader->config, key, node, reader->arena, reader->diagnostic));
        }
    }
    return STATUS_OK;
}

static enum status read_group(const struct config_reader *reader, const struct config_node *group)
{
    TRY(config_expect(group, CONFIG_MAP, reader->diagnostic));
    for (const struct config_node *node = group->first; node != NULL; node = node->next) {
        const struct config_key *key = config_key_find(group->name, node->name);
        const bool map = key == NULL && config_map_exists(group->name, node->name);
        if (key == NULL && !map) {
            return refuse_unknown_in(reader, group->name, "", node);
        }
        if (node->shape != CONFIG_NULL) {
            TRY(map ? read_map(reader, group->name, node)
                    : config_value_read(reader->config, key, node, reader->arena,
                                        reader->diagnostic));
        }
    }
    return STATUS_OK;
}

static const struct hand_group *find_hand_group(const char *name)
{
    for (size_t i = 0; i < HAND_GROUP_COUNT; i++) {
        if (strcmp(HAND_GROUPS[i].name, name) == 0) {
            return &HAND_GROUPS[i];
        }
    }
    return NULL;
}

enum status config_read(const struct config_reader *reader, const struct config_node *tree)
{
    for (const struct config_node *node = tree->first; node != NULL; node = node->next) {
        const struct config_key *key = config_key_find("", node->name);
        const struct hand_group *hand = find_hand_group(node->name);
        if (key == NULL && hand == NULL && !config_group_exists(node->name)) {
            return refuse_unknown_in(reader, "", "", node);
        }
        if (node->shape == CONFIG_NULL) {
            continue;
        }
        if (key != NULL) {
            TRY(config_value_read(reader->config, key, node, reader->arena, reader->diagnostic));
        } else {
            TRY(hand != NULL ? hand->read(reader, node) : read_group(reader, node));
        }
    }
    return STATUS_OK;
}
