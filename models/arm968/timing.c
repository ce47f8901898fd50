/* timing.c - see timing.h; the scoreboard of the ARM9E-S pipeline. */
#include "models/arm968/timing.h"

#include "models/common/bits.h"

#include <stddef.h>
#include <string.h>

enum { ROW_ZERO = -1 };

static const struct arm968_timing_row ROWS[] = {
#define TIMING(row, default_value, minimum, maximum, help, source)                                 \
    {#row, default_value, minimum, maximum, help, source, offsetof(struct arm968_timing, row)},
#define CLASS(...)
#include "models/arm968/isa/timing.def"
#undef TIMING
#undef CLASS
};

struct class_timing {
    enum timing_lane lane;
    int issue, execute, store, accumulate; /* offset of the row, or ROW_ZERO */
};

#define ROW_OFFSET_zero  ROW_ZERO
#define TIMING(row, ...) ROW_OFFSET_##row = (int)offsetof(struct arm968_timing, row),
#define CLASS(...)
enum row_offset { /* NOLINT(readability-identifier-naming): named by the rows themselves */
#include "models/arm968/isa/timing.def"
};
#undef TIMING
#undef CLASS

static const struct class_timing CLASSES[TIMING_CLASSES] = {
#define TIMING(...)
#define CLASS(class, lane, issue, execute, store, accumulate)                                      \
    [CLASS_##class] = {TIMING_LANE_##lane, ROW_OFFSET_##issue, ROW_OFFSET_##execute,               \
                       ROW_OFFSET_##store, ROW_OFFSET_##accumulate},
#include "models/arm968/isa/timing.def"
#undef TIMING
#undef CLASS
};

const struct arm968_timing_row *arm968_timing_rows(size_t *count)
{
    *count = sizeof ROWS / sizeof *ROWS;
    return ROWS;
}

struct arm968_timing arm968_timing_default(void)
{
    struct arm968_timing timing;
    memset(&timing, 0, sizeof timing);
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        memcpy((char *)&timing + ROWS[i].offset, &ROWS[i].default_value, sizeof(uint16_t));
    }
    return timing;
}

static unsigned row_value(const struct arm968_timing *timing, int offset)
{
    if (offset == ROW_ZERO) {
        return 0;
    }
    uint16_t value;
    memcpy(&value, (const char *)timing + offset, sizeof value);
    return value;
}

enum timing_lane timing_lane(const struct insn *insn)
{
    return CLASSES[insn->class].lane;
}

/* LDM and STM: a row for each register, and more with pc; transfers of one register or none have
 * their own row. */
static unsigned block_issue(const struct arm968_timing *timing, const struct insn *insn)
{
    const unsigned count = (unsigned)insn->words_loaded + insn->words_stored;
    if (insn->to_pc) {
        return count * timing->block_register + timing->block_pc;
    }
    return count <= 1 ? timing->block_single : count * timing->block_register;
}

unsigned timing_issue(const struct arm968_timing *timing, const struct insn *insn)
{
    const enum timing_class class = insn->class;
    if (class == CLASS_BLOCK_LOAD || class == CLASS_BLOCK_STORE) {
        return block_issue(timing, insn);
    }
    const bool coprocessor = class == CLASS_COPROCESSOR_WRITE || class == CLASS_COPROCESSOR_READ ||
                             class == CLASS_COPROCESSOR_FLAGS || class == CLASS_COPROCESSOR_ABSENT;
    const unsigned issue = row_value(timing, CLASSES[class].issue);
    return coprocessor ? issue + timing->coprocessor_busy : issue;
}

static unsigned latest(const uint8_t *ready, uint32_t registers, unsigned so_far)
{
    while (registers != 0) {
        const unsigned n = bits_lowest(registers);
        registers &= registers - 1;
        so_far = ready[n] > so_far ? ready[n] : so_far;
    }
    return so_far;
}

unsigned timing_stall(const struct insn *insn, const struct timing_pending *pending)
{
    unsigned stall = latest(pending->execute, insn->execute, 0);
    stall = latest(pending->accumulate, insn->accumulate, stall);
    unsigned position = 0; /* store data number j is needed j cycles later */
    for (uint32_t list = insn->store; list != 0; list &= list - 1, position++) {
        const unsigned ready = pending->store[bits_lowest(list)];
        stall = ready > stall + position ? ready - position : stall;
    }
    return stall;
}

static void elapse(uint8_t *ready, unsigned cycles)
{
    for (unsigned n = 0; n < ARM968_REGISTERS; n++) {
        ready[n] = (uint8_t)(ready[n] > cycles ? ready[n] - cycles : 0);
    }
}

void timing_elapse(struct timing_pending *pending, unsigned cycles)
{
    elapse(pending->execute, cycles);
    elapse(pending->store, cycles);
    elapse(pending->accumulate, cycles);
}

static void set_results(struct timing_pending *pending, uint32_t registers, unsigned execute,
                        unsigned store, unsigned accumulate)
{
    for (; registers != 0; registers &= registers - 1) {
        const unsigned n = bits_lowest(registers);
        pending->execute[n] = (uint8_t)execute;
        pending->store[n] = (uint8_t)store;
        pending->accumulate[n] = (uint8_t)accumulate;
    }
}

void timing_execute(const struct arm968_timing *timing, const struct insn *insn,
                    struct timing_pending *pending)
{
    const struct class_timing *class = &CLASSES[insn->class];
    timing_elapse(pending, timing_stall(insn, pending) + timing_issue(timing, insn));
    set_results(pending, insn->ready, 0, 0, 0);
    set_results(pending, insn->result, row_value(timing, class->execute),
                row_value(timing, class->store), row_value(timing, class->accumulate));
}

void timing_skip(const struct arm968_timing *timing, struct timing_pending *pending)
{
    timing_elapse(pending, timing->condition_failed);
}

bool timing_nothing_pending(const struct timing_pending *pending)
{
    static const struct timing_pending NOTHING;
    return memcmp(pending, &NOTHING, sizeof NOTHING) == 0;
}

bool timing_reads_pending(const struct insn *insn, const struct timing_pending *pending)
{
    return latest(pending->execute, insn->execute, 0) != 0 ||
           latest(pending->accumulate, insn->accumulate, 0) != 0 ||
           latest(pending->store, insn->store, 0) != 0;
}

void timing_forget_results(const struct insn *insn, struct timing_pending *pending)
{
    set_results(pending, (uint32_t)insn->ready | insn->result, 0, 0, 0);
}
