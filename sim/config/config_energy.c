/* config_energy.c - the forms and checks of the group `energy`: coefficients, the board's profile,
 * counters that are free. */
#include "models/common/units.h"
#include "sim/config/config_read.h"
#include "sim/config/config_value.h"
#include "sim/config/suggestion.h"
#include "sim/steps.h"

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

static const char *counter_text(struct config_arena *arena, const void *items, size_t i,
                                const void *about)
{
    (void)about;
    return config_yaml_text(((const char *const *)items)[i], arena);
}

enum status config_read_free(const struct config_reading *from)
{
    struct config_items items;
    TRY(config_read_texts(from->reader, from->node, false, &items));
    config_set_items(from->key, from->fields, items);
    return check_counters(from->reader, from->node, true);
}

const char *config_text_free(const struct config_writing *of)
{
    return config_items_text(of->arena, config_items_of(of->key, of->fields), counter_text, NULL);
}

/* ---- one term ---- */

/* A name that is also a plain key in YAML. */
static bool is_term_name(const char *name)
{
    return config_is_name(name) && name[0] >= 'a' && strcmp(name, "null") != 0;
}

static bool is_power(const struct config_node *per)
{
    return per != NULL && (strcmp(per->text, "board") == 0 || strcmp(per->text, "chip") == 0);
}

enum status config_begin_term(const struct config_reader *reader, const struct config_node *node,
                              void *item)
{
    struct energy_term *term = item;
    if (!is_term_name(node->name)) {
        return config_refuse_key(reader->diagnostic, node,
                                 "not a coefficient's name\v"
                                 "made of a-z, 0-9, \"_\" and \"-\", a letter first");
    }
    if (is_board_term(node->name) && strcmp(node->name + strlen(BOARD_TERM), NO_PROFILE) == 0) {
        return config_refuse_key(reader->diagnostic, node, "\"none\" is no board's name");
    }
    term->is_power = is_power(config_node_given(node, "per"));
    return STATUS_OK;
}

/* Whether a term of that name may be charged per that, as far as its units depend on it. */
static bool fits(const char *name, const struct config_node *per)
{
    const bool board = strcmp(per->text, "board") == 0;
    const char *first = per->shape == CONFIG_LIST && per->count > 0 ? per->first->text : per->text;
    return board == is_board_term(name) && (is_power(per) || is_counter(first, false));
}

/* Reads an amount as energy or power, as `per` requires; if that is not known, by the unit of the
 * amount. */
enum status config_read_amount(const struct config_reading *from)
{
    double value = 0;
    const struct energy_term *term = from->fields;
    const struct config_node *per = config_node_given(from->reader->map, "per");
    const bool power = per != NULL && fits(term->name, per)
                           ? is_power(per)
                           : units_read_real(UNITS_POWER, from->node->text, &value) == UNITS_OK;
    TRY(config_real_read(from->node, power ? UNITS_POWER : UNITS_ENERGY, 0,
                         power ? GREATEST_POWER_W : GREATEST_ENERGY_PJ, &value,
                         from->reader->diagnostic));
    config_set_real(from->fields, from->key, value);
    return STATUS_OK;
}

const char *config_text_amount(const struct config_writing *of)
{
    const bool power = ((const struct energy_term *)of->fields)->is_power;
    return config_arena_print(
        of->arena, "%s",
        units_write_real(power ? UNITS_POWER : UNITS_ENERGY, config_field_real(of->fields, of->key))
            .text);
}

enum status config_read_per(const struct config_reading *from)
{
    const struct energy_term *term = from->fields;
    const bool board = strcmp(from->node->text, "board") == 0;
    struct config_items per;
    TRY(config_read_texts(from->reader, from->node, true, &per));
    config_set_items(from->key, from->fields, per);
    if (per.count == 0) {
        return config_refuse_value(from->reader->diagnostic, from->node, "an empty list");
    }
    if (!term->is_power) {
        TRY(check_counters(from->reader, from->node, false));
    }
    if (board != is_board_term(term->name)) {
        return config_refuse_value(from->reader->diagnostic, from->node,
                                   "%s\vprofiles are named board_NAME and have per: board",
                                   board ? "only board profiles are charged per board"
                                         : "a board profile is charged per board");
    }
    return STATUS_OK;
}

const char *config_text_per(const struct config_writing *of)
{
    const struct config_items per = config_items_of(of->key, of->fields);
    return per.count == 1 ? counter_text(of->arena, per.item, 0, NULL) : config_text_free(of);
}

/* What only the merged configuration must have: low <= value <= high. */
static enum status check_range(const struct config_reader *reader, const struct config_node *node,
                               double value, double low, double high)
{
    if (reader->partial || (low <= value && value <= high)) {
        return STATUS_OK;
    }
    const bool is_low = low > value;
    return config_refuse_value(reader->diagnostic, config_node_given(node, is_low ? "low" : "high"),
                               "%s value\vvalue is %s", is_low ? "low is above" : "high is below",
                               config_node_given(node, "value")->text);
}

enum status config_finish_term(const struct config_reader *reader, const struct config_node *node,
                               void *item)
{
    const struct energy_term *term = item;
    return check_range(reader, node, term->value, term->low, term->high);
}

/* ---- scopes beyond the board ---- */

enum status config_finish_power(const struct config_reader *reader, const struct config_node *node,
                                void *item)
{
    const struct energy_outside *outside = item;
    return check_range(reader, node, outside->value, outside->low, outside->high);
}

enum status config_finish_wall(const struct config_reader *reader, const struct config_node *node,
                               void *item)
{
    static const char *const AMOUNTS[] = {"value", "low", "high"};
    for (size_t i = 0; i < sizeof AMOUNTS / sizeof *AMOUNTS; i++) {
        const struct config_node *amount = config_node_given(node, AMOUNTS[i]);
        double value = 0;
        if (amount != NULL && units_read_real(UNITS_FRACTION, amount->text, &value) == UNITS_OK &&
            value <= 0) {
            return config_refuse_value(reader->diagnostic, amount,
                                       "an efficiency of 0\v"
                                       "the board's power over that at the wall");
        }
    }
    return config_finish_power(reader, node, item);
}

/* ---- clocks at which the sources have measured ---- */

enum status config_begin_clock(const struct config_reader *reader, const struct config_node *node,
                               void *item)
{
    const struct config_key *key = config_row_find(reader->rows, "clock.", node->name);
    (void)item;
    return key != NULL && key->kind == KIND_FREQUENCY
               ? STATUS_OK
               : config_refuse_key(reader->diagnostic, node,
                                   "no clock\vcpu or sdram, as under clock");
}

enum status config_finish_clock(const struct config_reader *reader, const struct config_node *node,
                                void *item)
{
    const struct energy_clock *clock = item;
    return clock->low_hz <= clock->high_hz
               ? STATUS_OK
               : config_refuse_value(reader->diagnostic, node, "low is above high\vhigh is %s",
                                     units_write_whole(UNITS_FREQUENCY, clock->high_hz).text);
}

/* ---- the group ---- */

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
