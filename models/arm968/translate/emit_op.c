/* emit_op.c - what each operation of ops.def is in generated C: on registers and flags by the rules
 * of alu.def, loads and stores as in exec_memory.h.  Registers are locals r0 .. r17, flags are
 * expressions (emit_flags.h). */
#include "models/arm968/translate/emit_op.h"

#include "models/arm968/translate/op_registers.h"
#include "models/common/bits.h"
#include "models/common/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

/* ---- registers and flags: the rules of alu.def ---- */

/* An operation and its rule in the course of being emitted. */
struct rule_use {
    const struct emit_op *emit;
    const struct op *op;
    const struct rule *rule;
    char second[NAME_CHARS]; /* what the second operand is called in generated code */
};

struct rule {
    void (*emit)(const struct rule_use *use);
    const char *second, *x, *y; /* as alu.def has them */
};

enum { WORD_CHARS = 32, EXPRESSION_CHARS = 256 };
static const char WORD[] = "abcdefghijklmnopqrstuvwxyz_0123456789";

/* What a word of a rule is in generated code. */
static const char *meaning(const struct rule_use *use, const char *word, char name[NAME_CHARS])
{
    static const char *const REGISTERS[] = {"rd", "rn", "rm", "rs"};
    const unsigned numbers[] = {use->op->rd, use->op->rn, use->op->rm, use->op->rs};
    for (unsigned i = 0; i < sizeof REGISTERS / sizeof *REGISTERS; i++) {
        if (strcmp(word, REGISTERS[i]) == 0) {
            register_name(name, numbers[i]);
            return name;
        }
    }
    if (strcmp(word, "imm") == 0) {
        constant(name, use->op->imm);
        return name;
    }
    if (strcmp(word, "second") == 0) {
        return use->second;
    }
    if (strcmp(word, "carry") == 0) {
        emit_flags_settle_carry(use->emit->text, use->emit->flags);
        return use->emit->flags->c;
    }
    return strcmp(word, "q") == 0 ? "&fq" : word;
}

/* An expression of a rule with this operation's operands. */
static void expand(const struct rule_use *use, const char *expression, char out[EXPRESSION_CHARS])
{
    size_t used = 0;
    while (*expression != 0) {
        const size_t letters = strspn(expression, WORD);
        const size_t length = letters == 0 ? 1 : letters; /* anything else goes by characters */
        char word[WORD_CHARS];
        char name[NAME_CHARS];
        CHECK(length < sizeof word, "a word of a rule is too long");
        (void)snprintf(word, length + 1, "%s", expression);
        used +=
            (size_t)snprintf(out + used, EXPRESSION_CHARS - used, "%s", meaning(use, word, name));
        CHECK(used < EXPRESSION_CHARS, "an expression is too long");
        expression += length;
    }
}

/* A temporary that holds the value of an expression. */
static void evaluate(const struct rule_use *use, char name[NAME_CHARS], const char *type,
                     const char *expression)
{
    char value[EXPRESSION_CHARS];
    expand(use, expression, value);
    emit_temporary(use->emit, name, type, value);
}

/* The same of an operand, but for constants, which stay what they are. */
static void evaluate_operand(const struct rule_use *use, char name[NAME_CHARS],
                             const char *expression)
{
    char value[EXPRESSION_CHARS];
    expand(use, expression, value);
    if (value[0] == '0') {
        (void)snprintf(name, NAME_CHARS, "%.*s", NAME_CHARS - 1, value);
    } else {
        emit_temporary(use->emit, name, "u32", value);
    }
}

static void assign(const struct rule_use *use, const char *value)
{
    text_add(use->emit->text, "r%u=%s;", use->op->rd, value);
}

typedef void flags_of(struct emit_flags *flags, const char *a, const char *b, const char *result);

/* x + y or x - y, and the flags of it. */
static void evaluate_with_flags(const struct rule_use *use, char result[NAME_CHARS], char sign,
                                flags_of *set_flags)
{
    char a[NAME_CHARS];
    char b[NAME_CHARS];
    evaluate_operand(use, a, use->rule->x);
    evaluate_operand(use, b, use->rule->y);
    new_temporary(use->emit, result);
    text_add(use->emit->text, "u32 %s=%s%c%s;", result, a, sign, b);
    set_flags(use->emit->flags, a, b, result);
}

/* ---- the kinds of rules ---- */

static void emit_set(const struct rule_use *use)
{
    char value[EXPRESSION_CHARS];
    expand(use, use->rule->x, value);
    assign(use, value);
}

static void emit_set_q(const struct rule_use *use)
{
    emit_set(use);
}

static void emit_set_long(const struct rule_use *use)
{
    char value[NAME_CHARS];
    evaluate(use, value, "u64", use->rule->x);
    text_add(use->emit->text, "r%u=(u32)%s;r%u=(u32)(%s>>32);", use->op->rn, value, use->op->rd,
             value);
}

