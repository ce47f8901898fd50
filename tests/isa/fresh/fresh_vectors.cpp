/* fresh_vectors.cpp - see fresh_vectors.h. */
#include "tests/isa/fresh/fresh_vectors.h"

#include "tests/support/thumb_asm.h"

extern "C" {
#include "models/arm968/disassemble.h"
}

#include <cstring>
#include <iomanip>
#include <sstream>

static constexpr uint32_t PADS_AT = 0x400;
static constexpr unsigned PADS = 24;  /* of each state at each end of the code memory */
static constexpr unsigned STUBS = 12; /* of each state */
static constexpr uint32_t SLOTS_AT = 0x2000;
static constexpr uint32_t HIGH_PADS_AT = FRESH_CODE_BYTES - 0x1000;
static constexpr uint32_t SLOT_ROOM = 256; /* no slot is longer */

fresh_builder::fresh_builder(uint32_t seed)
    : random(seed), batch(), next(0), near_from(0), near_condition(AL)
{
}

uint32_t fresh_builder::below(uint32_t limit)
{
    return static_cast<uint32_t>(random()) % limit;
}

bool fresh_builder::chance(unsigned percent)
{
    return below(100) < percent;
}

uint32_t fresh_builder::any_word()
{
    static const uint32_t CORNERS[] = {0,      1,      0x7fffffff, 0x80000000, 0xffffffff, 0x8000,
                                       0x7fff, 0xffff, 0x80000001, 31,         32,         33};
    switch (below(8)) {
    case 0:
    case 1:
        return CORNERS[below(12)];
    case 2:
        return below(256);
    case 3:
        return 1u << below(32);
    case 4:
        return 0 - below(256);
    default:
        return static_cast<uint32_t>(random());
    }
}

unsigned fresh_builder::any_register()
{
    return below(15);
}

uint32_t fresh_builder::here() const
{
    return next;
}

void fresh_builder::patch_arm(uint32_t address, uint32_t word)
{
    memcpy(&batch.code[address], &word, sizeof word);
}

void fresh_builder::patch_thumb(uint32_t address, uint32_t half)
{
    const auto value = static_cast<uint16_t>(half);
    memcpy(&batch.code[address], &value, sizeof value);
}

void fresh_builder::arm(uint32_t word)
{
    patch_arm(next, word);
    next += 4;
}

void fresh_builder::thumb(uint32_t half)
{
    patch_thumb(next, half);
    next += 2;
}

void fresh_builder::align()
{
    if ((next & 2) != 0) {
        thumb(thumb::nop());
    }
}

uint32_t fresh_builder::arm_pad()
{
    return batch.arm_pads[below(static_cast<uint32_t>(batch.arm_pads.size()))];
}

uint32_t fresh_builder::thumb_pad()
{
    return batch.thumb_pads[below(static_cast<uint32_t>(batch.thumb_pads.size()))];
}

uint32_t fresh_builder::arm_stub()
{
    return batch.arm_stubs[below(STUBS)];
}

uint32_t fresh_builder::thumb_stub()
{
    return batch.thumb_stubs[below(STUBS)];
}

void fresh_builder::near_branch(arm_condition condition)
{
    near_from = next;
    near_condition = condition;
    thumb(thumb::nop());
}

/* ---- code ---- */

/* The register in which a pad notes where it is. */
static unsigned note_register(uint32_t address)
{
    static const unsigned NOTES[4] = {r0, r3, r7, r5};
    return NOTES[address / 4 % 4];
}

/* From where the code stands to FRESH_END. */
void fresh_builder::leave(bool from_thumb)
{
    if (from_thumb) {
        align();
        thumb(thumb::bx(pc));
        thumb(thumb::nop());
    }
    arm(b(next, FRESH_END - 16));
}

uint32_t fresh_builder::place_pad(bool as_thumb)
{
    const uint32_t at = next;
    if (as_thumb) {
        thumb(thumb::mov(note_register(at), pc));
    } else {
        arm(mov(note_register(at), pc));
    }
    leave(as_thumb);
    return at;
}

