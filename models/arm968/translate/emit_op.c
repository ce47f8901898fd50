/* emit_op.c - what each operation of ops.def is in generated C: the same as in exec_*.h.
 * Registers are locals r0 .. r17, flags are expressions (emit_flags.h). */
#include "models/arm968/translate/emit_op.h"

#include "models/common/bits.h"
#include "models/common/check.h"

#include <inttypes.h>
#include <stdio.h>

enum { NAME_CHARS = OPERAND_CHARS };

static void new_temporary(const struct emit_op *emit, char name[NAME_CHARS])
{
    (void)snprintf(name, NAME_CHARS, "t%u", ++*emit->temporaries);
}

/* A temporary with the value of an expression in the operation's registers. */
static void emit_temporary(const struct emit_op *emit, char name[NAME_CHARS], const char *type,
                           const char *value)
{
    new_temporary(emit, name);
    text_add(emit->text, "%s %s=%s;", type, name, value);
}

static void register_name(char name[NAME_CHARS], unsigned reg)
{
    (void)snprintf(name, NAME_CHARS, "r%u", reg);
}

static void constant(char name[NAME_CHARS], uint32_t value)
{
    (void)snprintf(name, NAME_CHARS, "0x%" PRIx32 "u", value);
}

/* ---- shifter ---- */

static void emit_shift_imm(const struct emit_op *emit, const struct op *op, enum op_code code)
{
    struct text *text = emit->text;
    const bool carry = code >= OP_LSL_IMM_C;
    char value[NAME_CHARS];
    char name[NAME_CHARS];
    register_name(name, op->rm);
    emit_temporary(emit, value, "u32", name);
    char out[FLAG_CHARS];
    unsigned bit = op->imm - 1;
    switch ((unsigned)code) {
    case OP_LSL_IMM:
    case OP_LSL_IMM_C:
        text_add(text, "r%u=(u32)((u64)%s<<%" PRIu32 ");", op->rd, value, op->imm);
        bit = 32 - op->imm;
        break;
    case OP_LSR_IMM:
    case OP_LSR_IMM_C:
        text_add(text, "r%u=(u32)((u64)%s>>%" PRIu32 ");", op->rd, value, op->imm);
        break;
    case OP_ASR_IMM:
    case OP_ASR_IMM_C:
        text_add(text, "r%u=(u32)((s64)(s32)%s>>%" PRIu32 ");", op->rd, value, op->imm);
        break;
    case OP_ROR_IMM:
    case OP_ROR_IMM_C:
        text_add(text, "r%u=ROR(%s,%" PRIu32 ");", op->rd, value, op->imm);
        bit = (op->imm - 1) & 31;
        break;
    default: /* RRX */
        emit_flags_settle_carry(text, emit->flags);
        text_add(text, "r%u=(%s<<31)|(%s>>1);", op->rd, emit->flags->c, value);
        bit = 0;
        break;
    }
    if (carry) {
        (void)snprintf(out, sizeof out, "((%s>>%u)&1)", value, bit);
        emit_flags_carry(emit->flags, out);
    }
}

