/* region.c - see region.h. */
#include "models/arm968/translate/region.h"

#include "models/arm968/translate/native.h"
#include "models/common/bits.h"
#include "models/common/check.h"

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
    CHECK(list != NULL, "out of memory");
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

static int add_block(struct region *region, struct block *block)
{
    if (block->region_index == REGION_NONE) {
        region->blocks = grown(region->blocks, region->block_count, &region->block_capacity,
                               sizeof *region->blocks);
        region->blocks[region->block_count] =
            (struct region_block){.block = block,
                                  .function = REGION_NONE,
                                  .to = {REGION_NONE, REGION_NONE},
                                  .return_to = REGION_NONE,
                                  .entry = REGION_NONE};
        block->region_index = region->block_count++;
    }
    return block->region_index;
}

/* ---- registers of operations ---- */

static uint16_t one(unsigned reg)
{
    return (uint16_t)(reg <= REGISTER_LR ? 1u << reg : 0);
}

static bool is_store(enum op_code code)
{
    return code >= OP_STR_OFF_IMM && code <= OP_STRH_POST_REG;
}

static bool is_load(enum op_code code)
{
    return code >= OP_LDR_OFF_IMM && code <= OP_LDRSH_POST_REG;
}

/* Of the six forms of a single transfer, in the order of ops.def, the last four write the base. */
static bool writes_base(enum op_code code)
{
    const unsigned first = is_load(code) ? OP_LDR_OFF_IMM : OP_STR_OFF_IMM;
    return (code - first) % 6 >= 2;
}

uint16_t region_op_uses(const struct op *op, enum op_code code)
{
    uint32_t uses = 0;
    if (code >= OP_SKIP_EQ || code == OP_UNPREDICTABLE || code == OP_USER_ACCESS) {
        uses = one(op->rm);
    } else if (code == OP_LDM || code == OP_STM) {
        uses = (op->imm & 0x7fffu) | one(op->rn);
    } else {
        uses = one(op->rd) | one(op->rn) | one(op->rm) | one(op->rs);
        uses |= code == OP_LDRD || code == OP_STRD ? one(op->rd + 1u) : 0;
    }
    return (uint16_t)uses;
}

uint16_t region_op_writes(const struct op *op, enum op_code code)
{
    if (is_load(code) || is_store(code)) {
        return (uint16_t)((is_load(code) ? one(op->rd) : 0) |
                          (writes_base(code) ? one(op->rn) : 0));
    }
    if (code == OP_LDM || code == OP_STM) {
        return (uint16_t)((code == OP_LDM ? op->imm & 0x7fffu : 0) |
                          ((op->rm & BLOCK_WRITEBACK) != 0 ? one(op->rn) : 0));
    }
    if (code >= OP_SKIP_EQ || code == OP_STRD || (code >= OP_TST_IMM && code <= OP_TEST_NZ_LONG)) {
        return 0;
    }
    if (code == OP_LDRD) {
        return (uint16_t)(one(op->rd) | one(op->rd + 1u));
    }
    const bool wide =
        (code >= OP_UMULL && code <= OP_SMLAL) || (code >= OP_SMLALBB && code <= OP_SMLALTT);
    return (uint16_t)(one(op->rd) | (wide ? one(op->rn) : 0));
}

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
        written = written || region_op_writes(&block->ops[i], code) != 0 || may_fail;
    }
    return true;
}

/* ---- discovery ---- */

enum { MOST_CASES = 256 };

/* The last instruction sets the link register to what follows and goes on by edge 1. */
bool region_is_call(const struct block *block, uint32_t *lr)
{
    const uint32_t next = block_insn_pc(block, block->insn_count) | (block->thumb ? 1u : 0u);
    bool link = false;
    bool branches = false;
    for (unsigned i = block->boundary[block->insn_count - 1].op; i < block->op_count; i++) {
        link = link || (block->op_code[i] == OP_MOV_IMM && block->ops[i].rd == REGISTER_LR &&
                        block->ops[i].imm == next);
        branches = branches || block->op_code[i] == OP_BRANCH;
    }
    *lr = next;
    return link && branches && block->edge[1].pc != block_insn_pc(block, block->insn_count);
}

