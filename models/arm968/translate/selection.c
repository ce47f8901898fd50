/* selection.c - see region.h. */
#include "models/arm968/translate/region.h"

#include "models/arm968/translate/emit_op.h"
#include "models/arm968/translate/op_registers.h"

enum { THUMB_BYTES = 2 };

/* More instructions would cost the host more than an occasional misprediction. */
enum { MOST_SELECTED_INSNS = 3 };

static bool only_computes(const struct block *block, unsigned insns)
{
    for (unsigned i = 0; i < block->boundary[insns].op; i++) {
        if (!emit_op_only_computes(block->op_code[i])) {
            return false;
        }
    }
    return true;
}

/* Whether the block ends with a conditional branch, and its last instruction is nothing else. */
static bool ends_with_branch(const struct region_block *block)
{
    const struct block *it = block->block;
    const unsigned code = it->op_code[it->boundary[it->insn_count - 1].op];
    return code >= OP_BRANCH_EQ && code <= OP_BRANCH_LE && block->how == LEAVES_BY_EDGES &&
           region_can_translate_all(it);
}

/* Whether a block continues at an address after this many instructions.  A block that ends with a
 * branch instruction has no operation after its last boundary. */
static bool goes_on(const struct block *block, unsigned insns, uint32_t pc)
{
    const unsigned op = block->boundary[insns].op;
    return insns < block->insn_count || (op < block->op_count && block->op_code[op] == OP_BRANCH &&
                                         block->edge[1].pc == pc && !block_has_edge(block, 0));
}

static bool is_inside(const struct region *region, int index, int function)
{
    return index != REGION_NONE && region->blocks[index].function == function;
}

void selection_find(struct region *region, int index)
{
    struct region_block *block = &region->blocks[index];
    const int function = block->function;
    if (function == REGION_NONE || !block->block->thumb || !ends_with_branch(block) ||
        !is_inside(region, block->to[0], function) || !is_inside(region, block->to[1], function)) {
        return;
    }
    const struct block *next = region->blocks[block->to[0]].block;
    const struct block *target = region->blocks[block->to[1]].block;
    const unsigned insns =
        (target->pc - next->pc) / THUMB_BYTES; /* huge if the branch leads back */
    if (insns == 0 || insns > MOST_SELECTED_INSNS || insns > next->insn_count ||
        !goes_on(next, insns, target->pc) ||
        !block_is_for(target, true, next->boundary[insns].pending) || !only_computes(next, insns)) {
        return;
    }
    block->selected = next;
    block->selected_insns = insns;
    block->to[0] = block->to[1];
}

int64_t selection_cycles(const struct region_block *block)
{
    return block->selected == NULL ? 0 : block->selected->boundary[block->selected_insns].cycles;
}

uint16_t selection_written(const struct region_block *block)
{
    uint16_t written = 0;
    const unsigned end =
        block->selected == NULL ? 0 : block->selected->boundary[block->selected_insns].op;
    for (unsigned i = 0; i < end; i++) {
        written |= op_registers_written(&block->selected->ops[i], block->selected->op_code[i]);
    }
    return written;
}

bool selection_wants_flags(const struct block *block)
{
    for (unsigned i = 0; i < block->op_count; i++) {
        const enum op_code code = block->op_code[i];
        if (emit_op_sets_all_flags(code)) {
            return false;
        }
        if (!emit_op_only_computes(code)) {
            return true;
        }
    }
    return true;
}
