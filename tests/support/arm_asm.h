/* arm_asm.h - machine words of ARM state for the tests, written as the assembler would write the
 * instruction: ldr_imm(r0, r1, 4).  ARM DDI 0100I, chapters A3 and A5.  Every word is for condition
 * AL; when(EQ, word) replaces it.  Nothing here checks its operands: tests may build nonsense. */
#pragma once
#include <cstdint>
#include <initializer_list>

constexpr unsigned r0 = 0;
constexpr unsigned r1 = 1;
constexpr unsigned r2 = 2;
constexpr unsigned r3 = 3;
constexpr unsigned r4 = 4;
constexpr unsigned r5 = 5;
constexpr unsigned r6 = 6;
constexpr unsigned r7 = 7;
constexpr unsigned r8 = 8;
constexpr unsigned r9 = 9;
constexpr unsigned r10 = 10;
constexpr unsigned r11 = 11;
constexpr unsigned r12 = 12;
constexpr unsigned sp = 13;
constexpr unsigned lr = 14;
constexpr unsigned pc = 15;

enum arm_condition : uint32_t { EQ, NE, CS, CC, MI, PL, VS, VC, HI, LS, GE, LT, GT, LE, AL, NV };
enum arm_shift : uint32_t { LSL, LSR, ASR, ROR };
enum arm_data_op : uint32_t {
    AND,
    EOR,
    SUB,
    RSB,
    ADD,
    ADC,
    SBC,
    RSC,
    TST,
    TEQ,
    CMP,
    CMN,
    ORR,
    MOV,
    BIC,
    MVN
};
enum arm_block_mode : uint32_t { DA, IA, DB, IB }; /* P and U of LDM, STM */

constexpr uint32_t when(arm_condition condition, uint32_t word)
{
    return (word & 0x0fffffffu) | condition << 28;
}

constexpr uint32_t register_list(std::initializer_list<unsigned> registers)
{
    uint32_t list = 0;
    for (const unsigned index : registers) {
        list |= 1u << index;
    }
    return list;
}

/* ---- data processing ---- */

/* The 12 bits rot4 imm8 that encode a value; 0xfff if the value cannot be encoded. */
constexpr uint32_t rotated_immediate(uint32_t value)
{
    for (uint32_t rotation = 0; rotation < 16; rotation++) {
        const uint32_t shift = 2 * rotation;
        const uint32_t imm8 = shift == 0 ? value : value << shift | value >> (32 - shift);
        if (imm8 < 256) {
            return rotation << 8 | imm8;
        }
    }
    return 0xfff;
}

constexpr uint32_t bit_if(bool set, unsigned at)
{
    return set ? 1u << at : 0u;
}

constexpr uint32_t data_imm(arm_data_op op, bool flags, unsigned rd, unsigned rn, uint32_t value)
{
    return 0xe2000000u | op << 21 | bit_if(flags, 20) | rn << 16 | rd << 12 |
           rotated_immediate(value);
}

constexpr uint32_t data_reg(arm_data_op op, bool flags, unsigned rd, unsigned rn, unsigned rm,
                            arm_shift shift = LSL, uint32_t amount = 0)
{
    return 0xe0000000u | op << 21 | bit_if(flags, 20) | rn << 16 | rd << 12 | (amount & 31u) << 7 |
           shift << 5 | rm;
}

constexpr uint32_t data_shift_reg(arm_data_op op, bool flags, unsigned rd, unsigned rn, unsigned rm,
                                  arm_shift shift, unsigned rs)
{
    return 0xe0000010u | op << 21 | bit_if(flags, 20) | rn << 16 | rd << 12 | rs << 8 | shift << 5 |
           rm;
}

