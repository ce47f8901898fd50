/* parameters.h - the numbers of the hardware outside the core, as one struct; see parameters.def.
 */
#ifndef MODELS_MACHINE_PARAMETERS_H
#define MODELS_MACHINE_PARAMETERS_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

struct machine_parameters {
#define PARAMETER(group, key, field, kind, default_value, minimum, maximum, help, source)          \
    uint64_t field;
#include "models/machine/parameters.def"
#undef PARAMETER
};

/* The defaults of all rows. */
struct machine_parameters machine_parameters_default(void);

#ifdef __cplusplus
}
#endif
#endif
