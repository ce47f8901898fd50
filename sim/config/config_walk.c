/* config_walk.c - see config_walk.h. */
#include "sim/config/config_walk.h"

#include "sim/config/config_value.h"
#include "sim/steps.h"

#include <stdlib.h>

struct walk {
    const struct sim_config *config;
    struct config_arena *arena;
    const struct config_visitor *visitor;
};

/* Passes one value to the visitor; a NULL value means out of memory. */
static enum status visit(const struct walk *walk, const char *path, const char *value,
                         const struct config_key *key)
{
    const struct config_entry entry = {config_arena_try_text(walk->arena, path), value, key};
    if (entry.path == NULL || value == NULL) {
        return STATUS_INTERNAL;
    }
    walk->visitor->visit(walk->visitor->context, &entry);
    return STATUS_OK;
}

/* ---- the table's keys ---- */

/* Whether a key is absent and has no default: name, data.set. */
static bool is_unset(const struct sim_config *config, const struct config_key *key)
{
    const bool text = key->kind == KIND_NAME || key->kind == KIND_CHOICE;
    return text && config_field_text(config, key)[0] == '\0';
}

static enum status walk_keys(const struct walk *walk)
{
    size_t count = 0;
    const struct config_key *keys = config_keys(&count);
    for (size_t i = 0; i < count; i++) {
        if (config_key_applies(walk->config, &keys[i]) && !is_unset(walk->config, &keys[i])) {
            TRY(visit(walk, config_key_path(&keys[i]),
                      config_value_text(walk->config, &keys[i], walk->arena), &keys[i]));
        }
    }
    return STATUS_OK;
}

/* ---- app ---- */

/* A bit mask as a range, or a list of ranges. */
static void write_cores(uint32_t cores, char *text, size_t capacity)
{
    size_t length = 0;
    size_t ranges = 0;
    text[0] = '\0';
    for (uint32_t first = 0; first < 32; first++) {
        if ((cores >> first & 1u) == 0) {
            continue;
        }
        uint32_t last = first;
        while (last + 1 < 32 && (cores >> (last + 1) & 1u) != 0) {
            last++;
        }
        length += (size_t)snprintf(text + length, capacity - length, "%s%u",
                                   ranges++ == 0 ? "" : ", ", (unsigned)first);
        if (last > first) {
            length += (size_t)snprintf(text + length, capacity - length, "-%u", (unsigned)last);
        }
        first = last;
    }
    if (ranges > 1) {
        memmove(text + 1, text, length + 1);
        text[0] = '[';
        (void)snprintf(text + length + 1, capacity - length - 1, "]");
    }
}

static enum status walk_app(const struct walk *walk, size_t index)
{
    enum { VALUES = 4 };
    static const char *const NAMES[VALUES] = {"file", "chips", "cores", "app_id"};
    const struct config_app *app = &walk->config->app[index];
    char text[3][DIAGNOSTIC_KEY_CHARS];
    (void)snprintf(text[0], sizeof text[0], app->all_chips ? "all" : "\"%u,%u\"", (unsigned)app->x,
                   (unsigned)app->y);
    write_cores(app->cores, text[1], sizeof text[1]);
    (void)snprintf(text[2], sizeof text[2], "%u", (unsigned)app->app_id);
    for (size_t i = 0; i < VALUES; i++) {
        char path[DIAGNOSTIC_KEY_CHARS];
        (void)snprintf(path, sizeof path, "app[%zu].%s", index, NAMES[i]);
        TRY(visit(walk, path,
                  i == 0 ? config_yaml_text(app->file, walk->arena)
                         : config_arena_try_text(walk->arena, text[i - 1]),
                  NULL));
    }
    return STATUS_OK;
}

/* ---- faults ---- */

/* A list of quoted texts, ["0,1", "2,3"]; `item` writes element i. */
enum { LONGEST_ITEM = sizeof "255,255,0x00000000" };

static const char *quoted_list(const struct walk *walk, const void *list, size_t count,
                               void (*item)(const void *list, size_t i, char *text))
{
    const size_t length = (count + 1) * (LONGEST_ITEM + sizeof ", \"\"");
    char *text = config_arena_try(walk->arena, length);
    if (text == NULL) {
        return NULL;
    }
    size_t at = (size_t)snprintf(text, length, "[");
    for (size_t i = 0; i < count; i++) {
        char one[LONGEST_ITEM];
        item(list, i, one);
        at += (size_t)snprintf(text + at, length - at, "%s\"%s\"", i == 0 ? "" : ", ", one);
    }
    (void)snprintf(text + at, length - at, "]");
    return text;
}

static void write_chip(const void *list, size_t i, char *text)
{
    const struct topology_fault *fault = list;
    (void)snprintf(text, LONGEST_ITEM, "%u,%u", fault[i].x, fault[i].y);
}

static void write_numbered(const void *list, size_t i, char *text)
{
    const struct topology_fault *fault = list;
    (void)snprintf(text, LONGEST_ITEM, "%u,%u,%u", fault[i].x, fault[i].y, fault[i].number);
}

