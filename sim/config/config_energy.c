/* config_energy.c - the group `energy`: coefficients, the board's profile, counters that are free.
 */
#include "models/common/units.h"
#include "sim/config/config_read.h"
#include "sim/config/config_table.h"
#include "sim/config/config_value.h"
#include "sim/config/suggestion.h"
#include "sim/steps.h"

#include <stdlib.h>

static const char BOARD_TERM[] = "board_"; /* the terms of which a profile chooses one */
static const char NO_PROFILE[] = "none";

/* Upper bounds, far above any plausible value: 1 J for one event, 64 kW for one board. */
static const double GREATEST_ENERGY_PJ = PJ_PER_J;
static const double GREATEST_POWER_W = 65536;

static bool is_board_term(const char *name)
{
    return strncmp(name, BOARD_TERM, strlen(BOARD_TERM)) == 0;
}

/* ---- names of counters ---- */

/* Whether a text is component.counter or, with `any`, component.*. */
static bool is_counter(const char *text, bool any)
{
    const char *letters = "abcdefghijklmnopqrstuvwxyz0123456789_";
    const size_t component = strspn(text, letters);
    if (component == 0 || text[component] != '.') {
        return false;
    }
    const char *counter = text + component + 1;
    return (any && strcmp(counter, "*") == 0) ||
           (counter[0] != '\0' && strspn(counter, letters) == strlen(counter));
}

/* Checks a counter, or each of a list of them. */
static enum status check_counters(const struct config_reader *reader,
                                  const struct config_node *node, bool any)
{
    for (const struct config_node *at = node->first; at != NULL; at = at->next) {
        TRY(check_counters(reader, at, any));
    }
    return node->shape == CONFIG_LIST || is_counter(node->text, any)
               ? STATUS_OK
               : config_refuse_value(
                     reader->diagnostic, node, "%s is not a counter\v%s", config_show(node).text,
                     any ? "component.counter, or component.* for all that are not charged"
                         : "component.counter, a list of them, chip or board");
}

/* ---- one term ---- */

struct parts {
    const struct config_node *value, *low, *high, *per, *source;
    enum energy_kind kind;
};

static const char *const KINDS[] = {"measured", "datasheet", "derived", "assumed", NULL};

static const struct config_key PARTS[] = {
    {.name = "value", .raw = true, CONFIG_FIELD(struct parts, value)},
    {.name = "low", .raw = true, CONFIG_FIELD(struct parts, low)},
    {.name = "high", .raw = true, CONFIG_FIELD(struct parts, high)},
    {.name = "per", .raw = true, CONFIG_FIELD(struct parts, per)},
    {.name = "kind",
     .kind = KIND_CHOICE,
     .choices = KINDS,
     .text = "measured",
     CONFIG_FIELD(struct parts, kind)},
    {.name = "source", .raw = true, CONFIG_FIELD(struct parts, source)},
    {.name = NULL}};

/* Reads an amount as energy or power, as `per` requires; if `per` is not known yet, by the unit of
 * the amount. */
static enum status read_amount(const struct config_reader *reader, const struct config_node *node,
                               const struct energy_term *term, double *value)
{
    if (node == NULL) {
        return STATUS_OK;
    }
    double ignored = 0;
    const bool power =
        term->is_power ||
        (term->per == NULL && units_read_real(UNITS_POWER, node->text, &ignored) == UNITS_OK);
    return config_real_read(node, power ? UNITS_POWER : UNITS_ENERGY, 0,
                            power ? GREATEST_POWER_W : GREATEST_ENERGY_PJ, value,
                            reader->diagnostic);
}

static enum status read_per(const struct config_reader *reader, const struct config_node *node,
                            struct energy_term *term)
{
    const bool board = strcmp(node->text, "board") == 0;
    term->is_power = board || strcmp(node->text, "chip") == 0;
    TRY(config_read_texts(reader, node, true, &term->per, &term->per_count));
    if (term->per_count == 0) {
        return config_refuse_value(reader->diagnostic, node, "an empty list");
    }
    if (!term->is_power) {
        TRY(check_counters(reader, node, false));
    }
    if (board != is_board_term(term->name)) {
        return config_refuse_value(reader->diagnostic, node,
                                   "%s\vprofiles are named board_NAME and have per: board",
                                   board ? "only board profiles are charged per board"
                                         : "a board profile is charged per board");
    }
    return STATUS_OK;
}

