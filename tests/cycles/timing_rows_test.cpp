/* timing_rows_test.cpp - one micro-benchmark for each row of timing.def, from both sides: the count
 * is exact, one cycle more in the row adds exactly as many cycles as the code uses it, and one
 * cycle less takes as many away. */
#include "tests/cycles/bench_run.h"
#include "tests/support/arm_asm.h"
#include "tests/support/thumb_asm.h"

#include <gtest/gtest.h>

struct row_benchmark {
    const char *row;
    std::vector<uint32_t> code;
    unsigned cycles; /* with the default table */
    unsigned uses;   /* of the row */
    bool thumb = false;
    uint64_t irq_cycle = NO_IRQ;
    uint32_t end = 0;
    unsigned hidden =
        0; /* of the uses, when the row is a cycle less: covered by other instructions */
};

static uint32_t absent_ldm()
{
    return block_transfer(true, IA, r8, true, 0); /* an empty list */
}

static const std::vector<row_benchmark> &benchmarks()
{
    static const std::vector<row_benchmark> ALL = {
        /* issue cycles */
        {"data", {add(r0, r1, r2), mov(r3, r4, LSR, 3), cmp_imm(r1, 4), nop()}, 4, 4},
        {"data",
         {thumb::add_reg(r0, r1, r2), thumb::mov(r9, r1), thumb::add_sp(r0, 4),
          thumb::adjust_sp(true, 8)},
         4,
         4,
         true},
        {"data_register_shift",
         {data_shift_reg(MOV, false, r0, 0, r1, LSL, r2),
          data_shift_reg(ADD, true, r3, r1, r1, ROR, r2)},
         4,
         2},
        {"data_register_shift", {thumb::data(thumb::OP_LSR, r0, r1)}, 2, 1, true},
        {"data_pc", {add_imm(pc, pc, 0), nop()}, 3, 1},
        {"data_pc", {thumb::add_high(pc, r11), thumb::nop(), thumb::nop()}, 4, 1, true},
        {"data_pc_logical", {mov(pc, r7), nop()}, 4, 1},
        {"data_pc_logical", {data_reg(ORR, false, pc, r7, r7, LSL, 0), nop()}, 4, 1},
        {"data_pc_logical", {data_reg(RSC, false, pc, r11, r7, LSL, 0), nop()}, 5, 1}, /* to 4 */
        {"data_pc_register_shift", {data_shift_reg(MOV, false, pc, 0, r7, LSL, r11), nop()}, 4, 1},
        {"condition_failed",
         {when(EQ, nop()), when(MI, ldr_imm(r0, r8)), when(CS, mul(r0, r1, r2)),
          when(EQ, b(0, 0x100)), when(VS, swi(1))},
         5,
         5},
        {"condition_failed", {thumb::cmp_imm(r0, 200), thumb::b_if(EQ, 0, 0x40)}, 2, 1, true},
        {"clz", {clz(r0, r1), clz(r2, r3)}, 2, 2},
        {"mrs", {mrs_cpsr(r0), mrs_spsr(r1)}, 4, 2},
        {"msr_flags", {msr_cpsr(PSR_F, r0), msr_cpsr_imm(PSR_F, 0xf0000000)}, 2, 2},
        {"msr_other",
         {msr_cpsr_imm(PSR_C, 0xd3), msr_spsr(PSR_F, r0), msr_cpsr(PSR_F | PSR_S, r0)},
         9,
         3},
        {"mul", {mul(r0, r1, r2), mla(r3, r4, r5, r6)}, 4, 2},
        {"mul_flags", {mul(r0, r1, r2, true), mla(r3, r4, r5, r6, true)}, 8, 2},
        {"mul_flags", {thumb::data(thumb::OP_MUL, r0, r1)}, 4, 1, true},
        {"mull", {umull(r0, r1, r2, r3), umlal(r4, r5, r2, r3)}, 6, 2},
        {"mull", {multiply_long(true, false, false, r0, r1, r2, r3)}, 3, 1},
        {"mull_flags", {umull(r0, r1, r2, r3, true), umlal(r4, r5, r2, r3, true)}, 10, 2},
        {"mul_half",
         {smul_half(0, 0, r0, r1, r2), smla(1, 0, r3, r1, r2, r4), smulw(1, r5, r1, r2),
          smlaw(0, r6, r1, r2, r4)},
         4,
         4},
        {"mull_half", {smlal_half(0, 1, r0, r1, r2, r3)}, 2, 1},
        {"saturating",
         {qadd(r0, r1, r2), saturating(1, r3, r1, r2), saturating(2, r4, r1, r2),
          saturating(3, r5, r1, r2)},
         4,
         4},
        {"load",
         {ldr_imm(r0, r8), ldrb_imm(r1, r8), ldrh_imm(r2, r8), ldrsb_imm(r3, r8), ldrsh_imm(r4, r8),
          ldr_reg(r5, r8, r11), ldr_post(r6, r9, 4)},
         7,
         7},
        {"load", {thumb::transfer_reg(thumb::LDR, r0, r1, r2), thumb::ldr_sp(r3, 4)}, 3, 2, true},
        {"load_scaled",
         {ldr_reg(r0, r8, r11, LSL, 2), ldrb_reg(r1, r8, r11, LSR, 1),
          ldr_reg(r2, r8, r11, LSR, 0)},
         6,
         3},
        {"load_pc", {ldr_imm(pc, r8), nop()}, 5, 1},
        {"load_pc", {ldr_reg(pc, r8, r11), nop()}, 5, 1},
        {"load_pc_scaled", {ldr_reg(pc, r8, r11, LSL, 2), nop()}, 6, 1},
        {"load_double", {ldrd_imm(r0, r8), ldrd_imm(r2, r8)}, 4, 2},
        {"store",
         {str_imm(r0, r9), strb_imm(r1, r9), strh_imm(r2, r9), str_reg(r3, r9, r11),
          str_pre(r4, r9, 4)},
         5,
         5},
        {"store_scaled", {str_reg(r0, r9, r11, LSL, 2), str_reg(r1, r9, r11, ASR, 1)}, 4, 2},
        {"store_double", {strd_imm(r0, r9), strd_imm(r2, r9)}, 4, 2},
        {"block_register", {ldm(r8, {r0, r1, r2}), stm(r9, {r0, r1})}, 5, 5},
        {"block_register", {thumb::push({r0, r1, lr}), thumb::pop({r0, r1, r2})}, 6, 6, true},
        {"block_single", {ldm(r8, {r0}), stm(r9, {r1}), absent_ldm()}, 6, 3},
        {"block_pc", {ldm(r8, {r0, pc}), nop()}, 6, 1},
        {"block_pc", {ldm(r8, {pc}), nop()}, 5, 1},
        {"swap", {swp(r0, r1, r8), swpb(r2, r3, r9)}, 4, 2},
        {"preload", {pld(r8), pld_reg(r8, r11)}, 2, 2},
        {"branch_taken", {b(0, 8), nop(), bl(8, 16), nop()}, 6, 2},
        {"branch_taken", {bx(r7), nop()}, 3, 1},
        {"branch_taken", {blx(r7), nop()}, 3, 1},
        {"branch_prefix",
         {thumb::bl_prefix(0, 6), thumb::bl_suffix(0, 6), thumb::nop()},
         4,
         1,
         true},
        {"coprocessor", {mcr(15, 0, r0, 13, 0, 1), mrc(15, 0, r1, 0, 0, 0)}, 4, 2},
        {"coprocessor_pc", {mrc(15, 0, pc, 0, 0, 0)}, 5, 1},
        {"coprocessor_absent", {cdp(3), mcr(5, 0, r0, 0, 0, 0), ldc(2, r8)}, 27, 3},
        {"coprocessor_busy",
         {mcr(15, 0, r0, 13, 0, 1), mrc(15, 0, r1, 0, 0, 0), mrc(15, 0, pc, 0, 0, 0), cdp(1)},
         18,
         4},
        {"software_interrupt", {swi(1), undefined_word()}, 14, 2},
        {"software_interrupt", {bkpt(1)}, 6, 1},
        {"exception_entry", {ldr_imm(r0, r12)}, 7, 1},
        {"exception_entry", {nop(), nop(), nop(), nop()}, 10, 1, false, 0},

        /* result latencies */
        {"load_result", {ldr_imm(r0, r8), add(r1, r0, r0)}, 3, 1},
        {"load_result", {ldr_imm(r0, r8), nop(), str_imm(r0, r9)}, 3, 1, false, NO_IRQ, 0, 1},
        {"load_narrow_result", {ldrb_imm(r0, r8), add(r1, r0, r0)}, 4, 1},
        {"load_narrow_result", {ldr_imm(r0, r8, 1), add(r1, r0, r0)}, 4, 1},
        {"load_narrow_result", {ldrsh_imm(r0, r8), nop(), str_imm(r0, r9)}, 4, 1},
        {"load_double_result", {ldrd_imm(r0, r8), add(r2, r1, r1)}, 4, 1},
        {"load_double_result", {ldrd_imm(r0, r8), add(r2, r0, r0)}, 3, 0},
        {"block_last_result", {ldm(r8, {r0, r1}), add(r2, r1, r1)}, 4, 1},
        {"block_last_result", {ldm(r8, {r0, r1}), add(r2, r0, r0)}, 3, 0},
        {"mul_result", {mul(r0, r1, r2), sub(r4, r0, r5)}, 4, 1},
        {"mul_result", {mul(r0, r1, r2), str_imm(r0, r9)}, 4, 1},
        {"mul_accumulate", {mla(r0, r1, r2, r0), mla(r0, r1, r2, r0)}, 4, 1},
        {"mull_high_result", {umull(r0, r1, r2, r3), add(r2, r1, r1)}, 5, 1},
        {"mull_high_result", {smlal_half(0, 0, r0, r1, r2, r3), str_imm(r1, r9)}, 4, 1},
        {"mull_high_result", {umull(r0, r1, r2, r3), add(r2, r0, r0)}, 4, 0},
        {"mull_accumulate", {umull(r0, r1, r2, r3), umlal(r0, r1, r2, r3)}, 6, 1},
        {"mull_accumulate",
         {smlal_half(0, 0, r0, r1, r2, r3), smlal_half(0, 0, r0, r1, r2, r3)},
         4,
         1},
        {"mul_half_result", {smul_half(0, 0, r0, r1, r2), add(r2, r0, r0)}, 3, 1},
        {"mul_half_accumulate",
         {smlabb(r0, r1, r2, r0), smlabb(r0, r1, r2, r0), smlabb(r0, r1, r2, r0),
          smlabb(r0, r1, r2, r0)},
         4,
         3},
        {"saturating_result", {qadd(r0, r1, r2), sub(r4, r0, r5)}, 3, 1},
        {"saturating_late", {qadd(r0, r1, r2), mla(r3, r1, r2, r0)}, 3, 1},
        {"saturating_late", {qadd(r0, r1, r2), str_imm(r0, r9)}, 2, 1},
        {"swap_result", {swp(r0, r1, r8), add(r2, r0, r0)}, 4, 1},
        {"swap_result", {swp(r0, r1, r8), mla(r2, r3, r4, r0)}, 5, 1},
        {"swap_byte_result", {swpb(r0, r1, r8), add(r2, r0, r0)}, 5, 1},
        {"coprocessor_result", {mrc(15, 0, r0, 0, 0, 0), add(r2, r0, r0)}, 4, 1},

        /* memory and interrupts */
        {"itcm_data",
         {ldr_imm(r0, r10), str_imm(r1, r10, 4), ldr_imm(r2, pc, 0), nop(), stm(r10, {r0, r1, r2}),
          swp(r3, r4, r10), ldrd_imm(r4, r10)},
         21,
         10},
        {"itcm_data", {thumb::ldr_literal(r0, 0)}, 2, 1, true},
        {"interrupt_sync", {nop(), nop(), nop(), nop()}, 5, 1, false, 0, IRQ_VECTOR},
        {"write_buffer_entries",
         {str_imm(r0, r6), stm(r6, {r0, r1, r2, r3}), str_imm(r0, r9), ldr_imm(r1, r6)},
         1 + 4 + 1 + 1 + 3 * OUTSIDE_WAIT,
         0},
    };
    return ALL;
}

