/* learning_curve.h - how runs have learnt, from their learning.csv: one curve for each. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/reports/gnuplot.h"
#include "sim/results/results.h"
#include <stddef.h>
C_LINKAGE_BEGIN

struct learning_curve_request {
    const struct results *results;
    size_t count;
    const char *x, *y, *by; /* columns; by: a key of results.h for the curves' titles, or NULL */
    const char *out, *name;
};

/* Whether x (images, seconds or joules) over y (accuracy or loss) are columns of learning.csv, and
 * each of the folders is of a training. */
bool learning_curve_is_wanted(const struct learning_curve_request *request);

/* NAME.csv, NAME.gp and NAME.svg.  Rows that lack one of the two have no point: accuracy is known
 * after tests, joules when the machine stands.  The loss of tests is a curve of its own.
 * STATUS_CONFIGURATION when no row has both. */
enum status learning_curve_draw(const struct learning_curve_request *request,
                                const struct figure_listener *listener,
                                struct diagnostic *diagnostic);

C_LINKAGE_END
