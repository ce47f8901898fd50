/* whole_backend.c - a backend with all optional functions, in the numbers that are compiled in: the
 * host's own operations as a shared library. */
#include "sim/backends/backends.h"

#define JOINED(a, b) a##b
#define JOIN(a, b)   JOINED(a, b)

__attribute__((visibility("default"))) const struct spinnsim_backend *spinnsim_backend(void)
{
    return &JOIN(OPERATIONS_, OPERATIONS_NUMBERS);
}
