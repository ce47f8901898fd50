/* history_reports.c - what a machine reports to its history: hits, which are noted, and what the
 * observer is told once.  See history_state.h. */
#include "models/machine/history_state.h"

#include "models/common/memory.h"

#include <stdlib.h>

enum { FIRST_TIED = 8 };

/* ---- places ---- */

static size_t number_of(const struct machine_history *history, struct machine_core core)
{
    const int32_t chip = topology_find(&history->machine->topology, core.x, core.y);
    return (size_t)chip * CHIP_CORES + core.p;
}

struct history_place history_place_of(const struct machine_history *history,
                                      const struct history_hit *hit)
{
    return (struct history_place){hit->time_ps, (int64_t)number_of(history, hit->core)};
}

/* ---- hits ---- */

/* A store at the time of the earliest hit so far. */
static void tie(struct machine_history *history, const struct history_hit *hit)
{
    if (history->tied_count == history->tied_room) {
        const size_t room = history->tied_room == 0 ? FIRST_TIED : 2 * history->tied_room;
        history->tied = realloc(history->tied, room * sizeof *history->tied);
        memory_need(history->tied);
        history->tied_room = room;
    }
    history->tied[history->tied_count++] = *hit;
}

/* Notes a hit: the first one of a run forwards, the last one of a search backwards.  True: the run
 * is to end. */
static bool note(struct machine_history *history, const struct history_hit *hit)
{
    const struct history_place place = history_place_of(history, hit);
    if (history->quiet || !history_is_before(history->least, place) ||
        !history_is_before(place, history->most)) {
        return false;
    }
    const bool earlier =
        history->found && history_is_before(place, history_place_of(history, &history->hit));
    if (history->stops && hit->kind == HISTORY_WATCH) {
        if (!history->found || hit->time_ps < history->hit.time_ps) {
            history->tied_count = 0;
        }
        if (!history->found || hit->time_ps <= history->hit.time_ps) {
            tie(history, hit);
        }
    }
    if (!history->found || earlier == history->stops) {
        history->found = true;
        history->hit = *hit;
    }
    return history->stops;
}

/* ---- reports ---- */

/* Whether something that happens to a core at a cycle is told for the first time. */
static bool is_new(uint64_t *told_cycle, uint64_t cycle)
{
    const bool first = cycle >= *told_cycle;
    *told_cycle = first ? cycle + 1 : *told_cycle;
    return first;
}

static bool on_mark(void *context, struct machine_core core, uint32_t address, uint64_t cycle)
{
    struct machine_history *history = context;
    const struct machine_observer *observer = &history->observer;
    bool ends = false;
    if (is_new(&history->told[number_of(history, core)].mark_cycle, cycle) &&
        observer->mark != NULL) {
        ends = observer->mark(observer->context, core, address, cycle);
    }
    if (ends || history_has_break(history, core, address)) {
        const struct history_hit hit = {.kind = HISTORY_BREAK,
                                        .core = core,
                                        .address = address,
                                        .time_ps = machine_core_time_ps(history->machine, core)};
        return note(history, &hit);
    }
    return false;
}

static bool on_watch(void *context, struct machine_core core, uint32_t address, uint64_t cycle)
{
    struct machine_history *history = context;
    const struct history_hit hit = {.kind = HISTORY_WATCH,
                                    .core = core,
                                    .address = address,
                                    .time_ps = machine_core_time_ps(history->machine, core)};
    (void)cycle;
    return note(history, &hit);
}

/* Faults are reported in the order of time, as frames are. */
static bool on_guest_error(void *context, struct machine_core core, struct arm968_fault fault)
{
    struct machine_history *history = context;
    const struct machine_observer *observer = &history->observer;
    const uint64_t time_ps = machine_core_time_ps(history->machine, core);
    const struct history_hit hit = {.kind = HISTORY_FAULT,
                                    .core = core,
                                    .address = fault.pc,
                                    .time_ps = time_ps,
                                    .fault = fault};
    if (history_is_before(history->told_fault, history_place_of(history, &hit)) &&
        observer->guest_error != NULL) {
        history->told_fault = history_place_of(history, &hit);
        history->fault_ends = observer->guest_error(observer->context, core, fault);
    }
    return history->fault_ends && note(history, &hit);
}

static void on_sample(void *context, struct machine_core core, uint32_t pc)
{
    struct machine_history *history = context;
    struct history_told *told = &history->told[number_of(history, core)];
    const struct core *at = machine_find_core(history->machine, core);
    if (is_new(&told->sample_cycle, arm968_cycle(at->cpu))) {
        history->observer.sample(history->observer.context, core, pc);
    }
}

static void on_frame(void *context, struct machine_chip chip, const uint8_t *bytes, uint32_t count,
                     uint64_t time_ps)
{
    struct machine_history *history = context;
    const struct history_place place = {time_ps,
                                        topology_find(&history->machine->topology, chip.x, chip.y)};
    if (history_is_before(history->told_frame, place)) {
        history->told_frame = place;
        history->observer.frame(history->observer.context, chip, bytes, count, time_ps);
    }
}

void history_observe(struct machine_history *history)
{
    history->observer = history->machine->config.observer;
    history->machine->config.observer = (struct machine_observer){
        .context = history,
        .mark = on_mark,
        .guest_error = on_guest_error,
        .watch = on_watch,
        .sample = history->observer.sample == NULL ? NULL : on_sample,
        .frame = history->observer.frame == NULL ? NULL : on_frame,
    };
}

void history_forget_future(struct machine_history *history)
{
    const uint64_t now_ps = history->machine->time_ps;
    for (unsigned i = 0; i < history->machine->chip_count; i++) {
        const struct chip *chip = &history->machine->chip[i];
        for (unsigned p = 0; p < chip->core_count; p++) {
            struct history_told *told = &history->told[(size_t)i * CHIP_CORES + p];
            const uint64_t cycle = arm968_cycle(chip->core[p].cpu);
            told->mark_cycle = told->mark_cycle < cycle ? told->mark_cycle : cycle;
            told->sample_cycle = told->sample_cycle < cycle ? told->sample_cycle : cycle;
        }
    }
    history->told_frame.time_ps = earlier_of(history->told_frame.time_ps, now_ps);
    history->told_fault.time_ps = earlier_of(history->told_fault.time_ps, now_ps);
}
