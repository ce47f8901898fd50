/* emit_flags.c - see emit_flags.h. */
#include "models/arm968/translate/emit_flags.h"

#include "models/arm968/translate/op_registers.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void emit_flags_any(struct emit_flags *flags)
{
    *flags =
        (struct emit_flags){.kind = EMIT_FLAGS_ANY, .n = "fn", .z = "fz", .c = "fc", .v = "fv"};
}

void emit_flags_stored(struct emit_flags *flags)
{
    emit_flags_any(flags);
    flags->kind = EMIT_FLAGS_STORED;
}

static void settle(struct text *text, struct emit_flags *flags)
{
    if (flags->kind == EMIT_FLAGS_STORED) {
        text_add(text, "LOAD_FLAGS;");
        flags->kind = EMIT_FLAGS_ANY;
    }
    if (flags->kind == EMIT_FLAGS_ANY) {
        text_add(text, "SETTLE;");
        flags->kind = EMIT_FLAGS_EACH;
    }
}

void emit_flags_settle_carry(struct text *text, struct emit_flags *flags)
{
    if ((flags->apart & EMIT_FLAGS_C_APART) == 0) {
        settle(text, flags);
    }
}

/* The flags that a pair of conditions asks for: what stands apart together, V by itself. */
enum { ASKS_FOR_V = 1 };
static const unsigned ASKS_FOR[] = {
    EMIT_FLAGS_NZ_APART,                      /* EQ, NE */
    EMIT_FLAGS_C_APART,                       /* CS, CC */
    EMIT_FLAGS_NZ_APART,                      /* MI, PL */
    ASKS_FOR_V,                               /* VS, VC */
    EMIT_FLAGS_C_APART | EMIT_FLAGS_NZ_APART, /* HI, LS */
    EMIT_FLAGS_NZ_APART | ASKS_FOR_V,         /* GE, LT */
    EMIT_FLAGS_NZ_APART | ASKS_FOR_V          /* GT, LE */
};

void emit_flags_settle_for(struct text *text, struct emit_flags *flags, unsigned condition)
{
    if ((ASKS_FOR[condition / 2] & ~flags->apart) != 0) {
        settle(text, flags);
    }
}

void emit_flags_result(struct emit_flags *flags, const char *result)
{
    flags->apart |= EMIT_FLAGS_NZ_APART;
    (void)snprintf(flags->n, sizeof flags->n, "%s", result);
    (void)snprintf(flags->z, sizeof flags->z, "%s", result);
}

void emit_flags_carry(struct emit_flags *flags, const char *carry)
{
    flags->apart |= EMIT_FLAGS_C_APART;
    (void)snprintf(flags->c, sizeof flags->c, "%s", carry);
}

static void set_operands(struct emit_flags *flags, enum emit_flags_kind kind, const char *a,
                         const char *b)
{
    flags->kind = kind;
    flags->apart = 0;
    (void)snprintf(flags->a, sizeof flags->a, "%s", a);
    (void)snprintf(flags->b, sizeof flags->b, "%s", b);
}

void emit_flags_subtract(struct emit_flags *flags, const char *a, const char *b, const char *result)
{
    emit_flags_result(flags, result);
    (void)snprintf(flags->c, sizeof flags->c, "(u32)(%s>=%s)", a, b);
    (void)snprintf(flags->v, sizeof flags->v, "difference_overflow(%s,%s,%s)", a, b, result);
    set_operands(flags, EMIT_FLAGS_SUBTRACTED, a, b);
}

void emit_flags_add(struct emit_flags *flags, const char *a, const char *b, const char *result)
{
    emit_flags_result(flags, result);
    (void)snprintf(flags->c, sizeof flags->c, "(u32)(%s<%s)", result, a);
    (void)snprintf(flags->v, sizeof flags->v, "sum_overflow(%s,%s,%s)", a, b, result);
    set_operands(flags, EMIT_FLAGS_ADDED, a, b);
}

