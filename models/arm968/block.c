/* block.c - building blocks: decode, count cycles, lay out operations. */
#include "models/arm968/block.h"

#include "models/common/check.h"
#include "models/common/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Operations of one instruction with its condition and its way out. */
enum { OPS_OF_ONE = INSN_OPS + 3 };

struct builder {
    const struct block_source *source;
    uint32_t pc;
    bool thumb;
    struct insn insn[BLOCK_INSNS + BLOCK_LOOK_AHEAD];
    unsigned decoded; /* number of instructions in insn[] */
    unsigned count;   /* of them in the block */

    struct op op[BLOCK_OPS];
    uint8_t op_insn[BLOCK_OPS];
    uint8_t op_code[BLOCK_OPS];
    unsigned op_count;
    struct block_boundary boundary[BLOCK_INSNS + 1];
    struct block_credit credit[BLOCK_INSNS];
    unsigned credit_count;
    struct edge edge[2];

    struct timing_pending pending; /* before the current instruction */
    uint32_t cycles;
    uint32_t latest;
    struct block_counts counts;
    unsigned insns_read; /* of insn[], used by the block or its look-ahead */
};

static uint32_t insn_bytes(const struct builder *builder)
{
    return builder->thumb ? 2 : 4;
}

static bool in_source(const struct block_source *source, uint32_t address, uint32_t bytes)
{
    const uint32_t offset = address - source->base;
    return offset < source->size && source->size - offset >= bytes;
}

static bool varies(const struct block_source *source, uint32_t address)
{
    return source->fixed && source->varies(source->context, address);
}

/* ---- stack pointers ---- */

/* Whether an operation may move r13 down: puts a value into it, other than one that is loaded or
 * that surely is higher. */
static bool moves_stack_down(const struct insn_op *op)
{
    if (op->code < OP_MRS_CPSR) { /* alu.def */
        return op->rd == REGISTER_SP &&
               !(op->code == OP_ADD_IMM && op->rn == REGISTER_SP && op->imm <= INT32_MAX);
    }
    if (op->rn != REGISTER_SP) {
        return false;
    }
    if (op->code == OP_LDM || op->code == OP_STM) {
        return (op->rm & BLOCK_WRITEBACK) != 0 && op->rs < BLOCK_BIAS;
    }
    if (op->code < OP_LDR_OFF_IMM || op->code > OP_STRH_POST_REG) {
        return false;
    }
    const enum op_form form = (op->code - OP_LDR_OFF_IMM) % OP_FORMS;
    const bool by_constant = form == OP_FORM_PRE_IMM || form == OP_FORM_POST_IMM;
    return form >= OP_FORM_PRE_IMM && !(by_constant && op->imm <= INT32_MAX);
}

/* Adds the operation that keeps the lowest stack pointer, before a jump. */
static void note_stack(struct insn *insn)
{
    const unsigned jumps = insn->flow == FLOW_INDIRECT;
    for (unsigned i = 0; i + jumps < insn->op_count; i++) {
        if (moves_stack_down(&insn->op[i])) {
            const unsigned at = insn->op_count - jumps;
            (void)insn_add(insn, OP_NOTE_STACK);
            memmove(&insn->op[at + 1], &insn->op[at], jumps * sizeof insn->op[0]);
            insn->op[at] = (struct insn_op){.code = OP_NOTE_STACK,
                                            .rd = REGISTER_SP,
                                            .rn = REGISTER_SP,
                                            .rm = REGISTER_SP,
                                            .rs = REGISTER_SP};
            return;
        }
    }
}

/* ---- decoding ---- */

static void decode_at(struct builder *builder, uint32_t pc)
{
    const uint8_t *bytes = builder->source->bytes + (pc - builder->source->base);
    struct insn *insn = &builder->insn[builder->decoded];
    if (builder->thumb) {
        uint16_t half;
        memcpy(&half, bytes, sizeof half);
        insn_decode_thumb(insn, half, pc, builder->decoded == 0 ? NULL : insn - 1);
    } else {
        uint32_t word;
        memcpy(&word, bytes, sizeof word);
        insn_decode_arm(insn, word, pc);
    }
    builder->decoded++;
}

/* Turns a pc-relative load from the code's own bytes into one operation without address checks, or
 * into a constant: every core has its own copy of the bytes, which then need not be in the host's
 * caches. */
