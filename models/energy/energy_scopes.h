/* energy_scopes.h - joules by what they cover: the chips with their SDRAM; the board at its DC
 * input; the wall socket, before the power supply; with a share of the rack; with the host
 * computer.  Each covers the ones before it. */
#pragma once
#include "models/energy/energy.h"

enum energy_scope {
    ENERGY_CHIPS,
    ENERGY_BOARD,
    ENERGY_WALL,
    ENERGY_RACK,
    ENERGY_HOST,
    ENERGY_SCOPES
};

/* "chips" ... "host". */
const char *energy_scope_text(enum energy_scope scope);

/* Those that are not known are NAN: without a board's profile all but the chips, else those without
 * a figure in the table, and without the wall's those beyond it. */
struct energy_scopes {
    struct energy_joules joules[ENERGY_SCOPES];
};

/* From the joules of the chips and of all that the table charges, in so many seconds. */
void energy_scopes_of(struct energy_scopes *scopes, const struct energy_table *table,
                      struct energy_joules chips, struct energy_joules all, double seconds,
                      uint32_t boards);

/* Whether a term is charged for chips, not for what stands beside them. */
bool energy_term_is_of_chips(const struct energy_term *term);
