/* config_read.c - see config_read.h. */
#include "sim/config/config_read.h"

#include "sim/config/config_value.h"
#include "sim/config/suggestion.h"
#include "sim/steps.h"

#include <stdlib.h>

/* ---- what is unknown ---- */

/* Detects a key in the wrong group: "width" at the top level instead of board.width. */
static void hint_elsewhere(const struct config_reader *reader, const struct config_node *node)
{
    for (const struct config_key *key = reader->rows; key->kind < KIND_VALUES; key++) {
        const char *dot = strrchr(key->name, '.');
        if (strcmp(dot == NULL ? key->name : dot + 1, node->name) == 0) {
            diagnostic_hint(reader->diagnostic, "did you mean %s?", key->name);
            return;
        }
    }
}

/* The names of all keys in the map of the rows that begin with `before`, NULL-terminated, in the
 * arena. */
static const char *const *known_names(const struct config_reader *reader,
                                      const struct config_key *rows, const char *before)
{
    const bool top = rows == reader->rows && before[0] == '\0';
    size_t count = 0;
    while (rows[count].name != NULL) {
        count++;
    }
    const char **names = config_arena_take(reader->arena, (count + 2) * sizeof *names);
    size_t found = 0;
    const size_t skipped = strlen(before);
    for (; rows->name != NULL; rows++) {
        if (strncmp(rows->name, before, skipped) != 0 || rows->name[skipped] == '*') {
            continue;
        }
        const char *name = rows->name + skipped;
        const size_t length = strcspn(name, ".");
        const bool again = found > 0 && strncmp(names[found - 1], name, length) == 0 &&
                           names[found - 1][length] == '\0';
        if (!again) {
            names[found++] = config_arena_text(reader->arena, name, length);
        }
    }
    if (top) {
        names[found] = "include";
    }
    return names;
}

/* Reports "unknown key" with the nearest of the known ones, or with all when none is near. */
static enum status refuse_unknown(const struct config_reader *reader, const struct config_key *rows,
                                  const char *before, const struct config_node *node)
{
    const char *const *names = known_names(reader, rows, before);
    char known[DIAGNOSTIC_TEXT_CHARS / 2];
    const char *nearest = suggestion_among(node->name, names);
    if (nearest != NULL) {
        return config_refuse_key(reader->diagnostic, node, "unknown key\vdid you mean \"%s\"?",
                                 nearest);
    }
    config_list_names(names, ", ", known, sizeof known);
    (void)config_refuse_key(reader->diagnostic, node, "unknown key\vknown here: %s", known);
    if (rows == reader->rows) {
        hint_elsewhere(reader, node);
    }
    return STATUS_CONFIGURATION;
}

/* ---- what is missing ---- */

enum status config_refuse_missing(const struct config_reader *reader, const struct config_node *map,
                                  const struct config_key *key)
{
    const char *range = config_range_text(key, reader->arena);
    const char *what = range == NULL || range[0] == '\0' ? key->help : range;
    return config_refuse_value(reader->diagnostic, map, "%s is missing\vgive %s%s%s", key->name,
                               key->name, what == NULL ? "" : ": ", what == NULL ? "" : what);
}

