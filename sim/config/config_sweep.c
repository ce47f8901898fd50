/* config_sweep.c - the list `sweep`: keys with the values that runs try, one item after the other;
 * keys of one item advance together.  A range (value_range.h) stands for its values, as an entry of
 * the list or instead of it. */
#include "models/common/memory.h"
#include "sim/config/config_read.h"
#include "sim/config/config_value.h"
#include "sim/config/value_range.h"
#include "sim/steps.h"

#include <stdio.h>
#include <stdlib.h>

/* Writes a value as it would be written behind --set KEY=: lists and groups in one line. */
static void put_value(FILE *stream, const struct config_node *value)
{
    const bool map = value->shape == CONFIG_MAP;
    if (value->shape == CONFIG_NULL) {
        (void)fputs("null", stream);
    } else if (map || value->shape == CONFIG_LIST) {
        (void)fputc(map ? '{' : '[', stream);
        for (const struct config_node *node = value->first; node != NULL; node = node->next) {
            (void)fprintf(stream, "%s%s%s", node == value->first ? "" : ", ", map ? node->name : "",
                          map ? ": " : "");
            put_value(stream, node);
        }
        (void)fputc(map ? '}' : ']', stream);
    } else if (!value->quoted) {
        (void)fputs(value->text, stream);
    } else {
        (void)fputc('\'', stream);
        for (const char *from = value->text; *from != '\0'; from++) {
            (void)fputs(*from == '\'' ? "''" : (const char[]){*from, '\0'}, stream);
        }
        (void)fputc('\'', stream);
    }
}

static const char *text_of(struct config_arena *arena, const struct config_node *value)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    memory_need(stream);
    put_value(stream, value);
    (void)fclose(stream);
    memory_need(text);
    const char *kept = config_arena_text(arena, text, length);
    free(text);
    return kept;
}

/* ---- values ---- */

static bool is_range(const struct config_node *value)
{
    return value->shape == CONFIG_SCALAR && !value->quoted && value_range_is(value->text);
}

static enum status read_range(const struct config_reader *reader, const struct config_node *value,
                              struct value_range *range)
{
    struct diagnostic why = {0};
    const enum status status = value_range_read(range, value->text, &why);
    if (status != STATUS_OK) {
        (void)config_refuse_value(reader->diagnostic, value, "%s\v%s", why.text, why.hint);
    }
    return status;
}

/* The first value of a key: an entry of its list, or the range that stands instead of it. */
static const struct config_node *first_of(const struct config_node *key)
{
    return is_range(key) ? key : key->first;
}

static const struct config_node *next_of(const struct config_node *key,
                                         const struct config_node *value)
{
    return value == key ? NULL : value->next;
}

static enum status count_values(const struct config_reader *reader, const struct config_node *key,
                                size_t *count)
{
    *count = 0;
    if (!is_range(key)) {
        TRY(config_expect(key, CONFIG_LIST, reader->diagnostic));
    }
    for (const struct config_node *value = first_of(key); value != NULL;
         value = next_of(key, value)) {
        struct value_range range = {.count = 1};
        if (is_range(value)) {
            TRY(read_range(reader, value, &range));
        }
        *count += range.count;
    }
    if (*count == 0) {
        return config_refuse_value(reader->diagnostic, key, "no value\v%s: [one, another]",
                                   key->name);
    }
    if (*count > VALUE_RANGE_VALUES) {
        return config_refuse_value(reader->diagnostic, key, "more than %d values",
                                   VALUE_RANGE_VALUES);
    }
    return STATUS_OK;
}

/* Writes the values of a key to texts[0], texts[stride] and so on. */
static enum status write_values(const struct config_reader *reader, const struct config_node *key,
                                const char **texts, size_t stride)
{
    for (const struct config_node *value = first_of(key); value != NULL;
         value = next_of(key, value)) {
        struct value_range range;
        char text[VALUE_RANGE_CHARS];
        if (!is_range(value)) {
            *texts = text_of(reader->arena, value);
            texts += stride;
            continue;
        }
        TRY(read_range(reader, value, &range));
        for (size_t i = 0; i < range.count; i++, texts += stride) {
            value_range_value(&range, i, text);
            *texts = config_arena_text(reader->arena, text, strlen(text));
        }
    }
    return STATUS_OK;
}

static enum status check_counts(const struct config_reader *reader, const struct config_node *item,
                                size_t *values)
{
    TRY(count_values(reader, item->first, values));
    for (const struct config_node *key = item->first->next; key != NULL; key = key->next) {
        size_t count;
        TRY(count_values(reader, key, &count));
        if (count != *values) {
            return config_refuse_value(reader->diagnostic, key,
                                       "%zu values beside %zu\vkeys of one item advance together; "
                                       "an item of its own tries every value with every other",
                                       count, *values);
        }
    }
    return STATUS_OK;
}

/* ---- axes ---- */

static enum status read_axis(const struct config_reader *reader, const struct config_node *item,
                             struct config_axis *axis)
{
    TRY(config_expect(item, CONFIG_MAP, reader->diagnostic));
    if (item->first == NULL) {
        return config_refuse_value(reader->diagnostic, item,
                                   "no key\v{clock.cpu: [100 MHz, 200 MHz]}");
    }
    size_t values;
    TRY(check_counts(reader, item, &values));
    const char **keys = config_arena_take(reader->arena, item->count * sizeof *keys);
    struct config_place *places = config_arena_take(reader->arena, item->count * sizeof *places);
    const char **texts = config_arena_take(reader->arena, item->count * values * sizeof *texts);
    size_t k = 0;
    for (const struct config_node *key = item->first; key != NULL; key = key->next, k++) {
        keys[k] = key->name;
        places[k] = key->name_place;
        TRY(write_values(reader, key, texts + k, item->count));
    }
    *axis = (struct config_axis){item->count, values, keys, texts, places};
    return STATUS_OK;
}

enum status config_read_axes(const struct config_reading *from)
{
    TRY(config_expect(from->node, CONFIG_LIST, from->reader->diagnostic));
    struct config_axis *axis =
        config_arena_take(from->reader->arena, (from->node->count + 1) * sizeof *axis);
    config_set_items(from->key, from->fields, (struct config_items){axis, from->node->count});
    for (const struct config_node *item = from->node->first; item != NULL; item = item->next) {
        TRY(read_axis(from->reader, item, axis++));
    }
    return STATUS_OK;
}