void emit_flags_add_carry(struct emit_flags *flags, const char *a, const char *b,
                          const char *result, const char *carry)
{
    emit_flags_add(flags, a, b, result);
    emit_flags_carry(flags, carry);
    flags->kind = EMIT_FLAGS_EACH;
}

static void assign(struct text *text, const char *local, const char *value)
{
    if (strcmp(local, value) != 0) {
        text_add(text, "%s=%s;", local, value);
    }
}

void emit_flags_assign(struct text *text, const struct emit_flags *flags)
{
    const bool each = flags->kind == EMIT_FLAGS_EACH;
    if (flags->kind == EMIT_FLAGS_STORED) {
        text_add(text, "LOAD_FLAGS;");
    }
    if (each || (flags->apart & EMIT_FLAGS_NZ_APART) != 0) {
        assign(text, "fn", flags->n);
        assign(text, "fz", flags->z);
    }
    if (each || (flags->apart & EMIT_FLAGS_C_APART) != 0) {
        assign(text, "fc", flags->c);
    }
    if (each) {
        assign(text, "fv", flags->v);
        text_add(text, "fk=0;");
    } else if (flags->kind == EMIT_FLAGS_ANY || flags->kind == EMIT_FLAGS_STORED) {
        if (flags->apart != 0) {
            text_add(text, "fk|=%u;", flags->apart);
        }
    } else {
        text_add(text, "ja=%s;jb=%s;fk=%u;", flags->a, flags->b, flags->kind | flags->apart);
    }
}

/* Which locals emit_flags_assign() sets. */
enum { SETS_NZ = 1, SETS_C = 2, SETS_V = 4, SETS_KIND = 8, SETS_OPERANDS = 16, SETS_ALL = 31 };

static unsigned locals_set(const struct emit_flags *flags)
{
    switch (flags->kind) {
    case EMIT_FLAGS_STORED:
        return SETS_ALL;
    case EMIT_FLAGS_EACH:
        return SETS_NZ | SETS_C | SETS_V | SETS_KIND;
    case EMIT_FLAGS_SUBTRACTED:
    case EMIT_FLAGS_ADDED:
    case EMIT_FLAGS_ANY:
    default:
        return ((flags->apart & EMIT_FLAGS_NZ_APART) != 0 ? SETS_NZ : 0) |
               ((flags->apart & EMIT_FLAGS_C_APART) != 0 ? SETS_C : 0) |
               (flags->apart != 0 ? SETS_KIND : 0) |
               (flags->kind != EMIT_FLAGS_ANY ? SETS_KIND | SETS_OPERANDS : 0);
    }
}

void emit_flags_select(struct text *text, struct emit_flags *flags, const struct emit_flags *then,
                       const char *says, unsigned number)
{
    static const struct {
        unsigned set;
        const char *local;
    } LOCALS[] = {{SETS_NZ, "fn"},   {SETS_NZ, "fz"},       {SETS_C, "fc"},       {SETS_V, "fv"},
                  {SETS_KIND, "fk"}, {SETS_OPERANDS, "ja"}, {SETS_OPERANDS, "jb"}};
    enum { COUNT = sizeof LOCALS / sizeof *LOCALS };
    const unsigned set = locals_set(then);
    emit_flags_assign(text, flags);
    for (unsigned i = 0; i < COUNT; i++) {
        if ((set & LOCALS[i].set) != 0) {
            text_add(text, "u32 p%u%s=%s;", number, LOCALS[i].local, LOCALS[i].local);
        }
    }
    emit_flags_assign(text, then);
    for (unsigned i = 0; i < COUNT; i++) {
        if ((set & LOCALS[i].set) != 0) {
            const char *local = LOCALS[i].local;
            text_add(text, "u32 q%u%s=%s;%s=p%u%s;SELECT(%s,%s,q%u%s,x%u,y%u);", number, local,
                     local, local, number, local, says, local, number, local, number, number);
        }
    }
    emit_flags_any(flags);
}