static enum status check_required(const struct config_reader *reader, const struct config_node *map,
                                  const struct config_key *rows, const char *noun)
{
    for (const struct config_key *key = rows; key->name != NULL; key++) {
        if (key->need != NEED_REQUIRED || config_node_given(map, key->name) != NULL) {
            continue;
        }
        if (noun == NULL) {
            return config_refuse_missing(reader, map, key);
        }
        char needed[DIAGNOSTIC_TEXT_CHARS / 2];
        config_list_names(known_names(reader, rows, ""), ", ", needed, sizeof needed);
        return config_refuse_key(reader->diagnostic, map, "%s without \"%s\"\vneeded: %s", noun,
                                 key->name, needed);
    }
    return STATUS_OK;
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

struct config_item_key config_item_key(const char *list, size_t i, const char *part)
{
    struct config_item_key key;
    (void)snprintf(key.text, sizeof key.text, "%s[%zu]%s", list, i, part);
    return key;
}

/* ---- lists of scalars ---- */

struct config_items config_items_of(const struct config_key *key, const void *fields)
{
    struct config_items items;
    memcpy(&items.item, (const char *)fields + key->offset, sizeof items.item);
    memcpy(&items.count, (const char *)fields + key->count, sizeof items.count);
    return items;
}

void config_set_items(const struct config_key *key, void *fields, struct config_items items)
{
    memcpy((char *)fields + key->offset, &items.item, sizeof items.item);
    memcpy((char *)fields + key->count, &items.count, sizeof items.count);
}

const char *config_items_text(struct config_arena *arena, struct config_items items,
                              const char *(*text)(struct config_arena *arena, const void *items,
                                                  size_t i, const void *about),
                              const void *about)
{
    char *list = NULL;
    size_t size;
    FILE *stream = open_memstream(&list, &size);
    bool good = stream != NULL;
    for (size_t i = 0; i < items.count && good; i++) {
        const char *item = text(arena, items.item, i, about);
        good = item != NULL && fprintf(stream, "%s%s", i == 0 ? "[" : ", ", item) > 0;
    }
    good = good && fputs(items.count == 0 ? "[]" : "]", stream) >= 0;
    if (stream != NULL) {
        good = fclose(stream) == 0 && list != NULL && good; /* a stream may lose it at its end */
    }
    const char *kept = good ? config_arena_print(arena, "%s", list) : NULL;
    free(list);
    return kept;
}

enum status config_read_items(const struct config_reader *reader, const struct config_node *node,
                              const struct config_list *list, struct config_items *items)
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
    *items = (struct config_items){read, size};
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
                              bool single, struct config_items *texts)
{
    const struct config_list list = {sizeof(const char *), NULL, read_one_text, compare_texts,
                                     single};
    return config_read_items(reader, node, &list, texts);
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

/* ---- maps ---- */

/* Whether any row is in that map. */
static bool has_map(const struct config_key *rows, const char *map)
{
    while (rows->name != NULL && strncmp(rows->name, map, strlen(map)) != 0) {
        rows++;
    }
    return rows->name != NULL;
}

enum status config_item_read(const struct config_reader *reader, const struct config_group *group,
                             const struct config_node *node, void *item)
{
    config_set_defaults(item, group->rows);
    if (group->begin != NULL) {
        TRY(group->begin(reader, node, item));
    }
    TRY(config_map_read(reader, node, group->rows, "", item));
    if (group->noun == NULL || !reader->partial) {
        TRY(check_required(reader, node, group->rows, group->noun));
    }
    return group->finish == NULL ? STATUS_OK : group->finish(reader, node, item);
}

enum status config_map_read(const struct config_reader *reader, const struct config_node *map,
                            const struct config_key *rows, const char *before, void *fields)
{
    struct config_reader inner = *reader;
    char below[CONFIG_PATH_CHARS];
    inner.map = map;
    TRY(config_expect(map, CONFIG_MAP, reader->diagnostic));
    const struct config_key *each = config_row_find(rows, before, "*");
    const size_t bytes = each == NULL ? 0 : each->group->bytes;
    char *item = config_arena_take(reader->arena, (map->count + 1) * bytes);
    struct config_items items = {.item = item};
    for (const struct config_node *node = map->first; node != NULL; node = node->next) {
        const struct config_key *key = config_row_find(rows, before, node->name);
        (void)snprintf(below, sizeof below, "%s%s.", before, node->name);
        const bool nested = key == NULL && has_map(rows, below);
        if (key == NULL && !nested && each == NULL) {
            return refuse_unknown(reader, rows, before, node);
        }
        if (node->shape == CONFIG_NULL) {
            continue;
        }
        if (key != NULL || nested) {
            TRY(nested ? config_map_read(&inner, node, rows, below, fields)
                       : inner.forms[key->kind].read(
                             &(struct config_reading){&inner, key, node, fields}));
        } else {
            *(const char **)(void *)(item + items.count * bytes) = node->name;
            TRY(config_item_read(&inner, each->group, node, item + items.count++ * bytes));
        }
    }
    if (each != NULL) {
        qsort(item, items.count, bytes, compare_texts);
        config_set_items(each, fields, items);
    }
    return STATUS_OK;
}

enum status config_read_map(const struct config_reading *from)
{
    return config_item_read(from->reader, from->key->group, from->node,
                            (unsigned char *)from->fields + from->key->offset);
}

enum status config_read_list(const struct config_reading *from)
{
    const struct config_group *group = from->key->group;
    TRY(config_expect(from->node, CONFIG_LIST, from->reader->diagnostic));
    if (group->most > 0 && (from->node->count == 0 || from->node->count > group->most)) {
        return config_refuse_value(
            from->reader->diagnostic, from->node, "%zu %s\v1 to %zu; without %s, leave the key out",
            from->node->count, from->key->name, group->most, from->key->name);
    }
    char *item = config_arena_take(from->reader->arena, (from->node->count + 1) * group->bytes);
    config_set_items(from->key, from->fields, (struct config_items){item, from->node->count});
    for (const struct config_node *at = from->node->first; at != NULL; at = at->next) {
        TRY(config_item_read(from->reader, group, at, item));
        item += group->bytes;
    }
    return STATUS_OK;
}
