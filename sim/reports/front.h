/* front.h - the Pareto front: the points than which no other is better in one of two numbers and at
 * least as good in the other. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "sim/reports/plot.h"
#include <stdbool.h>
#include <stddef.h>
C_LINKAGE_BEGIN

struct front_point {
    double x, y;
    bool is_front; /* set by front_mark() */
};

void front_mark(struct front_point *point, size_t count, bool low_x, bool low_y);

/* Whether the low values of a key along x, or along y, are the better ones.  STATUS_CONFIGURATION
 * with a hint when `pareto` leaves it to what is known, and nothing is. */
enum status front_is_low(const char *key, enum plot_pareto pareto, bool is_x, bool *low,
                         struct diagnostic *diagnostic);

C_LINKAGE_END