/* BLX to a register's value. */
static bool calls_register(const struct block *block)
{
    const uint32_t next = block_insn_pc(block, block->insn_count) | (block->thumb ? 1u : 0u);
    bool link = false;
    bool jumps = false;
    for (unsigned i = block->boundary[block->insn_count - 1].op; i < block->op_count; i++) {
        link = link || (block->op_code[i] == OP_MOV_IMM && block->ops[i].rd == REGISTER_LR &&
                        block->ops[i].imm == next);
        jumps = jumps || block->op_code[i] == OP_JUMP_EXCHANGE;
    }
    return link && jumps;
}

static bool has_edge(const struct block *block, unsigned which)
{
    return block->edge[which].cycles != 0;
}

static bool goes_indirectly(const struct block *block)
{
    for (unsigned i = 0; i < block->op_count; i++) {
        const unsigned code = block->op_code[i];
        if ((code >= OP_JUMP && code <= OP_BKPT && code != OP_LEAVE) || code == OP_UNDEFINED) {
            return true;
        }
    }
    return false;
}

bool region_can_hold(const struct block *block)
{
    return block->op_code[0] != OP_MARK && block->op_code[0] != OP_DELAY;
}

static void reach(struct region *region, int function, struct block *block, int **stack, int *depth,
                  int *capacity)
{
    if (block == NULL || !region_can_hold(block)) {
        return;
    }
    const int index = add_block(region, block);
    if (region->blocks[index].function != REGION_NONE) {
        return;
    }
    region->blocks[index].function = function;
    region->members = grown(region->members, region->member_count, &region->member_capacity,
                            sizeof *region->members);
    region->members[region->member_count++] = index;
    region->functions[function].count++;
    region->insns += block->insn_count;
    *stack = grown(*stack, *depth, capacity, sizeof **stack);
    (*stack)[(*depth)++] = index;
}

/* LDR pc,[pc,rX,LSL #2] behind a comparison of rX with the number of the last case: the block's
 * cases, as far as they have been seen to be run.  They are only guesses: the jump itself compares
 * the address that it has loaded. */
static void find_cases(struct region *region, int function, int index, int **stack, int *depth,
                       int *capacity)
{
    const struct block *block = region->blocks[index].block;
    const unsigned insn = block->insn_count - 1;
    uint32_t table = 0;
    bool jumps = false;
    uint32_t last = UINT32_MAX;
    for (unsigned i = 0; i < block->op_count; i++) {
        const struct op *op = &block->ops[i];
        if (block->op_code[i] == OP_CMP_IMM) {
            last = op->imm;
        }
        if (i < block->boundary[insn].op) {
            continue;
        }
        if (block->op_code[i] == OP_MOV_IMM && op->rd == REGISTER_PC_OPERAND) {
            table = op->imm;
        }
        jumps = jumps || (block->op_code[i] == OP_LDR_OFF_REG && op->rd == REGISTER_TARGET &&
                          op->rn == REGISTER_PC_OPERAND);
    }
    const struct arm968_memory memory = code_memory(region->code);
    if (!jumps || last >= MOST_CASES) {
        return;
    }
    const int first = region->case_count;
    for (uint32_t i = 0; i <= last; i++) {
        const uint32_t offset = table + 4 * i - memory.base;
        if (offset >= memory.size || memory.size - offset < 4) {
            break;
        }
        uint32_t target;
        memcpy(&target, region->memory + offset, sizeof target);
        struct block *to = code_find(region->code, target & ~1u, (target & 1) != 0, NULL);
        reach(region, function, to, stack, depth, capacity);
        if (to == NULL || to->region_index == REGION_NONE ||
            region->blocks[to->region_index].function != function) {
            continue;
        }
        bool known = false;
        for (int n = first; n < region->case_count; n++) {
            known = known || region->cases[n] == to->region_index;
        }
        if (!known) {
            region->cases =
                grown(region->cases, region->case_count, &region->case_capacity, sizeof(int));
            region->cases[region->case_count++] = to->region_index;
        }
    }
    region->blocks[index].first_case = first;
    region->blocks[index].cases = region->case_count - first;
}

