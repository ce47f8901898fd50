/* regression.c - see regression.h.  Normal equations, solved by Gauss-Jordan elimination: the terms
 * are few, and callers scale them to about 1. */
#include "sim/sampling/regression.h"

#include <math.h>

/* Student's t, two-sided 95 %: [degrees of freedom].  NIST/SEMATECH e-Handbook of Statistical
 * Methods, section 1.3.6.7.2, column 0.975. */
static const double STUDENT[] = {0,     12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                                 2.306, 2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
                                 2.120, 2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069,
                                 2.064, 2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
enum { STUDENT_COUNT = sizeof STUDENT / sizeof *STUDENT };

static const double LEAST_PIVOT = 1e-9; /* terms that depend on each other, but for rounding */

/* Turns the matrix into its inverse; false: it has none.  It is symmetric and positive. */
static bool invert(double matrix[REGRESSION_TERMS][REGRESSION_TERMS], size_t size)
{
    for (size_t p = 0; p < size; p++) {
        const double pivot = matrix[p][p];
        if (!(pivot > LEAST_PIVOT)) {
            return false;
        }
        matrix[p][p] = 1;
        for (size_t j = 0; j < size; j++) {
            matrix[p][j] /= pivot;
        }
        for (size_t i = 0; i < size; i++) {
            const double factor = matrix[i][p];
            if (i == p) {
                continue;
            }
            matrix[i][p] = 0;
            for (size_t j = 0; j < size; j++) {
                matrix[i][j] -= factor * matrix[p][j];
            }
        }
    }
    return true;
}

static double product(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

bool regression_fit(const struct regression_row *row, size_t rows, size_t terms,
                    struct regression *regression)
{
    double sums[REGRESSION_TERMS] = {0};
    *regression = (struct regression){.terms = terms};
    for (size_t r = 0; r < rows; r++) {
        for (size_t i = 0; i < terms; i++) {
            sums[i] += row[r].term[i] * row[r].value;
            for (size_t j = 0; j < terms; j++) {
                regression->inverse[i][j] += row[r].term[i] * row[r].term[j];
            }
        }
    }
    if (rows <= terms || !invert(regression->inverse, terms)) {
        return false;
    }
    for (size_t i = 0; i < terms; i++) {
        regression->coefficient[i] = product(regression->inverse[i], sums, terms);
    }
    for (size_t r = 0; r < rows; r++) {
        const double error = row[r].value - product(regression->coefficient, row[r].term, terms);
        regression->variance += error * error;
    }
    regression->freedom = rows - terms;
    regression->variance /= (double)regression->freedom;
    return true;
}

struct interval regression_at(const struct regression *regression,
                              const double term[REGRESSION_TERMS], double errors)
{
    const size_t terms = regression->terms;
    const size_t freedom = regression->freedom;
    const double t = STUDENT[freedom < STUDENT_COUNT ? freedom : STUDENT_COUNT - 1];
    double spread = errors;
    for (size_t i = 0; i < terms; i++) {
        spread += term[i] * product(regression->inverse[i], term, terms);
    }
    return (struct interval){product(regression->coefficient, term, terms),
                             t * sqrt(regression->variance * spread)};
}
