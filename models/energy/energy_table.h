/* energy_table.h - the energy coefficients of configs/energy as plain data.
 * Values are at the board's DC input.  The table belongs to its loader (sim/config); nothing here
 * changes it. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum energy_kind { ENERGY_MEASURED, ENERGY_DATASHEET, ENERGY_DERIVED, ENERGY_ASSUMED };

struct energy_term {
    const char *name;        /* energy.<name> */
    bool is_power;           /* per is "chip" or "board": W times machine time; else pJ per count */
    double value, low, high; /* W or pJ; low <= value <= high */
    const char *const *per;  /* "component.counter" each, sorted; or one text "chip" or "board" */
    size_t per_count;
    enum energy_kind kind;
    const char *source;
};

/* A clock at which the sources of the coefficients have measured. */
struct energy_clock {
    const char *name; /* of the configuration: clock.<name> */
    uint64_t low_hz, high_hz;
    const char *source;
};

/* What stands between the board and what pays for it; all zero: no figure. */
enum energy_outside_of {
    ENERGY_OUTSIDE_WALL,
    ENERGY_OUTSIDE_RACK,
    ENERGY_OUTSIDE_HOST,
    ENERGY_OUTSIDES
};
struct energy_outside {
    double value, low, high; /* wall: efficiency, 0 to 1; rack: W for each board; host: W */
    enum energy_kind kind;
    const char *source;
};

struct energy_table {
    const char *board_profile;      /* "none", or the term "board_<profile>" that applies */
    const struct energy_term *term; /* sorted by name; all board profiles are in it */
    size_t term_count;
    const char *const
        *free; /* sorted: "component.counter" or "component.*": counters that cost nothing */
    size_t free_count;
    const struct energy_clock *clock; /* sorted by name; only those that have a range */
    size_t clock_count;
    struct energy_outside outside[ENERGY_OUTSIDES]; /* energy.scopes */
};

/* "measured" ... "assumed". */
const char *energy_kind_text(enum energy_kind kind);

/* "wall" ... "host": of energy.scopes. */
const char *energy_outside_text(enum energy_outside_of outside);

/* Whether a term applies: all do except those of boards that were not chosen. */
bool energy_term_applies(const struct energy_table *table, const struct energy_term *term);

C_LINKAGE_END
