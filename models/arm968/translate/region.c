/* region.c - see region.h. */
#include "models/arm968/translate/region.h"

#include "models/arm968/translate/leaving.h"
#include "models/arm968/translate/op_registers.h"
#include "models/common/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- lists ---- */

static void *grown(void *list, int count, int *capacity, size_t size)
{
    if (count < *capacity) {
        return list;
    }
    *capacity = *capacity == 0 ? 256 : 2 * *capacity;
    list = realloc(list, (size_t)*capacity * size);
    memory_need(list);
    return list;
}

void region_forget(struct region *region)
{
    for (int i = 0; i < region->block_count; i++) {
        region->blocks[i].block->region_index = REGION_NONE;
    }
}

void region_free(struct region *region)
{
    free(region->blocks);
    free(region->functions);
    free(region->members);
    free(region->cases);
}

static struct region_block *new_block(struct region *region)
{
    region->blocks =
        grown(region->blocks, region->block_count, &region->block_capacity, sizeof *region->blocks);
    return &region->blocks[region->block_count];
}

int region_add_block(struct region *region, struct block *block)
{
    if (block->region_index == REGION_NONE) {
        *new_block(region) = (struct region_block){.block = block,
                                                   .function = REGION_NONE,
                                                   .to = {REGION_NONE, REGION_NONE},
                                                   .return_to = REGION_NONE,
                                                   .entry = REGION_NONE};
        block->region_index = region->block_count++;
    }
    return block->region_index;
}

void region_add_member(struct region *region, int function, int index)
{
    region->members = grown(region->members, region->member_count, &region->member_capacity,
                            sizeof *region->members);
    region->members[region->member_count++] = index;
    region->functions[function].count++;
    region->insns += region->blocks[index].block->insn_count;
}

void region_add_copy(struct region *region, const struct region_block *copy)
{
    *new_block(region) = *copy;
    region_add_member(region, copy->function, region->block_count++);
}

void region_add_case(struct region *region, int index)
{
    region->cases =
        grown(region->cases, region->case_count, &region->case_capacity, sizeof *region->cases);
    region->cases[region->case_count++] = index;
}

int region_new_function(struct region *region)
{
    region->functions = grown(region->functions, region->function_count, &region->function_capacity,
                              sizeof *region->functions);
    region->functions[region->function_count] =
        (struct region_function){.first = region->member_count};
    return region->function_count++;
}

bool region_knows(const struct region *region, int index)
{
    return index != REGION_NONE && region->blocks[index].function != REGION_NONE;
}

struct block *region_called(const struct region *region, int index)
{
    const struct region_block *from = &region->blocks[index];
    switch (from->how) {
    case LEAVES_CALLING:
        return from->to[1] == REGION_NONE ? NULL : region->blocks[from->to[1]].block;
    case LEAVES_CALLING_REGISTER:
        return functions_last_target(from->block);
    case LEAVES_JUMPING:
        return from->cases == 0 ? functions_last_target(from->block) : NULL;
    case LEAVES_BY_EDGES:
    case LEAVES_RETURNING:
    case LEAVES_OTHERWISE:
    default:
        return NULL;
    }
}

/* ---- what can be translated ---- */

bool region_can_translate(const struct block *block, unsigned insn)
{
    bool written = false;
    const unsigned end =
        insn + 1 == block->insn_count ? block->op_count : block->boundary[insn + 1].op;
    for (unsigned i = block->boundary[insn].op; i < end; i++) {
        const enum op_code code = block->op_code[i];
        switch ((unsigned)code) {
        case OP_MRS_CPSR:
        case OP_MRS_SPSR:
        case OP_MSR_CPSR:
        case OP_MSR_SPSR:
        case OP_USER_ACCESS:
        case OP_UNPREDICTABLE:
        case OP_SWP:
        case OP_SWPB:
        case OP_CP15_READ:
        case OP_CP15_WRITE:
        case OP_UNDEFINED:
        case OP_JUMP_RESTORE:
        case OP_LEAVE:
        case OP_SWI:
        case OP_BKPT:
        case OP_DELAY:
        case OP_MARK:
        case OP_STOP:
            return false;
        case OP_LDM:
        case OP_STM:
            if ((block->ops[i].rm & BLOCK_USER) != 0) {
                return false;
            }
            break;
        case OP_JUMP:
        case OP_JUMP_EXCHANGE:
        case OP_JUMP_LOADED:
            if (block->edge[1].pending != NULL) {
                return false;
            }
            break;
        default:
            break;
        }
        const bool may_fail = code >= OP_LDR_OFF_IMM && code <= OP_STM;
        if (may_fail && written) {
            return false;
        }
        written = written || op_registers_written(&block->ops[i], code) != 0 || may_fail;
    }
    return true;
}

bool region_can_translate_all(const struct block *block)
{
    for (unsigned insn = 0; insn < block->insn_count; insn++) {
        if (!region_can_translate(block, insn)) {
            return false;
        }
    }
    return true;
}

bool region_can_hold(const struct block *block)
{
    return block->op_code[0] != OP_MARK && block->op_code[0] != OP_DELAY;
}
