/* config_walk.c - see config_walk.h. */
#include "sim/config/config_walk.h"

#include "sim/config/config_read.h"
#include "sim/config/config_value.h"

#include <stdarg.h>
#include <stdlib.h>

struct walk {
    const struct sim_config *config;
    struct config_arena *arena;
    const struct config_visitor *visitor;
    enum status status; /* of the walk so far: STATUS_INTERNAL once memory has run out */
};

/* Passes one value, of a key in printf format, to the visitor; a NULL value means out of memory. */
static void visit(struct walk *walk, const char *value, const struct config_key *key,
                  const char *format, ...) PRINTF_LIKE(4, 5);
static void visit(struct walk *walk, const char *value, const struct config_key *key,
                  const char *format, ...)
{
    char path[CONFIG_PATH_CHARS];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    if (value == NULL) {
        walk->status = STATUS_INTERNAL;
    }
    if (walk->status == STATUS_OK) {
        walk->visitor->visit(walk->visitor->context, &(struct config_entry){path, value, key});
    }
}

/* [a, b]; `item` gives the text of element i. */
static const char *list_text(const struct walk *walk, const void *items, size_t count,
                             const char *(*item)(const struct walk *walk, const void *items,
                                                 size_t i))
{
    char *list = NULL;
    size_t size;
    FILE *stream = open_memstream(&list, &size);
    bool good = stream != NULL;
    for (size_t i = 0; i < count && good; i++) {
        const char *text = item(walk, items, i);
        good = text != NULL && fprintf(stream, "%s%s", i == 0 ? "[" : ", ", text) > 0;
    }
    good = good && fputs(count == 0 ? "[]" : "]", stream) >= 0;
    if (stream != NULL) {
        good = fclose(stream) == 0 && list != NULL && good; /* a stream may lose it at its end */
    }
    const char *kept = good ? config_arena_print(walk->arena, "%s", list) : NULL;
    free(list);
    return kept;
}

static const char *real_text(const struct walk *walk, enum units_kind kind, double value)
{
    return config_arena_print(walk->arena, "%s", units_write_real(kind, value).text);
}

/* ---- the table's keys ---- */

/* Whether a key is absent and has no default: name, data.set. */
static bool is_unset(const struct sim_config *config, const struct config_key *key)
{
    const bool text = key->kind == KIND_NAME || key->kind == KIND_CHOICE;
    return text && config_field_text(config, key)[0] == '\0';
}

