/* interval.h - the mean of a few measurements and its interval of confidence. */
#pragma once
#include "models/common/c_linkage.h"
#include <stddef.h>
C_LINKAGE_BEGIN

struct interval {
    double mean;
    double half; /* the mean is within mean +- half with a probability of 95 % */
};

/* For independent measurements of about normal distribution, at least 2. */
struct interval interval_of(const double *value, size_t count);

C_LINKAGE_END