/* What only the merged configuration must have: all parts, and low <= value <= high. */
static enum status check_term(const struct config_reader *reader, const struct config_node *node,
                              const struct config_key *needed, const struct parts *parts,
                              const struct energy_term *term)
{
    for (const struct config_key *part = needed; part->name != NULL; part++) {
        if (config_node_given(node, part->name) == NULL) {
            return config_refuse_key(reader->diagnostic, node,
                                     "a coefficient without \"%s\"\v"
                                     "needed: value, low, high, %skind, source",
                                     part->name, needed == PARTS ? "per, " : "");
        }
    }
    const bool low = term->low > term->value;
    return !low && term->value <= term->high
               ? STATUS_OK
               : config_refuse_value(reader->diagnostic, low ? parts->low : parts->high,
                                     "%s value\vvalue is %s",
                                     low ? "low is above" : "high is below", parts->value->text);
}

static enum status read_term(const struct config_reader *reader, const struct config_node *node,
                             struct energy_term *term)
{
    struct parts parts;
    *term = (struct energy_term){.name = node->name};
    TRY(config_table_read(node, PARTS, &parts, reader->arena, reader->diagnostic));
    if (is_board_term(node->name) && strcmp(node->name + strlen(BOARD_TERM), NO_PROFILE) == 0) {
        return config_refuse_key(reader->diagnostic, node, "\"none\" is no board's name");
    }
    term->kind = parts.kind;
    if (parts.per != NULL) {
        TRY(read_per(reader, parts.per, term));
    }
    TRY(read_amount(reader, parts.value, term, &term->value));
    TRY(read_amount(reader, parts.low, term, &term->low));
    TRY(read_amount(reader, parts.high, term, &term->high));
    if (parts.source != NULL) {
        TRY(config_text_read(parts.source, &term->source, reader->diagnostic));
    }
    return reader->partial ? STATUS_OK : check_term(reader, node, PARTS, &parts, term);
}

/* ---- clocks at which the sources have measured ---- */

static const struct config_key CLOCK_PARTS[] = {{.name = "low",
                                                 .kind = KIND_FREQUENCY,
                                                 .whole = {1, 1, UINT64_MAX},
                                                 CONFIG_FIELD(struct energy_clock, low_hz)},
                                                {.name = "high",
                                                 .kind = KIND_FREQUENCY,
                                                 .whole = {UINT64_MAX, 1, UINT64_MAX},
                                                 CONFIG_FIELD(struct energy_clock, high_hz)},
                                                {.name = "source",
                                                 .kind = KIND_TEXT,
                                                 .whole = {0, 1, UINT32_MAX},
                                                 .text = "",
                                                 CONFIG_FIELD(struct energy_clock, source)},
                                                {.name = NULL}};

static enum status read_clock(const struct config_reader *reader, const struct config_node *node,
                              struct energy_clock *clock)
{
    const struct config_key *key = config_key_find("clock", node->name);
    if (key == NULL || key->kind != KIND_FREQUENCY) {
        return config_refuse_key(reader->diagnostic, node,
                                 "no clock\vcpu or sdram, as under clock");
    }
    TRY(config_table_read(node, CLOCK_PARTS, clock, reader->arena, reader->diagnostic));
    clock->name = node->name;
    for (const struct config_key *part = CLOCK_PARTS; part->name != NULL && !reader->partial;
         part++) {
        if (config_node_given(node, part->name) == NULL) {
            return config_refuse_key(reader->diagnostic, node,
                                     "a range without \"%s\"\vneeded: low, high, source",
                                     part->name);
        }
    }
    return clock->low_hz <= clock->high_hz
               ? STATUS_OK
               : config_refuse_value(reader->diagnostic, node, "low is above high\vhigh is %s",
                                     units_write_whole(UNITS_FREQUENCY, clock->high_hz).text);
}

