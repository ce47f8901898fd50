/* exec_memory.h - loads and stores (ARM DDI 0100I A3.11 to A3.13, A5.2 to A5.4).
 * An aligned access inside the core's own memories is done here; memory.c does the rest.  Rotating
 * the offset makes a misaligned address look out of range, so that one comparison checks both. */
#pragma once
#include "models/arm968/exec_data.h"
#include <string.h>

#define TRANSFER(name)                                                                             \
    ALWAYS_INLINE enum exec_result exec_##name(struct arm968 *cpu, const struct op *op)

ALWAYS_INLINE enum exec_result load_word(struct arm968 *cpu, uint32_t address, uint32_t *value)
{
    const uint32_t offset = address - cpu->load.base;
    if (LIKELY(bits_rotate_right(offset, 2) < cpu->load.words)) {
        memcpy(value, cpu->load.bytes + offset, sizeof *value);
        return EXEC_NEXT;
    }
    return memory_load(cpu, address, 4, value);
}

ALWAYS_INLINE enum exec_result load_half(struct arm968 *cpu, uint32_t address, uint32_t *value)
{
    const uint32_t offset = address - cpu->load.base;
    if (LIKELY(bits_rotate_right(offset, 1) < cpu->load.halves)) {
        uint16_t half;
        memcpy(&half, cpu->load.bytes + offset, sizeof half);
        *value = half;
        return EXEC_NEXT;
    }
    return memory_load(cpu, address, 2, value);
}

ALWAYS_INLINE enum exec_result load_byte(struct arm968 *cpu, uint32_t address, uint32_t *value)
{
    const uint32_t offset = address - cpu->load.base;
    if (LIKELY(offset < cpu->load.size)) {
        *value = cpu->load.bytes[offset];
        return EXEC_NEXT;
    }
    return memory_load(cpu, address, 1, value);
}

ALWAYS_INLINE enum exec_result load_signed_half(struct arm968 *cpu, uint32_t address,
                                                uint32_t *value)
{
    const enum exec_result result = load_half(cpu, address, value);
    *value = (uint32_t)(int16_t)*value;
    return result;
}

ALWAYS_INLINE enum exec_result load_signed_byte(struct arm968 *cpu, uint32_t address,
                                                uint32_t *value)
{
    const enum exec_result result = load_byte(cpu, address, value);
    *value = (uint32_t)(int8_t)*value;
    return result;
}

ALWAYS_INLINE enum exec_result store_word(struct arm968 *cpu, uint32_t address, uint32_t value)
{
    const uint32_t offset = address - cpu->store.base;
    if (LIKELY(bits_rotate_right(offset, 2) < cpu->store.words)) {
        memcpy(cpu->store.bytes + offset, &value, sizeof value);
        return EXEC_NEXT;
    }
    return memory_store(cpu, address, 4, value);
}

ALWAYS_INLINE enum exec_result store_half(struct arm968 *cpu, uint32_t address, uint32_t value)
{
    const uint32_t offset = address - cpu->store.base;
    if (LIKELY(bits_rotate_right(offset, 1) < cpu->store.halves)) {
        const uint16_t half = (uint16_t)value;
        memcpy(cpu->store.bytes + offset, &half, sizeof half);
        return EXEC_NEXT;
    }
    return memory_store(cpu, address, 2, value);
}

ALWAYS_INLINE enum exec_result store_byte(struct arm968 *cpu, uint32_t address, uint32_t value)
{
    const uint32_t offset = address - cpu->store.base;
    if (LIKELY(offset < cpu->store.size)) {
        cpu->store.bytes[offset] = (uint8_t)value;
        return EXEC_NEXT;
    }
    return memory_store(cpu, address, 1, value);
}

/* The base is written back only when the access has been made (base-restored abort model).  A
 * loaded value wins over the written-back base; a store sees the old base. */
