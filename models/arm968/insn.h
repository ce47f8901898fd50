/* insn.h - one decoded guest instruction: the operations to execute, registers and class for the
 * cycle count, and control flow.  Private to models/arm968. */
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

/* The address form of a single transfer: the six operations of each, in this order. */
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

/* The register list of LDM and STM operations (field imm) includes its length. */
enum { BLOCK_LIST = 0xffff, BLOCK_COUNT_SHIFT = 16 };

/* Words from the base of LDM and STM operations (fields rd and rs) are stored as words + 32. */
enum { BLOCK_BIAS = 32 };

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
    FLOW_NEXT,     /* continues at the next instruction */
    FLOW_BRANCH,   /* to `target`; the block builder adds the operation */
    FLOW_INDIRECT, /* the last operation is JUMP, JUMP_..., SWI or BKPT */
    FLOW_LEAVE     /* continues at the next instruction, but modes or interrupts may have changed */
};

struct insn_op {
    uint16_t code; /* enum op_code */
    uint8_t rd, rn, rm, rs;
    uint32_t imm;
};

enum { INSN_OPS = 11 };

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

    /* A word load relative to pc, for the block builder: from this address into
     * op[op_count-1].rd. */
    bool literal;
    uint32_t literal_address;

    /* A Thumb BL prefix: the value that it puts into the link register. */
    bool link_prefix;
};

/* The input of a decoder: the word, its address, and the number of the pattern that it matches. */
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
    const char *bits; /* as in the table, bit 31 or 15 first */
    uint32_t mask, value, sample;
    bool conditional;
    void (*decode)(struct insn *insn, const struct insn_place *at);
    uint8_t class;
    uint8_t role_count[ISA_ROLES];
    struct isa_field role[ISA_ROLES][ISA_ROLE_FIELDS];
};

/* Decodes the word at pc.  `previous` is the preceding instruction of a straight run, or NULL. */
void insn_decode_arm(struct insn *insn, uint32_t word, uint32_t pc);
void insn_decode_thumb(struct insn *insn, uint16_t half, uint32_t pc, const struct insn *previous);

/* The pattern tables, for the tests. */
const struct isa_pattern *insn_arm_patterns(unsigned *count);
const struct isa_pattern *insn_thumb_patterns(unsigned *count);
/* The first pattern of a table that matches, or NULL. */
const struct isa_pattern *insn_match(const struct isa_pattern *patterns, unsigned count,
                                     uint32_t word);

enum shift_type { SHIFT_LSL, SHIFT_LSR, SHIFT_ASR, SHIFT_ROR };

/* For the decoders: starts an instruction of a pattern (NULL: Undefined); adds an operation; adds
 * the operation that takes the Undefined exception. */
void insn_begin(struct insn *insn, const struct isa_pattern *pattern, uint32_t word);
struct insn_op *insn_add(struct insn *insn, enum op_code code);
void insn_add_undefined(struct insn *insn);
/* For the decoders: an operation with its operands; rd = value; a jump to a register's value; the
 * target of a branch. */
struct insn_op *insn_put(struct insn *insn, unsigned code, unsigned rd, unsigned rn, unsigned rm,
                         uint32_t imm);
void insn_add_constant(struct insn *insn, unsigned rd, uint32_t value);
/* Shift of rm by a constant into rd.  Encoded amount 0 means 32, 32 and RRX for LSR, ASR and ROR.
 */
void insn_add_shift(struct insn *insn, unsigned rd, unsigned rm, enum shift_type type,
                    unsigned amount, bool carry);
void insn_add_jump(struct insn *insn, enum op_code code, unsigned rm);
void insn_branch_to(struct insn *insn, uint32_t target, bool thumb);
/* Sets the value that an operation reads from pc before any operation has set it; the architecture
 * leaves that value open. */
void insn_set_pc_operand(struct insn *insn, uint32_t value);

C_LINKAGE_END