/* Amounts from a register: its low byte, 33 standing for all above 32. */
static void emit_shift_register(const struct emit_op *emit, const struct op *op, enum op_code code)
{
    struct text *text = emit->text;
    const bool carry = code >= OP_LSL_REG_C;
    const unsigned kind = carry ? code - OP_LSL_REG_C : code - OP_LSL_REG;
    char value[NAME_CHARS];
    char amount[NAME_CHARS];
    char source[FLAG_CHARS];
    register_name(source, op->rm);
    emit_temporary(emit, value, "u32", source);
    (void)snprintf(source, sizeof source, kind == 3 ? "r%u&0xff" : "SHIFT(r%u)", op->rs);
    emit_temporary(emit, amount, "u32", source);
    if (carry) {
        emit_flags_settle_carry(text, emit->flags);
        char out[NAME_CHARS];
        new_temporary(emit, out);
        text_add(text, "u32 %s=%s;if(%s)%s=", out, emit->flags->c, amount, out);
        switch (kind) {
        case 0:
            text_add(text, "(u32)((u64)%s<<%s>>32)&1;", value, amount);
            break;
        case 1:
            text_add(text, "(u32)((u64)%s>>(%s-1))&1;", value, amount);
            break;
        case 2:
            text_add(text, "(u32)((s64)(s32)%s>>(%s-1))&1;", value, amount);
            break;
        default:
            text_add(text, "ROR(%s,%s)>>31;", value, amount);
            break;
        }
        emit_flags_carry(emit->flags, out);
    }
    text_add(text, "r%u=", op->rd);
    switch (kind) {
    case 0:
        text_add(text, "(u32)((u64)%s<<%s);", value, amount);
        break;
    case 1:
        text_add(text, "(u32)((u64)%s>>%s);", value, amount);
        break;
    case 2:
        text_add(text, "(u32)((s64)(s32)%s>>%s);", value, amount);
        break;
    default:
        text_add(text, "ROR(%s,%s);", value, amount);
        break;
    }
}

/* ---- data operations ---- */

enum data_flags { KEEPS, LOGICAL, ADDS, SUBS, ADDS_CARRY };

struct data_form {
    const char *operator; /* between the operands */
    bool swapped;         /* b op a */
    bool inverted;        /* the second operand, once swapped, is inverted */
    bool carries;         /* the carry is added */
    enum data_flags flags;
    bool compares; /* has no destination */
    bool constant; /* the second operand is */
};

