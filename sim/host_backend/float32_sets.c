/* float32_sets.c - chooses the instruction set of the float32 kernels. */
#include "sim/host_backend/float32_kernels.h"

#include <string.h>

#define SET(name, has) extern const struct float32_kernels FLOAT32_KERNELS_##name;
#include "sim/host_backend/float32_sets.def"

static bool has_plain(void)
{
    return true;
}

#ifdef __x86_64__
static bool has_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

static const struct {
    const struct float32_kernels *kernels;
    bool (*has)(void);
} SETS[] = {
#define SET(name, has) {&FLOAT32_KERNELS_##name, has},
#include "sim/host_backend/float32_sets.def"
};

const struct float32_kernels *float32_kernels_of(const char *name)
{
    for (size_t i = 0; i < sizeof SETS / sizeof *SETS; i++) {
        if ((name == NULL || strcmp(name, SETS[i].kernels->name) == 0) && SETS[i].has()) {
            return SETS[i].kernels;
        }
    }
    return NULL;
}
