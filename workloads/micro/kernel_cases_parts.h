/* kernel_cases_parts.h - what the files of cases share.  A file brings fill(), which sets its
 * memory, and check(), over what a kernel may have written there. */
#pragma once
#include "kernel_cases.h"

/* The counted part of a case: from the first call of one to that of the other. */
#define CASE(name, prepare, call)                                                                  \
    __attribute__((noinline, used)) static void begin_##name(void)                                 \
    {                                                                                              \
        __asm__ volatile("" ::: "memory");                                                         \
    }                                                                                              \
    __attribute__((noinline, used)) static void end_##name(void)                                   \
    {                                                                                              \
        __asm__ volatile("" ::: "memory");                                                         \
    }                                                                                              \
    static uint32_t run_##name(void)                                                               \
    {                                                                                              \
        fill();                                                                                    \
        prepare;                                                                                   \
        begin_##name();                                                                            \
        call;                                                                                      \
        end_##name();                                                                              \
        return check();                                                                            \
    }

#define ROW(name, macs, dense_macs, what)                                                          \
    {                                                                                              \
#name, what, run_##name, macs, dense_macs                                                  \
    }

/* xorshift */
static inline uint32_t next(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* FNV-1a */
static inline uint32_t add_check(uint32_t check, const void *data, uint32_t bytes)
{
    const uint8_t *at = data;
    for (uint32_t i = 0; i < bytes; i++) {
        check = (check ^ at[i]) * 0x01000193u;
    }
    return check;
}
