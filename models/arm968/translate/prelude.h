/* prelude.h - the beginning of generated C: types, names for the members of a core, and the headers
 * shared with the interpreter. emit_prelude.c puts its text in front of each region.  In generated
 * code `cpu` points to the core and `memory` to its data memory; r0 .. r17, fn, fz, fc, fv, fk, ja,
 * jb, counts, budget are locals of a function.  The numbers CORE_... and NATIVE_FLAGS_... are
 * defined in front of this text, see emit_prelude.c. */
#pragma once

/* Merged loads would wait for preceding stores to parts of the same bytes. */
#ifndef __clang__
#pragma GCC optimize("no-store-merging")
#endif

/* Generated code cannot use the host's C library headers, which need not be installed. */
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;

#include "models/arm968/alu.h"
#include "models/common/bits.h"
#include "models/common/compiler.h"

typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef vector8 lanes; /* of struct block_counts */

/* Same layout as struct native_result and native_access of native.h. */
struct result {
    s64 budget;
    u64 where;
};
typedef struct result native_code(u8 *cpu, s32 budget, u32 entry);
typedef s64 port_access(u8 *cpu, u32 address, u32 *datum, s64 left, u32 store);

/* ---- the core ---- */

#define CPU(type, offset) (*(type *)(cpu + (offset)))
#define R(n)              CPU(u32, CORE_REGISTERS + 4 * (n))
#define FN                CPU(u32, CORE_FLAG_N)
#define FZ                CPU(u32, CORE_FLAG_Z)
#define FC                CPU(u32, CORE_FLAG_C)
#define FV                CPU(u32, CORE_FLAG_V)
#define FQ                CPU(u32, CORE_FLAG_Q)
#define FK                CPU(u32, CORE_FLAGS_KIND)
#define JA                CPU(u32, CORE_FLAGS_A)
#define JB                CPU(u32, CORE_FLAGS_B)
#define COUNTS            CPU(lanes, CORE_COUNTS)
#define LITERALS          CPU(u32, CORE_LITERALS)
#define MEMORY            CPU(u8 *, CORE_MEMORY)
#define STORE_BASE        CPU(u32, CORE_STORE_BASE)
#define UNDO_LOG          CPU(u32 *, CORE_UNDO_LOG)
#define UNDO_LOG_END      CPU(u32 *, CORE_UNDO_LOG_END)
#define LOWEST_SP         CPU(u32, CORE_LOWEST_SP)
#define LEFT              CPU(const void *, CORE_LEFT)
#define ASK               CPU(port_access *, CORE_ACCESS)
#define STACK_END         CPU(u8 *, CORE_STACK_END)
#define LITERAL(offset)   (*(u32 *)(CPU(u8 *, CORE_CODE) + (offset)))
#define AT(type, offset)  (*(type *)(memory + (offset)))

/* ---- calls ---- */

#define ROOT(type, offset) (*(type *)(root + (offset)))

/* Whether calls must return to the interpreter, see NATIVE_STACK_BYTES. */
#ifdef __OPTIMIZE__
#define TOO_DEEP 0
#else
#define TOO_DEEP ((u8 *)__builtin_frame_address(0) < STACK_END)
#endif

/* Calls the function at an address, bit 0 being the state, if a table has it (struct native_roots);
 * otherwise leaves the call to the interpreter.  Acquired, as another thread may add to the table:
 * what is called reads the numbers that it was bound to. */
static inline struct result call_address(u8 *const *roots, u8 *cpu, s32 budget, u64 where)
{
    u8 *const *slot = roots + (((u32)where * NATIVE_ROOT_MULTIPLIER) >> NATIVE_ROOT_SHIFT);
    u8 *root = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    if (UNLIKELY(!root || ROOT(u32, ROOT_PC) != where)) {
        root = __atomic_load_n(slot + 1, __ATOMIC_ACQUIRE);
    }
    if (root && ROOT(u32, ROOT_PC) == where && budget > ROOT(s32, ROOT_NEEDS) && !TOO_DEEP) {
        return ROOT(native_code *, ROOT_RUN)(cpu, budget, ROOT(u32, ROOT_NUMBER));
    }
    return (struct result){budget, where};
}

/* ---- flags ---- */

#define LOAD_FLAGS                                                                                 \
    fn = FN;                                                                                       \
    fz = FZ;                                                                                       \
    fc = FC;                                                                                       \
    fv = FV;                                                                                       \
    fk = FK;                                                                                       \
    ja = JA;                                                                                       \
    jb = JB

/* Computes fn, fz, fc, fv from the form in which they were handed on. */
#define SETTLE                                                                                     \
    do {                                                                                           \
        if (fk & NATIVE_FLAGS_MADE_OF) {                                                           \
            u32 s = (fk & NATIVE_FLAGS_MADE_OF) == NATIVE_FLAGS_SUBTRACTED;                        \
            u32 r = s ? ja - jb : ja + jb;                                                         \
            if (!(fk & NATIVE_FLAGS_NZ_APART)) {                                                   \
                fn = fz = r;                                                                       \
            }                                                                                      \
            if (!(fk & NATIVE_FLAGS_C_APART)) {                                                    \
                fc = s ? ja >= jb : r < ja;                                                        \
            }                                                                                      \
            fv = s ? difference_overflow(ja, jb, r) : sum_overflow(ja, jb, r);                     \
        }                                                                                          \
        fk = 0;                                                                                    \
    } while (0)

/* What comparisons of a with b say, by the names that the host's instructions have for it.
 * NOLINTBEGIN(readability-identifier-naming) */
#define HOLDS_e(a, b)  ((a) == (b))
#define HOLDS_ne(a, b) ((a) != (b))
#define HOLDS_ae(a, b) ((a) >= (b))
#define HOLDS_b(a, b)  ((a) < (b))
#define HOLDS_s(a, b)  ((s32)((a) - (b)) < 0)
#define HOLDS_ns(a, b) ((s32)((a) - (b)) >= 0)
#define HOLDS_o(a, b)  ((s32)difference_overflow(a, b, (a) - (b)) < 0)
#define HOLDS_no(a, b) ((s32)difference_overflow(a, b, (a) - (b)) >= 0)
#define HOLDS_a(a, b)  ((a) > (b))
#define HOLDS_be(a, b) ((a) <= (b))
#define HOLDS_ge(a, b) ((s32)(a) >= (s32)(b))
#define HOLDS_l(a, b)  ((s32)(a) < (s32)(b))
#define HOLDS_g(a, b)  ((s32)(a) > (s32)(b))
#define HOLDS_le(a, b) ((s32)(a) <= (s32)(b))
/* NOLINTEND(readability-identifier-naming) */

/* r = n if the comparison of a with b holds; all are u32.  Compilers would make a branch, which
 * hosts predict badly. */
#ifdef __x86_64__
#define SELECT(says, r, n, a, b)                                                                   \
    __asm__("cmpl %3,%2;cmov" #says "l %1,%0" : "+r"(r) : "r"(n), "r"(a), "ri"(b) : "cc")
#else
#define SELECT(says, r, n, a, b) r = HOLDS_##says(a, b) ? (n) : r
#endif
