/* program_builder.h - writes a random program piece by piece; branches and literals are resolved at
 * the end.  Registers have fixed duties, so that every address stays inside the TCMs:
 *   ARM    r0-r6 data, r7 loop counter, r8 table, r9 DTCM pointer, r10 the same and aligned,
 *          r11 ITCM pointer (aligned), r12 small offset, sp stack, lr scratch
 *   Thumb  r0-r3 data, r4 aligned pointer, r5 pointer, r6 small offset, r7 loop counter, r8-r12
 * data The table holds 64 DTCM pointers and, from TABLE_OFFSETS on, 64 bytes below 64. */
#pragma once
#include "tests/support/arm_asm.h"
#include "tests/support/random_program.h"

#include <random>

constexpr uint32_t TABLE_BASE = DTCM_BASE;
constexpr uint32_t TABLE_POINTERS = 64;
constexpr uint32_t TABLE_OFFSETS = 0x200;
constexpr uint32_t DATA_MIDDLE = DTCM_BASE + 0x8000;
constexpr uint32_t STACK_MIDDLE = DTCM_BASE + 0xc000;
constexpr uint32_t ITCM_DATA = (ITCM_DATA_BEGIN + ITCM_DATA_END) / 2;

class program_builder
{
  public:
    program_builder(uint32_t seed, bool thumb, uint32_t entry);

    uint32_t below(uint32_t limit); /* 0 .. limit-1 */
    bool chance(unsigned percent);
    uint32_t any_word();
    uint32_t data_pointer();   /* an aligned address in DTCM, far from its ends */
    arm_condition condition(); /* AL in most cases */

    void emit(uint32_t insn);
    uint32_t here() const;
    unsigned emitted() const;

    /* Creates a label some pieces ahead; begin_piece() places the labels that are due.  A label
     * that is created in a loop may be placed in the loop or behind it, other labels only outside
     * of loops. */
    unsigned forward_label();
    void begin_piece();
    void begin_loop();
    void end_loop();

    void emit_branch(uint32_t insn, unsigned label); /* offset filled in at the end */
    void emit_branch_to(uint32_t insn, uint32_t target);
    void emit_literal(uint32_t insn, uint32_t value);
    void emit_label_literal(uint32_t insn, unsigned label, uint32_t low_bit);
    unsigned stub_label(); /* a short function in the other state */

    random_program finish(const std::vector<uint32_t> &stub);
    void draw_state(random_program *program);

  private:
    struct fixup {
        uint32_t address;
        unsigned label; /* NO_LABEL: `value` itself */
        bool literal;
        uint32_t value;
    };
    struct label {
        uint32_t address;
        unsigned pieces_left;
        unsigned loop;
        bool placed;
    };
    void append(uint32_t insn, bool as_thumb);
    uint32_t read(uint32_t address) const;
    void write(uint32_t address, uint32_t insn);
    void align();
    void place_literal(const fixup &wanted);
    void patch_branch(uint32_t address, uint32_t target);

    std::mt19937 random;
    uint32_t seed;
    bool thumb;
    uint32_t entry;
    unsigned count, loop, loops;
    std::vector<uint16_t> halves;
    std::vector<fixup> fixups;
    std::vector<label> labels;
};

/* One piece each: an instruction or a few that belong together. */
void random_arm_piece(program_builder *builder);
void random_thumb_piece(program_builder *builder);