constexpr uint32_t mov_imm(unsigned rd, uint32_t value)
{
    return data_imm(MOV, false, rd, 0, value);
}
constexpr uint32_t mvn_imm(unsigned rd, uint32_t value)
{
    return data_imm(MVN, false, rd, 0, value);
}
constexpr uint32_t mov(unsigned rd, unsigned rm, arm_shift shift = LSL, uint32_t amount = 0)
{
    return data_reg(MOV, false, rd, 0, rm, shift, amount);
}
constexpr uint32_t movs(unsigned rd, unsigned rm, arm_shift shift = LSL, uint32_t amount = 0)
{
    return data_reg(MOV, true, rd, 0, rm, shift, amount);
}
constexpr uint32_t add(unsigned rd, unsigned rn, unsigned rm)
{
    return data_reg(ADD, false, rd, rn, rm);
}
constexpr uint32_t sub(unsigned rd, unsigned rn, unsigned rm)
{
    return data_reg(SUB, false, rd, rn, rm);
}
constexpr uint32_t orr(unsigned rd, unsigned rn, unsigned rm)
{
    return data_reg(ORR, false, rd, rn, rm);
}
constexpr uint32_t add_imm(unsigned rd, unsigned rn, uint32_t value)
{
    return data_imm(ADD, false, rd, rn, value);
}
constexpr uint32_t sub_imm(unsigned rd, unsigned rn, uint32_t value)
{
    return data_imm(SUB, false, rd, rn, value);
}
constexpr uint32_t subs_imm(unsigned rd, unsigned rn, uint32_t value)
{
    return data_imm(SUB, true, rd, rn, value);
}
constexpr uint32_t cmp_imm(unsigned rn, uint32_t value)
{
    return data_imm(CMP, true, 0, rn, value);
}
/* Uses a register that no test uses for a result: the assembler's MOV r0, r0 would wait for r0. */
constexpr uint32_t nop()
{
    return mov(r11, r11);
}
constexpr uint32_t clz(unsigned rd, unsigned rm)
{
    return 0xe16f0f10u | rd << 12 | rm;
}

/* op 0..3: QADD, QSUB, QDADD, QDSUB */
constexpr uint32_t saturating(uint32_t op, unsigned rd, unsigned rm, unsigned rn)
{
    return 0xe1000050u | op << 21 | rn << 16 | rd << 12 | rm;
}
constexpr uint32_t qadd(unsigned rd, unsigned rm, unsigned rn)
{
    return saturating(0, rd, rm, rn);
}

/* ---- multiplies ---- */

constexpr uint32_t mul(unsigned rd, unsigned rm, unsigned rs, bool flags = false)
{
    return 0xe0000090u | bit_if(flags, 20) | rd << 16 | rs << 8 | rm;
}
constexpr uint32_t mla(unsigned rd, unsigned rm, unsigned rs, unsigned rn, bool flags = false)
{
    return 0xe0200090u | bit_if(flags, 20) | rd << 16 | rn << 12 | rs << 8 | rm;
}
constexpr uint32_t multiply_long(bool is_signed, bool accumulate, bool flags, unsigned low,
                                 unsigned high, unsigned rm, unsigned rs)
{
    return 0xe0800090u | bit_if(is_signed, 22) | bit_if(accumulate, 21) | bit_if(flags, 20) |
           high << 16 | low << 12 | rs << 8 | rm;
}
constexpr uint32_t umull(unsigned low, unsigned high, unsigned rm, unsigned rs, bool flags = false)
{
    return multiply_long(false, false, flags, low, high, rm, rs);
}
constexpr uint32_t umlal(unsigned low, unsigned high, unsigned rm, unsigned rs, bool flags = false)
{
    return multiply_long(false, true, flags, low, high, rm, rs);
}
/* x, y: 1 = top half of rm, rs */
constexpr uint32_t smla(unsigned x, unsigned y, unsigned rd, unsigned rm, unsigned rs, unsigned rn)
{
    return 0xe1000080u | rd << 16 | rn << 12 | rs << 8 | y << 6 | x << 5 | rm;
}
constexpr uint32_t smlabb(unsigned rd, unsigned rm, unsigned rs, unsigned rn)
{
    return smla(0, 0, rd, rm, rs, rn);
}
constexpr uint32_t smlaw(unsigned y, unsigned rd, unsigned rm, unsigned rs, unsigned rn)
{
    return 0xe1200080u | rd << 16 | rn << 12 | rs << 8 | y << 6 | rm;
}
constexpr uint32_t smulw(unsigned y, unsigned rd, unsigned rm, unsigned rs)
{
    return 0xe12000a0u | rd << 16 | rs << 8 | y << 6 | rm;
}
constexpr uint32_t smlal_half(unsigned x, unsigned y, unsigned low, unsigned high, unsigned rm,
                              unsigned rs)
{
    return 0xe1400080u | high << 16 | low << 12 | rs << 8 | y << 6 | x << 5 | rm;
}
constexpr uint32_t smul_half(unsigned x, unsigned y, unsigned rd, unsigned rm, unsigned rs)
{
    return 0xe1600080u | rd << 16 | rs << 8 | y << 6 | x << 5 | rm;
}

