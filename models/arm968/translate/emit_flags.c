/* emit_flags.c - see emit_flags.h. */
#include "models/arm968/translate/emit_flags.h"

#include <stdio.h>
#include <string.h>

void emit_flags_any(struct emit_flags *flags)
{
    *flags =
        (struct emit_flags){.kind = EMIT_FLAGS_ANY, .n = "fn", .z = "fz", .c = "fc", .v = "fv"};
}

void emit_flags_settle(struct text *text, struct emit_flags *flags)
{
    if (flags->kind == EMIT_FLAGS_ANY) {
        text_add(text, "SETTLE;");
        flags->kind = EMIT_FLAGS_EACH;
    }
}

void emit_flags_result(struct emit_flags *flags, const char *result)
{
    flags->kind = EMIT_FLAGS_EACH;
    (void)snprintf(flags->n, sizeof flags->n, "%s", result);
    (void)snprintf(flags->z, sizeof flags->z, "%s", result);
}

void emit_flags_carry(struct emit_flags *flags, const char *carry)
{
    flags->kind = EMIT_FLAGS_EACH;
    (void)snprintf(flags->c, sizeof flags->c, "%s", carry);
}

static void set_operands(struct emit_flags *flags, enum emit_flags_kind kind, const char *a,
                         const char *b)
{
    flags->kind = kind;
    (void)snprintf(flags->a, sizeof flags->a, "%s", a);
    (void)snprintf(flags->b, sizeof flags->b, "%s", b);
}

void emit_flags_subtract(struct emit_flags *flags, const char *a, const char *b, const char *result)
{
    emit_flags_result(flags, result);
    (void)snprintf(flags->c, sizeof flags->c, "(u32)(%s>=%s)", a, b);
    (void)snprintf(flags->v, sizeof flags->v, "((%s^%s)&(%s^%s))", a, b, a, result);
    set_operands(flags, EMIT_FLAGS_SUBTRACTED, a, b);
}

void emit_flags_add(struct emit_flags *flags, const char *a, const char *b, const char *result)
{
    emit_flags_result(flags, result);
    (void)snprintf(flags->c, sizeof flags->c, "(u32)(%s<%s)", result, a);
    (void)snprintf(flags->v, sizeof flags->v, "((%s^%s)&(%s^%s))", a, result, b, result);
    set_operands(flags, EMIT_FLAGS_ADDED, a, b);
}

static void assign(struct text *text, const char *local, const char *value)
{
    if (strcmp(local, value) != 0) {
        text_add(text, "%s=%s;", local, value);
    }
}

void emit_flags_assign(struct text *text, const struct emit_flags *flags)
{
    switch (flags->kind) {
    case EMIT_FLAGS_SUBTRACTED:
    case EMIT_FLAGS_ADDED:
        text_add(text, "ja=%s;jb=%s;fk=%d;", flags->a, flags->b, (int)flags->kind);
        break;
    case EMIT_FLAGS_EACH:
        assign(text, "fn", flags->n);
        assign(text, "fz", flags->z);
        assign(text, "fc", flags->c);
        assign(text, "fv", flags->v);
        text_add(text, "fk=0;");
        break;
    case EMIT_FLAGS_ANY:
    default:
        break;
    }
}

void emit_flags_store(struct text *text, const struct emit_flags *flags)
{
    switch (flags->kind) {
    case EMIT_FLAGS_SUBTRACTED:
    case EMIT_FLAGS_ADDED:
        text_add(text, "JA=%s;JB=%s;FK=%d;", flags->a, flags->b, (int)flags->kind);
        break;
    case EMIT_FLAGS_EACH:
        text_add(text, "FN=%s;FZ=%s;FC=%s;FV=%s;FK=0;", flags->n, flags->z, flags->c, flags->v);
        break;
    case EMIT_FLAGS_ANY:
    default:
        text_add(text, "FN=fn;FZ=fz;FC=fc;FV=fv;JA=ja;JB=jb;FK=fk;");
        break;
    }
    text_add(text, "FQ=fq;");
}

void emit_flags_condition(struct text *text, const struct emit_flags *flags, unsigned condition)
{
    const unsigned pair = condition / 2;
    text_add(text, (condition & 1) != 0 ? "!(" : "(");
    if (flags->kind == EMIT_FLAGS_SUBTRACTED && pair != 2 && pair != 3) {
        switch (pair) {
        case 0:
            text_add(text, "%s==%s", flags->a, flags->b);
            break;
        case 1:
            text_add(text, "%s>=%s", flags->a, flags->b);
            break;
        case 4:
            text_add(text, "%s>%s", flags->a, flags->b);
            break;
        case 5:
            text_add(text, "(s32)%s>=(s32)%s", flags->a, flags->b);
            break;
        default:
            text_add(text, "(s32)%s>(s32)%s", flags->a, flags->b);
            break;
        }
    } else {
        switch (pair) {
        case 0:
            text_add(text, "%s==0", flags->z);
            break;
        case 1:
            text_add(text, "%s!=0", flags->c);
            break;
        case 2:
            text_add(text, "(s32)%s<0", flags->n);
            break;
        case 3:
            text_add(text, "(s32)%s<0", flags->v);
            break;
        case 4:
            text_add(text, "%s!=0&&%s!=0", flags->c, flags->z);
            break;
        case 5:
            text_add(text, "(s32)(%s^%s)>=0", flags->n, flags->v);
            break;
        default:
            text_add(text, "%s!=0&&(s32)(%s^%s)>=0", flags->z, flags->n, flags->v);
            break;
        }
    }
    text_add(text, ")");
}
