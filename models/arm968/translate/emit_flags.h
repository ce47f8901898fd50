/* emit_flags.h - what generated code knows of the flags: expressions, computed only where somebody
 * wants them.  Private to models/arm968. */
#pragma once
#include "models/arm968/translate/text.h"
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum { FLAG_CHARS = 64, OPERAND_CHARS = 24 };

/* What the flags are made of where they are handed on, in the local fk; but for the last two as
 * in native.h. */
enum emit_flags_kind {
    EMIT_FLAGS_EACH,       /* each has an expression of its own */
    EMIT_FLAGS_SUBTRACTED, /* they are those of a - b ... */
    EMIT_FLAGS_ADDED,      /* ... or a + b */
    EMIT_FLAGS_ANY,        /* only fk tells: of the locals ja and jb, or fn, fz, fc, fv */
    EMIT_FLAGS_STORED      /* the same in the core; the locals mean nothing */
};

/* Flags that have been set since and stand apart from the others. */
enum { EMIT_FLAGS_NZ_APART = 4, EMIT_FLAGS_C_APART = 8 };

/* As in struct arm968: n and v in bit 31, z is 0 when Z is set, c is 0 or 1.  Expressions are made
 * of temporaries that never change, and of the locals fn, fz, fc, fv.  Of kinds ANY and STORED only
 * those that stand apart tell something. */
struct emit_flags {
    enum emit_flags_kind kind;
    unsigned apart;
    char n[FLAG_CHARS], z[FLAG_CHARS], c[FLAG_CHARS], v[FLAG_CHARS];
    char a[OPERAND_CHARS], b[OPERAND_CHARS];
};

/* As they are where control comes together, and where it comes from outside. */
void emit_flags_any(struct emit_flags *flags);
void emit_flags_stored(struct emit_flags *flags);

/* Before the carry, or what the condition 0 to 13 asks for, is used as an expression. */
void emit_flags_settle_carry(struct text *text, struct emit_flags *flags);
void emit_flags_settle_for(struct text *text, struct emit_flags *flags, unsigned condition);

/* After result = a - b, result = a + b, and a + b + the carry; names of temporaries or constants.
 */
void emit_flags_subtract(struct emit_flags *flags, const char *a, const char *b,
                         const char *result);
void emit_flags_add(struct emit_flags *flags, const char *a, const char *b, const char *result);
void emit_flags_add_carry(struct emit_flags *flags, const char *a, const char *b,
                          const char *result, const char *carry);

/* n and z of a value, or the carry; the others stay. */
void emit_flags_result(struct emit_flags *flags, const char *result);
void emit_flags_carry(struct emit_flags *flags, const char *carry);

/* Hands the flags on in the locals. */
void emit_flags_assign(struct text *text, const struct emit_flags *flags);

/* Hands on in the locals `then` if the comparison of x<number> with y<number> says so, otherwise
 * `flags`, which are any after it. */
void emit_flags_select(struct text *text, struct emit_flags *flags, const struct emit_flags *then,
                       const char *says, unsigned number);

/* Hands them on in the core. */
void emit_flags_store(struct text *text, const struct emit_flags *flags);

/* The condition as an expression, 0 or 1; the flags are settled for it. */
void emit_flags_condition(struct text *text, const struct emit_flags *flags, unsigned condition);

/* The condition as a comparison of two values, which says what SELECT of prelude.h asks for by this
 * name; declares them as x<number> and y<number>.  The flags are settled for it. */
const char *emit_flags_comparison(struct text *text, const struct emit_flags *flags,
                                  unsigned condition, unsigned number);

/* ---- ways out (emit_flags.c) ----
 *
 * Ways out of a generated function that are hardly ever taken.
 *
 * They come together behind the function's blocks by the registers that have changed: only these
 * are put into the core, so the others need not be kept for it. */

/* Sets of registers that functions leave with; when there are more, the last set is of all. */
enum { EMIT_LEAVE_SETS = 24 };

struct emit_leave {
    unsigned count;
    uint16_t registers[EMIT_LEAVE_SETS];
};

/* Leaves with `where`, with these registers changed. */
void emit_leave(struct text *text, struct emit_leave *leave, const struct emit_flags *flags,
                uint16_t registers, uint64_t where);

/* The label of a set; flags are handed on there in locals, or stand in the core already. */
void emit_leave_label(struct text *text, unsigned set, bool flags_stored);

C_LINKAGE_END
