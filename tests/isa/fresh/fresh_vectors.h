/* fresh_vectors.h - random instructions and random states for them, to be run on two models side by
 * side.
 *
 * A batch is one image of code memory.  A slot of it is one instruction, or a short sequence with
 * loops and calls; behind it control goes to FRESH_END.  Jumps lead to pads, each of which notes
 * its address in a register and goes to FRESH_END as well.  A vector is a slot with one state:
 * registers, status, mode, data memory.
 *
 * Left out is what the architecture leaves open or an emulator of user code need not have: see
 * tests/isa/README.md. */
#pragma once
#include "tests/support/arm_asm.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

constexpr uint32_t FRESH_CODE_BYTES = 512 * 1024;
constexpr uint32_t FRESH_DATA_BASE = 0x400000;
constexpr uint32_t FRESH_DATA_BYTES = 8192;
constexpr uint32_t FRESH_END = 0x110; /* in ARM state; a few instructions before it do nothing */
constexpr unsigned NO_REGISTER = 16;

/* Where a load or store goes: what the state has to provide for. */
struct transfer_need {
    bool wanted;
    unsigned base;
    unsigned index; /* NO_REGISTER: an immediate offset */
    arm_shift shift;
    uint32_t amount; /* as encoded */
    uint32_t offset;
    bool up, pre;
    int32_t first;  /* from the address to the lowest byte transferred */
    uint32_t bytes; /* of all */
    uint32_t alignment;
};

enum jump_by { NO_JUMP, JUMP_BY_REGISTER, JUMP_BY_MEMORY };

/* A register or a word of memory that holds where to jump to. */
struct jump_need {
    jump_by by;
    unsigned reg;   /* holds (target - minus), rotated left by `rotation` */
    uint32_t minus; /* by memory: bytes from the lowest one transferred */
    uint32_t rotation;
    bool exchange; /* bit 0 of the target is the state */
    bool restores; /* the state, and all of CPSR, comes from SPSR */
};

struct fresh_slot {
    uint32_t address, end; /* end: behind its code */
    bool thumb;
    bool sequence;   /* registers have duties, see fresh_arm.cpp and fresh_thumb.cpp */
    unsigned psr;    /* register that holds a value for a status register, NO_REGISTER: none */
    bool wants_spsr; /* in a mode that has one */
    struct transfer_need transfer;
    struct jump_need jump;
};

struct fresh_state {
    uint32_t r[15];
    uint32_t cpsr, spsr;
    bool pokes; /* into data memory */
    uint32_t poke_address, poke_value;
};

struct fresh_batch {
    std::vector<uint8_t> code; /* FRESH_CODE_BYTES */
    std::vector<fresh_slot> slots;
    std::vector<uint32_t> arm_pads, thumb_pads; /* addresses */
    std::vector<uint32_t> arm_stubs, thumb_stubs;

    std::string listing(const fresh_slot &slot) const;
};

class fresh_builder
{
  public:
    explicit fresh_builder(uint32_t seed);

    /* `slots` of them, or as many as there is room for. */
    fresh_batch make_batch(unsigned slots);
    fresh_state make_state(const fresh_slot &slot); /* of the last batch */

    /* For the makers of instructions. */
    uint32_t below(uint32_t limit);
    bool chance(unsigned percent);
    uint32_t any_word();
    unsigned any_register(); /* r0 to r14 */
    uint32_t here() const;
    void arm(uint32_t word);
    void thumb(uint32_t half);
    void patch_arm(uint32_t address, uint32_t word);
    void patch_thumb(uint32_t address, uint32_t half);
    uint32_t arm_pad();
    uint32_t thumb_pad();
    uint32_t arm_stub();
    uint32_t thumb_stub();
    /* A Thumb branch to a pad of this very slot: near enough for every form. */
    void near_branch(arm_condition condition);

  private:
    void align();
    void leave(bool from_thumb);
    uint32_t place_pad(bool as_thumb);
    void place_pads();
    void place_slot();
    uint32_t settle_transfer(const transfer_need &need, fresh_state *state);
    void settle_jump(const fresh_slot &slot, uint32_t lowest, fresh_state *state);
    void settle_duties(bool thumb, fresh_state *state);

    std::mt19937 random;
    fresh_batch batch;
    uint32_t next;
    uint32_t near_from; /* the branch to a near pad; 0: none */
    arm_condition near_condition;
};

/* One instruction each, with what it needs of the state. */
void fresh_arm_insn(fresh_builder *builder, fresh_slot *slot);
void fresh_thumb_insn(fresh_builder *builder, fresh_slot *slot);
/* Several, with fixed register duties. */
void fresh_arm_sequence(fresh_builder *builder);
void fresh_thumb_sequence(fresh_builder *builder);
/* A function that such a sequence may call. */
void fresh_arm_stub(fresh_builder *builder);
void fresh_thumb_stub(fresh_builder *builder);