static const struct data_form FORMS[OP_CODES] = {
#define FORM(name, ...)                                                                            \
    [OP_##name##_IMM] = {__VA_ARGS__, true}, [OP_##name##_REG] = {__VA_ARGS__, false}
    FORM(AND, "&", false, false, false, KEEPS, false),
    FORM(EOR, "^", false, false, false, KEEPS, false),
    FORM(ORR, "|", false, false, false, KEEPS, false),
    FORM(ADD, "+", false, false, false, KEEPS, false),
    FORM(ADC, "+", false, false, true, KEEPS, false),
    FORM(SUB, "-", false, false, false, KEEPS, false),
    FORM(SBC, "+", false, true, true, KEEPS, false),
    FORM(RSB, "-", true, false, false, KEEPS, false),
    FORM(RSC, "+", true, true, true, KEEPS, false),
    FORM(ANDS, "&", false, false, false, LOGICAL, false),
    FORM(EORS, "^", false, false, false, LOGICAL, false),
    FORM(ORRS, "|", false, false, false, LOGICAL, false),
    FORM(ADDS, "+", false, false, false, ADDS, false),
    FORM(ADCS, "+", false, false, true, ADDS_CARRY, false),
    FORM(SUBS, "-", false, false, false, SUBS, false),
    FORM(SBCS, "+", false, true, true, ADDS_CARRY, false),
    FORM(RSBS, "-", true, false, false, SUBS, false),
    FORM(RSCS, "+", true, true, true, ADDS_CARRY, false),
    FORM(TST, "&", false, false, false, LOGICAL, true),
    FORM(TEQ, "^", false, false, false, LOGICAL, true),
    FORM(CMP, "-", false, false, false, SUBS, true),
    FORM(CMN, "+", false, false, false, ADDS, true),
#undef FORM
    [OP_BIC_REG] = {"&", false, true, false, KEEPS, false, false},
    [OP_BICS_REG] = {"&", false, true, false, LOGICAL, false, false},
};

static void emit_data(const struct emit_op *emit, const struct op *op, enum op_code code)
{
    const struct data_form *form = &FORMS[code];
    struct text *text = emit->text;
    char a[NAME_CHARS];
    char b[NAME_CHARS];
    char name[NAME_CHARS];
    register_name(name, op->rn);
    emit_temporary(emit, a, "u32", name);
    if (form->constant) {
        constant(b, op->imm);
    } else {
        register_name(name, op->rm);
        emit_temporary(emit, b, "u32", name);
    }
    const char *first = form->swapped ? b : a;
    const char *second = form->swapped ? a : b;
    char inverse[NAME_CHARS];
    if (form->inverted) {
        new_temporary(emit, inverse);
        text_add(text, "u32 %s=~%s;", inverse, second);
        second = inverse;
    }
    char result[NAME_CHARS];
    new_temporary(emit, result);
    if (form->carries) {
        emit_flags_settle_carry(text, emit->flags);
    }
    if (form->flags == ADDS_CARRY) {
        char sum[NAME_CHARS];
        new_temporary(emit, sum);
        text_add(text, "u64 %s=(u64)%s+%s+%s;u32 %s=(u32)%s;", sum, first, second, emit->flags->c,
                 result, sum);
        char out[FLAG_CHARS];
        (void)snprintf(out, sizeof out, "(u32)(%s>>32)", sum);
        emit_flags_add_carry(emit->flags, first, second, result, out);
    } else {
        text_add(text, "u32 %s=%s%s%s", result, first, form->operator, second);
        if (form->carries) {
            text_add(text, "+%s", emit->flags->c);
        }
        text_add(text, ";");
    }
    switch (form->flags) {
    case LOGICAL:
        emit_flags_result(emit->flags, result);
        break;
    case ADDS:
        emit_flags_add(emit->flags, first, second, result);
        break;
    case SUBS:
        emit_flags_subtract(emit->flags, first, second, result);
        break;
    case KEEPS:
    case ADDS_CARRY:
    default:
        break;
    }
    if (!form->compares) {
        text_add(text, "r%u=%s;", op->rd, result);
    }
}

static void emit_move(const struct emit_op *emit, const struct op *op, enum op_code code)
{
    char value[FLAG_CHARS];
    switch ((unsigned)code) {
    case OP_MOV_IMM:
    case OP_MOVS_IMM:
        constant(value, op->imm);
        break;
    case OP_MVN_REG:
    case OP_MVNS_REG:
        (void)snprintf(value, sizeof value, "~r%u", op->rm);
        break;
    default:
        register_name(value, op->rm);
        break;
    }
    if (code == OP_MOV_IMM || code == OP_MOV_REG || code == OP_MVN_REG) {
        text_add(emit->text, "r%u=%s;", op->rd, value);
        return;
    }
    char result[NAME_CHARS];
    emit_temporary(emit, result, "u32", value);
    text_add(emit->text, "r%u=%s;", op->rd, result);
    emit_flags_result(emit->flags, result);
}

static void emit_test(const struct emit_op *emit, const struct op *op, enum op_code code)
{
    char value[NAME_CHARS];
    char name[FLAG_CHARS];
    register_name(name, op->rn);
    emit_temporary(emit, value, "u32", name);
    emit_flags_result(emit->flags, value);
    if (code == OP_TEST_NZ_LONG) {
        (void)snprintf(name, sizeof name, "r%u|r%u", op->rn, op->rm);
        char both[NAME_CHARS];
        emit_temporary(emit, both, "u32", name);
        (void)snprintf(emit->flags->z, sizeof emit->flags->z, "%s", both);
    }
}

/* ---- multiplies ---- */

static const char *half_of(unsigned index, bool first)
{
    static const char *const HALF[] = {"(s32)(s16)r%u", "((s32)r%u>>16)"};
    return HALF[first ? index / 2 : index % 2]; /* bb, bt, tb, tt */
}

static void emit_product(const struct emit_op *emit, char product[NAME_CHARS], const char *first,
                         unsigned rm, const char *second, unsigned rs)
{
    char a[FLAG_CHARS];
    char b[FLAG_CHARS];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    (void)snprintf(a, sizeof a, first, rm);
    (void)snprintf(b, sizeof b, second, rs);
#pragma GCC diagnostic pop
    new_temporary(emit, product);
    text_add(emit->text, "s32 %s=%s*%s;", product, a, b);
}

static void emit_accumulate(const struct emit_op *emit, const struct op *op, const char *product)
{
    char sum[NAME_CHARS];
    new_temporary(emit, sum);
    text_add(emit->text,
             "s32 %s;if(UNLIKELY(__builtin_add_overflow(%s,(s32)r%u,&%s)))fq=1;r%u=(u32)%s;", sum,
             product, op->rn, sum, op->rd, sum);
}

static void emit_long(const struct emit_op *emit, const struct op *op, const char *value)
{
    char wide[NAME_CHARS];
    new_temporary(emit, wide);
    text_add(emit->text, "u64 %s=%s;r%u=(u32)%s;r%u=(u32)(%s>>32);", wide, value, op->rn, wide,
             op->rd, wide);
}

static void emit_multiply(const struct emit_op *emit, const struct op *op, enum op_code code)
{
    struct text *text = emit->text;
    char product[NAME_CHARS];
    char value[128];
    switch ((unsigned)code) {
    case OP_MUL:
        text_add(text, "r%u=r%u*r%u;", op->rd, op->rm, op->rs);
        return;
    case OP_MLA:
        text_add(text, "r%u=r%u*r%u+r%u;", op->rd, op->rm, op->rs, op->rn);
        return;
    case OP_UMULL:
        (void)snprintf(value, sizeof value, "(u64)r%u*r%u", op->rm, op->rs);
        emit_long(emit, op, value);
        return;
    case OP_UMLAL:
        (void)snprintf(value, sizeof value, "(u64)r%u*r%u+(((u64)r%u<<32)|r%u)", op->rm, op->rs,
                       op->rd, op->rn);
        emit_long(emit, op, value);
        return;
    case OP_SMULL:
        (void)snprintf(value, sizeof value, "(u64)((s64)(s32)r%u*(s32)r%u)", op->rm, op->rs);
        emit_long(emit, op, value);
        return;
    case OP_SMLAL:
        (void)snprintf(value, sizeof value, "(u64)((s64)(s32)r%u*(s32)r%u)+(((u64)r%u<<32)|r%u)",
                       op->rm, op->rs, op->rd, op->rn);
        emit_long(emit, op, value);
        return;
    case OP_SMULBB:
    case OP_SMULBT:
    case OP_SMULTB:
    case OP_SMULTT:
        emit_product(emit, product, half_of(code - OP_SMULBB, true), op->rm,
                     half_of(code - OP_SMULBB, false), op->rs);
        text_add(text, "r%u=(u32)%s;", op->rd, product);
        return;
    case OP_SMLABB:
    case OP_SMLABT:
    case OP_SMLATB:
    case OP_SMLATT:
        emit_product(emit, product, half_of(code - OP_SMLABB, true), op->rm,
                     half_of(code - OP_SMLABB, false), op->rs);
        emit_accumulate(emit, op, product);
        return;
    case OP_SMLALBB:
    case OP_SMLALBT:
    case OP_SMLALTB:
    case OP_SMLALTT:
        emit_product(emit, product, half_of(code - OP_SMLALBB, true), op->rm,
                     half_of(code - OP_SMLALBB, false), op->rs);
        (void)snprintf(value, sizeof value, "(((u64)r%u<<32)|r%u)+(u64)(s64)%s", op->rd, op->rn,
                       product);
        emit_long(emit, op, value);
        return;
    default: { /* SMULWB, SMULWT, SMLAWB, SMLAWT */
        const bool top = code == OP_SMULWT || code == OP_SMLAWT;
        char b[FLAG_CHARS];
        (void)snprintf(b, sizeof b, top ? "((s32)r%u>>16)" : "(s32)(s16)r%u", op->rs);
        new_temporary(emit, product);
        text_add(text, "s32 %s=(s32)(((s64)(s32)r%u*%s)>>16);", product, op->rm, b);
        if (code == OP_SMLAWB || code == OP_SMLAWT) {
            emit_accumulate(emit, op, product);
        } else {
            text_add(text, "r%u=(u32)%s;", op->rd, product);
        }
        return;
    }
    }
}

static void emit_saturating(const struct emit_op *emit, const struct op *op, enum op_code code)
{
    struct text *text = emit->text;
    const bool doubles = code == OP_QDADD || code == OP_QDSUB;
    const bool subtracts = code == OP_QSUB || code == OP_QDSUB;
    char b[NAME_CHARS];
    char result[NAME_CHARS];
    new_temporary(emit, b);
    new_temporary(emit, result);
    text_add(text, doubles ? "s32 %s=qadd((s32)r%u,(s32)r%u,&fq);" : "s32 %s=(s32)r%u;", b, op->rn,
             op->rn);
    text_add(text, "s32 %s=%s((s32)r%u,%s,&fq);r%u=(u32)%s;", result, subtracts ? "qsub" : "qadd",
             op->rm, b, op->rd, result);
}

/* ---- memory ---- */

static void leave_if_at(const struct emit_op *emit, const char *condition, uint16_t dirty,
                        uint64_t leave_at)
{
    text_add(emit->text, "if(UNLIKELY(%s)){%s", condition, emit->catch_up);
    emit_leave(emit->text, emit->leave, emit->flags, dirty, leave_at);
    text_add(emit->text, "}");
}

static void leave_if(const struct emit_op *emit, const char *condition)
{
    leave_if_at(emit, condition, emit->dirty, emit->leave_at);
}

static bool power_of_two(uint32_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

/* Keeps the words of the data memory that are about to be stored to if the core is ahead of itself:
 * ahead.h.  Leaves when the journal is full. */
static void emit_journal(const struct emit_op *emit, const char *offset, unsigned bytes)
{
    const unsigned words = (bytes + 3) / 4;
    char condition[64];
    text_add(emit->text, "if(UNLIKELY(ahead)){u32*word=JOURNAL;");
    (void)snprintf(condition, sizeof condition, "JOURNAL_END-word<%u", 2 * words);
    leave_if(emit, condition);
    for (unsigned i = 0; i < words; i++) {
        text_add(emit->text, "word[%u]=(%s&~3u)+%u;word[%u]=AT(u32,word[%u]);", 2 * i, offset,
                 4 * i, 2 * i + 1, 2 * i);
    }
    text_add(emit->text, "JOURNAL=word+%u;}", 2 * words);
}

/* Offset into the window of an address; leaves unless `bytes` bytes, aligned to `alignment`, lie in
 * it. */
static void emit_offset(const struct emit_op *emit, char offset[NAME_CHARS], const char *address,
                        unsigned bytes, unsigned alignment, bool store)
{
    const struct emit_memory *memory = emit->memory;
    char condition[160];
    new_temporary(emit, offset);
    /* 64 bits: what is added to it behind the checks goes into the host's addressing */
    text_add(emit->text, "u64 %s=(u32)(%s-0x%" PRIx32 "u);", offset, address, memory->base);
    if (power_of_two(memory->size) && bytes <= alignment) {
        (void)snprintf(condition, sizeof condition, "%s&0x%" PRIx32 "u", offset,
                       ~(memory->size - 1) | (alignment - 1));
    } else {
        (void)snprintf(condition, sizeof condition, "%s>0x%" PRIx32 "u||(%s&%u)", offset,
                       memory->size - bytes, offset, alignment - 1);
    }
    leave_if(emit, condition);
    if (store && !memory->flat) {
        emit_journal(emit, offset, bytes);
    }
    if (store && memory->flat) {
        (void)snprintf(condition, sizeof condition, "%s<STORE_BASE-0x%" PRIx32 "u", offset,
                       memory->base);
        leave_if(emit, condition);
    }
}

/* A word that the ports have been seen to answer at once: they are asked from here. */
static void emit_port_access(const struct emit_op *emit, const struct op *op, bool load,
                             const char *address)
{
    struct text *text = emit->text;
    char datum[NAME_CHARS];
    char taken[NAME_CHARS];
    char condition[FLAG_CHARS];
    new_temporary(emit, datum);
    new_temporary(emit, taken);
    text_add(text, "u32 %s=r%u;s64 %s=ASK(cpu,%s,&%s,budget-%" PRId64 ",%d);", datum, op->rd, taken,
             address, datum, emit->port->begins_cycles, !load);
    (void)snprintf(condition, sizeof condition, "%s<0", taken);
    leave_if(emit, condition);
    text_add(text, "budget-=%s;", taken);
    if (load) {
        text_add(text, "r%u=%s;", op->rd, datum);
    }
    (void)snprintf(condition, sizeof condition, "budget<=%" PRId64, emit->port->too_small);
    const uint16_t loaded = (uint16_t)(load ? 1u << op->rd : 0);
    leave_if_at(emit, condition, emit->dirty | loaded, emit->port->leave_behind);
}

enum single_form { OFF_IMM, OFF_REG, PRE_IMM, PRE_REG, POST_IMM, POST_REG, SINGLE_FORMS };

static void emit_single(const struct emit_op *emit, const struct op *op, enum op_code code)
{
    static const struct {
        const char *type;
        unsigned bytes;
    } LOADS[] = {{"u32", 4}, {"u8", 1}, {"u16", 2}, {"s8", 1}, {"s16", 2}},
      STORES[] = {{"u32", 4}, {"u8", 1}, {"u16", 2}};
    struct text *text = emit->text;
    const bool load = code <= OP_LDRSH_POST_REG;
    const unsigned index = code - (load ? OP_LDR_OFF_IMM : OP_STR_OFF_IMM);
    const enum single_form form = index % SINGLE_FORMS;
    const unsigned bytes =
        load ? LOADS[index / SINGLE_FORMS].bytes : STORES[index / SINGLE_FORMS].bytes;
    const char *type = load ? LOADS[index / SINGLE_FORMS].type : STORES[index / SINGLE_FORMS].type;
    const bool by_register = form % 2 == 1;
    char second[NAME_CHARS];
    if (by_register) {
        register_name(second, op->rm);
    } else {
        constant(second, op->imm);
    }
    char moved[NAME_CHARS];
    char address[NAME_CHARS];
    new_temporary(emit, address);
    new_temporary(emit, moved);
    if (form >= POST_IMM) {
        text_add(text, "u32 %s=r%u;u32 %s=%s+%s;", address, op->rn, moved, address, second);
    } else {
        text_add(text, "u32 %s=r%u+%s;u32 %s=%s;", address, op->rn, second, moved, address);
    }
    const bool asks = emit->port != NULL && bytes == 4 && form <= OFF_REG;
    if (asks) {
        text_add(text, "if(%s>CPU(u32,%zu)){", address, offsetof(struct arm968, own_last));
        emit_port_access(emit, op, load, address);
        text_add(text, "}else{");
    }
    char offset[NAME_CHARS];
    emit_offset(emit, offset, address, bytes, bytes, !load);
    if (load) {
        char value[NAME_CHARS];
        new_temporary(emit, value);
        text_add(text, "u32 %s=(u32)(s32)AT(%s,%s);", value, type, offset);
        if (form >= PRE_IMM) {
            text_add(text, "r%u=%s;", op->rn, moved);
        }
        text_add(text, "r%u=%s;", op->rd, value);
    } else {
        text_add(text, "AT(%s,%s)=(%s)r%u;", type, offset, type, op->rd);
        if (form >= PRE_IMM) {
            text_add(text, "r%u=%s;", op->rn, moved);
        }
    }
    text_add(text, "%s", asks ? "}" : "");
}

enum { BIAS = 32, PC_BIT = 15 };

static void emit_block_transfer(const struct emit_op *emit, const struct op *op, enum op_code code)
{
    struct text *text = emit->text;
    const unsigned count = op->imm >> BLOCK_COUNT_SHIFT;
    char address[NAME_CHARS];
    char base[NAME_CHARS];
    char offset[NAME_CHARS];
    new_temporary(emit, address);
    new_temporary(emit, base);
    text_add(text, "u32 %s=r%u+0x%" PRIx32 "u;u32 %s=r%u+0x%" PRIx32 "u;", address, op->rn,
             4u * ((uint32_t)op->rd - BIAS), base, op->rn, 4u * ((uint32_t)op->rs - BIAS));
    emit_offset(emit, offset, address, 4 * count, 4, code == OP_STM);
    unsigned at = 0;
    for (uint32_t list = op->imm & BLOCK_LIST; list != 0; list &= list - 1, at += 4) {
        const unsigned n = bits_lowest(list);
        const unsigned name = n == PC_BIT && code == OP_LDM ? (unsigned)REGISTER_TARGET : n;
        if (code == OP_LDM) {
            text_add(text, "r%u=AT(u32,%s+%u);", name, offset, at);
        } else {
            text_add(text, "AT(u32,%s+%u)=r%u;", offset, at, name);
        }
    }
    if ((op->rm & BLOCK_WRITEBACK) != 0) {
        text_add(text, "r%u=%s;", op->rn, base);
    }
}

static void emit_double(const struct emit_op *emit, const struct op *op, enum op_code code)
{
    char address[NAME_CHARS];
    char name[NAME_CHARS];
    char offset[NAME_CHARS];
    register_name(name, op->rm);
    emit_temporary(emit, address, "u32", name);
    emit_offset(emit, offset, address, 8, 8, code == OP_STRD);
    if (code == OP_LDRD) {
        text_add(emit->text, "r%u=AT(u32,%s);r%u=AT(u32,%s+4);", op->rd, offset, op->rd + 1u,
                 offset);
    } else {
        text_add(emit->text, "AT(u32,%s)=r%u;AT(u32,%s+4)=r%u;", offset, op->rd, offset,
                 op->rd + 1u);
    }
}

/* ---- all ---- */

bool emit_op_is_pure(enum op_code code)
{
    const bool shift = code <= OP_RRX || (code >= OP_LSL_REG && code <= OP_ROR_REG);
    const bool move = code == OP_MOV_IMM || code == OP_MOV_REG || code == OP_MVN_REG;
    return shift || move || code == OP_CLZ || code == OP_MUL || code == OP_MLA ||
           (FORMS[code].operator!= NULL && FORMS[code].flags == KEEPS);
}

void emit_op(const struct emit_op *emit, const struct op *op, enum op_code code)
{
    if (code <= OP_RRX_C) {
        emit_shift_imm(emit, op, code);
    } else if (code <= OP_ROR_REG_C) {
        emit_shift_register(emit, op, code);
    } else if (code == OP_SET_CARRY) {
        emit_flags_carry(emit->flags, op->imm != 0 ? "1" : "0");
    } else if (FORMS[code].operator!= NULL) {
        emit_data(emit, op, code);
    } else if (code >= OP_MOV_IMM && code <= OP_MVNS_REG) {
        emit_move(emit, op, code);
    } else if (code == OP_TEST_NZ || code == OP_TEST_NZ_LONG) {
        emit_test(emit, op, code);
    } else if (code == OP_CLZ) {
        text_add(emit->text, "r%u=r%u?(u32)__builtin_clz(r%u):32u;", op->rd, op->rm, op->rm);
    } else if (code >= OP_MUL && code <= OP_SMLAWT) {
        emit_multiply(emit, op, code);
    } else if (code >= OP_QADD && code <= OP_QDSUB) {
        emit_saturating(emit, op, code);
    } else if (code >= OP_LDR_OFF_IMM && code <= OP_STRH_POST_REG) {
        emit_single(emit, op, code);
    } else if (code == OP_LDR_LITERAL) {
        text_add(emit->text, "r%u=LITERAL(0x%" PRIx32 "u);", op->rd, op->imm - emit->code_base);
    } else if (code == OP_LDM || code == OP_STM) {
        emit_block_transfer(emit, op, code);
    } else {
        CHECK(code == OP_LDRD || code == OP_STRD, "an operation that cannot be translated");
        emit_double(emit, op, code);
    }
}