static uint16_t *row_of(struct arm968_timing *timing, const struct arm968_timing_row &row)
{
    return reinterpret_cast<uint16_t *>(reinterpret_cast<char *>(timing) + row.offset);
}

static const struct arm968_timing_row *find_row(const std::string &name)
{
    size_t count = 0;
    const struct arm968_timing_row *rows = arm968_timing_rows(&count);
    for (size_t i = 0; i < count; i++) {
        if (name == rows[i].name) {
            return &rows[i];
        }
    }
    return nullptr;
}

TEST(TimingRows, EachBenchmarkTakesItsExactCycles)
{
    for (const row_benchmark &benchmark : benchmarks()) {
        const piece_of_code piece = {benchmark.code, benchmark.thumb, benchmark.irq_cycle,
                                     benchmark.end};
        EXPECT_EQ(cycles_of(piece, arm968_timing_default()), benchmark.cycles)
            << benchmark.row << ", benchmark " << &benchmark - benchmarks().data();
    }
}

TEST(TimingRows, OneCycleMoreInARowAddsItsUses)
{
    for (const row_benchmark &benchmark : benchmarks()) {
        const struct arm968_timing_row *row = find_row(benchmark.row);
        ASSERT_NE(row, nullptr) << benchmark.row;
        struct arm968_timing timing = arm968_timing_default();
        *row_of(&timing, *row) += 1;
        const piece_of_code piece = {benchmark.code, benchmark.thumb, benchmark.irq_cycle,
                                     benchmark.end};
        EXPECT_EQ(cycles_of(piece, timing), benchmark.cycles + benchmark.uses)
            << benchmark.row << ", benchmark " << &benchmark - benchmarks().data();
    }
}

