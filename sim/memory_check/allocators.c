/* allocators.c - calls of a program's functions that manage heaps: seen by marks at their first
 * instructions, and at those to which they return.  A mark costs the guest nothing. */
#include "sim/memory_check/check_state.h"

#include "sim/load/machine_load.h"

#include <stdlib.h>
#include <string.h>

enum does { DOES_ALLOCATE, DOES_FREE, DOES_MAKE, DOES_TRANSFER };
enum { NONE = -1, REGISTER_SP = 13, REGISTER_LR = 14 };

struct check_allocator {
    const char *name;
    enum does does;
    int size, count; /* registers, or NONE */
    int heap, tag, block;
};

static const struct check_allocator ALLOCATORS[] = {
#define ALLOCATES(name, size, count, heap, tag)                                                    \
    {#name, DOES_ALLOCATE, size, count, heap, tag, NONE},
#define FREES(name, block) {#name, DOES_FREE, NONE, NONE, NONE, NONE, block},
#define MAKES(name)        {#name, DOES_MAKE, NONE, NONE, NONE, NONE, NONE},
#define TRANSFERS(name)    {#name, DOES_TRANSFER, NONE, NONE, NONE, NONE, NONE},
#include "sim/memory_check/allocators.def"
#undef ALLOCATES
#undef TRANSFERS
#undef FREES
#undef MAKES
};

/* ---- finding them ---- */

static enum status add_function(const struct memory_check *check, struct machine_core core,
                                struct check_core *of, const struct elf_symbol *symbol,
                                const struct check_allocator *is)
{
    if (is->does == DOES_MAKE) {
        if (of->exempts < CHECK_EXEMPT) {
            of->exempt[of->exempts].first = symbol->address;
            of->exempt[of->exempts++].end = symbol->address + symbol->size;
        }
        return STATUS_OK;
    }
    if (of->functions == CHECK_FUNCTIONS) {
        return STATUS_OK;
    }
    of->function[of->functions].address = symbol->address;
    of->function[of->functions++].is = is;
    return machine_add_mark(check->machine, core, symbol->address);
}

enum status check_find_allocators(const struct memory_check *check, struct machine_core core,
                                  struct check_core *of)
{
    for (size_t i = 0; i < sizeof ALLOCATORS / sizeof *ALLOCATORS; i++) {
        const struct elf_symbol *symbol = elf_image_find(of->image, ALLOCATORS[i].name);
        if (symbol != NULL && symbol->function &&
            add_function(check, core, of, symbol, &ALLOCATORS[i]) != STATUS_OK) {
            return STATUS_INTERNAL;
        }
    }
    return STATUS_OK;
}

/* ---- a core at a mark ---- */

struct at {
    const struct memory_check *check;
    struct machine_core id;
    struct check_chip *chip;
    struct check_core *core;
};

static uint32_t reg(const struct at *at, int index)
{
    return index == NONE ? 0 : machine_core_register(at->check->machine, at->id, (unsigned)index);
}

/* Marks an address to which a call returns.  False: there are too many. */
static bool mark_return(const struct at *at, uint32_t address)
{
    struct check_core *core = at->core;
    for (unsigned i = 0; i < core->return_count; i++) {
        if (core->returns[i] == address) {
            return true;
        }
    }
    if (core->return_count == CHECK_RETURNS ||
        machine_add_mark(at->check->machine, at->id, address) != STATUS_OK) {
        return false;
    }
    core->returns[core->return_count++] = address;
    return true;
}

static struct check_memory *memory_at(const struct at *at, uint32_t address,
                                      struct machine_range *range)
{
    *range = machine_find_memory(at->check->machine, at->id, address);
    return check_memory_of(at->chip, at->id, (enum machine_memory)range->memory);
}

/* ---- giving back ---- */

static void note_free(const struct at *at, uint32_t site, struct machine_range range,
                      const struct memory_block *block, enum memory_check_kind kind)
{
    const struct machine_access access = {
        .time_ps = machine_core_time_ps(at->check->machine, at->id), .core = at->id, .pc = site};
    check_note(at->core, &(struct check_fault){.kind = kind,
                                               .access = &access,
                                               .range = range,
                                               .bytes = 0,
                                               .block = block,
                                               .how = "free"});
}

static void give_back(const struct at *at, const struct check_call *call)
{
    struct machine_range range;
    struct check_memory *memory = memory_at(at, call->block, &range);
    struct memory_block *block =
        memory == NULL ? NULL : memory_blocks_at(&memory->blocks, range.offset);
    if (block == NULL || block->first != range.offset) {
        note_free(at, call->site, range, block, MEMORY_CHECK_BAD_FREE);
    } else if (block->freed) {
        note_free(at, call->site, range, block, MEMORY_CHECK_DOUBLE_FREE);
    } else {
        block->freed = true;
        block->given_back = (struct memory_block_site){call->site, at->id.p};
    }
}

/* ---- allocating ---- */

static void allocate(const struct at *at, const struct check_call *call, uint32_t address)
{
    struct machine_range range;
    struct check_memory *memory = memory_at(at, address, &range);
    if (address == 0 || memory == NULL) {
        return;
    }
    if (call->heap != 0) {
        check_add_heap(at->check, at->id, call->heap);
    }
    const struct memory_block *around = memory_blocks_at(&memory->blocks, range.offset);
    if (around != NULL && !around->freed && around->first != range.offset) {
        return; /* a heap in a block of another heap */
    }
    const struct memory_block block = {.first = range.offset,
                                       .bytes = call->bytes,
                                       .owner = call->shared ? BLOCK_OF_ALL : at->id.p,
                                       .allocated = {call->site, at->id.p},
                                       .given_back = {.core = -1}};
    if (call->bytes > 0 && memory_blocks_add(&memory->blocks, &block)) {
        shadow_set(&memory->shadow, range.offset, call->bytes, false);
    }
}

/* ---- calls ---- */

/* spin1_dma_transfer(tag, system address, TCM address, direction, bytes): the runtime starts the
 * transfer now or later. */
static void announce(const struct at *at)
{
    struct check_core *core = at->core;
    core->told[core->tolds++ % CHECK_TRANSFERS] =
        (struct check_transfer){.site = machine_call_before(reg(at, REGISTER_LR)),
                                .system_address = reg(at, 1),
                                .tcm_address = reg(at, 2),
                                .bytes = check_word(at->check, at->id, reg(at, REGISTER_SP))};
}

static void enter(const struct at *at, const struct check_allocator *is)
{
    struct check_core *core = at->core;
    if (is->does == DOES_TRANSFER) {
        announce(at);
        return;
    }
    const uint32_t returns = reg(at, REGISTER_LR) & ~1u;
    const uint32_t sp = reg(at, REGISTER_SP);
    const struct check_call *outer = core->calls == 0 ? NULL : &core->call[core->calls - 1];
    const bool goes_on = outer != NULL && outer->returns == returns && outer->sp == sp;
    if (goes_on || core->calls == CHECK_CALLS || !mark_return(at, returns)) {
        return; /* a jump from one of these functions to another */
    }
    struct check_call call = {.returns = returns,
                              .sp = sp,
                              .site = machine_call_before(reg(at, REGISTER_LR)),
                              .allocates = is->does == DOES_ALLOCATE,
                              .block = reg(at, is->block),
                              .heap = reg(at, is->heap),
                              .shared = reg(at, is->tag) != 0};
    call.bytes = reg(at, is->size) * (is->count == NONE ? 1 : reg(at, is->count));
    const bool inner = outer != NULL && !outer->allocates && outer->block == call.block;
    core->call[core->calls++] = call;
    if (is->does == DOES_FREE && !inner) {
        give_back(at, &call);
    }
}

static void leave(const struct at *at)
{
    struct check_core *core = at->core;
    const struct check_call call = core->call[--core->calls];
    if (call.allocates) {
        allocate(at, &call, reg(at, 0));
    }
}

void memory_check_mark(struct memory_check *check, struct machine_core id, uint32_t address)
{
    struct check_chip *chip = check_chip_of(check, id);
    const struct at at = {check, id, chip, check_core_of(chip, id)};
    struct check_core *core = at.core;
    const struct check_call *last = core->calls == 0 ? NULL : &core->call[core->calls - 1];
    if (last != NULL && last->returns == address && last->sp == reg(&at, REGISTER_SP)) {
        leave(&at);
    }
    for (unsigned i = 0; i < core->functions; i++) {
        if (core->function[i].address == address) {
            enter(&at, core->function[i].is);
            return;
        }
    }
}
