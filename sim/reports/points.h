/* points.h - points of a figure of any number of the results over any other: taken from the results
 * in points.c, written in points_script.c. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/reports/axis.h"
#include "sim/reports/figure.h"
C_LINKAGE_BEGIN

struct point {
    struct result_value x, y, by, label;
    const struct results *results;
    size_t place; /* along an axis without numbers: of its text */
    double bar;   /* the same: of the middle of its bar */
    char *rest;   /* its configuration less x; owned */
    bool is_front;
};

struct points {
    const struct plotter *plotter;
    const struct plot_request *request;
    struct point *point;
    size_t count;
    struct axis x, y;
    bool numbers, ranges; /* of x: all are numbers; of y: some have a range */
    bool lines;           /* x is a key of the configuration */
    double bar_width;     /* of an axis without numbers, on which a text has 1 */
};

/* Of what is shown, in the units of the axes: along x and along y. */
struct points_bounds {
    double least[2], greatest[2];
};
struct points_bounds points_bounds(const struct points *points);

/* The figure; the points must outlive it. */
struct figure points_figure(struct points *points);

C_LINKAGE_END
