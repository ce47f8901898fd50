/* random_program.h - random but well-behaved guest code for property tests.
 * A program lies in ITCM, works on DTCM and, a little, on ITCM data, always ends at `end` (a branch
 * to itself), and uses every kind of instruction of its state: loads and stores of all sizes and
 * addressing modes (misaligned ones too), block transfers, multiplies, DSP, conditions that hold
 * and fail, forward branches, short loops, calls, returns, jumps through literals and the stack,
 * changes of state, SWI. */
#pragma once
#include "tests/support/core_bench.h"

#include <cstdint>
#include <string>
#include <vector>

/* Where the programs' data lie in ITCM. */
constexpr uint32_t ITCM_DATA_BEGIN = 0x4800;
constexpr uint32_t ITCM_DATA_END = 0x6800;

struct random_program {
    uint32_t seed;
    bool thumb;
    uint32_t entry, end;
    std::vector<uint16_t> image; /* half-words from `entry`: code, then literals */
    uint32_t r[15];
    uint32_t flags;

    std::string listing() const;
};

/* About `insns` instructions; loops repeat some of them. */
random_program make_random_program(uint32_t seed, bool thumb, unsigned insns,
                                   uint32_t entry = CODE_BASE);

/* The same code with other registers, flags and data. */
random_program with_new_state(const random_program &program, uint32_t seed);

/* Loads a program and its data, and sets the core to its entry in System mode with interrupts
 * unmasked. */
void load_random_program(core_bench *bench, const random_program &program);

/* Like load_random_program(), but without the code, which is there already.  The core is not
 * notified of changes in ITCM, as they are not code. */
void load_random_state(core_bench *bench, const random_program &program);

/* The instruction at an address of ITCM: a word, or a half in Thumb state. */
uint32_t insn_at(const core_bench &bench, uint32_t address, bool thumb);
