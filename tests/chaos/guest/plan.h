/* plan.h - what a random program's core does: a table that the host writes into DTCM before the
 * core starts, read by guest.c.  Compiled for the host and for the ARM. */
#pragma once
#include <stdint.h>

/* OPERATION(NAME, "what it does"): fields a, b, c, d of an operation are its arguments. */
#define PLAN_OPERATIONS(OPERATION)                                                                 \
    OPERATION(WORK, "calls compiled function a")                                                   \
    OPERATION(DELAY, "loops c rounds")                                                             \
    OPERATION(STORE, "stores bytes, half-words, words and pairs at data word a")                   \
    OPERATION(MULTICAST, "sends key c; a: 1 payload d, 2 waits for the transmitter, b rounds")     \
    OPERATION(POINT_TO_POINT, "sends to chip c; a as above")                                       \
    OPERATION(NEIGHBOUR, "sends key c on link b; a: 1 payload d, 2 peek or poke")                  \
    OPERATION(POLL, "looks for packets, b rounds; a: 1 with the source off, 2 takes them")         \
    OPERATION(TRANSFER, "DMA, system address c, description d; b: TCM offset; a: 1 waits")         \
    OPERATION(LOCK, "takes lock a, adds to the word at c, releases it; b: most rounds")            \
    OPERATION(SOFT, "raises the software interrupt")                                               \
    OPERATION(SIGNAL, "raises the mailbox interrupt of cores c; a: unbuffered")                    \
    OPERATION(SLEEP, "waits for an interrupt")                                                     \
    OPERATION(TIMER, "timer a: register b is set to c")                                            \
    OPERATION(ENABLE, "enables sources c in the VIC; a: unbuffered")                               \
    OPERATION(DISABLE, "disables sources c; a: unbuffered")                                        \
    OPERATION(MASKED, "a section of delay c with IRQ, FIQ or both masked by bits a; b: sleeps")    \
    OPERATION(READ, "reads a register or memory at c, b words")                                    \
    OPERATION(WRITE, "writes d to b words from c on")                                              \
    OPERATION(SWAP, "swaps a word, a: or byte, at c with d")                                       \
    OPERATION(GENERATE, "copies b words of the plan from word c on into code area a, and calls")   \
    OPERATION(PATCH, "changes word b of code area a to d, and calls it")                           \
    OPERATION(CALL, "calls code area a")                                                           \
    OPERATION(GENERATE_THUMB, "as GENERATE, of Thumb code")                                        \
    OPERATION(FAULT, "a: 0 undefined instruction, 1 SWI, 2 load, 3 store nowhere")                 \
    OPERATION(BUDGET, "lets the transmitter's interrupt send c packets of key d")

enum plan_operation {
#define OPERATION(name, help) PLAN_##name,
    PLAN_OPERATIONS(OPERATION)
#undef OPERATION
        PLAN_OPERATION_COUNT
};

enum {
    PLAN_AT = 0x0040a000,
    PLAN_SOURCES = 32,
    PLAN_SLOTS = 16,
    PLAN_OPS = 160,
    PLAN_WORDS = 1024,
    PLAN_FUNCTIONS = 6,
    PLAN_AREAS = 4,
    PLAN_AREA_WORDS = 64,
    PLAN_DATA_WORDS = 256
};

/* What the main program does behind its last round. */
enum plan_end { PLAN_END_SLEEPS, PLAN_END_DEAF, PLAN_END_COMPUTES };

struct plan_op {
    uint8_t operation; /* enum plan_operation */
    uint8_t a;
    uint16_t b;
    uint32_t c, d;
};

/* Operations of a handler: `count` from op[first] on. */
struct plan_handler {
    uint8_t first, count;
};

struct plan {
    uint32_t control; /* CP15 c1 */
    uint32_t rounds;  /* of the main program, whose operations are op[0] to op[ops - 1] */
    uint32_t ops;
    uint32_t end;         /* enum plan_end */
    uint32_t core;        /* its bit, for the mailbox interrupt */
    uint32_t enable;      /* sources, in the VIC */
    uint32_t select;      /* sources that raise FIQ */
    uint32_t nested;      /* sources whose handlers let others in */
    uint32_t plain;       /* not 0: the VIC has no vectors, one handler looks at its status */
    uint32_t forward_key; /* receivers send packets on with this key; 0: they do not */
    uint32_t timer_load[2];
    uint32_t timer_control[2];
    uint8_t slot_source[PLAN_SLOTS]; /* source + 1 of each vector; 0: none */
    struct plan_handler handler[PLAN_SOURCES];
    struct plan_op op[PLAN_OPS];
    uint32_t word[PLAN_WORDS];
};