static int compare_clocks(const void *a, const void *b)
{
    const struct energy_clock *first = a;
    const struct energy_clock *second = b;
    return strcmp(first->name, second->name);
}

static enum status read_clocks(const struct config_reader *reader, const struct config_node *node)
{
    TRY(config_expect(node, CONFIG_MAP, reader->diagnostic));
    struct energy_table *table = &reader->config->energy;
    struct energy_clock *clocks =
        config_arena_take(reader->arena, (node->count + 1) * sizeof *clocks);
    size_t count = 0;
    for (const struct config_node *at = node->first; at != NULL; at = at->next) {
        if (at->shape != CONFIG_NULL) {
            TRY(read_clock(reader, at, &clocks[count++]));
        }
    }
    qsort(clocks, count, sizeof *clocks, compare_clocks);
    table->clock = clocks;
    table->clock_count = count;
    return STATUS_OK;
}

bool config_extrapolates(const struct sim_config *config, size_t i, struct diagnostic *about)
{
    const struct energy_clock *range = &config->energy.clock[i];
    const struct config_key *key = config_key_find("clock", range->name);
    const uint64_t hz = config_field_whole(config, key);
    if (range->low_hz <= hz && hz <= range->high_hz) {
        return false;
    }
    const bool one = range->low_hz == range->high_hz;
    (void)diagnose(about, STATUS_CONFIGURATION,
                   "at %s joules are extrapolated: the sources of the energy coefficients cover "
                   "%s%s%s\v"
                   "set energy.* for this clock, and energy.clocks.%s to the range for which they "
                   "hold",
                   units_write_whole(UNITS_FREQUENCY, hz).text,
                   units_write_whole(UNITS_FREQUENCY, range->low_hz).text, one ? "" : " to ",
                   one ? "" : units_write_whole(UNITS_FREQUENCY, range->high_hz).text, range->name);
    diagnostic_key(about, config_key_path(key));
    return true;
}

/* ---- scopes beyond the board ---- */

static const struct config_key OUTSIDE_PARTS[] = {
    {.name = "value", .raw = true, CONFIG_FIELD(struct parts, value)},
    {.name = "low", .raw = true, CONFIG_FIELD(struct parts, low)},
    {.name = "high", .raw = true, CONFIG_FIELD(struct parts, high)},
    {.name = "kind",
     .kind = KIND_CHOICE,
     .choices = KINDS,
     .text = "measured",
     CONFIG_FIELD(struct parts, kind)},
    {.name = "source", .raw = true, CONFIG_FIELD(struct parts, source)},
    {.name = NULL}};

static enum status read_outside_amount(const struct config_reader *reader,
                                       const struct config_node *node, bool efficiency,
                                       double *value)
{
    if (node == NULL) {
        return STATUS_OK;
    }
    TRY(config_real_read(node, efficiency ? UNITS_FRACTION : UNITS_POWER, 0,
                         efficiency ? 1 : GREATEST_POWER_W, value, reader->diagnostic));
    return !efficiency || *value > 0
               ? STATUS_OK
               : config_refuse_value(reader->diagnostic, node,
                                     "an efficiency of 0\vthe board's power over that at the wall");
}

static enum status read_outside(const struct config_reader *reader, const struct config_node *node,
                                enum energy_outside_of of)
{
    struct energy_outside *outside = &reader->config->energy.outside[of];
    const bool efficiency = of == ENERGY_OUTSIDE_WALL;
    struct parts parts = {0};
    TRY(config_table_read(node, OUTSIDE_PARTS, &parts, reader->arena, reader->diagnostic));
    outside->kind = parts.kind;
    TRY(read_outside_amount(reader, parts.value, efficiency, &outside->value));
    TRY(read_outside_amount(reader, parts.low, efficiency, &outside->low));
    TRY(read_outside_amount(reader, parts.high, efficiency, &outside->high));
    if (parts.source != NULL) {
        TRY(config_text_read(parts.source, &outside->source, reader->diagnostic));
    }
    const struct energy_term range = {
        .value = outside->value, .low = outside->low, .high = outside->high};
    return reader->partial ? STATUS_OK : check_term(reader, node, OUTSIDE_PARTS, &parts, &range);
}