/* ---- status registers ---- */

enum psr_field : uint32_t { PSR_C = 1, PSR_X = 2, PSR_S = 4, PSR_F = 8, PSR_ALL = 15 };

constexpr uint32_t mrs_cpsr(unsigned rd)
{
    return 0xe10f0000u | rd << 12;
}
constexpr uint32_t mrs_spsr(unsigned rd)
{
    return 0xe14f0000u | rd << 12;
}
constexpr uint32_t msr_cpsr(uint32_t fields, unsigned rm)
{
    return 0xe120f000u | fields << 16 | rm;
}
constexpr uint32_t msr_spsr(uint32_t fields, unsigned rm)
{
    return 0xe160f000u | fields << 16 | rm;
}
constexpr uint32_t msr_cpsr_imm(uint32_t fields, uint32_t value)
{
    return 0xe320f000u | fields << 16 | rotated_immediate(value);
}
constexpr uint32_t msr_spsr_imm(uint32_t fields, uint32_t value)
{
    return 0xe360f000u | fields << 16 | rotated_immediate(value);
}

/* ---- branches and exceptions ---- */

constexpr uint32_t branch_offset(uint32_t from, uint32_t to)
{
    return (to - from - 8) >> 2 & 0xffffffu;
}
constexpr uint32_t b(uint32_t from, uint32_t to)
{
    return 0xea000000u | branch_offset(from, to);
}
constexpr uint32_t bl(uint32_t from, uint32_t to)
{
    return 0xeb000000u | branch_offset(from, to);
}
constexpr uint32_t blx_to(uint32_t from, uint32_t to)
{
    return 0xfa000000u | (to >> 1 & 1u) << 24 | branch_offset(from, to);
}
constexpr uint32_t branch_to_self()
{
    return b(0, 0);
}
constexpr uint32_t bx(unsigned rm)
{
    return 0xe12fff10u | rm;
}
constexpr uint32_t blx(unsigned rm)
{
    return 0xe12fff30u | rm;
}
constexpr uint32_t bkpt(uint32_t comment)
{
    return 0xe1200070u | (comment >> 4) << 8 | (comment & 15u);
}
constexpr uint32_t swi(uint32_t comment)
{
    return 0xef000000u | comment;
}
constexpr uint32_t undefined_word()
{
    return 0xe7f000f0u;
}

/* ---- single loads and stores ---- */

enum transfer_kind : uint32_t {
    STORE_WORD,
    LOAD_WORD,
    STORE_BYTE = 4,
    LOAD_BYTE
}; /* bits 22, 20 */

constexpr uint32_t magnitude(int32_t offset)
{
    return static_cast<uint32_t>(offset < 0 ? -offset : offset);
}

