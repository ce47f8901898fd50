/* emit_flags.h - what generated code knows of the flags: expressions, computed only where somebody
 * wants them.  Private to models/arm968. */
#ifndef MODELS_ARM968_TRANSLATE_EMIT_FLAGS_H
#define MODELS_ARM968_TRANSLATE_EMIT_FLAGS_H
#include "models/arm968/translate/text.h"
#include <stdbool.h>
#ifdef __cplusplus
extern "C" {
#endif

enum { FLAG_CHARS = 64, OPERAND_CHARS = 24 };

/* What the flags are made of where they are handed on, in the local fk; the first three as in
 * native.h. */
enum emit_flags_kind {
    EMIT_FLAGS_EACH,       /* each has an expression of its own */
    EMIT_FLAGS_SUBTRACTED, /* they are those of a - b ... */
    EMIT_FLAGS_ADDED,      /* ... or a + b */
    EMIT_FLAGS_ANY         /* only fk tells: of the locals ja and jb, or fn, fz, fc, fv */
};

/* As in struct arm968: n and v in bit 31, z is 0 when Z is set, c is 0 or 1.  Expressions are made
 * of temporaries that never change, and of the locals fn, fz, fc, fv. */
struct emit_flags {
    enum emit_flags_kind kind;
    char n[FLAG_CHARS], z[FLAG_CHARS], c[FLAG_CHARS], v[FLAG_CHARS];
    char a[OPERAND_CHARS], b[OPERAND_CHARS];
};

/* As they are where control comes together. */
void emit_flags_any(struct emit_flags *flags);

/* Before an expression is used or only some flags change. */
void emit_flags_settle(struct text *text, struct emit_flags *flags);

/* After result = a - b, result = a + b; names of temporaries or constants. */
void emit_flags_subtract(struct emit_flags *flags, const char *a, const char *b,
                         const char *result);
void emit_flags_add(struct emit_flags *flags, const char *a, const char *b, const char *result);
/* n and z of a value, the others stay; the flags are settled. */
void emit_flags_result(struct emit_flags *flags, const char *result);
void emit_flags_carry(struct emit_flags *flags, const char *carry);

/* Hands the flags on in the locals. */
void emit_flags_assign(struct text *text, const struct emit_flags *flags);

/* Hands them on in the core. */
void emit_flags_store(struct text *text, const struct emit_flags *flags);

/* The condition 0 to 13 as an expression; the flags are settled. */
void emit_flags_condition(struct text *text, const struct emit_flags *flags, unsigned condition);

#ifdef __cplusplus
}
#endif
#endif