static enum status read_scopes(const struct config_reader *reader, const struct config_node *node)
{
    TRY(config_expect(node, CONFIG_MAP, reader->diagnostic));
    for (const struct config_node *at = node->first; at != NULL; at = at->next) {
        unsigned of = 0;
        while (of < ENERGY_OUTSIDES &&
               strcmp(at->name, energy_outside_text((enum energy_outside_of)of)) != 0) {
            of++;
        }
        if (of == ENERGY_OUTSIDES) {
            return config_refuse_key(reader->diagnostic, at,
                                     "no scope beyond the board\vwall, rack or host");
        }
        if (at->shape != CONFIG_NULL) {
            TRY(read_outside(reader, at, (enum energy_outside_of)of));
        }
    }
    return STATUS_OK;
}

/* ---- the group ---- */

/* A name that is also a plain key in YAML. */
static bool is_term_name(const char *name)
{
    return config_is_name(name) && name[0] >= 'a' && strcmp(name, "null") != 0;
}

static enum status read_profile(const struct config_reader *reader, const struct config_node *node)
{
    if (!config_is_name(node->text)) {
        return config_refuse_value(reader->diagnostic, node, "%s is not a profile's name",
                                   config_show(node).text);
    }
    reader->config->energy.board_profile = node->text;
    return STATUS_OK;
}

static int compare_terms(const void *a, const void *b)
{
    const struct energy_term *first = a;
    const struct energy_term *second = b;
    return strcmp(first->name, second->name);
}

enum status config_read_energy(const struct config_reader *reader, const struct config_node *node)
{
    TRY(config_expect(node, CONFIG_MAP, reader->diagnostic));
    struct energy_table *table = &reader->config->energy;
    struct energy_term *terms = config_arena_take(reader->arena, (node->count + 1) * sizeof *terms);
    size_t count = 0;
    for (const struct config_node *key = node->first; key != NULL; key = key->next) {
        if (key->shape == CONFIG_NULL) {
            continue;
        }
        if (strcmp(key->name, "board_profile") == 0) {
            TRY(read_profile(reader, key));
        } else if (strcmp(key->name, "free") == 0) {
            TRY(config_read_texts(reader, key, false, &table->free, &table->free_count));
            TRY(check_counters(reader, key, true));
        } else if (strcmp(key->name, "clocks") == 0) {
            TRY(read_clocks(reader, key));
        } else if (strcmp(key->name, "scopes") == 0) {
            TRY(read_scopes(reader, key));
        } else if (!is_term_name(key->name)) {
            return config_refuse_key(reader->diagnostic, key,
                                     "not a coefficient's name\v"
                                     "made of a-z, 0-9, \"_\" and \"-\", a letter first");
        } else {
            TRY(read_term(reader, key, &terms[count++]));
        }
    }
    qsort(terms, count, sizeof *terms, compare_terms);
    table->term = terms;
    table->term_count = count;
    return STATUS_OK;
}

enum status config_check_energy(const struct sim_config *config, struct diagnostic *diagnostic)
{
    const char *profile = config->energy.board_profile;
    if (strcmp(profile, NO_PROFILE) == 0) {
        return STATUS_OK;
    }
    struct suggestion suggestion = suggestion_begin(profile);
    suggestion_offer(&suggestion, NO_PROFILE);
    for (size_t i = 0; i < config->energy.term_count; i++) {
        const char *name = config->energy.term[i].name;
        if (!is_board_term(name)) {
            continue;
        }
        if (strcmp(name + strlen(BOARD_TERM), profile) == 0) {
            return STATUS_OK;
        }
        suggestion_offer(&suggestion, name + strlen(BOARD_TERM));
    }
    const struct config_node *node = config_node_find(config->tree, "energy.board_profile");
    const bool near = suggestion.best != NULL;
    return config_refuse_value(diagnostic, node, "no coefficient energy.board_%s\v%s%s%s", profile,
                               near ? "did you mean \"" : "", near ? suggestion.best : "",
                               near ? "\"?"
                                    : "none, or the NAME of a coefficient energy.board_NAME");
}
