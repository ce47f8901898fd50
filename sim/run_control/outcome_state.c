/* outcome_state.c - see outcome_state.h. */
#include "sim/run_control/outcome_state.h"

#define VISIT(stream, field) session_stream_visit(stream, &(field), sizeof(field))

/* The kind of a counter. */
static void visit_info(struct session_stream *stream, const struct counter_info **info)
{
    const void *constant = *info;
    session_stream_constant(stream, &constant);
    *info = constant;
}

static void visit_counters(struct session_stream *stream, struct outcome *outcome)
{
    outcome->counter = session_stream_items(stream, outcome->counter, &outcome->counter_count,
                                            sizeof *outcome->counter);
    for (size_t i = 0; i < outcome->counter_count; i++) {
        struct outcome_counter *counter = &outcome->counter[i];
        VISIT(stream, counter->component);
        VISIT(stream, counter->x);
        VISIT(stream, counter->y);
        VISIT(stream, counter->instance);
        visit_info(stream, &counter->info);
        VISIT(stream, counter->value);
    }
}

void outcome_visit_stage_sums(struct session_stream *stream, struct outcome *outcome)
{
    outcome->stage_sum = session_stream_items(stream, outcome->stage_sum, &outcome->stage_sum_count,
                                              sizeof *outcome->stage_sum);
    outcome->stage_sum_room = outcome->stage_sum_count;
    for (size_t i = 0; i < outcome->stage_sum_count; i++) {
        struct outcome_stage_sum *sum = &outcome->stage_sum[i];
        VISIT(stream, sum->component);
        visit_info(stream, &sum->info);
        VISIT(stream, sum->of);
        VISIT(stream, sum->epochs);
    }
}

static void visit_unmodelled(struct session_stream *stream, struct outcome *outcome)
{
    outcome->unmodelled = session_stream_items(
        stream, outcome->unmodelled, &outcome->unmodelled_count, sizeof *outcome->unmodelled);
    for (size_t i = 0; i < outcome->unmodelled_count; i++) {
        struct machine_unmodelled *place = &outcome->unmodelled[i];
        const void *block = place->block;
        VISIT(stream, place->x);
        VISIT(stream, place->y);
        session_stream_constant(stream, &block);
        place->block = block;
        VISIT(stream, place->offset);
        VISIT(stream, place->write);
        VISIT(stream, place->count);
        VISIT(stream, place->first_core);
    }
}

void outcome_visit_runs(struct session_stream *stream, struct outcome *outcome)
{
    VISIT(stream, outcome->chips);
    VISIT(stream, outcome->boards);
    VISIT(stream, outcome->cores_used);
    VISIT(stream, outcome->core_hz);
    VISIT(stream, outcome->time_ps);
    VISIT(stream, outcome->stage_ps);
    VISIT(stream, outcome->phase);
    VISIT(stream, outcome->phase_count);
    VISIT(stream, outcome->phase_sum);
    VISIT(stream, outcome->core_time);
    VISIT(stream, outcome->sdram_bytes_used);
    VISIT(stream, outcome->input);
    VISIT(stream, outcome->late_interrupts);
    VISIT(stream, outcome->guest_errors);
    VISIT(stream, outcome->drops_unrecorded);
    visit_counters(stream, outcome);
    outcome_visit_stage_sums(stream, outcome);
    visit_unmodelled(stream, outcome);
}
