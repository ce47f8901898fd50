/* insn.h - one guest instruction as the decoders give it: operations to execute, registers and
 * class for the cycle count, and where control goes.  Private to models/arm968. */
#pragma once
#include "models/arm968/arm968.h"
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum op_code {
#define SIMPLE(code, name)  OP_##code,
#define RESULT(code, name)  OP_##code,
#define CONTROL(code, name) OP_##code,
#include "models/arm968/ops.def"
#undef SIMPLE
#undef RESULT
#undef CONTROL
    OP_CODES
};

/* How the address of a single transfer is made: the six operations of each, in this order. */
enum op_form {
    OP_FORM_OFF_IMM,
    OP_FORM_OFF_REG,
    OP_FORM_PRE_IMM,
    OP_FORM_PRE_REG,
    OP_FORM_POST_IMM,
    OP_FORM_POST_REG,
    OP_FORMS
};

/* Registers of the execution engine beyond r0..r14. */
enum {
    REGISTER_SP = 13,
    REGISTER_LR = 14,
    REGISTER_PC_OPERAND = 15,
    REGISTER_SHIFTER = 16,
    REGISTER_TARGET = 17,
    ENGINE_REGISTERS = 18
};

enum condition { CONDITION_ALWAYS = 14, CONDITION_NEVER = 15 };

/* The list of registers of LDM and STM operations (field imm) has its length beside it. */
enum { BLOCK_LIST = 0xffff, BLOCK_COUNT_SHIFT = 16 };

/* Options of LDM and STM operations (field rm). */
enum block_option {
    BLOCK_WRITEBACK = 1, /* write the base back */
    BLOCK_USER = 2,      /* transfer User mode's registers */
    BLOCK_TO_PC = 4      /* bit 15 of the list goes to REGISTER_TARGET */
};

enum timing_class {
#define TIMING(...)
#define CLASS(class, lane, issue, execute, store, accumulate) CLASS_##class,
#include "models/arm968/isa/timing.def"
#undef TIMING
#undef CLASS
    TIMING_CLASSES
};

enum flow {
    FLOW_NEXT,     /* on to the next instruction */
    FLOW_BRANCH,   /* to `target`; the block builder adds the operation */
    FLOW_INDIRECT, /* the last operation is one of JUMP, JUMP_..., SWI, BKPT */
    FLOW_LEAVE     /* on to the next instruction, but modes or interrupts may have changed */
};

struct insn_op {
    uint16_t code; /* enum op_code */
    uint8_t rd, rn, rm, rs;
    uint32_t imm;
};

enum { INSN_OPS = 10 };

struct insn {
    struct insn_op op[INSN_OPS];
    uint8_t op_count;
    uint8_t condition; /* 0..14 */
    uint8_t flow;      /* enum flow */
    uint8_t class;     /* enum timing_class */
    bool target_thumb;
    uint32_t target;

    /* Timing: registers by role, as bit masks. */
    uint16_t execute;    /* read in the first Execute stage */
    uint16_t accumulate; /* read by the accumulate stage */
    uint16_t store;      /* store data, in list order: number j is needed j cycles later */
    uint16_t result;     /* written with the class's latency */
    uint16_t ready;      /* written and ready at once */
    uint8_t words_loaded, words_stored;
    bool to_pc; /* a block load with pc in its list */

    /* A pc-relative word load, for the block builder: from this address into op[op_count-1].rd. */
    bool literal;
    uint32_t literal_address;

    /* A Thumb BL prefix: the link register it leaves. */
    bool link_prefix;
};

/* What is decoded: the word, its address, and the pattern that it matches, by its number. */
struct insn_place {
    uint32_t word, pc;
    unsigned pattern;
};

/* A register field of a pattern: a fixed number (width 0), or bits of the word. */
struct isa_field {
    uint8_t number;
    uint8_t shift, width;           /* low part */
    uint8_t high_shift, high_width; /* high part, if any */
};

enum isa_role { ROLE_EXECUTE, ROLE_STORE, ROLE_ACCUMULATE, ROLE_RESULT, ROLE_READY, ISA_ROLES };
enum { ISA_ROLE_FIELDS = 4 };

struct isa_pattern {
    const char *name;
    const char *bits; /* as the table has them, bit 31 or 15 first */
    uint32_t mask, value, sample;
    bool conditional;
    void (*decode)(struct insn *insn, const struct insn_place *at);
    uint8_t class;
    uint8_t role_count[ISA_ROLES];
    struct isa_field role[ISA_ROLES][ISA_ROLE_FIELDS];
};

/* Decodes the word at pc.  `previous` is the instruction before it in a straight line, or NULL. */
void insn_decode_arm(struct insn *insn, uint32_t word, uint32_t pc);
void insn_decode_thumb(struct insn *insn, uint16_t half, uint32_t pc, const struct insn *previous);

/* The pattern tables, for the tests. */
const struct isa_pattern *insn_arm_patterns(unsigned *count);
const struct isa_pattern *insn_thumb_patterns(unsigned *count);
/* The first pattern of a table that matches, or NULL. */
const struct isa_pattern *insn_match(const struct isa_pattern *patterns, unsigned count,
                                     uint32_t word);

/* For the decoders: starts an instruction of a pattern (NULL: Undefined); adds an operation; adds
 * the operation that takes the Undefined exception. */
void insn_begin(struct insn *insn, const struct isa_pattern *pattern, uint32_t word);
struct insn_op *insn_add(struct insn *insn, enum op_code code);
void insn_add_undefined(struct insn *insn);
/* An operation with its operands; rd = value; a jump to the value of a register; where a branch
 * leads. */
struct insn_op *insn_put(struct insn *insn, unsigned code, unsigned rd, unsigned rn, unsigned rm,
                         uint32_t imm);
void insn_add_constant(struct insn *insn, unsigned rd, uint32_t value);
void insn_add_jump(struct insn *insn, enum op_code code, unsigned rm);
void insn_branch_to(struct insn *insn, uint32_t target, bool thumb);
/* Where an operation reads pc before any has set it, which the architecture leaves open: the value
 * that it is to have. */
void insn_set_pc_operand(struct insn *insn, uint32_t value);

C_LINKAGE_END
