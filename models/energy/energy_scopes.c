/* energy_scopes.c - see energy_scopes.h. */
#include "models/energy/energy_scopes.h"

#include <math.h>
#include <string.h>

const char *energy_scope_text(enum energy_scope scope)
{
    static const char *const TEXT[] = {"chips", "board", "wall", "rack", "host"};
    return TEXT[scope];
}

bool energy_term_is_of_chips(const struct energy_term *term)
{
    static const char PER_BOARD[] = "board";
    return !(term->is_power && strcmp(term->per[0], PER_BOARD) == 0);
}

static struct energy_joules plus(struct energy_joules joules, const struct energy_outside *watts,
                                 double seconds)
{
    return (struct energy_joules){joules.low + watts->low * seconds,
                                  joules.value + watts->value * seconds,
                                  joules.high + watts->high * seconds};
}

void energy_scopes_of(struct energy_scopes *scopes, const struct energy_table *table,
                      struct energy_joules chips, struct energy_joules all, double seconds,
                      uint32_t boards)
{
    struct energy_joules *joules = scopes->joules;
    for (unsigned s = 0; s < ENERGY_SCOPES; s++) {
        joules[s] = (struct energy_joules){NAN, NAN, NAN};
    }
    joules[ENERGY_CHIPS] = chips;
    if (strcmp(table->board_profile, "none") == 0) {
        return;
    }
    joules[ENERGY_BOARD] = all;
    const struct energy_outside *wall = &table->outside[ENERGY_OUTSIDE_WALL];
    const struct energy_outside *rack = &table->outside[ENERGY_OUTSIDE_RACK];
    const struct energy_outside *host = &table->outside[ENERGY_OUTSIDE_HOST];
    if (!(wall->value > 0)) {
        return;
    }
    /* an efficiency: the more of it, the fewer joules */
    struct energy_joules inner = {all.low / wall->high, all.value / wall->value,
                                  all.high / wall->low};
    joules[ENERGY_WALL] = inner;
    if (rack->high > 0) {
        inner = plus(inner, rack, seconds * boards);
        joules[ENERGY_RACK] = inner;
    }
    if (host->high > 0) {
        joules[ENERGY_HOST] = plus(inner, host, seconds);
    }
}