static void walk_keys(struct walk *walk)
{
    size_t count = 0;
    const struct config_key *keys = config_keys(&count);
    for (size_t i = 0; i < count; i++) {
        if (config_key_applies(walk->config, &keys[i]) && !is_unset(walk->config, &keys[i])) {
            visit(walk, config_value_text(walk->config, &keys[i], walk->arena), &keys[i], "%s",
                  config_key_path(&keys[i]));
        }
    }
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

static void walk_app(struct walk *walk, size_t i)
{
    const struct config_app *app = &walk->config->app[i];
    char cores[DIAGNOSTIC_KEY_CHARS];
    write_cores(app->cores, cores, sizeof cores);
    visit(walk, config_yaml_text(app->file, walk->arena), NULL, "app[%zu].file", i);
    visit(walk,
          app->all_chips
              ? "all"
              : config_arena_print(walk->arena, "\"%u,%u\"", (unsigned)app->x, (unsigned)app->y),
          NULL, "app[%zu].chips", i);
    visit(walk, cores, NULL, "app[%zu].cores", i);
    visit(walk, config_arena_print(walk->arena, "%u", (unsigned)app->app_id), NULL,
          "app[%zu].app_id", i);
}

/* ---- faults ---- */

struct faults {
    const struct topology_fault *fault;
    const char *format;
};

static const char *fault_text(const struct walk *walk, const void *items, size_t i)
{
    const struct faults *faults = items;
    const struct topology_fault *fault = &faults->fault[i];
    return config_arena_print(walk->arena, faults->format, (unsigned)fault->x, (unsigned)fault->y,
                              (unsigned)fault->number);
}

static void walk_faults(struct walk *walk)
{
    for (const struct config_fault_list *list = CONFIG_FAULT_LISTS; list->key.name != NULL;
         list++) {
        struct faults faults = {.format = list->format};
        size_t count;
        memcpy(&faults.fault, (const char *)walk->config + list->items, sizeof faults.fault);
        memcpy(&count, (const char *)walk->config + list->count, sizeof count);
        if (count > 0 || walk->visitor->empty_lists) {
            visit(walk, list_text(walk, &faults, count, fault_text), &list->key, "faults.%s",
                  list->key.name);
        }
    }
}

/* ---- stages ---- */

/* [first, second] */
static const char *stages_text(const struct walk *walk, uint32_t bits)
{
    const char *text = "";
    for (size_t i = 0; i < walk->config->stage_count; i++) {
        if ((bits >> i & 1u) != 0 && text != NULL) {
            text = config_arena_print(walk->arena, "%s%s%s", text, text[0] == '\0' ? "" : ", ",
                                      walk->config->stage[i].name);
        }
    }
    return text == NULL ? NULL : config_arena_print(walk->arena, "[%s]", text);
}

static void walk_stage_key(struct walk *walk, size_t i, const char *before,
                           const struct config_key *key)
{
    const struct config_stage *stage = &walk->config->stage[i];
    const bool empty = key->kind == KIND_NAME && config_field_text(stage, key)[0] == '\0';
    const bool unused = stage->filter == CONFIG_FILTER_NONE && strcmp(before, "filter.") == 0;
    if (key->group_keys == NULL && !empty && !unused) {
        visit(walk,
              key->raw ? stages_text(walk, stage->of_bits)
                       : config_value_text(stage, key, walk->arena),
              key->raw ? NULL : key, "stages[%zu].%s%s", i, before, key->name);
    }
}

static void walk_stages(struct walk *walk)
{
    for (size_t i = 0; i < walk->config->stage_count; i++) {
        for (const struct config_stage_part *part = CONFIG_STAGE_PARTS; part->keys != NULL;
             part++) {
            for (const struct config_key *key = part->keys; key->name != NULL; key++) {
                walk_stage_key(walk, i, part->before, key);
            }
        }
    }
}

static const char *fraction_text(const struct walk *walk, const void *items, size_t i)
{
    return real_text(walk, UNITS_FRACTION, ((const double *)items)[i]);
}

static void walk_vote(struct walk *walk)
{
    const struct config_vote *vote = &walk->config->vote;
    if (walk->config->stage_count > 0) {
        visit(walk, stages_text(walk, vote->of_bits), NULL, "vote.of");
        visit(walk, list_text(walk, vote->confidence, vote->confidences, fraction_text), NULL,
              "vote.confidence");
    }
}

/* ---- accept ---- */

static void walk_accept(struct walk *walk, const struct config_accept *accept)
{
    const char *metric = config_metric_text(accept->metric);
    if (accept->has_min) {
        visit(walk, real_text(walk, UNITS_FRACTION, accept->min), NULL, "accept.%s.min", metric);
    }
    if (accept->has_max) {
        visit(walk, real_text(walk, UNITS_FRACTION, accept->max), NULL, "accept.%s.max", metric);
    }
}

/* ---- energy ---- */

static const char *yaml_text(const struct walk *walk, const void *items, size_t i)
{
    const char *const *texts = items;
    return config_yaml_text(texts[i], walk->arena);
}

static void walk_term(struct walk *walk, const struct energy_term *term)
{
    const enum units_kind kind = term->is_power ? UNITS_POWER : UNITS_ENERGY;
    const struct {
        const char *name;
        const char *value;
    } values[] = {
        {"value", real_text(walk, kind, term->value)},
        {"low", real_text(walk, kind, term->low)},
        {"high", real_text(walk, kind, term->high)},
        {"per", term->per_count == 1 ? yaml_text(walk, term->per, 0)
                                     : list_text(walk, term->per, term->per_count, yaml_text)},
        {"kind", energy_kind_text(term->kind)},
        {"source", config_yaml_text(term->source, walk->arena)},
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        visit(walk, values[i].value, NULL, "energy.%s.%s", term->name, values[i].name);
    }
}

static void walk_outside(struct walk *walk, enum energy_outside_of of)
{
    const struct energy_outside *outside = &walk->config->energy.outside[of];
    const enum units_kind kind = of == ENERGY_OUTSIDE_WALL ? UNITS_FRACTION : UNITS_POWER;
    if (outside->source == NULL) {
        return;
    }
    const struct {
        const char *name;
        const char *value;
    } values[] = {
        {"value", real_text(walk, kind, outside->value)},
        {"low", real_text(walk, kind, outside->low)},
        {"high", real_text(walk, kind, outside->high)},
        {"kind", energy_kind_text(outside->kind)},
        {"source", config_yaml_text(outside->source, walk->arena)},
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        visit(walk, values[i].value, NULL, "energy.scopes.%s.%s", energy_outside_text(of),
              values[i].name);
    }
}

static void walk_energy(struct walk *walk)
{
    const struct energy_table *table = &walk->config->energy;
    visit(walk, config_yaml_text(table->board_profile, walk->arena), NULL, "energy.board_profile");
    for (size_t i = 0; i < table->term_count; i++) {
        walk_term(walk, &table->term[i]);
    }
    if (table->free_count > 0) {
        visit(walk, list_text(walk, table->free, table->free_count, yaml_text), NULL,
              "energy.free");
    }
    for (unsigned of = 0; of < ENERGY_OUTSIDES; of++) {
        walk_outside(walk, (enum energy_outside_of)of);
    }
    for (size_t i = 0; i < table->clock_count; i++) {
        const struct energy_clock *clock = &table->clock[i];
        visit(walk, units_write_whole(UNITS_FREQUENCY, clock->low_hz).text, NULL,
              "energy.clocks.%s.low", clock->name);
        visit(walk, units_write_whole(UNITS_FREQUENCY, clock->high_hz).text, NULL,
              "energy.clocks.%s.high", clock->name);
        visit(walk, config_yaml_text(clock->source, walk->arena), NULL, "energy.clocks.%s.source",
              clock->name);
    }
}

static void walk_rest(struct walk *walk)
{
    const struct sim_config *config = walk->config;
    walk_keys(walk);
    walk_faults(walk);
    if (config->has_app && config->app_count == 0) {
        visit(walk, "[]", NULL, "app");
    }
    for (size_t i = 0; i < config->app_count; i++) {
        walk_app(walk, i);
    }
    walk_stages(walk);
    walk_vote(walk);
    for (size_t i = 0; i < config->accept_count; i++) {
        walk_accept(walk, &config->accept[i]);
    }
}

enum status config_walk(const struct sim_config *config, struct config_arena *arena,
                        const struct config_visitor *visitor)
{
    struct walk walk = {config, arena, visitor, STATUS_OK};
    if (visitor->part != CONFIG_WALK_ENERGY) {
        walk_rest(&walk);
    }
    if (visitor->part != CONFIG_WALK_REST) {
        walk_energy(&walk);
    }
    return walk.status;
}
