/* bench_run.h - a short piece of code between two cycle counts.
 *
 * Before the code runs: flags clear, SVC mode, r7 = TARGET (third word of the code), r8 = DTCM with
 * two words TARGET, r9 = DTCM, r10 = ITCM data, r11 = 0, r12 = an address outside that aborts,
 * r6 = OUTSIDE_BASE, sp = a stack in DTCM, other registers small numbers.  SWI and Undefined return
 * to the next instruction, data aborts and prefetch aborts too, IRQ and FIQ to where they came
 * from. */
#pragma once
#include "tests/support/core_bench.h"

struct piece_of_code {
    std::vector<uint32_t> code; /* words, or half-words in Thumb state */
    bool thumb;
    uint64_t irq_cycle; /* when the IRQ line rises, NO_IRQ: never; it falls in the handler */
    uint32_t end;       /* where counting ends, 0: behind the last instruction */
};
constexpr uint64_t NO_IRQ = ~UINT64_C(0);
constexpr uint32_t IRQ_VECTOR = 0x18;
constexpr uint32_t TARGET = CODE_BASE + 8;
constexpr uint32_t OUTSIDE_BASE = 0x60000000; /* answers with 5 cycles of waiting */
constexpr uint32_t OUTSIDE_WAIT = 5;

/* Cycles from the first instruction to the one behind the last.  Measured twice, in one go and one
 * instruction at a time; UINT64_MAX when the two differ. */
uint64_t cycles_of(const piece_of_code &piece, const struct arm968_timing &timing);

/* The same in a bench of one's own; returns false if the end was not reached. */
bool run_piece(core_bench *bench, const piece_of_code &piece, bool stepping);
