/* config_walk.c - see config_walk.h. */
#include "sim/config/config_walk.h"

#include "sim/config/config_value.h"

#include <stdlib.h>

struct walk {
    const struct sim_config *config;
    struct config_arena *arena;
    const struct config_visitor *visitor;
};

/* Hands on one value; a NULL value means that making it ran out of memory. */
static enum status visit(const struct walk *walk, const char *path, const char *value,
                         const struct config_key *key)
{
    const char *kept = config_arena_text(walk->arena, path, strlen(path));
    if (kept == NULL || value == NULL) {
        return STATUS_INTERNAL;
    }
    const struct config_entry entry = {kept, value, key};
    walk->visitor->visit(walk->visitor->context, &entry);
    return STATUS_OK;
}

static const char *keep(const struct walk *walk, const char *text)
{
    return config_arena_text(walk->arena, text, strlen(text));
}

/* ---- the table's keys ---- */

/* Given by nobody, and there is no default: name, data.set. */
static bool is_unset(const struct sim_config *config, const struct config_key *key)
{
    const bool text = key->kind == KIND_NAME || key->kind == KIND_CHOICE;
    return text && config_field_text(config, key)[0] == '\0';
}

static enum status walk_keys(const struct walk *walk)
{
    size_t count = 0;
    const struct config_key *keys = config_keys(&count);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        if (config_key_applies(walk->config, &keys[i]) && !is_unset(walk->config, &keys[i])) {
            status = visit(walk, config_key_path(&keys[i]),
                           config_value_text(walk->config, &keys[i], walk->arena), &keys[i]);
        }
    }
    return status;
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
    enum status status = STATUS_OK;
    for (size_t i = 0; i < VALUES && status == STATUS_OK; i++) {
        char path[DIAGNOSTIC_KEY_CHARS];
        (void)snprintf(path, sizeof path, "app[%zu].%s", index, NAMES[i]);
        status = visit(walk, path,
                       i == 0 ? config_yaml_text(app->file, walk->arena) : keep(walk, text[i - 1]),
                       NULL);
    }
    return status;
}

/* ---- faults ---- */

/* ["0,1", "2,3"], with a number more where the list has one. */
static const char *faults_text(const struct walk *walk, const struct topology_fault *fault,
                               size_t count, bool numbered)
{
    enum { LONGEST = sizeof ", \"255,255,17\"" };
    char *list = config_arena_take(walk->arena, (count + 1) * LONGEST);
    if (list == NULL) {
        return NULL;
    }
    const size_t length = (count + 1) * LONGEST;
    size_t at = (size_t)snprintf(list, length, "[");
    for (size_t i = 0; i < count; i++) {
        at += (size_t)snprintf(list + at, length - at, "%s\"%u,%u", i == 0 ? "" : ", ", fault[i].x,
                               fault[i].y);
        if (numbered) {
            at += (size_t)snprintf(list + at, length - at, ",%u", fault[i].number);
        }
        at += (size_t)snprintf(list + at, length - at, "\"");
    }
    (void)snprintf(list + at, length - at, "]");
    return list;
}

/* ["0,1,0x00001000"] */
static const char *routes_text(const struct walk *walk)
{
    enum { LONGEST = sizeof ", \"255,255,0x00000000\"" };
    const struct sim_config *config = walk->config;
    const size_t length = (config->deleted_routes + 1) * LONGEST;
    char *list = config_arena_take(walk->arena, length);
    if (list == NULL) {
        return NULL;
    }
    size_t at = (size_t)snprintf(list, length, "[");
    for (size_t i = 0; i < config->deleted_routes; i++) {
        const struct config_deleted_route *route = &config->deleted_route[i];
        at += (size_t)snprintf(list + at, length - at, "%s\"%u,%u,0x%08x\"", i == 0 ? "" : ", ",
                               route->x, route->y, (unsigned)route->key);
    }
    (void)snprintf(list + at, length - at, "]");
    return list;
}

static enum status walk_faults(const struct walk *walk)
{
    const struct topology_request *topology = &walk->config->topology;
    const struct {
        const char *path;
        const struct topology_fault *fault;
        size_t count;
        bool numbered;
    } list[] = {
        {"faults.down_chips", topology->down_chip, topology->down_chips, false},
        {"faults.down_cores", topology->down_core, topology->down_cores, true},
        {"faults.down_links", topology->down_link, topology->down_links, true},
    };
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof list / sizeof *list && status == STATUS_OK; i++) {
        if (list[i].count > 0) {
            status = visit(walk, list[i].path,
                           faults_text(walk, list[i].fault, list[i].count, list[i].numbered), NULL);
        }
    }
    if (status == STATUS_OK && walk->config->deleted_routes > 0) {
        status = visit(walk, "faults.deleted_routes", routes_text(walk), NULL);
    }
    return status;
}

/* ---- accept ---- */

static enum status walk_accept(const struct walk *walk, const struct config_accept *accept)
{
    const bool has[] = {accept->has_min, accept->has_max};
    const double bound[] = {accept->min, accept->max};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < 2 && status == STATUS_OK; i++) {
        char path[DIAGNOSTIC_KEY_CHARS];
        (void)snprintf(path, sizeof path, "accept.%s.%s", config_metric_text(accept->metric),
                       i == 0 ? "min" : "max");
        if (has[i]) {
            status = visit(walk, path, keep(walk, units_write_real(UNITS_FRACTION, bound[i]).text),
                           NULL);
        }
    }
    return status;
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
    const char *kept = good ? keep(walk, list) : NULL;
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
        {"value", keep(walk, units_write_real(kind, term->value).text)},
        {"low", keep(walk, units_write_real(kind, term->low).text)},
        {"high", keep(walk, units_write_real(kind, term->high).text)},
        {"per", term->per_count == 1 ? config_yaml_text(term->per[0], walk->arena)
                                     : list_text(walk, term->per, term->per_count)},
        {"kind", energy_kind_text(term->kind)},
        {"source", config_yaml_text(term->source, walk->arena)},
    };
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof values / sizeof values[0] && status == STATUS_OK; i++) {
        char path[CONFIG_PATH_CHARS];
        (void)snprintf(path, sizeof path, "energy.%s.%s", term->name, values[i].name);
        status = visit(walk, path, values[i].value, NULL);
    }
    return status;
}

static enum status walk_energy(const struct walk *walk)
{
    const struct energy_table *table = &walk->config->energy;
    enum status status = visit(walk, "energy.board_profile",
                               config_yaml_text(table->board_profile, walk->arena), NULL);
    for (size_t i = 0; i < table->term_count && status == STATUS_OK; i++) {
        status = walk_term(walk, &table->term[i]);
    }
    if (status == STATUS_OK && table->free_count > 0) {
        status = visit(walk, "energy.free", list_text(walk, table->free, table->free_count), NULL);
    }
    return status;
}

enum status config_walk(const struct sim_config *config, struct config_arena *arena,
                        const struct config_visitor *visitor)
{
    const struct walk walk = {config, arena, visitor};
    enum status status = walk_keys(&walk);
    if (status == STATUS_OK) {
        status = walk_faults(&walk);
    }
    if (status == STATUS_OK && config->has_app && config->app_count == 0) {
        status = visit(&walk, "app", "[]", NULL);
    }
    for (size_t i = 0; i < config->app_count && status == STATUS_OK; i++) {
        status = walk_app(&walk, i);
    }
    for (size_t i = 0; i < config->accept_count && status == STATUS_OK; i++) {
        status = walk_accept(&walk, &config->accept[i]);
    }
    return status == STATUS_OK ? walk_energy(&walk) : status;
}