void fresh_builder::place_pads()
{
    for (unsigned i = 0; i < PADS; i++) {
        align();
        batch.arm_pads.push_back(place_pad(false));
        if (chance(50)) {
            thumb(thumb::nop());
        }
        batch.thumb_pads.push_back(place_pad(true));
    }
}

void fresh_builder::place_slot()
{
    fresh_slot slot = {};
    slot.thumb = chance(50);
    slot.sequence = chance(30);
    slot.psr = NO_REGISTER;
    near_from = 0;
    const uint32_t before = next;
    if (slot.thumb && chance(20)) {
        (void)place_pad(true);
    }
    if (slot.thumb && chance(50)) {
        thumb(thumb::nop());
    } else if (!slot.thumb) {
        align();
    }
    slot.address = next;
    if (slot.sequence) {
        (slot.thumb ? fresh_thumb_sequence : fresh_arm_sequence)(this);
    } else {
        (slot.thumb ? fresh_thumb_insn : fresh_arm_insn)(this, &slot);
    }
    slot.end = next;
    leave(slot.thumb);
    if (near_from != 0) {
        const bool in_front = slot.address - before >= 8;
        const uint32_t to = in_front ? before : next;
        if (!in_front) {
            (void)place_pad(true);
        }
        patch_thumb(near_from, near_condition == AL ? thumb::b(near_from, to)
                                                    : thumb::b_if(near_condition, near_from, to));
    }
    batch.slots.push_back(slot);
}

fresh_batch fresh_builder::make_batch(unsigned slots)
{
    batch = fresh_batch();
    batch.code.resize(FRESH_CODE_BYTES);
    for (uint8_t &byte : batch.code) {
        byte = static_cast<uint8_t>(random());
    }
    next = FRESH_END - 16;
    for (unsigned i = 0; i < 4; i++) { /* results of a slot are no longer pending at the end */
        arm(nop());
    }
    arm(branch_to_self());
    next = PADS_AT;
    place_pads();
    for (unsigned i = 0; i < STUBS; i++) {
        align();
        batch.arm_stubs.push_back(next);
        fresh_arm_stub(this);
        batch.thumb_stubs.push_back(next);
        fresh_thumb_stub(this);
    }
    next = HIGH_PADS_AT;
    place_pads();
    next = SLOTS_AT + 4 * below((HIGH_PADS_AT - SLOTS_AT) / 8);
    for (unsigned i = 0; i < slots && next < HIGH_PADS_AT - SLOT_ROOM; i++) {
        place_slot();
    }
    return batch;
}

/* ---- states ---- */

/* What the shifter makes of an index: ARM DDI 0100I, A5.2.4; amounts as encoded. */
static uint32_t shifted(uint32_t value, arm_shift shift, uint32_t amount, bool carry)
{
    const bool sign = (value >> 31) != 0;
    switch (shift) {
    case LSL:
        return value << amount;
    case LSR:
        return amount == 0 ? 0 : value >> amount;
    case ASR:
        if (amount == 0) {
            return sign ? 0xffffffffu : 0;
        }
        return value >> amount | (sign ? ~(0xffffffffu >> amount) : 0);
    case ROR:
    default:
        return amount == 0 ? static_cast<uint32_t>(carry) << 31 | value >> 1
                           : value >> amount | value << (32 - amount);
    }
}

/* The inverse of an odd number modulo 2^32. */
static uint32_t inverse(uint32_t odd)
{
    uint32_t value = odd;
    for (unsigned i = 0; i < 5; i++) {
        value *= 2 - odd * value;
    }
    return value;
}

