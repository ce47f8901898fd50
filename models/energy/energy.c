/* energy.c - see energy.h. */
#include "models/energy/energy.h"

#include "models/common/units.h"

#include <string.h>

static const char BOARD_PREFIX[] = "board_";
static const char PER_BOARD[] = "board";

const char *energy_kind_text(enum energy_kind kind)
{
    static const char *const TEXT[] = {"measured", "datasheet", "derived", "assumed"};
    return TEXT[kind];
}

const char *energy_outside_text(enum energy_outside_of outside)
{
    static const char *const TEXT[] = {"wall", "rack", "host"};
    return TEXT[outside];
}

bool energy_term_applies(const struct energy_table *table, const struct energy_term *term)
{
    const size_t prefix = strlen(BOARD_PREFIX);
    return strncmp(term->name, BOARD_PREFIX, prefix) != 0 ||
           strcmp(term->name + prefix, table->board_profile) == 0;
}

static uint32_t parts_of(const struct energy_term *term, const struct energy_activity *activity)
{
    return strcmp(term->per[0], PER_BOARD) == 0 ? activity->boards : activity->chips;
}

double energy_count_of(const struct energy_term *term, const struct energy_activity *activity)
{
    if (term->is_power) {
        return (double)parts_of(term, activity) * (double)activity->time_ps;
    }
    uint64_t events = 0;
    for (size_t i = 0; i < term->per_count; i++) {
        for (size_t j = 0; j < activity->count_count; j++) {
            if (strcmp(term->per[i], activity->count[j].name) == 0) {
                events += activity->count[j].value;
            }
        }
    }
    return (double)events;
}

/* The factor of the coefficient: seconds times the number of parts, or 10^12 events. */
static double amount(const struct energy_term *term, const struct energy_activity *activity)
{
    return term->is_power
               ? (double)parts_of(term, activity) * ((double)activity->time_ps / (double)PS_PER_S)
               : energy_count_of(term, activity) / PJ_PER_J;
}

static struct energy_joules times_of(const struct energy_term *term, double times)
{
    return (struct energy_joules){term->low * times, term->value * times, term->high * times};
}

struct energy_joules energy_of_count(const struct energy_term *term, double count)
{
    return times_of(term, count / PJ_PER_J);
}

struct energy_joules energy_of_term(const struct energy_table *table,
                                    const struct energy_term *term,
                                    const struct energy_activity *activity)
{
    if (!energy_term_applies(table, term)) {
        return (struct energy_joules){0, 0, 0};
    }
    return times_of(term, amount(term, activity));
}

static struct energy_joules sum(const struct energy_table *table,
                                const struct energy_activity *activity, bool with_power)
{
    struct energy_joules joules = {0, 0, 0};
    for (size_t i = 0; i < table->term_count; i++) {
        if (table->term[i].is_power && !with_power) {
            continue;
        }
        energy_add(&joules, energy_of_term(table, &table->term[i], activity));
    }
    return joules;
}

struct energy_joules energy_total(const struct energy_table *table,
                                  const struct energy_activity *activity)
{
    return sum(table, activity, true);
}

struct energy_joules energy_dynamic(const struct energy_table *table,
                                    const struct energy_activity *activity)
{
    return sum(table, activity, false);
}

/* ---- names ---- */

/* Whether name equals text, or begins with "component." if text is "component.*". */
static bool matches(const char *text, const char *name)
{
    const size_t length = strlen(text);
    if (length > 0 && text[length - 1] == '*') {
        return strncmp(text, name, length - 1) == 0;
    }
    return strcmp(text, name) == 0;
}

static bool any_matches(const char *text, const char *const *name, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (matches(text, name[i])) {
            return true;
        }
    }
    return false;
}

static enum status refuse(struct diagnostic *diagnostic, const char *key, const char *what,
                          const char *name, const char *hint)
{
    const enum status status = diagnose(diagnostic, STATUS_CONFIGURATION, "%s: %s", what, name);
    diagnostic_key(diagnostic, key);
    diagnostic_hint(diagnostic, "%s", hint);
    return status;
}

static bool priced_or_free(const struct energy_table *table, const char *counter)
{
    for (size_t i = 0; i < table->term_count; i++) {
        for (size_t j = 0; j < table->term[i].per_count; j++) {
            if (strcmp(table->term[i].per[j], counter) == 0) {
                return true;
            }
        }
    }
    for (size_t i = 0; i < table->free_count; i++) {
        if (matches(table->free[i], counter)) {
            return true;
        }
    }
    return false;
}

enum status energy_check(const struct energy_table *table, const char *const *counter,
                         size_t counter_count, struct diagnostic *diagnostic)
{
    char key[DIAGNOSTIC_KEY_CHARS] = "energy.";
    for (size_t i = 0; i < table->term_count; i++) {
        const struct energy_term *term = &table->term[i];
        (void)strncat(key, term->name, sizeof key - sizeof "energy.");
        for (size_t j = 0; j < term->per_count && !term->is_power; j++) {
            if (!any_matches(term->per[j], counter, counter_count)) {
                return refuse(diagnostic, key, "there is no counter of that name", term->per[j],
                              "counters.csv of any run lists all counters");
            }
        }
        key[sizeof "energy." - 1] = '\0';
    }
    for (size_t i = 0; i < table->free_count; i++) {
        if (!any_matches(table->free[i], counter, counter_count)) {
            return refuse(diagnostic, "energy.free", "there is no counter of that name",
                          table->free[i], "counters.csv of any run lists all counters");
        }
    }
    for (size_t i = 0; i < counter_count; i++) {
        if (!priced_or_free(table, counter[i])) {
            return refuse(diagnostic, "energy", "this counter has no coefficient and is not free",
                          counter[i],
                          "name it in energy.NAME.per of a coefficient, or in energy.free");
        }
    }
    return STATUS_OK;
}
