/* judge.c - what is wrong with an access.  See memory_check.h. */
#include "sim/memory_check/check_state.h"

enum {
    NEAR_BYTES = 64,   /* behind a block: the program has gone past it */
    STACK_JUMP = 4096, /* bytes: r13 goes further only from one stack to another */
};

struct judged {
    struct check_core *core;
    struct check_memory *memory;
    const struct machine_access *access;
    struct machine_range range;
    uint32_t bytes;
    bool writes, transfers;
};

static bool note(const struct judged *judged, enum memory_check_kind kind, uint32_t skipped,
                 uint32_t bytes, const struct memory_block *block)
{
    struct machine_range range = judged->range;
    range.address += skipped;
    range.offset += skipped;
    const char *how = !judged->transfers ? NULL : judged->writes ? "DMA write" : "DMA read";
    check_note(judged->core, &(struct check_fault){.kind = kind,
                                                   .access = judged->access,
                                                   .range = range,
                                                   .bytes = bytes,
                                                   .block = block,
                                                   .how = how});
    return true;
}

/* ---- blocks ---- */

static enum memory_check_kind as_transfer(const struct judged *judged, enum memory_check_kind kind)
{
    return !judged->transfers            ? kind
           : kind == MEMORY_CHECK_OTHERS ? MEMORY_CHECK_DMA_OWNER
                                         : MEMORY_CHECK_DMA_BLOCK;
}

/* No block has the byte at `skipped`.  Reads there are not judged, except transfers. */
static bool outside_blocks(const struct judged *judged, uint32_t skipped, uint32_t bytes)
{
    if (!judged->core->knows || (!judged->writes && !judged->transfers)) {
        return false;
    }
    const uint32_t offset = judged->range.offset + skipped;
    const struct memory_block *before = memory_blocks_before(&judged->memory->blocks, offset);
    const bool near = before != NULL && offset - (before->first + before->bytes) < NEAR_BYTES;
    return note(judged, as_transfer(judged, near ? MEMORY_CHECK_PAST : MEMORY_CHECK_STRAY), skipped,
                bytes, near ? before : NULL);
}

static bool is_others(const struct judged *judged, const struct memory_block *block)
{
    return judged->writes && !judged->core->service && block->owner != BLOCK_OF_ALL &&
           block->owner != judged->access->core.p;
}

/* The part of the access from `skipped` on; true: something is wrong with it. */
static bool judge_part(const struct judged *judged, uint32_t skipped, uint32_t bytes)
{
    const struct memory_block *block =
        memory_blocks_at(&judged->memory->blocks, judged->range.offset + skipped);
    if (block == NULL) {
        return outside_blocks(judged, skipped, bytes);
    }
    if (block->freed) {
        return note(judged, MEMORY_CHECK_FREED, skipped, bytes, block);
    }
    if (is_others(judged, block)) {
        return note(judged, as_transfer(judged, MEMORY_CHECK_OTHERS), skipped, bytes, block);
    }
    const uint32_t room = block->first + block->bytes - (judged->range.offset + skipped);
    return bytes > room && (judged->writes || judged->transfers) && judged->core->knows &&
           note(judged, as_transfer(judged, MEMORY_CHECK_PAST), skipped + room, bytes - room,
                block);
}

/* Every area that the access touches; the first fault counts. */
static void judge_areas(const struct judged *judged)
{
    const struct check_memory *memory = judged->memory;
    const uint32_t first = judged->range.offset;
    for (unsigned i = 0; i < memory->areas; i++) {
        const struct check_area *area = &memory->area[i];
        const uint32_t begin = area->first > first ? area->first : first;
        const uint32_t end = area->end - first < judged->bytes ? area->end : first + judged->bytes;
        if (begin >= end || begin >= area->end) {
            continue;
        }
        if (area->rule == CHECK_CODE) {
            if (judged->writes &&
                note(judged, MEMORY_CHECK_CODE, begin - first, end - begin, NULL)) {
                return;
            }
        } else if (judge_part(judged, begin - first, end - begin)) {
            return;
        }
    }
}