static void emit_test(const struct rule_use *use)
{
    char value[NAME_CHARS];
    evaluate(use, value, "u32", use->rule->x);
    emit_flags_result(use->emit->flags, value);
}

static void emit_test_long(const struct rule_use *use)
{
    char value[NAME_CHARS];
    emit_test(use);
    evaluate(use, value, "u32", use->rule->y);
    (void)snprintf(use->emit->flags->z, sizeof use->emit->flags->z, "%s", value);
}

static void emit_set_nz(const struct rule_use *use)
{
    emit_test(use);
    assign(use, use->emit->flags->n);
}

static void emit_set_c(const struct rule_use *use)
{
    char carry[NAME_CHARS];
    evaluate(use, carry, "u32", use->rule->y);
    emit_set(use);
    emit_flags_carry(use->emit->flags, carry);
}

static void emit_set_carry(const struct rule_use *use)
{
    char carry[NAME_CHARS];
    evaluate_operand(use, carry, use->rule->x);
    emit_flags_carry(use->emit->flags, carry);
}

static void emit_compare(const struct rule_use *use)
{
    char difference[NAME_CHARS];
    evaluate_with_flags(use, difference, '-', emit_flags_subtract);
}

static void emit_subtract(const struct rule_use *use)
{
    char difference[NAME_CHARS];
    evaluate_with_flags(use, difference, '-', emit_flags_subtract);
    assign(use, difference);
}

static void emit_compare_sum(const struct rule_use *use)
{
    char sum[NAME_CHARS];
    evaluate_with_flags(use, sum, '+', emit_flags_add);
}

static void emit_add(const struct rule_use *use)
{
    char sum[NAME_CHARS];
    evaluate_with_flags(use, sum, '+', emit_flags_add);
    assign(use, sum);
}

static void emit_add_carry(const struct rule_use *use)
{
    char a[NAME_CHARS];
    char b[NAME_CHARS];
    char sum[NAME_CHARS];
    char result[NAME_CHARS];
    char carry[FLAG_CHARS];
    evaluate_operand(use, a, use->rule->x);
    evaluate_operand(use, b, use->rule->y);
    new_temporary(use->emit, sum);
    new_temporary(use->emit, result);
    emit_flags_settle_carry(use->emit->text, use->emit->flags);
    text_add(use->emit->text, "u64 %s=(u64)%s+%s+%s;u32 %s=(u32)%s;", sum, a, b,
             use->emit->flags->c, result, sum);
    (void)snprintf(carry, sizeof carry, "(u32)(%s>>32)", sum);
    emit_flags_add_carry(use->emit->flags, a, b, result, carry);
    assign(use, result);
}

static const struct rule RULES[OP_CODES] = {
#define RULE(kind, code, name, second, x, y) [OP_##code] = {emit_##kind, #second, #x, #y},
#include "models/arm968/alu.def"
#undef RULE
};