/* pre: P bit; writeback: W bit */
constexpr uint32_t transfer_imm(transfer_kind kind, bool pre, bool writeback, unsigned rd,
                                unsigned rn, int32_t offset)
{
    return 0xe4000000u | bit_if(pre, 24) | bit_if(offset >= 0, 23) | kind << 20 |
           bit_if(writeback, 21) | rn << 16 | rd << 12 | magnitude(offset);
}
constexpr uint32_t transfer_reg(transfer_kind kind, bool pre, bool writeback, bool up, unsigned rd,
                                unsigned rn, unsigned rm, arm_shift shift = LSL,
                                uint32_t amount = 0)
{
    return 0xe6000000u | bit_if(pre, 24) | bit_if(up, 23) | kind << 20 | bit_if(writeback, 21) |
           rn << 16 | rd << 12 | (amount & 31u) << 7 | shift << 5 | rm;
}
constexpr uint32_t ldr_imm(unsigned rd, unsigned rn, int32_t offset = 0)
{
    return transfer_imm(LOAD_WORD, true, false, rd, rn, offset);
}
constexpr uint32_t ldr_pre(unsigned rd, unsigned rn, int32_t offset)
{
    return transfer_imm(LOAD_WORD, true, true, rd, rn, offset);
}
constexpr uint32_t ldr_post(unsigned rd, unsigned rn, int32_t offset)
{
    return transfer_imm(LOAD_WORD, false, false, rd, rn, offset);
}
constexpr uint32_t ldrt(unsigned rd, unsigned rn, int32_t offset = 0)
{
    return transfer_imm(LOAD_WORD, false, true, rd, rn, offset);
}
constexpr uint32_t ldr_reg(unsigned rd, unsigned rn, unsigned rm, arm_shift shift = LSL,
                           uint32_t amount = 0)
{
    return transfer_reg(LOAD_WORD, true, false, true, rd, rn, rm, shift, amount);
}
constexpr uint32_t ldrb_imm(unsigned rd, unsigned rn, int32_t offset = 0)
{
    return transfer_imm(LOAD_BYTE, true, false, rd, rn, offset);
}
constexpr uint32_t ldrb_reg(unsigned rd, unsigned rn, unsigned rm, arm_shift shift = LSL,
                            uint32_t amount = 0)
{
    return transfer_reg(LOAD_BYTE, true, false, true, rd, rn, rm, shift, amount);
}
constexpr uint32_t ldrbt(unsigned rd, unsigned rn, int32_t offset = 0)
{
    return transfer_imm(LOAD_BYTE, false, true, rd, rn, offset);
}
constexpr uint32_t str_imm(unsigned rd, unsigned rn, int32_t offset = 0)
{
    return transfer_imm(STORE_WORD, true, false, rd, rn, offset);
}
constexpr uint32_t str_pre(unsigned rd, unsigned rn, int32_t offset)
{
    return transfer_imm(STORE_WORD, true, true, rd, rn, offset);
}
constexpr uint32_t str_post(unsigned rd, unsigned rn, int32_t offset)
{
    return transfer_imm(STORE_WORD, false, false, rd, rn, offset);
}
constexpr uint32_t strt(unsigned rd, unsigned rn, int32_t offset = 0)
{
    return transfer_imm(STORE_WORD, false, true, rd, rn, offset);
}
constexpr uint32_t str_reg(unsigned rd, unsigned rn, unsigned rm, arm_shift shift = LSL,
                           uint32_t amount = 0)
{
    return transfer_reg(STORE_WORD, true, false, true, rd, rn, rm, shift, amount);
}
constexpr uint32_t strb_imm(unsigned rd, unsigned rn, int32_t offset = 0)
{
    return transfer_imm(STORE_BYTE, true, false, rd, rn, offset);
}
constexpr uint32_t strbt(unsigned rd, unsigned rn, int32_t offset = 0)
{
    return transfer_imm(STORE_BYTE, false, true, rd, rn, offset);
}

enum half_kind : uint32_t { /* bit 20, bits 6 to 5 */
                            STORE_HALF = 0x000000b0,
                            LOAD_DOUBLE = 0x000000d0,
                            STORE_DOUBLE = 0x000000f0,
                            LOAD_HALF = 0x001000b0,
                            LOAD_SIGNED_BYTE = 0x001000d0,
                            LOAD_SIGNED_HALF = 0x001000f0
};
constexpr uint32_t half_imm(half_kind kind, bool pre, bool writeback, unsigned rd, unsigned rn,
                            int32_t offset)
{
    return 0xe0400000u | kind | bit_if(pre, 24) | bit_if(offset >= 0, 23) | bit_if(writeback, 21) |
           rn << 16 | rd << 12 | (magnitude(offset) >> 4) << 8 | (magnitude(offset) & 15u);
}
constexpr uint32_t half_reg(half_kind kind, bool pre, bool writeback, bool up, unsigned rd,
                            unsigned rn, unsigned rm)
{
    return 0xe0000000u | kind | bit_if(pre, 24) | bit_if(up, 23) | bit_if(writeback, 21) |
           rn << 16 | rd << 12 | rm;
}
constexpr uint32_t ldrh_imm(unsigned rd, unsigned rn, int32_t offset = 0)
{
    return half_imm(LOAD_HALF, true, false, rd, rn, offset);
}
constexpr uint32_t ldrsh_imm(unsigned rd, unsigned rn, int32_t offset = 0)
{
    return half_imm(LOAD_SIGNED_HALF, true, false, rd, rn, offset);
}
constexpr uint32_t ldrsb_imm(unsigned rd, unsigned rn, int32_t offset = 0)
{
    return half_imm(LOAD_SIGNED_BYTE, true, false, rd, rn, offset);
}
constexpr uint32_t strh_imm(unsigned rd, unsigned rn, int32_t offset = 0)
{
    return half_imm(STORE_HALF, true, false, rd, rn, offset);
}
constexpr uint32_t ldrd_imm(unsigned rd, unsigned rn, int32_t offset = 0)
{
    return half_imm(LOAD_DOUBLE, true, false, rd, rn, offset);
}
constexpr uint32_t strd_imm(unsigned rd, unsigned rn, int32_t offset = 0)
{
    return half_imm(STORE_DOUBLE, true, false, rd, rn, offset);
}
constexpr uint32_t pld(unsigned rn, int32_t offset = 0)
{
    return 0xf550f000u | bit_if(offset >= 0, 23) | rn << 16 | magnitude(offset);
}
constexpr uint32_t pld_reg(unsigned rn, unsigned rm)
{
    return 0xf7d0f000u | rn << 16 | rm;
}

