/* count.c - counts ten rounds of a loop on an ARM968E-S. */
#include "models/arm968/arm968.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const uint32_t PROGRAM[] = {0xe3a0000a, 0xe2500001, 0x1afffffd}; /* MOV, SUBS, BNE */

int main(void)
{
    static uint8_t code[4096];
    memcpy(code, PROGRAM, sizeof PROGRAM);
    const struct arm968_config config = {.timing = arm968_timing_default(),
                                         .code = {0, sizeof code, code},
                                         .reset_control = 1u << 12 /* ITCM on */};
    struct arm968 *cpu = arm968_create(&config);
    (void)arm968_add_breakpoint(cpu, sizeof PROGRAM);
    (void)arm968_run(cpu, 1000);
    printf("%" PRIu64 " instructions, %" PRIu64 " cycles\n", arm968_counters(cpu)->instructions,
           arm968_cycle(cpu));
    arm968_destroy(cpu);
    return 0;
}
