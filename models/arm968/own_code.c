/* own_code.c - the code that a core runs: acquired, changed, left, shared again; and blocks of one
 * instruction that belong to no code. */
#include "models/arm968/ahead.h"
#include "models/common/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    SHARE_WAIT_CYCLES = 20000, /* after leaving for the first time; then twice as long ... */
    SHARE_DOUBLED_MOST =
        30, /* ... up to so many times: a core that often changes its code keeps a private one */
    STRANGERS_MOST = 2 * SINGLES, /* instructions in varying words: more are a program there */
    FIRST_STOPS = 16,             /* room for stops; MAX_STOPS is this times a power of two */
};

static void drop_singles(struct arm968 *cpu)
{
    for (unsigned i = 0; cpu->single != NULL && i < SINGLES; i++) {
        free(cpu->single[i].block);
        cpu->single[i].block = NULL;
    }
}

/* Releases code and blocks that the core has left and that nobody runs any more. */
void cpu_release_left_code(struct arm968 *cpu)
{
    if (cpu->left_code != NULL) {
        drop_singles(cpu);
        code_release(cpu->left_code);
        cpu->left_code = NULL;
    }
    if (cpu->collects && code_is_due(cpu->code) && !ahead_is(cpu)) {
        cpu_drop_resume(cpu);
        drop_singles(cpu);
        code_collect(cpu->code);
    }
}

void cpu_drop_code(struct arm968 *cpu)
{
    cpu_drop_resume(cpu);
    cpu_release_left_code(cpu);
    drop_singles(cpu);
    code_release(cpu->code);
    cpu->code = NULL;
    cpu->collects = false;
    cpu->strangers = 0;
}

/* To be called after a change of private code. */
static void share_later(struct arm968 *cpu)
{
    if (cpu->code_private) {
        cpu->share_cycle = cpu->cycle + cpu->share_wait;
    }
}

/* Leaves shared code for a private one. */
static void leave_code(struct arm968 *cpu)
{
    cpu_drop_resume(cpu);
    cpu->left_code = cpu->code; /* its block may still be running */
    cpu->code = code_leave(cpu->left_code);
    cpu->code_changed = true;
    cpu->collects = cpu->code != NULL;
    cpu->code_private = true;
    cpu->strangers = 0;
    if (cpu->share_wait < (uint64_t)SHARE_WAIT_CYCLES << SHARE_DOUBLED_MOST) {
        cpu->share_wait = cpu->share_wait == 0 ? SHARE_WAIT_CYCLES : 2 * cpu->share_wait;
    }
    share_later(cpu);
}

/* The core has a new code. */
static void begin_code(struct arm968 *cpu)
{
    if (cpu->config.translator != NULL) {
        cpu_translator(cpu)->begin(cpu);
    }
}

void cpu_share_code(struct arm968 *cpu)
{
    cpu->share_cycle = UINT64_MAX;
    struct code *own = cpu->code;
    struct code *shared =
        own == NULL ? NULL : code_share(cpu->config.library, own, cpu->config.code.bytes);
    if (shared == NULL) { /* next_block() acquires one, or there is no memory */
        cpu->code_private = own != NULL;
        return;
    }
    cpu_drop_code(cpu);
    cpu->code = shared;
    cpu->code_private = false;
    begin_code(cpu);
}

static void acquire_code(struct arm968 *cpu)
{
    if (cpu->code != NULL) {
        return;
    }
    const struct code_config config = {
        .timing = &cpu->config.timing,
        .labels = cpu->labels,
        .memory = cpu->config.code,
        .itcm = !cpu->flat,
        .literal_wait = cpu->flat ? 0 : cpu->config.timing.itcm_data,
        .stops = cpu->stops,
        .stop_count = cpu->stop_count,
    };
    const bool own = cpu->code_private || cpu->flat; /* not all stores into flat memory are seen */
    cpu->code = code_acquire(own ? NULL : cpu->config.library, &config);
    cpu->collects = cpu->code != NULL && !code_is_shared(cpu->code);
    memory_need(cpu->code);
    begin_code(cpu);
}

struct block *cpu_build_block(struct arm968 *cpu, uint32_t pc, bool thumb,
                              const struct timing_pending *pending)
{
    struct block *block = code_block(cpu->code, cpu->config.code.bytes, pc, thumb, pending);
    if (cpu->flat) { /* stores to bytes that blocks depend on must be detected */
        memory_set_windows(cpu);
    }
    cpu->code_changed = cpu->code_changed || (cpu->collects && code_is_full(cpu->code));
    return block;
}