/* ---- block transfers, swap ---- */

constexpr uint32_t block_transfer(bool load, arm_block_mode mode, unsigned rn, bool writeback,
                                  uint32_t list, bool user = false)
{
    return 0xe8000000u | mode << 23 | bit_if(user, 22) | bit_if(writeback, 21) | bit_if(load, 20) |
           rn << 16 | list;
}
constexpr uint32_t ldm(unsigned rn, std::initializer_list<unsigned> list)
{
    return block_transfer(true, IA, rn, false, register_list(list));
}
constexpr uint32_t ldm_w(unsigned rn, std::initializer_list<unsigned> list)
{
    return block_transfer(true, IA, rn, true, register_list(list));
}
constexpr uint32_t stm(unsigned rn, std::initializer_list<unsigned> list)
{
    return block_transfer(false, IA, rn, false, register_list(list));
}
constexpr uint32_t stm_w(unsigned rn, std::initializer_list<unsigned> list)
{
    return block_transfer(false, IA, rn, true, register_list(list));
}
constexpr uint32_t push(std::initializer_list<unsigned> list)
{
    return block_transfer(false, DB, sp, true, register_list(list));
}
constexpr uint32_t pop(std::initializer_list<unsigned> list)
{
    return block_transfer(true, IA, sp, true, register_list(list));
}
constexpr uint32_t swp(unsigned rd, unsigned rm, unsigned rn)
{
    return 0xe1000090u | rn << 16 | rd << 12 | rm;
}
constexpr uint32_t swpb(unsigned rd, unsigned rm, unsigned rn)
{
    return 0xe1400090u | rn << 16 | rd << 12 | rm;
}

/* ---- coprocessors ---- */

constexpr uint32_t mcr(unsigned coprocessor, uint32_t op1, unsigned rd, uint32_t crn, uint32_t crm,
                       uint32_t op2)
{
    return 0xee000010u | op1 << 21 | crn << 16 | rd << 12 | coprocessor << 8 | op2 << 5 | crm;
}
constexpr uint32_t mrc(unsigned coprocessor, uint32_t op1, unsigned rd, uint32_t crn, uint32_t crm,
                       uint32_t op2)
{
    return mcr(coprocessor, op1, rd, crn, crm, op2) | 1u << 20;
}
constexpr uint32_t cdp(unsigned coprocessor)
{
    return 0xee000000u | coprocessor << 8;
}
constexpr uint32_t ldc(unsigned coprocessor, unsigned rn)
{
    return 0xed900000u | rn << 16 | coprocessor << 8;
}
constexpr uint32_t stc(unsigned coprocessor, unsigned rn)
{
    return 0xed800000u | rn << 16 | coprocessor << 8;
}
constexpr uint32_t mcrr(unsigned coprocessor)
{
    return 0xec410000u | coprocessor << 8;
}
constexpr uint32_t mrrc(unsigned coprocessor)
{
    return 0xec510000u | coprocessor << 8;
}
constexpr uint32_t wait_for_interrupt()
{
    return mcr(15, 0, r0, 7, 0, 4);
}
constexpr uint32_t write_control(unsigned rd)
{
    return mcr(15, 0, rd, 1, 0, 0);
}
constexpr uint32_t read_control(unsigned rd)
{
    return mrc(15, 0, rd, 1, 0, 0);
}