/* Rows that stand at their minimum have no other side. */
TEST(TimingRows, OneCycleLessInARowTakesItsUses)
{
    for (const row_benchmark &benchmark : benchmarks()) {
        const struct arm968_timing_row *row = find_row(benchmark.row);
        ASSERT_NE(row, nullptr) << benchmark.row;
        if (row->default_value == row->minimum) {
            continue;
        }
        struct arm968_timing timing = arm968_timing_default();
        *row_of(&timing, *row) -= 1;
        const piece_of_code piece = {benchmark.code, benchmark.thumb, benchmark.irq_cycle,
                                     benchmark.end};
        EXPECT_EQ(cycles_of(piece, timing), benchmark.cycles - benchmark.uses + benchmark.hidden)
            << benchmark.row << ", benchmark " << &benchmark - benchmarks().data();
    }
}

TEST(TimingRows, EveryRowHasABenchmark)
{
    size_t count = 0;
    const struct arm968_timing_row *rows = arm968_timing_rows(&count);
    for (size_t i = 0; i < count; i++) {
        bool found = false;
        for (const row_benchmark &benchmark : benchmarks()) {
            found = found || std::string(rows[i].name) == benchmark.row;
        }
        EXPECT_TRUE(found) << rows[i].name;
    }
}

/* The core only hands this row to the owner of its write buffer, so no code of its own shows it. */
TEST(TimingRows, TheWriteBufferHasTheEntriesOfTheArm966)
{
    EXPECT_EQ(arm968_timing_default().write_buffer_entries, 12u);
}

TEST(TimingRows, DefaultsLieWithinTheirBounds)
{
    size_t count = 0;
    const struct arm968_timing_row *rows = arm968_timing_rows(&count);
    EXPECT_EQ(count, sizeof(struct arm968_timing) / sizeof(uint16_t));
    struct arm968_timing timing = arm968_timing_default();
    for (size_t i = 0; i < count; i++) {
        EXPECT_LE(rows[i].minimum, rows[i].default_value) << rows[i].name;
        EXPECT_GE(rows[i].maximum, rows[i].default_value) << rows[i].name;
        EXPECT_EQ(*row_of(&timing, rows[i]), rows[i].default_value) << rows[i].name;
        EXPECT_NE(std::string(rows[i].help), "") << rows[i].name;
        EXPECT_NE(std::string(rows[i].source), "") << rows[i].name;
    }
}
