/* interpreter.c - the threaded interpreter: one label per operation, cycles and counts once per
 * block.
 *
 * A block is entered in full when its last instruction starts within the budget; otherwise a copy
 * of its first instructions is run, followed by a STOP.  So a core can stop at any instruction
 * boundary, with the same code that runs at full speed.  The counts of a block are added at the
 * edge by which it is left; a stop inside the block, to be continued there, adds none yet. */
#include "models/arm968/interpreter.h"

#include "models/arm968/exec_block.h"
#include "models/arm968/exec_data.h"
#include "models/arm968/exec_memory.h"
#include "models/arm968/exec_system.h"

/* More than any budget: ends the run at the next block without changing the cycle count. */
#define ENOUGH       (INT64_C(1) << 40)

#define CONDITION_EQ (cpu->flag_z == 0)
#define CONDITION_CS (cpu->flag_c != 0)
#define CONDITION_MI ((int32_t)cpu->flag_n < 0)
#define CONDITION_VS ((int32_t)cpu->flag_v < 0)
#define CONDITION_HI (cpu->flag_c != 0 && cpu->flag_z != 0)
#define CONDITION_GE ((int32_t)(cpu->flag_n ^ cpu->flag_v) >= 0)
#define CONDITION_GT (cpu->flag_z != 0 && (int32_t)(cpu->flag_n ^ cpu->flag_v) >= 0)

#define EACH_CONDITION(DO)                                                                         \
    DO(eq, CONDITION_EQ)                                                                           \
    DO(ne, !CONDITION_EQ)                                                                          \
    DO(cs, CONDITION_CS)                                                                           \
    DO(cc, !CONDITION_CS)                                                                          \
    DO(mi, CONDITION_MI)                                                                           \
    DO(pl, !CONDITION_MI)                                                                          \
    DO(vs, CONDITION_VS)                                                                           \
    DO(vc, !CONDITION_VS)                                                                          \
    DO(hi, CONDITION_HI)                                                                           \
    DO(ls, !CONDITION_HI)                                                                          \
    DO(ge, CONDITION_GE)                                                                           \
    DO(lt, !CONDITION_GE)                                                                          \
    DO(gt, CONDITION_GT)                                                                           \
    DO(le, !CONDITION_GT)

/* Continues with the next operation. */
#define DISPATCH() GOTO_ADDRESS(op->label)
#define NEXT()                                                                                     \
    do {                                                                                           \
        op++;                                                                                      \
        DISPATCH();                                                                                \
    } while (0)

/* Enters a block at its start: `limit - budget` is the current cycle throughout. */
#define ENTER()                                                                                    \
    do {                                                                                           \
        if (UNLIKELY(budget <= block->last_start)) {                                               \
            goto enter_short;                                                                      \
        }                                                                                          \
        first = block->ops;                                                                        \
        op = atomic_load_explicit(&block->entry, memory_order_acquire);                            \
        DISPATCH();                                                                                \
    } while (0)

/* Leaves a block by an edge with a known target.  A separate branch per edge, so that the host
 * predicts it. */
#define TAKE(which)                                                                                \
    do {                                                                                           \
        struct edge *taken = &block->edge[which];                                                  \
        budget -= taken->cycles;                                                                   \
        block_counts_add(&cpu->counts, &taken->counts);                                            \
        struct block *to = atomic_load_explicit(&taken->to, memory_order_acquire);                 \
        if (UNLIKELY(to == NULL)) {                                                                \
            edge = taken;                                                                          \
            goto follow_edge;                                                                      \
        }                                                                                          \
        block = to;                                                                                \
        ENTER();                                                                                   \
    } while (0)

/* Leaves a block by a jump to a register's value. */
#define JUMP_TO(target, to_thumb)                                                                  \
    do {                                                                                           \
        jump_pc = (target);                                                                        \
        jump_thumb = (to_thumb);                                                                   \
        goto indirect;                                                                             \
    } while (0)