#define LOADS(name, load, form, offset)                                                            \
    TRANSFER(name##_off_##form)                                                                    \
    {                                                                                              \
        uint32_t value;                                                                            \
        const enum exec_result result = load(cpu, cpu->r[op->rn] + (offset), &value);              \
        if (LIKELY(result <= EXEC_CHECK)) {                                                        \
            cpu->r[op->rd] = value;                                                                \
        }                                                                                          \
        return result;                                                                             \
    }                                                                                              \
    TRANSFER(name##_pre_##form)                                                                    \
    {                                                                                              \
        uint32_t value;                                                                            \
        const uint32_t address = cpu->r[op->rn] + (offset);                                        \
        const enum exec_result result = load(cpu, address, &value);                                \
        if (LIKELY(result <= EXEC_CHECK)) {                                                        \
            cpu->r[op->rn] = address;                                                              \
            cpu->r[op->rd] = value;                                                                \
        }                                                                                          \
        return result;                                                                             \
    }                                                                                              \
    TRANSFER(name##_post_##form)                                                                   \
    {                                                                                              \
        uint32_t value;                                                                            \
        const uint32_t address = cpu->r[op->rn];                                                   \
        const enum exec_result result = load(cpu, address, &value);                                \
        if (LIKELY(result <= EXEC_CHECK)) {                                                        \
            cpu->r[op->rn] = address + (offset);                                                   \
            cpu->r[op->rd] = value;                                                                \
        }                                                                                          \
        return result;                                                                             \
    }

#define STORES(name, store, form, offset)                                                          \
    TRANSFER(name##_off_##form)                                                                    \
    {                                                                                              \
        return store(cpu, cpu->r[op->rn] + (offset), cpu->r[op->rd]);                              \
    }                                                                                              \
    TRANSFER(name##_pre_##form)                                                                    \
    {                                                                                              \
        const uint32_t address = cpu->r[op->rn] + (offset);                                        \
        const enum exec_result result = store(cpu, address, cpu->r[op->rd]);                       \
        if (LIKELY(result <= EXEC_CHECK)) {                                                        \
            cpu->r[op->rn] = address;                                                              \
        }                                                                                          \
        return result;                                                                             \
    }                                                                                              \
    TRANSFER(name##_post_##form)                                                                   \
    {                                                                                              \
        const uint32_t address = cpu->r[op->rn];                                                   \
        const enum exec_result result = store(cpu, address, cpu->r[op->rd]);                       \
        if (LIKELY(result <= EXEC_CHECK)) {                                                        \
            cpu->r[op->rn] = address + (offset);                                                   \
        }                                                                                          \
        return result;                                                                             \
    }

LOADS(ldr, load_word, imm, op->imm)
LOADS(ldr, load_word, reg, cpu->r[op->rm])
LOADS(ldrb, load_byte, imm, op->imm)
LOADS(ldrb, load_byte, reg, cpu->r[op->rm])
LOADS(ldrh, load_half, imm, op->imm)
LOADS(ldrh, load_half, reg, cpu->r[op->rm])
LOADS(ldrsb, load_signed_byte, imm, op->imm)
LOADS(ldrsb, load_signed_byte, reg, cpu->r[op->rm])
LOADS(ldrsh, load_signed_half, imm, op->imm)
LOADS(ldrsh, load_signed_half, reg, cpu->r[op->rm])
STORES(str, store_word, imm, op->imm)
STORES(str, store_word, reg, cpu->r[op->rm])
STORES(strb, store_byte, imm, op->imm)
STORES(strb, store_byte, reg, cpu->r[op->rm])
STORES(strh, store_half, imm, op->imm)
STORES(strh, store_half, reg, cpu->r[op->rm])

/* The address was checked when the block was built: it lies in the code memory. */
TRANSFER(ldr_literal)
{
    memcpy(&cpu->r[op->rd], cpu->code_bytes + (op->imm - cpu->code_base), sizeof(uint32_t));
    return EXEC_NEXT;
}

/* ---- several words ---- */

/* The address of the words if all of them lie in the window, otherwise NULL. */
ALWAYS_INLINE uint8_t *words_in_window(const struct window *window, uint32_t address,
                                       uint32_t bytes)
{
    const uint32_t offset = address - window->base;
    const bool inside = offset < window->size && window->size - offset >= bytes;
    return LIKELY(inside && (address & 3) == 0) ? window->bytes + offset : NULL;
}

/* As words_in_window(), for words that will be stored to. */
ALWAYS_INLINE uint8_t *words_to_store(struct arm968 *cpu, uint32_t address, unsigned count)
{
    uint8_t *bytes = words_in_window(&cpu->store, address, 4 * count);
    return LIKELY(bytes != NULL) ? bytes : memory_logged_words(cpu, address, count);
}

enum { DOUBLE_BYTES = 8, DOUBLE_ALIGNMENT = 7 };

/* LDRD and STRD: two words; memory.c handles addresses that are not multiples of 8. */
TRANSFER(ldrd)
{
    const uint32_t address = cpu->r[op->rm];
    uint32_t words[2];
    enum exec_result result = EXEC_NEXT;
    const uint8_t *bytes = words_in_window(&cpu->load, address, DOUBLE_BYTES);
    if (LIKELY(bytes != NULL && (address & DOUBLE_ALIGNMENT) == 0)) {
        memcpy(words, bytes, sizeof words);
    } else {
        result = memory_load_double(cpu, address, words);
    }
    if (result <= EXEC_CHECK) {
        cpu->r[op->rd] = words[0];
        cpu->r[op->rd + 1] = words[1];
    }
    return result;
}

TRANSFER(strd)
{
    const uint32_t address = cpu->r[op->rm];
    const uint32_t words[2] = {cpu->r[op->rd], cpu->r[op->rd + 1]};
    uint8_t *bytes = words_to_store(cpu, address, 2);
    if (LIKELY(bytes != NULL && (address & DOUBLE_ALIGNMENT) == 0)) {
        memcpy(bytes, words, sizeof words);
        return EXEC_NEXT;
    }
    return memory_store_double(cpu, address, words);
}

enum { BLOCK_PC = 15 };

ALWAYS_INLINE uint32_t block_address(const struct arm968 *cpu, const struct op *op, uint8_t words)
{
    return cpu->r[op->rn] + 4u * ((uint32_t)words - BLOCK_BIAS);
}

/* A transfer of User mode's registers in a mode without banked registers is UNPREDICTABLE: treated
 * as a plain one. */
ALWAYS_INLINE void note_user_bank(struct arm968 *cpu, const struct op *op)
{
    if (UNLIKELY((op->rm & BLOCK_USER) != 0) && !cpu_has_spsr(cpu)) {
        cpu->counters.unpredictable++;
    }
}

static NOINLINE void load_user_bank(struct arm968 *cpu, uint32_t list, const uint8_t *bytes)
{
    for (; list != 0; list &= list - 1, bytes += 4) {
        uint32_t value;
        memcpy(&value, bytes, sizeof value);
        arm968_set_banked_register(cpu, ARM968_USER, bits_lowest(list), value);
    }
}

TRANSFER(ldm)
{
    const uint32_t address = block_address(cpu, op, op->rd);
    const uint32_t base = block_address(cpu, op, op->rs);
    const unsigned count = op->imm >> BLOCK_COUNT_SHIFT;
    uint32_t words[ARM968_ACCESS_WORDS];
    enum exec_result result = EXEC_NEXT;
    const uint8_t *bytes = words_in_window(&cpu->load, address, 4 * count);
    if (UNLIKELY(bytes == NULL)) {
        result = memory_load_words(cpu, address, count, words);
        if (result > EXEC_CHECK) {
            return result;
        }
        bytes = (const uint8_t *)words;
    }
    note_user_bank(cpu, op);
    if (UNLIKELY((op->rm & BLOCK_USER) != 0)) {
        load_user_bank(cpu, op->imm & BLOCK_LIST, bytes);
    } else {
        uint32_t list = op->imm & ((1u << BLOCK_PC) - 1);
        for (; list != 0; list &= list - 1, bytes += 4) {
            memcpy(&cpu->r[bits_lowest(list)], bytes, sizeof(uint32_t));
        }
        if ((op->imm >> BLOCK_PC & 1) != 0) {
            memcpy(&cpu->r[REGISTER_TARGET], bytes, sizeof(uint32_t));
        }
    }
    if ((op->rm & BLOCK_WRITEBACK) != 0) {
        cpu->r[op->rn] = base;
    }
    return result;
}

static NOINLINE void store_user_bank(const struct arm968 *cpu, uint32_t list, uint8_t *to)
{
    for (; list != 0; list &= list - 1, to += 4) {
        const uint32_t value = arm968_banked_register(cpu, ARM968_USER, bits_lowest(list));
        memcpy(to, &value, sizeof value);
    }
}

TRANSFER(stm)
{
    const uint32_t address = block_address(cpu, op, op->rd);
    const uint32_t base = block_address(cpu, op, op->rs);
    const unsigned count = op->imm >> BLOCK_COUNT_SHIFT;
    uint32_t words[ARM968_ACCESS_WORDS];
    enum exec_result result = EXEC_NEXT;
    uint8_t *bytes = words_to_store(cpu, address, count);
    uint8_t *to = LIKELY(bytes != NULL) ? bytes : (uint8_t *)words;
    for (uint32_t list = op->imm & BLOCK_LIST; list != 0; list &= list - 1, to += 4) {
        memcpy(to, &cpu->r[bits_lowest(list)], sizeof(uint32_t));
    }
    if (UNLIKELY((op->rm & BLOCK_USER) != 0)) {
        store_user_bank(cpu, op->imm & ((1u << BLOCK_PC) - 1),
                        bytes != NULL ? bytes : (uint8_t *)words);
    }
    if (UNLIKELY(bytes == NULL)) {
        result = memory_store_words(cpu, address, count, words);
    }
    if (UNLIKELY(result > EXEC_CHECK)) {
        return result;
    }
    note_user_bank(cpu, op);
    if ((op->rm & BLOCK_WRITEBACK) != 0) {
        cpu->r[op->rn] = base;
    }
    return result;
}

/* One locked read and write. */
ALWAYS_INLINE enum exec_result swap(struct arm968 *cpu, const struct op *op, unsigned size)
{
    uint32_t value = cpu->r[op->rm];
    const enum exec_result result = memory_swap(cpu, cpu->r[op->rn], size, &value);
    if (result <= EXEC_CHECK) {
        cpu->r[op->rd] = value;
    }
    return result;
}

TRANSFER(swp)
{
    return swap(cpu, op, 4);
}

TRANSFER(swpb)
{
    return swap(cpu, op, 1);
}