static void emit_rule(const struct emit_op *emit, const struct op *op, const struct rule *rule)
{
    struct rule_use use = {.emit = emit, .op = op, .rule = rule};
    const bool is_name = rule->second[strspn(rule->second, WORD)] == 0;
    if (is_name) {
        char name[NAME_CHARS];
        (void)snprintf(use.second, sizeof use.second, "%s", meaning(&use, rule->second, name));
    } else {
        evaluate(&use, use.second, "u32", rule->second);
    }
    rule->emit(&use);
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

/* Logs the words of the data memory before they are stored to, if the core runs ahead (ahead.h).
 * Leaves if the undo log is full. */
static void emit_undo_log(const struct emit_op *emit, const char *offset, unsigned bytes)
{
    const unsigned words = (bytes + 3) / 4;
    char condition[64];
    text_add(emit->text, "if(UNLIKELY(ahead)){u32*word=UNDO_LOG;");
    (void)snprintf(condition, sizeof condition, "UNDO_LOG_END-word<%u", 2 * words);
    leave_if(emit, condition);
    for (unsigned i = 0; i < words; i++) {
        text_add(emit->text, "word[%u]=(%s&~3u)+%u;word[%u]=AT(u32,word[%u]);", 2 * i, offset,
                 4 * i, 2 * i + 1, 2 * i);
    }
    text_add(emit->text, "UNDO_LOG=word+%u;}", 2 * words);
}

/* Leaves unless the bytes from an offset on, aligned to `alignment`, lie in the data memory and may
 * be stored to. */
static void emit_check(const struct emit_op *emit, const char *offset, uint32_t bytes,
                       unsigned alignment, bool stores)
{
    const struct emit_memory *memory = emit->memory;
    char condition[160];
    if (power_of_two(memory->size) && bytes <= alignment) {
        (void)snprintf(condition, sizeof condition, "%s&0x%" PRIx32 "u", offset,
                       ~(memory->size - 1) | (alignment - 1));
    } else {
        (void)snprintf(condition, sizeof condition, "%s>0x%" PRIx32 "u||(%s&%u)", offset,
                       memory->size - bytes, offset, alignment - 1);
    }
    leave_if(emit, condition);
    if (stores && memory->flat) {
        (void)snprintf(condition, sizeof condition, "%s<STORE_BASE-0x%" PRIx32 "u", offset,
                       memory->base);
        leave_if(emit, condition);
    }
}

/* The offset of an address in the data memory; 64 bits, so that what is added to it behind the
 * checks goes into the host's addressing. */
static void declare_offset(const struct emit_op *emit, const char *type, const char *offset,
                           const char *address, uint32_t plus)
{
    text_add(emit->text, "%s %s=(u32)(%s+0x%" PRIx32 "u);", type, offset, address,
             plus - emit->memory->base);
}

/* Offset into the data memory of an address; leaves unless `bytes` bytes, aligned to `alignment`,
 * lie in it. */
static void emit_offset(const struct emit_op *emit, char offset[NAME_CHARS], const char *address,
                        unsigned bytes, unsigned alignment, bool store)
{
    const struct emit_access *access = emit->access;
    struct emit_group *group = access->group;
    char begin[NAME_CHARS];
    if (group == NULL) {
        new_temporary(emit, offset);
        declare_offset(emit, bytes <= alignment ? "u32" : "u64", offset, address, 0);
        emit_check(emit, offset, bytes, alignment, store);
    } else {
        if (group->temporary == 0) {
            new_temporary(emit, begin);
            group->temporary = *emit->temporaries;
            declare_offset(emit, "u64", begin, address, 0u - access->at);
            emit_check(emit, begin, group->bytes, group->alignment, group->stores);
        }
        (void)snprintf(offset, NAME_CHARS, "(t%u+%" PRIu32 ")", group->temporary, access->at);
    }
    if (store && !emit->memory->flat) {
        emit_undo_log(emit, offset, bytes);
    }
}

/* Accesses a word through the ports, which have been seen to answer at once there. */
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

static void emit_single(const struct emit_op *emit, const struct op *op, enum op_code code)
{
    struct text *text = emit->text;
    const bool load = op_is_load(code);
    const enum op_form form = op_form_of(code);
    const unsigned bytes = op_bytes_of(code);
    const char *type = op_type_of(code);
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
    if (form >= OP_FORM_POST_IMM) {
        text_add(text, "u32 %s=r%u;u32 %s=%s+%s;", address, op->rn, moved, address, second);
    } else {
        text_add(text, "u32 %s=r%u+%s;u32 %s=%s;", address, op->rn, second, moved, address);
    }
    const bool asks = emit->port != NULL && bytes == 4 && form <= OP_FORM_OFF_REG;
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
        if (form >= OP_FORM_PRE_IMM) {
            text_add(text, "r%u=%s;", op->rn, moved);
        }
        text_add(text, "r%u=%s;", op->rd, value);
    } else {
        text_add(text, "AT(%s,%s)=(%s)r%u;", type, offset, type, op->rd);
        if (form >= OP_FORM_PRE_IMM) {
            text_add(text, "r%u=%s;", op->rn, moved);
        }
    }
    text_add(text, "%s", asks ? "}" : "");
}

enum { PC_BIT = 15 };

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
             4u * ((uint32_t)op->rd - BLOCK_BIAS), base, op->rn,
             4u * ((uint32_t)op->rs - BLOCK_BIAS));
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
    return RULES[code].emit == emit_set;
}

bool emit_op_sets_all_flags(enum op_code code)
{
    return RULES[code].emit == emit_subtract || RULES[code].emit == emit_add ||
           RULES[code].emit == emit_compare || RULES[code].emit == emit_compare_sum;
}

bool emit_op_only_computes(enum op_code code)
{
    const struct rule *rule = &RULES[code];
    const bool computes = rule->emit == emit_set || rule->emit == emit_set_nz ||
                          rule->emit == emit_set_c || rule->emit == emit_set_carry ||
                          rule->emit == emit_test || emit_op_sets_all_flags(code);
    return computes && strstr(rule->x, "carry") == NULL && strstr(rule->y, "carry") == NULL;
}

void emit_op(const struct emit_op *emit, const struct op *op, enum op_code code)
{
    if (RULES[code].emit != NULL) {
        emit_rule(emit, op, &RULES[code]);
    } else if (code >= OP_LDR_OFF_IMM && code <= OP_STRH_POST_REG) {
        emit_single(emit, op, code);
    } else if (code == OP_LDR_LITERAL) {
        text_add(emit->text, "r%u=LITERAL(0x%" PRIx32 "u);", op->rd, op->imm - emit->code_base);
    } else if (code == OP_LDM || code == OP_STM) {
        emit_block_transfer(emit, op, code);
    } else if (code == OP_NOTE_STACK) {
        text_add(emit->text, "if(UNLIKELY(r%u<LOWEST_SP))LOWEST_SP=r%u;", op->rn, op->rn);
    } else {
        CHECK(code == OP_LDRD || code == OP_STRD, "an operation that cannot be translated");
        emit_double(emit, op, code);
    }
}
