/* config_energy.c - the group `energy`: coefficients, the board's profile, counters that are free.
 */
#include "models/common/units.h"
#include "sim/config/config_read.h"
#include "sim/config/config_value.h"
#include "sim/config/suggestion.h"
#include "sim/steps.h"

#include <stdlib.h>

static const char BOARD_TERM[] = "board_"; /* the terms of which a profile chooses one */
static const char NO_PROFILE[] = "none";

/* Upper bounds, far above any plausible value: 1 J for one event, 64 kW for one board. */
static const double GREATEST_ENERGY_PJ = PJ_PER_J;
static const double GREATEST_POWER_W = 65536;

static const char *const KIND_NAMES[] = {"measured", "datasheet", "derived", "assumed", NULL};

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

static bool is_power_scope(const char *text)
{
    return strcmp(text, "chip") == 0 || strcmp(text, "board") == 0;
}

static enum status check_counters(const struct config_reader *reader,
                                  const struct config_node *node, bool any)
{
    const struct config_node *entry = node->shape == CONFIG_LIST ? node->first : node;
    for (; entry != NULL; entry = entry->next) {
        if (!is_counter(entry->text, any)) {
            return config_refuse_value(
                reader->diagnostic, entry,
                any ? "component.counter, or component.* for all that are not charged"
                    : "component.counter, a list of them, chip or board",
                "%s is not a counter", config_show(entry).text);
        }
        if (entry == node) {
            break;
        }
    }
    return STATUS_OK;
}

/* ---- one term ---- */

/* Reads an amount as energy or power, as `per` requires; if `per` is not known yet, by the unit of
 * the amount. */
static enum status read_amount(const struct config_reader *reader, const struct config_node *node,
                               const struct energy_term *term, double *value)
{
    enum units_kind kind = term->is_power ? UNITS_POWER : UNITS_ENERGY;
    double ignored = 0;
    if (term->per == NULL && node->shape == CONFIG_SCALAR &&
        units_read_real(UNITS_POWER, node->text, &ignored) == UNITS_OK) {
        kind = UNITS_POWER;
    }
    const double maximum = kind == UNITS_POWER ? GREATEST_POWER_W : GREATEST_ENERGY_PJ;
    return config_real_read(node, kind, 0, maximum, value, reader->diagnostic);
}

static enum status read_per(const struct config_reader *reader, const struct config_node *node,
                            struct energy_term *term)
{
    const bool scope = node->shape == CONFIG_SCALAR && is_power_scope(node->text);
    TRY(config_read_texts(reader, node, true, &term->per, &term->per_count));
    if (term->per_count == 0) {
        return config_refuse_value(reader->diagnostic, node, NULL, "an empty list");
    }
    if (!scope) {
        TRY(check_counters(reader, node, false));
    }
    term->is_power = scope;
    const bool board = scope && strcmp(node->text, "board") == 0;
    if (board != is_board_term(term->name)) {
        return config_refuse_value(reader->diagnostic, node,
                                   "profiles are named board_NAME and have per: board", "%s",
                                   board ? "only board profiles are charged per board"
                                         : "a board profile is charged per board");
    }
    return STATUS_OK;
}

static enum status read_kind(const struct config_reader *reader, const struct config_node *node,
                             struct energy_term *term)
{
    for (int i = 0; node->shape == CONFIG_SCALAR && KIND_NAMES[i] != NULL; i++) {
        if (strcmp(KIND_NAMES[i], node->text) == 0) {
            term->kind = (enum energy_kind)i;
            return STATUS_OK;
        }
    }
    return config_refuse_value(reader->diagnostic, node,
                               "choices: measured, datasheet, derived or assumed",
                               "%s is not one of the choices", config_show(node).text);
}

static enum status read_source(const struct config_reader *reader, const struct config_node *node,
                               struct energy_term *term)
{
    term->source = config_text_read(node, reader->diagnostic);
    return term->source == NULL ? STATUS_CONFIGURATION : STATUS_OK;
}

static const char *const TERM_KEYS[] = {"value", "low", "high", "per", "kind", "source", NULL};