/* The block of the single instruction at pc, in the word fetched from there.  Cached for the next
 * time; NULL: a core that shares its code would have to build the block, and has done so too
 * often. */
static struct block *single_block(struct arm968 *cpu, uint32_t word, bool stranger)
{
    const struct timing_pending *pending = cpu->has_pending ? &cpu->pending : NULL;
    const uint32_t insn = cpu->thumb ? (uint16_t)(word >> (8 * (cpu->pc & 2))) : word;
    if (UNLIKELY(cpu->single == NULL)) {
        cpu->single = calloc(SINGLES, sizeof *cpu->single);
        memory_need(cpu->single);
    }
    struct single *single = &cpu->single[cpu->pc / 2 % SINGLES];
    const bool known = single->block != NULL && single->insn == insn &&
                       single->block->pc == cpu->pc &&
                       block_is_for(single->block, cpu->thumb, pending);
    if (!known && stranger && !ahead_is(cpu) && ++cpu->strangers > STRANGERS_MOST) {
        return NULL;
    }
    if (!known) {
        free(single->block);
        single->block = code_single(cpu->code, cpu->pc, cpu->thumb, insn, pending);
        single->insn = insn;
    }
    return single->block;
}

struct block *cpu_fetched_block(struct arm968 *cpu)
{
    acquire_code(cpu);
    return single_block(cpu, cpu->fetch_word, false);
}

/* The block at pc in the code memory. */
struct block *cpu_own_block(struct arm968 *cpu)
{
    acquire_code(cpu);
    const struct timing_pending *pending = cpu->has_pending ? &cpu->pending : NULL;
    struct block *block = cpu_block(cpu, cpu->pc, cpu->thumb, pending);
    if (block == NULL) { /* pc is in a word that is not shared */
        uint32_t word;
        memcpy(&word, cpu->config.code.bytes + ((cpu->pc & ~3u) - cpu->config.code.base),
               sizeof word);
        block = single_block(cpu, word, true);
    }
    if (block == NULL) {
        leave_code(cpu);
        acquire_code(cpu);
        block = cpu_block(cpu, cpu->pc, cpu->thumb, pending);
    }
    return block;
}

/* ---- code that changes ---- */

void arm968_code_written(struct arm968 *cpu, uint32_t address, uint32_t bytes)
{
    if (cpu->code == NULL || bytes == 0) {
        return;
    }
    const uint8_t *memory = cpu->config.code.bytes;
    switch (code_written(cpu->code, memory, address, bytes)) {
    case CODE_LEFT:
        leave_code(cpu);
        if (cpu->code != NULL) {
            (void)code_written(cpu->code, memory, address, bytes);
        }
        break;
    case CODE_CHANGED:
        cpu_drop_resume(cpu);
        cpu->code_changed = true;
        share_later(cpu);
        break;
    case CODE_KEPT:
    default:
        return;
    }
    memory_set_windows(cpu);
}

/* ---- stops ---- */

/* False: a core cannot have more, or there is no memory. */
static bool make_room_for_stops(struct arm968 *cpu)
{
    const unsigned room = cpu->stop_room == 0 ? FIRST_STOPS : 2 * cpu->stop_room;
    struct code_stop *stops =
        room > MAX_STOPS ? NULL : realloc(cpu->stops, room * sizeof *cpu->stops);
    if (stops == NULL) {
        return false;
    }
    cpu->stops = stops;
    cpu->stop_room = room;
    return true;
}

static enum status add_stop(struct arm968 *cpu, uint32_t address, unsigned kind)
{
    for (unsigned i = 0; i < cpu->stop_count; i++) {
        if (cpu->stops[i].address == address) {
            cpu->stops[i].kind |= kind;
            cpu_drop_code(cpu);
            return STATUS_OK;
        }
    }
    if (cpu->stop_count == cpu->stop_room && !make_room_for_stops(cpu)) {
        return STATUS_INTERNAL;
    }
    cpu->stops[cpu->stop_count++] = (struct code_stop){address, kind};
    cpu_drop_code(cpu);
    return STATUS_OK;
}

enum status arm968_add_mark(struct arm968 *cpu, uint32_t address)
{
    return add_stop(cpu, address, 1);
}

enum status arm968_add_breakpoint(struct arm968 *cpu, uint32_t address)
{
    return add_stop(cpu, address, 2);
}

void arm968_clear_stops(struct arm968 *cpu)
{
    cpu->stop_count = 0;
    cpu_drop_code(cpu);
}