/* ---- stacks ---- */

/* Follows r13; true: the access is one of a stack that has left its place. */
static bool overflows(struct check_core *core, const struct machine_access *access)
{
    const uint32_t dtcm = core->tcm[MACHINE_MEMORY_DTCM].shadow.bytes;
    const struct machine_range *range = &access->range;
    const bool follows = access->mode == ARM968_USER || access->mode == ARM968_SYSTEM ||
                         access->mode == ARM968_SUPERVISOR; /* handlers have small ones above */
    if (range->memory != MACHINE_MEMORY_DTCM || !follows) {
        return false;
    }
    const uint32_t sp = access->sp - (range->address - range->offset);
    if (sp >= core->stack_end) {
        core->stack_sp = sp <= dtcm ? sp : core->stack_sp;
        core->overflows = core->overflows && sp > dtcm;
        return false;
    }
    if (range->offset < sp || range->offset >= core->stack_end) {
        return false;
    }
    return core->overflows || core->stack_sp - sp <= STACK_JUMP;
}

static bool judge_stack(struct check_core *core, const struct machine_access *access)
{
    if (!core->knows || !overflows(core, access)) {
        return false;
    }
    if (!core->overflows) { /* once, until it is back */
        check_note(core, &(struct check_fault){
                             .kind = MEMORY_CHECK_STACK,
                             .access = access,
                             .range = access->range,
                             .bytes = access->bytes,
                             .block = memory_blocks_at(&core->tcm[MACHINE_MEMORY_DTCM].blocks,
                                                       access->range.offset)});
    }
    core->overflows = true;
    return true;
}

/* ---- accesses of instructions ---- */

/* Code that makes heaps, and functions that allocate or give back, write to heaps' own words. */
static bool is_exempt(const struct check_core *core, uint32_t pc)
{
    for (unsigned i = 0; i < core->exempts; i++) {
        if (pc - core->exempt[i].first < core->exempt[i].end - core->exempt[i].first) {
            return true;
        }
    }
    return core->calls > 0;
}

static void judge_read(const struct judged *judged)
{
    struct shadow *shadow = &judged->memory->shadow;
    const uint32_t written = shadow_written(shadow, judged->range.offset, judged->bytes);
    if (written < judged->bytes) {
        (void)note(judged, MEMORY_CHECK_UNWRITTEN, written, judged->bytes - written,
                   memory_blocks_at(&judged->memory->blocks, judged->range.offset + written));
        shadow_set(shadow, judged->range.offset, judged->bytes, true); /* reported once */
    }
}

static void take_access(struct check_chip *chip, struct check_core *core,
                        const struct machine_access *access)
{
    struct check_memory *memory =
        check_memory_of(chip, access->core, (enum machine_memory)access->range.memory);
    if (memory == NULL) { /* of a core without a program of ours */
        return;
    }
    const bool reads = access->kind != MACHINE_ACCESS_WRITE;
    const struct judged judged = {.core = core,
                                  .memory = memory,
                                  .access = access,
                                  .range = access->range,
                                  .bytes = access->bytes,
                                  .writes = access->kind != MACHINE_ACCESS_READ};
    const bool judges = core->image != NULL && !is_exempt(core, access->pc);
    if (judges && !judge_stack(core, access)) {
        judge_areas(&judged);
    }
    if (judges && reads && core->knows) {
        judge_read(&judged);
    }
    if (judged.writes) {
        shadow_set(&memory->shadow, access->range.offset, access->bytes, true);
    }
}

/* ---- transfers ---- */