/* The block that a call returns to, if it is one of the same function. */
static int reach_return(struct region *region, int function, uint32_t lr, int **stack, int *depth,
                        int *capacity)
{
    struct block *back = code_find(region->code, lr & ~1u, (lr & 1) != 0, NULL);
    reach(region, function, back, stack, depth, capacity);
    if (back == NULL || back->region_index == REGION_NONE ||
        region->blocks[back->region_index].function != function) {
        return REGION_NONE;
    }
    return back->region_index;
}

/* The blocks behind a block in the same function; what it calls is only noted. */
static void follow_edges(struct region *region, int function, int index, int **stack, int *depth,
                         int *capacity)
{
    struct block *block = region->blocks[index].block;
    uint32_t lr;
    const bool calls = region_is_call(block, &lr);
    if (calls_register(block)) {
        region->blocks[index].return_to =
            reach_return(region, function, lr, stack, depth, capacity);
        region->blocks[index].lr = lr;
    }
    find_cases(region, function, index, stack, depth, capacity);
    for (unsigned which = 0; which < 2; which++) {
        const struct edge *edge = &block->edge[which];
        if (!has_edge(block, which) || (which == 1 && goes_indirectly(block))) {
            continue;
        }
        struct block *to = code_find(region->code, edge->pc, edge->thumb, edge->pending);
        if (which == 1 && calls) {
            const int back = reach_return(region, function, lr, stack, depth, capacity);
            const int called =
                to == NULL || back == REGION_NONE ? REGION_NONE : add_block(region, to);
            region->blocks[index].calls = true;
            region->blocks[index].return_to = called == REGION_NONE ? REGION_NONE : back;
            region->blocks[index].lr = lr;
            region->blocks[index].to[1] = called;
            continue;
        }
        reach(region, function, to, stack, depth, capacity);
        const int to_index = to == NULL ? REGION_NONE : add_block(region, to);
        region->blocks[index].to[which] = to_index;
    }
}

void region_add_function(struct region *region, struct block *root)
{
    if (!region_can_hold(root) || (root->region_index != REGION_NONE &&
                                   region->blocks[root->region_index].function != REGION_NONE)) {
        return;
    }
    region->functions = grown(region->functions, region->function_count, &region->function_capacity,
                              sizeof *region->functions);
    const int function = region->function_count++;
    region->functions[function] = (struct region_function){.first = region->member_count};
    int *stack = NULL;
    int depth = 0;
    int capacity = 0;
    reach(region, function, root, &stack, &depth, &capacity);
    region->functions[function].root = root->region_index;
    while (depth > 0) {
        const int index = stack[--depth];
        follow_edges(region, function, index, &stack, &depth, &capacity);
    }
    free(stack);
}

/* What leads to a block by an edge of its own function, or returns to it, is no beginning. */
static void note_reached(struct code *code, const struct block *block)
{
    uint32_t lr;
    const bool calls = region_is_call(block, &lr);
    for (unsigned which = 0; which < 2; which++) {
        const struct edge *edge = &block->edge[which];
        const bool leaves = which == 1 && (calls || goes_indirectly(block));
        struct block *to = !has_edge(block, which) || leaves
                               ? NULL
                               : code_find(code, edge->pc, edge->thumb, edge->pending);
        if (to != NULL) {
            to->begins_function = false;
        }
    }
    struct block *back =
        calls || calls_register(block) ? code_find(code, lr & ~1u, (lr & 1) != 0, NULL) : NULL;
    if (back != NULL) {
        back->begins_function = false;
    }
}

static void note_called(struct code *code, const struct block *block)
{
    uint32_t lr;
    const struct edge *edge = &block->edge[1];
    struct block *to =
        region_is_call(block, &lr) ? code_find(code, edge->pc, edge->thumb, edge->pending) : NULL;
    if (to != NULL) {
        to->begins_function = true;
    }
}