static void write_route(const void *list, size_t i, char *text)
{
    const struct config_deleted_route *route = list;
    (void)snprintf(text, LONGEST_ITEM, "%u,%u,0x%08x", route[i].x, route[i].y,
                   (unsigned)route[i].key);
}

static enum status walk_faults(const struct walk *walk)
{
    const struct topology_request *topology = &walk->config->topology;
    const struct {
        const char *path;
        const void *list;
        size_t count;
        void (*item)(const void *list, size_t i, char *text);
    } lists[] = {
        {"faults.down_chips", topology->down_chip, topology->down_chips, write_chip},
        {"faults.down_cores", topology->down_core, topology->down_cores, write_numbered},
        {"faults.down_links", topology->down_link, topology->down_links, write_numbered},
        {"faults.deleted_routes", walk->config->deleted_route, walk->config->deleted_routes,
         write_route},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (lists[i].count > 0) {
            TRY(visit(walk, lists[i].path,
                      quoted_list(walk, lists[i].list, lists[i].count, lists[i].item), NULL));
        }
    }
    return STATUS_OK;
}

/* ---- accept ---- */

static enum status walk_accept(const struct walk *walk, const struct config_accept *accept)
{
    const bool has[] = {accept->has_min, accept->has_max};
    const double bound[] = {accept->min, accept->max};
    for (size_t i = 0; i < 2; i++) {
        char path[DIAGNOSTIC_KEY_CHARS];
        (void)snprintf(path, sizeof path, "accept.%s.%s", config_metric_text(accept->metric),
                       i == 0 ? "min" : "max");
        if (has[i]) {
            TRY(visit(
                walk, path,
                config_arena_try_text(walk->arena, units_write_real(UNITS_FRACTION, bound[i]).text),
                NULL));
        }
    }
    return STATUS_OK;
}

/* ---- energy ---- */

/* [a, b] */
static const char *list_text(const struct walk *walk, const char *const *texts, size_t count)
{
    char *list = NULL;
    size_t size;
    FILE *stream = open_memstream(&list, &size);
    bool good = stream != NULL;
    for (size_t i = 0; i < count && good; i++) {
        const char *text = config_yaml_text(texts[i], walk->arena);
        good = text != NULL && fprintf(stream, "%s%s", i == 0 ? "[" : ", ", text) > 0;
    }
    good = good && fputs(count == 0 ? "[]" : "]", stream) >= 0;
    if (stream != NULL) {
        good = fclose(stream) == 0 && list != NULL && good; /* a stream may lose it at its end */
    }
    const char *kept = good ? config_arena_try_text(walk->arena, list) : NULL;
    free(list);
    return kept;
}

static enum status walk_term(const struct walk *walk, const struct energy_term *term)
{
    const enum units_kind kind = term->is_power ? UNITS_POWER : UNITS_ENERGY;
    const struct {
        const char *name;
        const char *value;
    } values[] = {
        {"value", config_arena_try_text(walk->arena, units_write_real(kind, term->value).text)},
        {"low", config_arena_try_text(walk->arena, units_write_real(kind, term->low).text)},
        {"high", config_arena_try_text(walk->arena, units_write_real(kind, term->high).text)},
        {"per", term->per_count == 1 ? config_yaml_text(term->per[0], walk->arena)
                                     : list_text(walk, term->per, term->per_count)},
        {"kind", energy_kind_text(term->kind)},
        {"source", config_yaml_text(term->source, walk->arena)},
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        char path[CONFIG_PATH_CHARS];
        (void)snprintf(path, sizeof path, "energy.%s.%s", term->name, values[i].name);
        TRY(visit(walk, path, values[i].value, NULL));
    }
    return STATUS_OK;
}

static enum status walk_energy(const struct walk *walk)
{
    const struct energy_table *table = &walk->config->energy;
    TRY(visit(walk, "energy.board_profile", config_yaml_text(table->board_profile, walk->arena),
              NULL));
    for (size_t i = 0; i < table->term_count; i++) {
        TRY(walk_term(walk, &table->term[i]));
    }
    return table->free_count == 0
               ? STATUS_OK
               : visit(walk, "energy.free", list_text(walk, table->free, table->free_count), NULL);
}

enum status config_walk(const struct sim_config *config, struct config_arena *arena,
                        const struct config_visitor *visitor)
{
    const struct walk walk = {config, arena, visitor};
    TRY(walk_keys(&walk));
    TRY(walk_faults(&walk));
    if (config->has_app && config->app_count == 0) {
        TRY(visit(&walk, "app", "[]", NULL));
    }
    for (size_t i = 0; i < config->app_count; i++) {
        TRY(walk_app(&walk, i));
    }
    for (size_t i = 0; i < config->accept_count; i++) {
        TRY(walk_accept(&walk, &config->accept[i]));
    }
    return walk_energy(&walk);
}
