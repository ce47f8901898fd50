/* call_profile.h - exact instructions and cycles of each function of a program, and of each call
 * stack, computed from the core's state between instructions.
 *
 * Calls are inferred from state changes.  A jump that leaves the address of the next instruction in
 * the link register is a call.  A jump to a call's return address, with the call's stack pointer,
 * is a return.  An exception is a call of its handler.  Any other jump to the first address of a
 * function is a tail call; any other jump into a function unwinds to its innermost activation
 * (longjmp). */
#pragma once
#include "models/arm968/arm968.h"
#include "models/common/c_linkage.h"
#include "sim/profile/function_map.h"
C_LINKAGE_BEGIN

/* Stacks are cut at this depth: deeper calls are charged to the stack of this depth. */
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
    uint64_t instructions, cycles; /* of the function itself, without callees */
    uint64_t calls;
    uint64_t cycles_with_callees; /* while it was active at least once */
};

struct call_profile;

/* The image must outlive the profile.  NULL: out of memory. */
struct call_profile *call_profile_create(const struct elf_image *image);
void call_profile_destroy(struct call_profile *profile);

/* Adds one step, in which at most one instruction was executed between `before` and `after`.
 * STATUS_INTERNAL: out of memory. */
enum status call_profile_step(struct call_profile *profile, const struct core_view *before,
                              const struct core_view *after);

/* All functions that were entered, most cycles first, then by address; *count gets their number.
 * In malloc'ed memory; NULL: out of memory. */
struct function_account *call_profile_functions(const struct call_profile *profile, size_t *count);

/* Calls visit for each stack in which cycles were spent; stack[0] is the outermost function, depth
 * is at most CALL_STACK_DEPTH.  Callers come before their callees, callees in the order of their
 * first call. */
void call_profile_stacks(const struct call_profile *profile,
                         void (*visit)(void *context, const struct function_range *const *stack,
                                       unsigned depth, uint64_t cycles),
                         void *context);

C_LINKAGE_END