/* A branch out of the function that it seems to lie in is a call that does not come back. */
static void note_tail_call(struct code *code, const struct block *block)
{
    uint32_t lr;
    const struct edge *edge = &block->edge[1];
    const bool branches = has_edge(block, 1) && !has_edge(block, 0) && !goes_indirectly(block) &&
                          edge->pc != block_insn_pc(block, block->insn_count);
    if (!branches || region_is_call(block, &lr)) {
        return;
    }
    uint32_t begin = 0;
    uint32_t end = UINT32_MAX;
    for (const struct block *it = code_first_block(code); it != NULL; it = it->next) {
        if (it->begins_function && it->pc <= block->pc && it->pc > begin) {
            begin = it->pc;
        } else if (it->begins_function && it->pc > block->pc && it->pc < end) {
            end = it->pc;
        }
    }
    struct block *to = code_find(code, edge->pc, edge->thumb, edge->pending);
    if (to != NULL && (to->pc < begin || to->pc >= end)) {
        to->begins_function = true;
    }
}

void region_find_functions(struct code *code)
{
    struct block *const first = code_first_block(code);
    for (struct block *it = first; it != NULL; it = it->next) {
        it->begins_function = it->pending == NULL;
    }
    for (const struct block *it = first; it != NULL; it = it->next) {
        note_reached(code, it);
    }
    for (const struct block *it = first; it != NULL; it = it->next) {
        note_called(code, it);
    }
    for (const struct block *it = first; it != NULL; it = it->next) {
        note_tail_call(code, it);
    }
}

/* ---- entries ---- */

static void make_entry(struct region *region, int index)
{
    struct region_block *block = &region->blocks[index];
    if (block->entry == REGION_NONE && block->function != REGION_NONE) {
        block->entry = region->functions[block->function].entries++;
    }
}

/* Loops have an entry at their heads: targets of edges to a block that is being visited. */
struct visit {
    struct region *region;
    uint8_t *state; /* 0 new, 1 being visited, 2 done */
};

static void visit(struct visit *visit, int start)
{
    struct region *region = visit->region;
    int *stack = malloc((((size_t)region->block_count + 1) * 4 + (size_t)region->case_count) *
                        sizeof *stack);
    CHECK(stack != NULL, "out of memory");
    int depth = 0;
    stack[depth++] = start;
    while (depth > 0) {
        const int index = stack[depth - 1];
        const struct region_block *block = &region->blocks[index];
        if (visit->state[index] != 0) {
            visit->state[index] = 2;
            depth--;
            continue;
        }
        visit->state[index] = 1;
        const int next[3] = {block->to[0], block->calls ? REGION_NONE : block->to[1],
                             block->return_to};
        for (int i = 0; i < 3 + block->cases; i++) {
            const int to = i < 3 ? next[i] : region->cases[block->first_case + i - 3];
            if (to == REGION_NONE || region->blocks[to].function != block->function) {
                continue;
            }
            if (visit->state[to] == 1) {
                make_entry(region, to);
            } else if (visit->state[to] == 0) {
                stack[depth++] = to;
            }
        }
    }
    free(stack);
}

static bool sets_q(enum op_code code)
{
    return (code >= OP_SMLABB && code <= OP_SMLATT) || code == OP_SMLAWB || code == OP_SMLAWT ||
           (code >= OP_QADD && code <= OP_QDSUB);
}

static void note_operations(struct region *region, const struct region_block *block)
{
    struct region_function *function = &region->functions[block->function];
    for (unsigned which = 0; which < 2; which++) {
        function->reads_code |= block->block->edge[which].counts.literals != 0;
    }
    for (unsigned i = 0; i < block->block->op_count; i++) {
        const struct op *op = &block->block->ops[i];
        const enum op_code code = block->block->op_code[i];
        function->used |= region_op_uses(op, code);
        function->written |= region_op_writes(op, code);
        function->saturates |= sets_q(code);
    }
}

