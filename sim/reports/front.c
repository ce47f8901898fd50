/* front.c - see front.h. */
#include "sim/reports/front.h"

#include "sim/results/quantity.h"

static bool is_better(double a, double b, bool low)
{
    return low ? a < b : a > b;
}

void front_mark(struct front_point *point, size_t count, bool low_x, bool low_y)
{
    for (size_t i = 0; i < count; i++) {
        point[i].is_front = true;
        for (size_t k = 0; k < count && point[i].is_front; k++) {
            const bool worse = is_better(point[i].x, point[k].x, low_x) ||
                               is_better(point[i].y, point[k].y, low_y);
            const bool better = is_better(point[k].x, point[i].x, low_x) ||
                                is_better(point[k].y, point[i].y, low_y);
            point[i].is_front = worse || !better;
        }
    }
}

enum status front_is_low(const char *key, enum plot_pareto pareto, bool is_x, bool *low,
                         struct diagnostic *diagnostic)
{
    struct quantity quantity;
    if (pareto != PLOT_PARETO_KNOWN) {
        *low = pareto == PLOT_PARETO_LOW_LOW ||
               pareto == (is_x ? PLOT_PARETO_LOW_HIGH : PLOT_PARETO_HIGH_LOW);
        return STATUS_OK;
    }
    *low = quantity_find(key, &quantity) && quantity.better == QUANTITY_LESS;
    if (*low || quantity.better == QUANTITY_MORE) {
        return STATUS_OK;
    }
    (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                   "whether low or high values of %s are the better ones is not known", key);
    diagnostic_hint(diagnostic, "say it of x and of y: --pareto low,high");
    return STATUS_CONFIGURATION;
}