static void resolve_literal(const struct block_source *source, struct insn *insn)
{
    if (!insn->literal) {
        return;
    }
    insn->literal = source->literals && (insn->literal_address & 3) == 0 &&
                    in_source(source, insn->literal_address, 4);
    if (insn->literal) {
        const uint8_t rd = insn->op[insn->op_count - 1].rd;
        const bool known = source->fixed && !varies(source, insn->literal_address);
        insn->op_count = 0;
        struct insn_op *op = insn_add(insn, known ? OP_MOV_IMM : OP_LDR_LITERAL);
        op->rd = rd;
        op->imm = insn->literal_address;
        if (known) {
            memcpy(&op->imm, source->bytes + (insn->literal_address - source->base),
                   sizeof op->imm);
        }
    }
}

/* Decodes the block's instructions and a few more, so that the end of the block can look ahead. */
static void decode_block(struct builder *builder)
{
    uint32_t pc = builder->pc;
    bool ended = false;
    while (builder->decoded < BLOCK_INSNS + BLOCK_LOOK_AHEAD &&
           in_source(builder->source, pc, insn_bytes(builder)) && !varies(builder->source, pc)) {
        if (!ended && builder->decoded > 0 &&
            builder->source->stop_at(builder->source->context, pc) != 0) {
            ended = true;
        }
        decode_at(builder, pc);
        struct insn *insn = &builder->insn[builder->decoded - 1];
        resolve_literal(builder->source, insn);
        note_stack(insn);
        pc += insn_bytes(builder);
        if (!ended) {
            builder->count = builder->decoded;
            ended = builder->count == BLOCK_INSNS || insn->flow != FLOW_NEXT;
        } else if (builder->decoded >= builder->count + BLOCK_LOOK_AHEAD) {
            break;
        }
    }
}

/* ---- pending results ---- */

static unsigned least_cycles(const struct builder *builder, const struct insn *insn)
{
    const struct arm968_timing *timing = builder->source->timing;
    const unsigned issue = timing_issue(timing, insn);
    if (insn->condition != CONDITION_ALWAYS && timing->condition_failed < issue) {
        return timing->condition_failed;
    }
    return issue;
}

/* Cycles between an instruction and the handler of an exception that it, or an interrupt, takes in
 * a straight line: the exception entry, or the cost of an instruction refused by CP15. */
static unsigned least_entry(const struct arm968_timing *timing)
{
    const unsigned refused = (unsigned)timing->coprocessor_absent + timing->coprocessor_busy;
    return timing->exception_entry < refused ? timing->exception_entry : refused;
}

/* Drops pending results that no instruction can see any more, so that equal futures have equal
 * states: results that the following instructions overwrite or do not read in time.  An exception
 * may be taken in between, so no result is dropped that would outlast its entry. */
static void prune(struct builder *builder, struct timing_pending *pending, unsigned next)
{
    struct timing_pending rest = *pending;
    timing_elapse(&rest, least_entry(builder->source->timing));
    if (timing_nothing_pending(pending) || !timing_nothing_pending(&rest)) {
        return;
    }
    rest = *pending;
    for (unsigned i = next; i < builder->decoded; i++) {
        const struct insn *insn = &builder->insn[i];
        builder->insns_read = i + 1 > builder->insns_read ? i + 1 : builder->insns_read;
        if (timing_reads_pending(insn, &rest)) {
            return;
        }
        timing_elapse(&rest, least_cycles(builder, insn));
        if (insn->condition == CONDITION_ALWAYS) {
            timing_forget_results(insn, &rest);
        }
        if (timing_nothing_pending(&rest)) {
            memset(pending, 0, sizeof *pending);
            return;
        }
        if (insn->flow != FLOW_NEXT) { /* read at the branch's target, which is not inspected */
            return;
        }
    }
}

static const struct timing_pending *intern(const struct builder *builder,
                                           const struct timing_pending *pending)
{
    return timing_nothing_pending(pending)
               ? NULL
               : builder->source->intern(builder->source->context, pending);
}

/* ---- counting ---- */

struct cost {
    uint32_t cycles;
    struct block_counts counts;
};