static void judge_side(struct check_chip *chip, struct check_core *core,
                       const struct machine_access *access, const struct machine_range *range,
                       bool writes)
{
    const struct judged judged = {
        .core = core,
        .memory = check_memory_of(chip, access->core, (enum machine_memory)range->memory),
        .access = access,
        .range = *range,
        .bytes = access->bytes,
        .writes = writes,
        .transfers = true};
    if (judged.memory == NULL) {
        return;
    }
    const uint32_t room = judged.memory->shadow.bytes - range->offset;
    if (access->bytes > room) {
        (void)note(&judged, MEMORY_CHECK_DMA_MEMORY, room, access->bytes - room, NULL);
    } else {
        judge_areas(&judged);
    }
}

/* Where the program has asked for a transfer: the call of the runtime, or where it starts it
 * itself. */
static uint32_t site_of(const struct check_core *core, const struct machine_access *access)
{
    for (unsigned i = 0; i < CHECK_TRANSFERS && i < core->tolds; i++) {
        const struct check_transfer *told = &core->told[(core->tolds - 1 - i) % CHECK_TRANSFERS];
        if (told->system_address == access->range.address &&
            told->tcm_address == access->tcm.address && told->bytes == access->bytes) {
            return told->site;
        }
    }
    return access->pc;
}

static void take_transfer(struct check_chip *chip, struct check_core *core,
                          const struct machine_access *started)
{
    struct machine_access asked = *started;
    const struct machine_access *access = &asked;
    if (core->image == NULL || access->bytes == 0) {
        return;
    }
    asked.pc = site_of(core, started);
    if (access->tcm.memory == MACHINE_MEMORY_NONE) {
        check_note(core,
                   &(struct check_fault){.kind = MEMORY_CHECK_DMA_MEMORY,
                                         .access = access,
                                         .range = access->tcm,
                                         .bytes = access->bytes,
                                         .how = access->to_system ? "DMA read" : "DMA write"});
    }
    judge_side(chip, core, access, &access->tcm, !access->to_system);
    judge_side(chip, core, access, &access->range, access->to_system);
}

static void take_copy(struct check_chip *chip, const struct machine_access *access)
{
    struct check_memory *system =
        check_memory_of(chip, access->core, (enum machine_memory)access->range.memory);
    struct check_memory *tcm =
        access->has_tcm
            ? check_memory_of(chip, access->core, (enum machine_memory)access->tcm.memory)
            : NULL;
    struct check_memory *to = access->to_system ? system : tcm;
    const struct check_memory *from = access->to_system ? tcm : system;
    const struct machine_range *to_range = access->to_system ? &access->range : &access->tcm;
    const struct machine_range *from_range = access->to_system ? &access->tcm : &access->range;
    if (to != NULL && from != NULL) {
        shadow_copy(&to->shadow, to_range->offset, &from->shadow, from_range->offset,
                    access->bytes);
    } else if (to != NULL) { /* registers, or a check word */
        shadow_set(&to->shadow, to_range->offset, access->bytes, true);
    }
}

/* ---- all ---- */

static void take_host(struct check_chip *chip, const struct machine_access *access)
{
    struct check_memory *memory =
        check_memory_of(chip, access->core, (enum machine_memory)access->range.memory);
    if (memory != NULL) {
        shadow_set(&memory->shadow, access->range.offset, access->bytes, true);
    }
}

void memory_check_access(struct memory_check *check, const struct machine_access *access)
{
    struct check_chip *chip = check_chip_of(check, access->core);
    struct check_core *core = check_core_of(chip, access->core);
    switch ((enum machine_access_kind)access->kind) {
    case MACHINE_ACCESS_TRANSFER:
        take_transfer(chip, core, access);
        break;
    case MACHINE_ACCESS_COPY:
        take_copy(chip, access);
        break;
    case MACHINE_ACCESS_HOST:
        take_host(chip, access);
        break;
    case MACHINE_ACCESS_READ:
    case MACHINE_ACCESS_WRITE:
    case MACHINE_ACCESS_SWAP:
    default:
        take_access(chip, core, access);
        break;
    }
}
