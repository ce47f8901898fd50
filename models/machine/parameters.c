/* parameters.c - see parameters.h. */
#include "models/machine/parameters.h"

struct machine_parameters machine_parameters_default(void)
{
    return (struct machine_parameters){
#define PARAMETER(group, key, field, kind, default_value, minimum, maximum, help, source)          \
    .field = default_value,
#include "models/machine/parameters.def"
#undef PARAMETER
    };
}