/* What a block leads to outside its function may change, too. */
static uint16_t changed_behind(const struct region *region, const struct region_block *block)
{
    uint16_t changed = 0;
    if (block->return_to != REGION_NONE && !block->calls) { /* a call of a register's value */
        changed = REGION_REGISTERS;
    }
    for (unsigned which = 0; which < 2; which++) {
        const int to = block->to[which];
        if (to != REGION_NONE && region->blocks[to].function != REGION_NONE) {
            changed |= region->functions[region->blocks[to].function].changed;
        }
    }
    return changed;
}

/* The least solution. */
static void note_changed(struct region *region)
{
    for (int f = 0; f < region->function_count; f++) {
        region->functions[f].changed = region->functions[f].written;
    }
    bool more = true;
    while (more) {
        more = false;
        for (int i = 0; i < region->block_count; i++) {
            const struct region_block *block = &region->blocks[i];
            if (block->function == REGION_NONE) {
                continue;
            }
            struct region_function *function = &region->functions[block->function];
            const uint16_t all = function->changed | changed_behind(region, block);
            more = more || all != function->changed;
            function->changed = all;
        }
    }
}

/* Which registers may have changed at the end of each block since the function was entered or a
 * call came back: the least solution. */
static void note_dirty(struct region *region, int function)
{
    const struct region_function *it = &region->functions[function];
    bool changed = true;
    while (changed) {
        changed = false;
        for (int i = 0; i < it->count; i++) {
            struct region_block *block = &region->blocks[region->members[it->first + i]];
            uint16_t out = block->dirty;
            for (unsigned n = 0; n < block->block->op_count; n++) {
                out |= region_op_writes(&block->block->ops[n], block->block->op_code[n]);
            }
            for (int which = 0; which < 2 + block->cases; which++) {
                const int to =
                    which < 2 ? block->to[which] : region->cases[block->first_case + which - 2];
                if (to == REGION_NONE || (which == 1 && block->calls) ||
                    region->blocks[to].function != function) {
                    continue;
                }
                struct region_block *next = &region->blocks[to];
                changed = changed || (next->dirty | out) != next->dirty;
                next->dirty |= out;
            }
        }
    }
}

static bool all_translated(const struct block *block)
{
    for (unsigned insn = 0; insn < block->insn_count; insn++) {
        if (!region_can_translate(block, insn)) {
            return false;
        }
    }
    return true;
}

/* Where the edges of a block lead to in translated code. */
static void note_edges(struct region *region, int index)
{
    const struct region_block *block = &region->blocks[index];
    const bool all = all_translated(block->block);
    for (unsigned which = 0; which < 2; which++) {
        const int to = block->to[which];
        if (to == REGION_NONE || region->blocks[to].function == REGION_NONE) {
            continue;
        }
        const bool inside = region->blocks[to].function == block->function;
        if (!inside || (which == 1 && block->calls)) {
            make_entry(region, to);
            continue;
        }
        region->blocks[to].preds += block->to[1] == index ? 2 : 1; /* loops are emitted twice */
        if (!all) { /* the interpreter goes on from there */
            make_entry(region, to);
        }
    }
}

void region_finish(struct region *region)
{
    struct visit walk = {region, calloc((size_t)region->block_count + 1, 1)};
    CHECK(walk.state != NULL, "out of memory");
    for (int f = 0; f < region->function_count; f++) {
        make_entry(region, region->functions[f].root);
        visit(&walk, region->functions[f].root);
    }
    free(walk.state);
    for (int i = 0; i < region->block_count; i++) {
        struct region_block *block = &region->blocks[i];
        if (block->function == REGION_NONE) {
            continue;
        }
        note_operations(region, block);
        if (block->return_to != REGION_NONE) {
            make_entry(region, block->return_to);
        }
        for (int n = 0; n < block->cases; n++) {
            region->blocks[region->cases[block->first_case + n]].preds += 2; /* never alone */
        }
        note_edges(region, i);
    }
    for (int f = 0; f < region->function_count; f++) {
        note_dirty(region, f);
    }
    note_changed(region);
}
