/* config_app.c - an entry of the list `app`: a program and the cores that it runs on. */
#include "sim/config/config_read.h"
#include "sim/steps.h"

enum status config_begin_app(const struct config_reader *reader, const struct config_node *node,
                             void *item)
{
    (void)reader;
    struct config_app *app = item;
    app->all_chips = true;
    app->place = node->place;
    return STATUS_OK;
}

/* all, or "x,y". */
enum status config_read_chips(const struct config_reading *from)
{
    struct config_app *app = from->fields;
    const char *at = from->node->text;
    app->all_chips = from->node->shape == CONFIG_SCALAR && strcmp(at, "all") == 0;
    if (!app->all_chips && (!config_take_chip(&at, &app->x, &app->y) || *at != '\0')) {
        return config_refuse_value(from->reader->diagnostic, from->node,
                                   "%s names no chips\v"
                                   "all, or one chip as \"x,y\" (in quotes within braces)",
                                   config_show(from->node).text);
    }
    return STATUS_OK;
}

const char *config_text_chips(const struct config_writing *of)
{
    const struct config_app *app = of->fields;
    return app->all_chips
               ? "all"
               : config_arena_print(of->arena, "\"%u,%u\"", (unsigned)app->x, (unsigned)app->y);
}

/* 3, or 1-17. */
static enum status read_range(const struct config_reader *reader, const struct config_node *node,
                              uint32_t *cores)
{
    const char *at = node->text;
    uint32_t first = 0;
    bool read = config_take_number(&at, TOPOLOGY_CORES, &first);
    uint32_t last = first;
    if (read && *at == '-') {
        at++;
        read = config_take_number(&at, TOPOLOGY_CORES, &last);
    }
    if (!read || *at != '\0' || last < first) {
        return config_refuse_value(
            reader->diagnostic, node,
            "%s names no cores\vone core, a range 1-17, or a list [1, 4-6]; 0 to %d",
            config_show(node).text, TOPOLOGY_CORES - 1);
    }
    for (uint32_t core = first; core <= last; core++) {
        if ((*cores >> core & 1u) != 0) {
            return config_refuse_value(reader->diagnostic, node,
                                       "core %u stands here twice\vremove one", (unsigned)core);
        }
        *cores |= 1u << core;
    }
    return STATUS_OK;
}

enum status config_read_cores(const struct config_reading *from)
{
    uint32_t *cores = &((struct config_app *)from->fields)->cores;
    if (from->node->shape != CONFIG_LIST || from->node->count == 0) {
        return read_range(from->reader, from->node, cores);
    }
    for (const struct config_node *entry = from->node->first; entry != NULL; entry = entry->next) {
        TRY(read_range(from->reader, entry, cores));
    }
    return STATUS_OK;
}

/* A range, or a list of ranges. */
const char *config_text_cores(const struct config_writing *of)
{
    const uint32_t cores = ((const struct config_app *)of->fields)->cores;
    const char *text = "";
    size_t ranges = 0;
    for (uint32_t first = 0; first < TOPOLOGY_CORES && text != NULL; first++) {
        if ((cores >> first & 1u) == 0) {
            continue;
        }
        uint32_t last = first;
        while ((cores >> (last + 1) & 1u) != 0) {
            last++;
        }
        const char *comma = ranges++ == 0 ? "" : ", ";
        text = last == first ? config_arena_print(of->arena, "%s%s%u", text, comma, (unsigned)first)
                             : config_arena_print(of->arena, "%s%s%u-%u", text, comma,
                                                  (unsigned)first, (unsigned)last);
        first = last;
    }
    return ranges > 1 && text != NULL ? config_arena_print(of->arena, "[%s]", text) : text;
}
