/* energy.h - joules = sum(count x energy per event) + sum(time x power), computed from counters
 * only.
 *
 * Ranges are propagated fully correlated: the low joules are those of all low coefficients.  The
 * result's dynamic part is the energy of counts; the static part is the energy of time. */
#pragma once
#include "models/common/status.h"
#include "models/energy/energy_table.h"
#include <stdint.h>

/* A counter's name and value, summed over all parts of that kind. */
struct energy_count {
    const char *name; /* "component.counter" */
    uint64_t value;
};

/* Activity of a whole run or of a part of it. */
struct energy_activity {
    const struct energy_count *count;
    size_t count_count;
    uint64_t time_ps;
    uint32_t chips, boards;
};

struct energy_joules {
    double low, value, high;
};

/* Adds joules to a sum. */
static inline void energy_add(struct energy_joules *sum, struct energy_joules joules)
{
    sum->low += joules.low;
    sum->value += joules.value;
    sum->high += joules.high;
}

/* What a term is charged for: events, or for a power the time of all its parts together, in ps. */
double energy_count_of(const struct energy_term *term, const struct energy_activity *activity);

/* Joules of so many events, or of that time: 1 pJ an event and 1 W are both 1 J for 10^12. */
struct energy_joules energy_of_count(const struct energy_term *term, double count);

/* Joules of one term; 0 for one that does not apply. */
struct energy_joules energy_of_term(const struct energy_table *table,
                                    const struct energy_term *term,
                                    const struct energy_activity *activity);

/* The sum of all terms, and the sum of those that depend on counters. */
struct energy_joules energy_total(const struct energy_table *table,
                                  const struct energy_activity *activity);
struct energy_joules energy_dynamic(const struct energy_table *table,
                                    const struct energy_activity *activity);

/* Checks that names of counters and coefficients agree.  STATUS_CONFIGURATION, with the key: a term
 * or a free entry names an unknown counter, or a counter is neither priced nor free. */
enum status energy_check(const struct energy_table *table, const char *const *counter,
                         size_t counter_count, struct diagnostic *diagnostic);