static enum status check_term_keys(const struct config_reader *reader,
                                   const struct config_node *node)
{
    for (const struct config_node *key = node->first; key != NULL; key = key->next) {
        if (config_name_index(key, TERM_KEYS, reader->diagnostic) < 0) {
            return STATUS_CONFIGURATION;
        }
    }
    for (size_t i = 0; !reader->partial && TERM_KEYS[i] != NULL; i++) {
        if (config_node_given(node, TERM_KEYS[i]) == NULL) {
            return config_refuse_key(reader->diagnostic, node,
                                     "needed: value, low, high, per, kind, source",
                                     "a coefficient without \"%s\"", TERM_KEYS[i]);
        }
    }
    return STATUS_OK;
}

static enum status check_order(const struct config_reader *reader, const struct config_node *node,
                               const struct energy_term *term)
{
    const bool low = term->low > term->value;
    if (reader->partial || (!low && term->value <= term->high)) {
        return STATUS_OK;
    }
    const enum status status =
        config_refuse_value(reader->diagnostic, config_node_child(node, low ? "low" : "high"), NULL,
                            low ? "low is above value" : "high is below value");
    diagnostic_hint(reader->diagnostic, "value is %s", config_node_child(node, "value")->text);
    return status;
}

static enum status read_term(const struct config_reader *reader, const struct config_node *node,
                             struct energy_term *term)
{
    const struct config_node *per = config_node_given(node, "per");
    const struct config_node *kind = config_node_given(node, "kind");
    const struct config_node *source = config_node_given(node, "source");
    double *const amounts[] = {&term->value, &term->low, &term->high};
    *term = (struct energy_term){.name = node->name};
    TRY(config_expect(node, CONFIG_MAP, reader->diagnostic));
    if (is_board_term(node->name) && strcmp(node->name + strlen(BOARD_TERM), NO_PROFILE) == 0) {
        return config_refuse_key(reader->diagnostic, node, NULL, "\"none\" is no board's name");
    }
    TRY(check_term_keys(reader, node));
    if (per != NULL) {
        TRY(read_per(reader, per, term));
    }
    for (size_t i = 0; i < sizeof amounts / sizeof amounts[0]; i++) {
        const struct config_node *amount = config_node_given(node, TERM_KEYS[i]);
        if (amount != NULL) {
            TRY(read_amount(reader, amount, term, amounts[i]));
        }
    }
    if (kind != NULL) {
        TRY(read_kind(reader, kind, term));
    }
    if (source != NULL) {
        TRY(read_source(reader, source, term));
    }
    return check_order(reader, node, term);
}

/* ---- the group ---- */

/* A name that is also a plain key in YAML. */
static bool is_term_name(const char *name)
{
    return config_is_name(name) && name[0] >= 'a' && strcmp(name, "null") != 0;
}

static enum status read_profile(const struct config_reader *reader, const struct config_node *node)
{
    if (node->shape != CONFIG_SCALAR || !config_is_name(node->text)) {
        return config_refuse_value(reader->diagnostic, node, NULL, "%s is not a profile's name",
                                   config_show(node).text);
    }
    reader->config->energy.board_profile = node->text;
    return STATUS_OK;
}

static enum status read_free(const struct config_reader *reader, const struct config_node *node)
{
    struct energy_table *table = &reader->config->energy;
    TRY(config_read_texts(reader, node, false, &table->free, &table->free_count));
    return check_counters(reader, node, true);
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
    struct energy_term *terms = config_arena_take(reader->arena, (node->count + 1) * sizeof *terms);
    size_t count = 0;
    for (const struct config_node *key = node->first; key != NULL; key = key->next) {
        if (key->shape == CONFIG_NULL) {
            continue;
        }
        if (strcmp(key->name, "board_profile") == 0) {
            TRY(read_profile(reader, key));
        } else if (strcmp(key->name, "free") == 0) {
            TRY(read_free(reader, key));
        } else if (!is_term_name(key->name)) {
            return config_refuse_key(reader->diagnostic, key,
                                     "made of a-z, 0-9, \"_\" and \"-\", a letter first",
                                     "not a coefficient's name");
        } else {
            TRY(read_term(reader, key, &terms[count++]));
        }
    }
    qsort(terms, count, sizeof *terms, compare_terms);
    reader->config->energy.term = terms;
    reader->config->energy.term_count = count;
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
    const enum status status =
        config_refuse_value(diagnostic, node, NULL, "no coefficient energy.board_%s", profile);
    if (suggestion.best != NULL) {
        diagnostic_hint(diagnostic, "did you mean \"%s\"?", suggestion.best);
    } else {
        diagnostic_hint(diagnostic, "none, or the NAME of a coefficient energy.board_NAME");
    }
    return status;
}
