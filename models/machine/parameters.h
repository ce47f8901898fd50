/* parameters.h - the hardware parameters outside the core, as one struct; see parameters.def. */
#pragma once
#include "models/common/c_linkage.h"
#include <stddef.h>
#include <stdint.h>
API_BEGIN

struct machine_parameters {
#define PARAMETER(group, key, field, kind, default_value, minimum, maximum, help, source)          \
    uint64_t field;
#include "models/machine/parameters.def"
#undef PARAMETER
};

/* The defaults of all rows. */
struct machine_parameters machine_parameters_default(void);

API_END