/* One function, because its labels are what the operations point to. */
/* NOLINTNEXTLINE(readability-function-cognitive-complexity) */
static const void *const *labels_or_run(struct arm968 *cpu, struct block *block, unsigned insn,
                                        int64_t budget, enum leave_reason *reason)
{
    static const void *const LABELS[OP_CODES] = {
#define SIMPLE(code, name)  LABEL_ADDRESS(do_##name),
#define RESULT(code, name)  LABEL_ADDRESS(do_##name),
#define CONTROL(code, name) LABEL_ADDRESS(do_##name),
#include "models/arm968/ops.def"
#undef SIMPLE
#undef RESULT
#undef CONTROL
    };
    if (cpu == NULL) {
        return LABELS;
    }
    int64_t limit = (int64_t)cpu->cycle + budget;
    const struct op *op;
    const struct op *first; /* operation 0 of the block or of its shortened copy */
    struct edge *edge;
    enum exec_result result;
    uint32_t jump_pc;
    bool jump_thumb;
    struct shortened_ops copy;

    cpu->resume_block = NULL;
    if (insn == 0 && cpu->access_state == ACCESS_NONE) {
        ENTER();
    }
    budget += block->boundary[insn].cycles;
    if (budget - block->boundary[insn].cycles + block->boundary[insn].latest > block->last_start) {
        first = block->ops;
        op = first + block->boundary[insn].op;
    } else {
        op = shortened(&copy, block, insn, budget);
        first = copy.op;
    }
    DISPATCH();

enter_short:
    if (UNLIKELY(block->dropped)) {
        block = follow_dropped(cpu, block);
        ENTER();
    }
    if (budget <= 0) {
        leave_inside(cpu, block, 0);
        *reason = LEAVE_BOUNDARY;
        goto leave;
    }
    op = first = shortened(&copy, block, 0, budget); /* operation 0, the start of the copy */
    DISPATCH();

#define SIMPLE(code, name)                                                                         \
    do_##name : exec_##name(cpu, op);                                                              \
    NEXT();
#define RESULT(code, name)                                                                         \
    do_##name : result = exec_##name(cpu, op);                                                     \
    if (UNLIKELY(result != EXEC_NEXT)) {                                                           \
        goto interrupted;                                                                          \
    }                                                                                              \
    NEXT();
#define CONTROL(code, name)
#include "models/arm968/ops.def"
#undef SIMPLE
#undef RESULT
#undef CONTROL

#define SKIP_UNLESS(name, condition)                                                               \
    do_skip_##name : if (LIKELY(condition))                                                        \
    {                                                                                              \
        NEXT();                                                                                    \
    }                                                                                              \
    goto skip;
    EACH_CONDITION(SKIP_UNLESS)

skip:
    if (op->imm != 0) {
        const struct block_credit *credit = &block->credit[op->imm - 1];
        budget += credit->cycles;
        block_counts_subtract(&cpu->counts, &credit->counts);
    }
    op += op->rd + 1;
    DISPATCH();

#define BRANCH_IF(name, condition)                                                                 \
    do_branch_##name : if (condition)                                                              \
    {                                                                                              \
        TAKE(1);                                                                                   \
    }                                                                                              \
    TAKE(0);
    EACH_CONDITION(BRANCH_IF)

do_branch:
    TAKE(1);
do_fall:
    TAKE(0);

follow_edge : {
    struct block *to = follow(cpu, block, edge);
    if (to == NULL) {
        leave_to(cpu, edge->pc, edge->thumb, edge->pending);
        *reason = LEAVE_FETCH;
        goto leave;
    }
    block = to;
    ENTER();
}

do_jump:
    JUMP_TO(cpu->r[op->rm] & (block->thumb ? ~1u : ~3u), block->thumb);
do_jump_exchange : {
    const uint32_t target = cpu->r[op->rm];
    note_target(cpu, target);
    JUMP_TO(target & ((target & 1) != 0 ? ~1u : ~3u), (target & 1) != 0);
}
do_jump_loaded : {
    const uint32_t target = cpu->r[op->rm];
    const bool exchange = (cpu->cp15_control & CONTROL_NO_INTERWORKING) == 0;
    const bool thumb = exchange ? (target & 1) != 0 : block->thumb;
    if (exchange) {
        note_target(cpu, target);
    }
    JUMP_TO(target & (thumb ? ~1u : ~3u), thumb);
}

indirect : {
    edge = &block->edge[1];
    budget -= edge->cycles;
    block_counts_add(&cpu->counts, &edge->counts);
    struct block *to = follow_indirect(cpu, block, edge, jump_pc, jump_thumb);
    if (UNLIKELY(to == NULL)) {
        leave_to(cpu, jump_pc, jump_thumb, edge->pending);
        *reason = LEAVE_FETCH;
        goto leave;
    }
    block = to;
    ENTER();
}

do_jump_restore : {
    edge = &block->edge[1];
    budget -= edge->cycles;
    block_counts_add(&cpu->counts, &edge->counts);
    const uint32_t target = cpu->r[op->rm];
    cpu->thumb = block->thumb;
    if (cpu_has_spsr(cpu)) {
        cpu_write_cpsr(cpu, cpu->bank_spsr[cpu_bank(cpu->mode)], 0xf80000ffu, true);
    } else {
        cpu->counters.unpredictable++;
    }
    jump_pc = target & (cpu->thumb ? ~1u : ~3u);
    jump_thumb = cpu->thumb;
    goto look_up;
}

do_leave:
    edge = &block->edge[1];
    budget -= edge->cycles;
    block_counts_add(&cpu->counts, &edge->counts);
    jump_pc = edge->pc;
    jump_thumb = edge->thumb;

look_up : { /* modes, masks or system control have changed: check whether to act */
    cpu->mark_passed = false;
    struct block *to = NULL;
    if (interrupt_is_due(cpu, limit - budget)) {
        leave_to(cpu, jump_pc, jump_thumb, edge->pending);
        to = first_of_handler(cpu, limit - budget);
        budget = limit - (int64_t)cpu->cycle;
        if (to == NULL) {
            *reason = LEAVE_BOUNDARY;
            goto leave;
        }
        goto enter_behind;
    }
    if (goes_on_behind(cpu, limit - budget)) {
        to = follow_indirect(cpu, block, edge, jump_pc, jump_thumb);
    }
    if (to == NULL) {
        leave_to(cpu, jump_pc, jump_thumb, edge->pending);
        *reason = LEAVE_BOUNDARY;
        goto leave;
    }
enter_behind : {
    const int64_t excess = excess_over(cpu, limit);
    limit -= excess;
    budget -= excess;
    block = to;
    ENTER();
}
}

do_swi:
    cpu->swi_number = op->imm;
    *reason = LEAVE_SWI;
    goto leave_by_edge;

leave_by_edge:
    edge = &block->edge[1];
    budget -= edge->cycles;
    block_counts_add(&cpu->counts, &edge->counts);
    leave_to(cpu, edge->pc, edge->thumb, edge->pending);
    goto leave;

do_bkpt:
    result = EXEC_UNDEFINED;
    *reason = LEAVE_BREAKPOINT;
    goto exception;

do_delay : {
    const uint32_t rounds = delay_rounds(cpu->r[op->rd], budget, block);
    cpu->r[op->rd] -= rounds;
    budget -= (int64_t)rounds * block->edge[1].cycles;
    add_rounds(&cpu->counts, &block->edge[1].counts, rounds);
    NEXT();
}

do_native : {
    const struct native_entry *entry = (const struct native_entry *)(const void *)op;
    if (!native_fits(cpu, entry->native) || budget <= entry->needs) {
        op = first;
        DISPATCH();
    }
    cpu->native_end = (uint64_t)limit;
    cpu->native_stack_end = (const uint8_t *)__builtin_frame_address(0) - NATIVE_STACK_BYTES;
    const struct native_result result_of = entry->run(cpu, (int32_t)budget, entry->number);
    const int64_t spent = budget - result_of.budget - cpu->native_cut;
    judge_native(block, entry, spent);
    budget -= spent;
    if (cpu->native_asked) { /* horizon or interrupt lines may have changed */
        const int64_t excess = excess_over(cpu, limit);
        limit -= excess;
        budget -= excess;
        cpu->native_cut = 0;
        cpu->native_asked = false;
    }
    cpu->native_runs++;
    settle_native_flags(cpu);
    const uint32_t low = (uint32_t)result_of.where;
    const unsigned high = (result_of.where >> NATIVE_HIGH_SHIFT) & ((1u << NATIVE_HIGH_BITS) - 1);
    switch ((enum native_why)(result_of.where >> NATIVE_WHY_SHIFT)) {
    case NATIVE_EDGE: {
        SEES(cpu->native_left);
        block = cpu->native_left->blocks[low];
        edge = &block->edge[high];
        struct block *to = atomic_load_explicit(&edge->to, memory_order_acquire);
        if (UNLIKELY(to == NULL)) {
            goto follow_edge;
        }
        block = to;
        ENTER();
    }
    case NATIVE_AT:
        SEES(cpu->native_left);
        block = cpu->native_left->blocks[low];
        if (budget - block->boundary[high].cycles + block->boundary[high].latest >
            block->last_start) {
            first = block->ops;
            op = first + block->boundary[high].op;
        } else {
            op = shortened(&copy, block, high, budget);
            first = copy.op;
        }
        DISPATCH();
    case NATIVE_JUMP:
    default:
        jump_thumb = (low & 1) != 0;
        jump_pc = low & (jump_thumb ? ~1u : ~3u);
        cpu->counters.unpredictable += (low & 3) == 2;
        break;
    }
    struct block *to = cpu_block(cpu, jump_pc, jump_thumb, NULL);
    if (UNLIKELY(to == NULL)) {
        leave_to(cpu, jump_pc, jump_thumb, NULL);
        *reason = LEAVE_FETCH;
        goto leave;
    }
    block = to;
    ENTER();
}

do_mark: /* skipped if an instruction continues after its access has been made */
    if (cpu->access_state == ACCESS_DONE || (cpu->mark_passed && cpu->mark_pc == block->pc)) {
        cpu->mark_passed = false;
        NEXT();
    }
    cpu->stop_kind = op->imm;
    leave_inside(cpu, block, 0);
    *reason = LEAVE_MARK;
    goto leave;

do_stop : {
    const struct block_boundary *boundary = &block->boundary[copy.end];
    budget -= boundary->cycles;
    if (cpu->rotated_load) { /* by the instruction that ends here */
        leave_after_rotation(cpu, block, copy.end, cpu->rotated_register);
        cpu->rotated_load = false;
    } else {
        leave_inside(cpu, block, copy.end);
    }
    *reason = LEAVE_BOUNDARY;
    goto leave;
}

interrupted:
    if (result == EXEC_BLOCKED) {
        insn = block->op_insn[op - first];
        if (asked_at_once(cpu, block, insn, limit - budget + block->boundary[insn].cycles)) {
            DISPATCH(); /* the same operation again: it uses the result of the access */
        }
    }
    cpu->user_access = false;
    switch (result) {
    case EXEC_CHECK: {
        const unsigned next = (unsigned)(op - first) + 1;
        insn = block->op_insn[next - 1] + 1u;
        if (UNLIKELY(cpu->told_bytes != 0)) {
            cpu_tell_access(cpu, block_insn_pc(block, insn - 1),
                            (uint64_t)(limit - budget + block->boundary[insn - 1].cycles));
        }
        budget -= cpu->wait;
        cpu->wait = 0;
        const struct block_boundary *at = &block->boundary[insn];
        if (UNLIKELY(cpu->rotated_load)) {
            cpu->rotated_load = op->rd < ARM968_REGISTERS;
            cpu->rotated_register = op->rd;
        }
        if (goes_on(cpu, block, limit - budget + at->cycles)) {
            const int64_t excess = excess_over(cpu, limit);
            limit -= excess;
            budget -= excess;
            if (budget - at->cycles + at->latest > block->last_start) {
                first = block->ops;
                op = first + next;
            } else {
                op = shortened_behind(&copy, block, next, insn, budget);
                first = copy.op;
            }
            DISPATCH();
        }
        if (next < at->op) { /* finish the instruction, then leave */
            op = first_of_copy(&copy, block, first, next, insn);
            first = copy.op;
            limit -= ENOUGH;
            budget -= ENOUGH;
            DISPATCH();
        }
        budget -= at->cycles;
        if (cpu->rotated_load) {
            leave_after_rotation(cpu, block, insn, cpu->rotated_register);
        } else {
            leave_inside(cpu, block, insn);
        }
        cpu->rotated_load = false;
        *reason = LEAVE_BOUNDARY;
        goto leave;
    }
    case EXEC_BLOCKED:
        budget -= block->boundary[insn].cycles;
        leave_inside(cpu, block, insn);
        *reason = LEAVE_BLOCKED;
        goto leave;
    case EXEC_DATA_ABORT:
        *reason = LEAVE_DATA_ABORT;
        goto exception;
    case EXEC_UNDEFINED:
    case EXEC_REFUSED:
    case EXEC_NEXT:
    default:
        *reason = LEAVE_UNDEFINED;
        goto exception;
    }

exception : {
    insn = block->op_insn[op - first];
    const uint32_t cycles = undone_cycles(cpu, block, insn, result, op);
    budget -= (int64_t)block->boundary[insn].cycles + cycles + cpu->wait;
    leave_undone(cpu, block, insn, cycles);
}

leave:
    cpu->cycle = (uint64_t)(limit - budget);
    return NULL;
}

enum leave_reason interpreter_run(struct arm968 *cpu, struct block *block, unsigned insn,
                                  int64_t budget)
{
    enum leave_reason reason = LEAVE_BOUNDARY;
    (void)labels_or_run(cpu, block, insn, budget, &reason);
    if (reason != LEAVE_MARK) {
        cpu->mark_passed = false; /* something has been executed since */
    }
    return reason;
}

const void *const *interpreter_labels(void)
{
    return labels_or_run(NULL, NULL, 0, 0, NULL);
}
