/* config_sweep.c - the list `sweep`: keys with the values that runs try, one item after the other;
 * keys of one item advance together. */
#include "models/common/memory.h"
#include "sim/config/config_read.h"
#include "sim/config/config_value.h"
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

static enum status check_values(const struct config_reader *reader, const struct config_node *key,
                                size_t count)
{
    TRY(config_expect(key, CONFIG_LIST, reader->diagnostic));
    if (key->count == 0) {
        return config_refuse_value(reader->diagnostic, key, "no value\v%s: [one, another]",
                                   key->name);
    }
    if (key->count != count) {
        return config_refuse_value(reader->diagnostic, key,
                                   "%zu values beside %zu\vkeys of one item advance together; "
                                   "an item of its own tries every value with every other",
                                   key->count, count);
    }
    return STATUS_OK;
}

static enum status read_axis(const struct config_reader *reader, const struct config_node *item,
                             struct config_axis *axis)
{
    TRY(config_expect(item, CONFIG_MAP, reader->diagnostic));
    if (item->first == NULL) {
        return config_refuse_value(reader->diagnostic, item,
                                   "no key\v{clock.cpu: [100 MHz, 200 MHz]}");
    }
    for (const struct config_node *key = item->first; key != NULL; key = key->next) {
        TRY(check_values(reader, key, item->first->count));
    }
    const size_t values = item->first->count;
    const char **keys = config_arena_take(reader->arena, item->count * sizeof *keys);
    const char **texts = config_arena_take(reader->arena, item->count * values * sizeof *texts);
    size_t k = 0;
    for (const struct config_node *key = item->first; key != NULL; key = key->next, k++) {
        size_t v = 0;
        keys[k] = key->name;
        for (const struct config_node *value = key->first; value != NULL; value = value->next) {
            texts[v++ * item->count + k] = text_of(reader->arena, value);
        }
    }
    *axis = (struct config_axis){item->count, values, keys, texts};
    return STATUS_OK;
}

enum status config_read_sweep(const struct config_reader *reader, const struct config_node *node)
{
    TRY(config_expect(node, CONFIG_LIST, reader->diagnostic));
    struct config_axis *axis = config_arena_take(reader->arena, (node->count + 1) * sizeof *axis);
    size_t count = 0;
    for (const struct config_node *item = node->first; item != NULL; item = item->next) {
        TRY(read_axis(reader, item, &axis[count++]));
    }
    reader->config->axis = axis;
    reader->config->axis_count = count;
    return STATUS_OK;
}