/* Sets the base such that the transfer lies in the data memory; returns its lowest address. */
uint32_t fresh_builder::settle_transfer(const transfer_need &need, fresh_state *state)
{
    const uint32_t room = (FRESH_DATA_BYTES - need.bytes) / need.alignment + 1;
    const uint32_t lowest = FRESH_DATA_BASE + need.alignment * below(room);
    const uint32_t address = lowest - static_cast<uint32_t>(need.first);
    if (need.index == need.base) { /* x + (x << n) */
        const uint32_t power = 1u << need.amount;
        const uint32_t factor = need.up ? 1 + power : 1 - power;
        state->r[need.base] =
            need.amount == 0 ? address / 2 | below(2) << 31 : address * inverse(factor);
        return lowest;
    }
    uint32_t offset = need.offset;
    if (need.index != NO_REGISTER) {
        const bool carry = (state->cpsr >> 29 & 1) != 0;
        offset = shifted(state->r[need.index], need.shift, need.amount, carry);
    }
    const uint32_t moved = need.up ? address - offset : address + offset;
    state->r[need.base] = need.pre ? moved : address;
    return lowest;
}

static uint32_t rotated_left(uint32_t value, uint32_t by)
{
    return by == 0 ? value : value << by | value >> (32 - by);
}

void fresh_builder::settle_jump(const fresh_slot &slot, uint32_t lowest, fresh_state *state)
{
    const jump_need &jump = slot.jump;
    const bool to_thumb = jump.exchange || jump.restores ? chance(50) : slot.thumb;
    const uint32_t pad = to_thumb ? thumb_pad() : arm_pad();
    const uint32_t target = pad | (to_thumb && jump.exchange ? 1u : 0u);
    if (jump.restores && to_thumb) {
        state->spsr |= 1u << 5;
    }
    if (jump.by == JUMP_BY_REGISTER) {
        state->r[jump.reg] = rotated_left(target - jump.minus, jump.rotation);
    } else if (jump.by == JUMP_BY_MEMORY) {
        state->pokes = true;
        state->poke_address = lowest + jump.minus;
        state->poke_value = target;
    }
}

/* The registers of sequences that hold addresses. */
void fresh_builder::settle_duties(bool thumb_state, fresh_state *state)
{
    static const unsigned ARM_POINTERS[4] = {r8, r9, r10, sp};
    static const unsigned THUMB_POINTERS[3] = {r4, r5, sp};
    const unsigned count = thumb_state ? 3 : 4;
    for (unsigned i = 0; i < count; i++) {
        const unsigned reg = thumb_state ? THUMB_POINTERS[i] : ARM_POINTERS[i];
        state->r[reg] = FRESH_DATA_BASE + FRESH_DATA_BYTES / 2 - 512 + 8 * below(128);
    }
    if (thumb_state) {
        state->r[r6] = 4 * below(16);
    } else {
        state->r[r11] = 8 * below(8);
    }
}

static uint32_t any_status(fresh_builder *b, bool with_spsr)
{
    static const uint32_t MODES[7] = {0x13, 0x11, 0x12, 0x17, 0x1b, 0x10, 0x1f};
    return b->below(32) << 27 | b->below(4) << 6 | MODES[b->below(with_spsr ? 5 : 7)];
}

fresh_state fresh_builder::make_state(const fresh_slot &slot)
{
    fresh_state state = {};
    for (uint32_t &value : state.r) {
        value = any_word();
    }
    state.cpsr = any_status(this, slot.wants_spsr) | (slot.thumb ? 1u << 5 : 0);
    state.spsr = any_status(this, false);
    if (slot.sequence) {
        settle_duties(slot.thumb, &state);
    }
    uint32_t lowest = 0;
    if (slot.transfer.wanted) {
        lowest = settle_transfer(slot.transfer, &state);
    }
    if (slot.psr != NO_REGISTER) {
        state.r[slot.psr] = any_status(this, false);
    }
    settle_jump(slot, lowest, &state);
    return state;
}

/* ---- text ---- */

std::string fresh_batch::listing(const fresh_slot &slot) const
{
    std::ostringstream out;
    const uint32_t step = slot.thumb ? 2 : 4;
    for (uint32_t at = slot.address; at < slot.end; at += step) {
        uint32_t word = 0;
        memcpy(&word, &code[at], sizeof word);
        char text[ARM968_TEXT_CHARS];
        arm968_disassemble(word, at, slot.thumb, text);
        word = slot.thumb ? word & 0xffffu : word;
        out << std::hex << std::setw(6) << at << "  " << std::setw(8) << word << "  " << text
            << "\n";
    }
    return out.str();
}
