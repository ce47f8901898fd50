/* call_profile.h - exact instructions and cycles of each function of a program, and of each stack
 * of calls, from the states between its instructions.
 *
 * Who called whom is seen from outside: an instruction that jumps and leaves its own successor in
 * the link register calls; a jump to the address that a call left there, with the stack pointer of
 * the call, returns; an exception is a call of its handler.  Any other jump to the first address of
 * a function is a tail call, any other jump into a function goes back to the nearest of its
 * activations (longjmp). */
#pragma once
#include "models/arm968/arm968.h"
#include "models/common/c_linkage.h"
#include "sim/profile/function_map.h"
C_LINKAGE_BEGIN

/* Calls deeper than this belong to the last stack that is told apart. */
enum { CALL_STACK_DEPTH = 256 };

/* A core between two instructions. */
struct core_view {
    uint32_t pc, lr, sp;
    uint32_t cpsr;
    uint64_t instructions, cycle;
};

struct core_view core_view_of(const struct arm968 *cpu);

struct function_account {
    struct function_range range;
    uint64_t instructions, cycles; /* its own */
    uint64_t calls;
    uint64_t cycles_with_callees; /* while it was active at least once */
};

struct call_profile;

/* NULL: out of memory.  The image is to outlive it. */
struct call_profile *call_profile_create(const struct elf_image *image);
void call_profile_destroy(struct call_profile *profile);

/* One instruction, or nothing, has been executed between the two.  STATUS_INTERNAL: out of memory.
 */
enum status call_profile_step(struct call_profile *profile, const struct core_view *before,
                              const struct core_view *after);

/* All functions that were entered, most cycles first, then by address; *count gets their number.
 * In malloc'ed memory; NULL: out of memory. */
struct function_account *call_profile_functions(const struct call_profile *profile, size_t *count);

/* Calls visit for each stack that cycles were spent in: outermost function first, depth at most
 * CALL_STACK_DEPTH. A caller comes before those it calls, these in the order of their first call.
 */
void call_profile_stacks(const struct call_profile *profile,
                         void (*visit)(void *context, const struct function_range *const *stack,
                                       unsigned depth, uint64_t cycles),
                         void *context);

C_LINKAGE_END