static struct cost executed_cost(const struct builder *builder, const struct insn *insn)
{
    static const enum lane LANE_OF[] = {LANES, LANE_MULTIPLY, LANE_MEMORY, LANE_BRANCH};
    const struct arm968_timing *timing = builder->source->timing;
    const unsigned stall = timing_stall(insn, &builder->pending);
    const unsigned issue = timing_issue(timing, insn);
    const unsigned wait = insn->literal ? builder->source->literal_wait : 0;
    struct cost cost = {.cycles = stall + issue + wait};
    uint16_t *lanes = cost.counts.lanes;
    lanes[LANE_INSTRUCTIONS] = 1;
    lanes[LANE_INTERLOCK] = (uint16_t)stall;
    lanes[LANE_WORDS_LOADED] = insn->words_loaded;
    lanes[LANE_WORDS_STORED] = insn->words_stored;
    lanes[LANE_BRANCHES_TAKEN] = insn->class == CLASS_BRANCH;
    const enum lane lane = LANE_OF[timing_lane(insn)];
    if (lane != LANES) {
        lanes[lane] = (uint16_t)issue;
    }
    for (unsigned i = 0; i < LANES; i++) {
        CHECK(lanes[i] <= BLOCK_COUNTS_PER_CYCLE * cost.cycles, "counts of a run fit 16 bits");
    }
    cost.counts.literals = insn->literal && builder->source->itcm_literals;
    return cost;
}

static struct cost skipped_cost(const struct builder *builder)
{
    struct cost cost = {.cycles = builder->source->timing->condition_failed};
    cost.counts.lanes[LANE_INSTRUCTIONS] = 1;
    return cost;
}

static void add_cost(struct builder *builder, const struct cost *cost)
{
    builder->cycles += cost->cycles;
    block_counts_add(&builder->counts, &cost->counts);
}

/* Index + 1 of the credit of a conditional instruction, 0 when failing costs and counts the same.
 */
static uint32_t add_credit(struct builder *builder, const struct cost *executed,
                           const struct cost *skipped)
{
    static const uint16_t NOTHING[LANES];
    struct block_credit credit = {.counts = executed->counts,
                                  .cycles = (int32_t)(executed->cycles - skipped->cycles)};
    block_counts_subtract(&credit.counts, &skipped->counts);
    if (credit.cycles == 0 && credit.counts.literals == 0 &&
        memcmp(credit.counts.lanes, NOTHING, sizeof NOTHING) == 0) {
        return 0;
    }
    builder->credit[builder->credit_count++] = credit;
    return builder->credit_count;
}

/* An edge that leaves after the current instruction, with its cost. */
static void set_edge(struct builder *builder, unsigned which, const struct cost *cost, uint32_t pc,
                     bool thumb, const struct timing_pending *pending)
{
    struct edge *edge = &builder->edge[which];
    edge->pc = pc;
    edge->thumb = thumb;
    edge->cycles = builder->cycles + cost->cycles;
    edge->pending = intern(builder, pending);
    edge->counts = builder->counts;
    block_counts_add(&edge->counts, &cost->counts);
}

/* ---- operations ---- */

static struct op *emit(struct builder *builder, enum op_code code, unsigned insn)
{
    assert(builder->op_count < BLOCK_OPS && "a block has too many operations");
    _Static_assert(OP_CODES <= UINT8_MAX, "codes fit a byte");
    builder->op_insn[builder->op_count] = (uint8_t)insn;
    builder->op_code[builder->op_count] = (uint8_t)code;
    struct op *op = &builder->op[builder->op_count++];
    *op = (struct op){.label = builder->source->labels[code]};
    return op;
}

static void emit_insn(struct builder *builder, const struct insn *insn, unsigned index)
{
    for (unsigned i = 0; i < insn->op_count; i++) {
        const struct insn_op *from = &insn->op[i];
        struct op *op = emit(builder, from->code, index);
        op->rd = from->rd;
        op->rn = from->rn;
        op->rm = from->rm;
        op->rs = from->rs;
        op->imm = from->imm;
    }
}

static void set_boundary(struct builder *builder, unsigned index,
                         const struct timing_pending *pending)
{
    struct block_boundary *boundary = &builder->boundary[index];
    boundary->cycles = builder->cycles;
    boundary->latest = builder->latest;
    boundary->op = (uint16_t)builder->op_count;
    boundary->pending = intern(builder, pending);
    boundary->counts = builder->counts;
}

/* SUBS rd,rd,#1; BNE to itself: the delay loop of every SpiNNaker binary. */
static void recognise_delay(struct builder *builder)
{
    const struct insn *sub = &builder->insn[0];
    const struct insn *branch = &builder->insn[1];
    const bool loop = builder->count == 2 && builder->op_count == 2 && sub->op_count == 1 &&
                      sub->op[0].code == OP_SUBS_IMM && sub->op[0].rd == sub->op[0].rn &&
                      sub->op[0].imm == 1 && sub->condition == CONDITION_ALWAYS &&
                      branch->flow == FLOW_BRANCH && branch->condition == 1 &&
                      branch->target == builder->pc && branch->target_thumb == builder->thumb &&
                      builder->edge[1].pending == builder->boundary[0].pending;
    if (!loop) {
        return;
    }
    memmove(&builder->op[1], &builder->op[0], 2 * sizeof builder->op[0]);
    memmove(&builder->op_code[1], &builder->op_code[0], 2 * sizeof builder->op_code[0]);
    builder->op_count = 0;
    emit(builder, OP_DELAY, 0)->rd = sub->op[0].rd;
    builder->op_count = 3;
    builder->op_insn[1] = 0;
    builder->op_insn[2] = 1;
    builder->boundary[1].op++;
    builder->boundary[2].op++;
}