void emit_flags_store(struct text *text, const struct emit_flags *flags)
{
    const bool any = flags->kind == EMIT_FLAGS_ANY;
    const bool all = any || flags->kind == EMIT_FLAGS_EACH;
    if (all || (flags->apart & EMIT_FLAGS_NZ_APART) != 0) {
        text_add(text, "FN=%s;FZ=%s;", flags->n, flags->z);
    }
    if (all || (flags->apart & EMIT_FLAGS_C_APART) != 0) {
        text_add(text, "FC=%s;", flags->c);
    }
    if (all) {
        text_add(text, "FV=%s;", flags->v);
    }
    if (flags->kind == EMIT_FLAGS_STORED) {
        if (flags->apart != 0) {
            text_add(text, "FK|=%u;", flags->apart);
        }
    } else if (any) {
        text_add(text, "JA=ja;JB=jb;FK=fk|%u;", flags->apart);
    } else if (all) {
        text_add(text, "FK=0;");
    } else {
        text_add(text, "JA=%s;JB=%s;FK=%u;", flags->a, flags->b, flags->kind | flags->apart);
    }
}

void emit_flags_condition(struct text *text, const struct emit_flags *flags, unsigned condition)
{
    const unsigned pair = condition / 2;
    text_add(text, (condition & 1) != 0 ? "!(" : "(");
    const bool compared =
        flags->kind == EMIT_FLAGS_SUBTRACTED && (ASKS_FOR[pair] & flags->apart) == 0;
    if (compared && pair != 2 && pair != 3) {
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

const char *emit_flags_comparison(struct text *text, const struct emit_flags *flags,
                                  unsigned condition, unsigned number)
{
    /* By the condition: of the operands of a comparison, and of one value with 0; NULL: no single
     * value tells. */
    static const char *const OF_OPERANDS[] = {"e",  "ne", "ae", "b",  "s", "ns", "o",
                                              "no", "a",  "be", "ge", "l", "g",  "le"};
    static const char *const OF_VALUE[] = {"e", "ne", "ne", "e", "s", "ns", "s", "ns"};
    const bool compared =
        flags->kind == EMIT_FLAGS_SUBTRACTED && (ASKS_FOR[condition / 2] & flags->apart) == 0;
    if (compared) {
        text_add(text, "u32 x%u=%s,y%u=%s;", number, flags->a, number, flags->b);
        return OF_OPERANDS[condition];
    }
    if (condition < sizeof OF_VALUE / sizeof *OF_VALUE) {
        const char *const values[] = {flags->z, flags->c, flags->n, flags->v};
        text_add(text, "u32 x%u=%s,y%u=0;", number, values[condition / 2], number);
        return OF_VALUE[condition];
    }
    text_add(text, "u32 x%u=", number);
    emit_flags_condition(text, flags, condition);
    text_add(text, ",y%u=0;", number);
    return "ne";
}

/* ---- ways out ---- */

static unsigned set_of(struct emit_leave *leave, uint16_t registers)
{
    for (unsigned i = 0; i < leave->count; i++) {
        if (leave->registers[i] == registers) {
            return i;
        }
    }
    if (leave->count == EMIT_LEAVE_SETS) {
        leave->registers[EMIT_LEAVE_SETS - 1] = OP_REGISTERS_ALL;
        return EMIT_LEAVE_SETS - 1;
    }
    leave->registers[leave->count] = registers;
    return leave->count++;
}

void emit_leave(struct text *text, struct emit_leave *leave, const struct emit_flags *flags,
                uint16_t registers, uint64_t where)
{
    const bool stored = flags->kind == EMIT_FLAGS_STORED;
    if (stored) {
        emit_flags_store(text, flags);
    } else {
        emit_flags_assign(text, flags);
    }
    text_add(text, "where=0x%" PRIx64 "ull;goto %s%u;", where, stored ? "kept" : "out",
             set_of(leave, registers));
}

void emit_leave_label(struct text *text, unsigned set, bool flags_stored)
{
    text_add(text, "%s%u:", flags_stored ? "kept" : "out", set);
}
