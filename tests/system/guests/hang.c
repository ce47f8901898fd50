/* hang.c - never ends: core 1 spends its time in four functions, the other cores sleep. */
#include <spin1_api.h>

/* Some four cycles for each round. */
#define SPINS(name, rounds)                                                                        \
    static __attribute__((noinline)) void name(void)                                               \
    {                                                                                              \
        for (uint i = 0; i < (rounds); i++) {                                                      \
            __asm__ volatile("");                                                                  \
        }                                                                                          \
    }
SPINS(most, 6000)
SPINS(less, 3000)
SPINS(little, 1000)
SPINS(hardly, 10)

void c_main(void)
{
    if (spin1_get_core_id() != 1) {
        (void)cpu_int_disable();
        for (;;) {
            cpu_wfi();
        }
    }
    for (;;) {
        most();
        less();
        little();
        hardly();
    }
}