/* Ends a block with its last instruction: operations and edges by control flow. */
static void finish_with(struct builder *builder, const struct insn *insn, unsigned index,
                        const struct timing_pending *executed_pending,
                        const struct timing_pending *skipped_pending)
{
    const uint32_t next = builder->pc + (index + 1) * insn_bytes(builder);
    const struct cost executed = executed_cost(builder, insn);
    const struct cost skipped = skipped_cost(builder);
    const bool conditional = insn->condition != CONDITION_ALWAYS;
    const bool plain_branch = insn->flow == FLOW_BRANCH && insn->op_count == 0;
    unsigned skip = 0;
    if (conditional && plain_branch) {
        (void)emit(builder, (enum op_code)(OP_BRANCH_EQ + insn->condition), index);
    } else {
        if (conditional) {
            skip = builder->op_count;
            (void)emit(builder, (enum op_code)(OP_SKIP_EQ + insn->condition), index);
        }
        emit_insn(builder, insn, index);
    }
    if (insn->flow == FLOW_BRANCH) {
        set_edge(builder, 1, &executed, insn->target, insn->target_thumb, executed_pending);
    } else {
        set_edge(builder, 1, &executed, next, builder->thumb, executed_pending);
    }
    if (conditional) {
        set_edge(builder, 0, &skipped, next, builder->thumb, skipped_pending);
    }
    add_cost(builder, &executed);
    const bool branches = insn->flow == FLOW_BRANCH && !(conditional && plain_branch);
    set_boundary(builder, index + 1, executed_pending);
    if (insn->flow == FLOW_NEXT) {
        (void)emit(builder, OP_BRANCH, index + 1);
    } else if (branches) {
        (void)emit(builder, OP_BRANCH, index);
    } else if (insn->flow == FLOW_LEAVE) {
        (void)emit(builder, OP_LEAVE, index + 1);
    }
    if (conditional && !plain_branch) {
        builder->op[skip].rd = (uint8_t)(builder->op_count - skip - 1);
        (void)emit(builder, OP_FALL, index + 1);
    }
    builder->count = index + 1;
}

/* Adds an instruction that is not the last.  Returns true if it ends the block after all, since the
 * next instruction takes a different time after it than after its failed condition. */
static bool add_insn(struct builder *builder, const struct insn *insn, unsigned index)
{
    const struct arm968_timing *timing = builder->source->timing;
    struct timing_pending executed_pending = builder->pending;
    timing_execute(timing, insn, &executed_pending);
    if (insn->flow == FLOW_NEXT || insn->flow == FLOW_LEAVE) {
        prune(builder, &executed_pending, index + 1);
    }
    struct timing_pending skipped_pending = builder->pending;
    timing_skip(timing, &skipped_pending);
    prune(builder, &skipped_pending, index + 1);

    const bool conditional = insn->condition != CONDITION_ALWAYS;
    const bool split =
        conditional && memcmp(&executed_pending, &skipped_pending, sizeof executed_pending) != 0;
    set_boundary(builder, index, &builder->pending);
    const bool full = builder->op_count + 2 * OPS_OF_ONE > BLOCK_OPS;
    if (split || full || index + 1 == builder->count) {
        finish_with(builder, insn, index, &executed_pending, &skipped_pending);
        return true;
    }
    const struct cost executed = executed_cost(builder, insn);
    if (conditional) {
        const struct cost skipped = skipped_cost(builder);
        struct op *skip = emit(builder, (enum op_code)(OP_SKIP_EQ + insn->condition), index);
        skip->rd = insn->op_count;
        skip->imm = add_credit(builder, &executed, &skipped);
    }
    emit_insn(builder, insn, index);
    add_cost(builder, &executed);
    builder->latest += conditional && timing->condition_failed > executed.cycles
                           ? timing->condition_failed
                           : executed.cycles;
    builder->pending = executed_pending;
    return false;
}

