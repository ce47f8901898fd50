/* emit_flags.h - the flags in generated code: expressions that are only computed where they are
 * used.  Private to models/arm968. */
#pragma once
#include "models/arm968/translate/text.h"
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum { FLAG_CHARS = 64, OPERAND_CHARS = 24 };

/* The form in which flags are handed on, in the local fk; as in native.h except for the last
 * two. */
enum emit_flags_kind {
    EMIT_FLAGS_EACH,       /* each has an expression of its own */
    EMIT_FLAGS_SUBTRACTED, /* they are the flags of a - b ... */
    EMIT_FLAGS_ADDED,      /* ... or a + b */
    EMIT_FLAGS_ANY, /* only known at run time, by fk: of the locals ja and jb, or fn, fz, fc, fv */
    EMIT_FLAGS_STORED /* as ANY, but stored in the core; the locals are undefined */
};

/* Flags that have been set since, and are kept apart from the others. */
enum { EMIT_FLAGS_NZ_APART = 4, EMIT_FLAGS_C_APART = 8 };

/* As in struct arm968: n and v in bit 31, z is 0 when Z is set, c is 0 or 1.  Expressions use
 * temporaries that never change, and the locals fn, fz, fc, fv.  For kinds ANY and STORED, only the
 * flags kept apart are defined. */
struct emit_flags {
    enum emit_flags_kind kind;
    unsigned apart;
    char n[FLAG_CHARS], z[FLAG_CHARS], c[FLAG_CHARS], v[FLAG_CHARS];
    char a[OPERAND_CHARS], b[OPERAND_CHARS];
};

/* The flags where control flow joins, and where control enters from outside. */
void emit_flags_any(struct emit_flags *flags);
void emit_flags_stored(struct emit_flags *flags);

/* To be called before the carry, or the flags of a condition 0 to 13, are used in an expression. */
void emit_flags_settle_carry(struct text *text, struct emit_flags *flags);
void emit_flags_settle_for(struct text *text, struct emit_flags *flags, unsigned condition);

/* Sets the flags after result = a - b, result = a + b, and a + b + the carry; arguments are names
 * of temporaries or constants. */
void emit_flags_subtract(struct emit_flags *flags, const char *a, const char *b,
                         const char *result);
void emit_flags_add(struct emit_flags *flags, const char *a, const char *b, const char *result);
void emit_flags_add_carry(struct emit_flags *flags, const char *a, const char *b,
                          const char *result, const char *carry);

/* Sets n and z by a value, or the carry; the other flags are kept. */
void emit_flags_result(struct emit_flags *flags, const char *result);
void emit_flags_carry(struct emit_flags *flags, const char *carry);

/* Stores the flags in the locals. */
void emit_flags_assign(struct text *text, const struct emit_flags *flags);

/* Stores in the locals `then` if the comparison of x<number> with y<number> holds, otherwise
 * `flags`, which are any after it. */
void emit_flags_select(struct text *text, struct emit_flags *flags, const struct emit_flags *then,
                       const char *says, unsigned number);

/* Stores the flags in the core. */
void emit_flags_store(struct text *text, const struct emit_flags *flags);

/* The condition as an expression, 0 or 1; the flags must be settled for it. */
void emit_flags_condition(struct text *text, const struct emit_flags *flags, unsigned condition);

/* The condition as a comparison of two values, named as for SELECT of prelude.h; declares the
 * values as x<number> and y<number>.  The flags must be settled for it. */
const char *emit_flags_comparison(struct text *text, const struct emit_flags *flags,
                                  unsigned condition, unsigned number);

/* ---- exits (emit_flags.c) ----
 *
 * Exits of a generated function that are rarely taken.  They are placed after the function's
 * blocks, grouped by the registers that have changed: only these are stored in the core, so the
 * other registers need not be kept. */

/* Sets of registers with which functions leave; if there are more, the last set is all
 * registers. */
enum { EMIT_LEAVE_SETS = 24 };

struct emit_leave {
    unsigned count;
    uint16_t registers[EMIT_LEAVE_SETS];
};

/* Leaves with `where`; these registers have changed. */
void emit_leave(struct text *text, struct emit_leave *leave, const struct emit_flags *flags,
                uint16_t registers, uint64_t where);

/* The label of a set; the flags are in locals there, or already stored in the core. */
void emit_leave_label(struct text *text, unsigned set, bool flags_stored);

C_LINKAGE_END
