/* regression.h - a linear model of a few measurements by least squares, and intervals of
 * confidence of what it says. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stddef.h>
C_LINKAGE_BEGIN

enum { REGRESSION_TERMS = 4 };

struct regression_row {
    double term[REGRESSION_TERMS];
    double value; /* about the sum of coefficient x term, with an independent error */
};

struct regression {
    size_t terms; /* the first ones; the others are not in the model */
    double coefficient[REGRESSION_TERMS];
    double inverse[REGRESSION_TERMS][REGRESSION_TERMS]; /* of the terms' products, summed */
    double variance;                                    /* of an error */
    size_t freedom;                                     /* rows less terms, at least 1 */
};

/* False: there are not more rows than terms, or the terms depend on each other. */
bool regression_fit(const struct regression_row *row, size_t rows, size_t terms,
                    struct regression *regression);

struct interval {
    double mean;
    double half; /* the value is within mean +- half with a probability of 95 % */
};

/* Of the sum of coefficient x term, and of `errors` new errors. */
struct interval regression_at(const struct regression *regression,
                              const double term[REGRESSION_TERMS], double errors);

C_LINKAGE_END