/* Copies a finished build into one allocation. */
static struct block *allocate(const struct builder *builder)
{
    const size_t ops_size = builder->op_count * sizeof(struct op);
    const size_t boundary_size = (builder->count + 1) * sizeof(struct block_boundary);
    const size_t credit_size = builder->credit_count * sizeof(struct block_credit);
    const size_t bytes = sizeof(struct block) + ops_size + boundary_size + credit_size +
                         2 * (size_t)builder->op_count;
    char *memory = malloc(bytes);
    memory_need(memory);
    struct block *block = (struct block *)(void *)memory;
    char *ops = memory + sizeof *block;
    char *boundary = ops + ops_size;
    char *credit = boundary + boundary_size;
    char *op_insn = credit + credit_size;
    char *op_code = op_insn + builder->op_count;
    memcpy(ops, builder->op, ops_size);
    memcpy(boundary, builder->boundary, boundary_size);
    memcpy(credit, builder->credit, credit_size);
    memcpy(op_insn, builder->op_insn, builder->op_count);
    memcpy(op_code, builder->op_code, builder->op_count);
    memset(block, 0, sizeof *block);
    block->bytes = (uint32_t)bytes;
    block->ops = (const struct op *)(const void *)ops;
    block->boundary = (const struct block_boundary *)(const void *)boundary;
    block->credit = (const struct block_credit *)(const void *)credit;
    block->op_insn = (const uint8_t *)op_insn;
    block->op_code = (const uint8_t *)op_code;
    atomic_init(&block->entry, block->ops);
    atomic_init(&block->translated, false);
    atomic_init(&block->samples, 0);
    atomic_init(&block->asks, 0);
    block->region_index = -1;
    for (unsigned i = 0; i < 2; i++) {
        block->edge[i] = builder->edge[i];
        atomic_init(&block->edge[i].to, NULL);
    }
    block->pc = builder->pc;
    block->thumb = builder->thumb;
    block->insn_count = (uint16_t)builder->count;
    block->op_count = (uint16_t)builder->op_count;
    block->insns_read =
        (uint16_t)(builder->insns_read > builder->count ? builder->insns_read : builder->count);
    block->last_start = builder->boundary[builder->count - 1].latest;
    block->pending = builder->boundary[0].pending;
    return block;
}

/* Marks the words that are constants of the block's operations as needed, so that they may not
 * change. */
static void need_literals(const struct builder *builder)
{
    for (unsigned i = 0; i < builder->count; i++) {
        const struct insn *insn = &builder->insn[i];
        if (insn->literal && insn->op[0].code == OP_MOV_IMM) {
            builder->source->need(builder->source->context, insn->literal_address);
        }
    }
}

struct block *block_build(const struct block_source *source, uint32_t pc, bool thumb,
                          const struct timing_pending *pending)
{
    struct builder *builder = calloc(1, sizeof *builder);
    memory_need(builder);
    builder->source = source;
    builder->pc = pc;
    builder->thumb = thumb;
    if (pending != NULL) {
        builder->pending = *pending;
    }
    decode_block(builder);
    const unsigned stop = source->stop_at(source->context, pc);
    if (stop != 0) {
        builder->boundary[0].op = 0;
        emit(builder, OP_MARK, 0)->imm = stop;
    }
    for (unsigned index = 0; index < builder->count; index++) {
        if (add_insn(builder, &builder->insn[index], index)) {
            break;
        }
    }
    if (stop != 0) {
        builder->boundary[0].op = 0;
    } else {
        recognise_delay(builder);
    }
    need_literals(builder);
    struct block *block = allocate(builder);
    free(builder);
    return block;
}

static uint32_t mixed(uint32_t hash, uint32_t word)
{
    hash = (hash ^ word) * 0x85ebca6bu;
    return hash ^ hash >> 15;
}

uint32_t block_digest(const struct block *block)
{
    uint32_t hash = mixed(block->pc | block->thumb, block->insns_read);
    for (unsigned i = 0; i < block->op_count; i++) {
        const struct op *op = &block->ops[i];
        hash = mixed(hash, (uint32_t)block->op_code[i] << 8 | block->op_insn[i]);
        hash = mixed(hash, (uint32_t)op->rd << 24 | (uint32_t)op->rn << 16 | (uint32_t)op->rm << 8 |
                               op->rs);
        hash = mixed(hash, op->imm);
    }
    for (unsigned i = 0; i <= block->insn_count; i++) {
        hash = mixed(hash, block->boundary[i].cycles);
    }
    for (unsigned which = 0; which < 2; which++) {
        hash = mixed(hash, block->edge[which].pc | block->edge[which].thumb);
        hash = mixed(hash, block->edge[which].cycles);
    }
    return hash;
}
