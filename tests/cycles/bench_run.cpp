/* bench_run.cpp - see bench_run.h. */
#include "tests/cycles/bench_run.h"

#include "tests/support/arm_asm.h"
#include "tests/support/thumb_asm.h"

enum { STEP_LIMIT = 2000 };

static uint32_t load_piece(core_bench *bench, const piece_of_code &piece)
{
    uint32_t end = CODE_BASE;
    for (const uint32_t insn : piece.code) {
        if (piece.thumb) {
            bench->thumb(end, {static_cast<uint16_t>(insn)});
        } else {
            bench->set_word(end, insn);
        }
        end += piece.thumb ? 2 : 4;
    }
    bench->thumb(end, {thumb::branch_to_self()});
    bench->arm(0x04, {movs(pc, lr), movs(pc, lr), subs_imm(pc, lr, 0), subs_imm(pc, lr, 4)});
    bench->arm(0x18, {subs_imm(pc, lr, 4), subs_imm(pc, lr, 4)});
    return piece.end != 0 ? piece.end : end;
}

static void prepare_registers(core_bench *bench)
{
    for (unsigned i = 0; i < 7; i++) {
        bench->set(i, 3 + i);
    }
    bench->set(6, OUTSIDE_BASE);
    bench->set(7, TARGET);
    bench->set(8, DTCM_BASE + 0x100);
    bench->set(9, DTCM_BASE + 0x200);
    bench->set(10, 0x4000);
    bench->set(11, 0);
    bench->set(12, 0x70000000);
    bench->set(13, DTCM_BASE + 0x8000);
    bench->set(14, 0);
    bench->set_words(DTCM_BASE + 0x100, {TARGET, TARGET, 0x8001, 0x7f7f7f7f});
}

bool run_piece(core_bench *bench, const piece_of_code &piece, bool stepping)
{
    const uint32_t end = load_piece(bench, piece);
    prepare_registers(bench);
    bench->outside.regions = {{OUTSIDE_BASE, 0x1000, REGION_ANSWERS, OUTSIDE_WAIT}};
    arm968_set_cpsr(bench->cpu, ARM968_SUPERVISOR | (piece.irq_cycle == NO_IRQ ? MASK_I : 0));
    bench->start(CODE_BASE, piece.thumb);
    if (piece.irq_cycle != NO_IRQ) {
        arm968_set_line(bench->cpu, ARM968_IRQ, true, piece.irq_cycle);
    }
    if (!stepping && (arm968_add_breakpoint(bench->cpu, end) != STATUS_OK ||
                      arm968_add_mark(bench->cpu, IRQ_VECTOR) != STATUS_OK)) {
        return false;
    }
    for (unsigned i = 0; i < STEP_LIMIT && bench->reg(15) != end; i++) {
        (void)bench->run(stepping ? 1 : 100000);
        if (bench->counters().interrupts != 0) { /* acknowledged */
            arm968_set_line(bench->cpu, ARM968_IRQ, false, bench->cycle());
        }
    }
    arm968_clear_stops(bench->cpu);
    return bench->reg(15) == end;
}

uint64_t cycles_of(const piece_of_code &piece, const struct arm968_timing &timing)
{
    bench_config config;
    config.timing = timing;
    core_bench whole(config);
    core_bench stepped(config);
    if (!run_piece(&whole, piece, false) || !run_piece(&stepped, piece, true) ||
        whole.cycle() != stepped.cycle()) {
        return UINT64_MAX;
    }
    return whole.cycle();
}
