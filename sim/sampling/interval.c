/* interval.c - see interval.h. */
#include "sim/sampling/interval.h"

#include <math.h>

/* Student's t, two-sided 95 %: [degrees of freedom].  NIST/SEMATECH e-Handbook of Statistical
 * Methods, section 1.3.6.7.2, column 0.975. */
static const double STUDENT[] = {0,     12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                                 2.306, 2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
                                 2.120, 2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069,
                                 2.064, 2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
enum { STUDENT_COUNT = sizeof STUDENT / sizeof *STUDENT };

struct interval interval_of(const double *value, size_t count)
{
    double sum = 0;
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        sum += value[i];
    }
    const double mean = sum / (double)count;
    for (size_t i = 0; i < count; i++) {
        squares += (value[i] - mean) * (value[i] - mean);
    }
    const size_t freedom = count - 1;
    const double t = STUDENT[freedom < STUDENT_COUNT ? freedom : STUDENT_COUNT - 1];
    return (struct interval){mean, t * sqrt(squares / (double)freedom / (double)count)};
}
