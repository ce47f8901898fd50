/* history.c - see history.h. */
#include "models/machine/history.h"

#include "models/common/memory.h"
#include "models/machine/kept_state.h"

#include <stdlib.h>
#include <string.h>

enum { STATES_MOST = 64, BACK_FIRST_CYCLES = 64, BACK_FACTOR = 4, FIRST_BREAKS = 8 };

/* A place in the order in which things happen: at equal times by the core's number in the machine.
 * A time at which no core has stopped is before all cores. */
struct place {
    uint64_t time_ps;
    int64_t core; /* -1: before all cores */
};

struct breakpoint {
    struct machine_core core;
    uint32_t address;
};

/* What has been reported of a core, so that it is not reported again. */
struct told {
    uint64_t mark_cycle; /* the next mark to report is at this cycle or later */
    uint64_t sample_cycle;
};

struct machine_history {
    struct machine *machine;
    struct machine_observer observer; /* the owner's */
    uint64_t interval_ps;
    size_t budget_bytes, held_bytes;
    struct kept_state *state[STATES_MOST]; /* by time */
    unsigned states;
    struct kept_state *last; /* the one that the machine was last kept as, or restored to */
    struct breakpoint *breaks;
    size_t break_count, break_room;
    struct told *told; /* of each core of each chip */
    struct place told_frame, told_fault; /* the last ones; a frame's core is its chip's number */
    bool fault_ends;                     /* the observer's last answer */
    struct place at;                     /* where the machine stands */

    /* The current run. */
    bool stops;         /* ends at the first hit; otherwise the last one is searched */
    bool quiet;         /* hits do not count */
    bool found;         /* a hit has been noted: */
    struct history_hit hit;
    struct place least, most; /* hits count behind `least` and before `most` */

    /* Stores to watched bytes at the time of the last hit: where the machine stands they have been
     * made, so running on does not find them. */
    struct history_hit *tied;
    size_t tied_count, tied_room;
};

/* ---- places ---- */

static bool is_before(struct place a, struct place b)
{
    return a.time_ps != b.time_ps ? a.time_ps < b.time_ps : a.core < b.core;
}

static size_t number_of(const struct machine_history *history, struct machine_core core)
{
    const int32_t chip = topology_find(&history->machine->topology, core.x, core.y);
    return (size_t)chip * CHIP_CORES + core.p;
}

static struct place place_of(const struct machine_history *history, const struct history_hit *hit)
{
    return (struct place){hit->time_ps, (int64_t)number_of(history, hit->core)};
}

/* ---- reports ---- */

/* A store at the time of the earliest hit so far. */
static void tie(struct machine_history *history, const struct history_hit *hit)
{
    if (history->tied_count == history->tied_room) {
        const size_t room = history->tied_room == 0 ? FIRST_BREAKS : 2 * history->tied_room;
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
    const struct place place = place_of(history, hit);
    if (history->quiet || !is_before(history->least, place) ||
        !is_before(place, history->most)) {
        return false;
    }
    const bool earlier =
        history->found && is_before(place, place_of(history, &history->hit));
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

static bool has_break(const struct machine_history *history, struct machine_core core,
                      uint32_t address)
{
    for (size_t i = 0; i < history->break_count; i++) {
        const struct breakpoint *at = &history->breaks[i];
        if (at->address == address && at->core.x == core.x && at->core.y == core.y &&
            at->core.p == core.p) {
            return true;
        }
    }
    return false;
}

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
    if (ends || has_break(history, core, address)) {
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
    if (is_before(history->told_fault, place_of(history, &hit)) && observer->guest_error != NULL) {
        history->told_fault = place_of(history, &hit);
        history->fault_ends = observer->guest_error(observer->context, core, fault);
    }
    return history->fault_ends && note(history, &hit);
}

static void on_sample(void *context, struct machine_core core, uint32_t pc)
{
    struct machine_history *history = context;
    struct told *told = &history->told[number_of(history, core)];
    const struct core *at = machine_find_core(history->machine, core);
    if (is_new(&told->sample_cycle, arm968_cycle(at->cpu))) {
        history->observer.sample(history->observer.context, core, pc);
    }
}

static void on_frame(void *context, struct machine_chip chip, const uint8_t *bytes, uint32_t count,
                     uint64_t time_ps)
{
    struct machine_history *history = context;
    const struct place place = {time_ps,
                                topology_find(&history->machine->topology, chip.x, chip.y)};
    if (is_before(history->told_frame, place)) {
        history->told_frame = place;
        history->observer.frame(history->observer.context, chip, bytes, count, time_ps);
    }
}

/* ---- states ---- */

static void drop_state(struct machine_history *history, unsigned index)
{
    if (history->last == history->state[index]) {
        history->last = NULL;
    }
    kept_state_drop(history->state[index]);
    history->states--;
    memmove(&history->state[index], &history->state[index + 1],
            (history->states - index) * sizeof history->state[0]);
}

/* Drops every second state between the first and the last. */
static void thin_out(struct machine_history *history)
{
    history->interval_ps *= 2;
    for (unsigned i = 1; i + 1 < history->states; i++) {
        drop_state(history, i);
    }
}

/* False: out of memory. */
static bool keep(struct machine_history *history)
{
    while (history->states > 2 &&
           (history->states == STATES_MOST || history->held_bytes > history->budget_bytes)) {
        thin_out(history);
    }
    struct kept_state *state =
        kept_state_take(history->machine, history->last, &history->held_bytes);
    if (state == NULL) {
        return false;
    }
    history->state[history->states++] = state;
    history->last = state;
    return true;
}

/* The number of the last state at or before a time. */
static unsigned state_before(const struct machine_history *history, uint64_t time_ps)
{
    unsigned index = history->states - 1;
    while (index > 0 && kept_state_time_ps(history->state[index]) > time_ps) {
        index--;
    }
    return index;
}

static void restore(struct machine_history *history, unsigned index)
{
    kept_state_restore(history->state[index], history->machine);
    history->last = history->state[index];
}

/* ---- moving ---- */

static uint64_t begin_ps(const struct machine_history *history)
{
    return kept_state_time_ps(history->state[0]);
}

static void move_to(struct machine_history *history, uint64_t time_ps)
{
    const uint64_t to_ps = later_of(time_ps, begin_ps(history));
    restore(history, state_before(history, to_ps));
    history->quiet = true;
    (void)machine_run_until(history->machine, to_ps);
    history->quiet = false;
    history->at = (struct place){to_ps, -1};
}

void machine_history_go_to(struct machine_history *history, uint64_t time_ps)
{
    history->tied_count = 0;
    move_to(history, time_ps);
}

static void go_to_hit(struct machine_history *history, struct history_hit *hit)
{
    *hit = history->hit;
    move_to(history, hit->time_ps);
    history->at = place_of(history, hit);
}

/* The next store at the time of the last hit; false: there is none. */
static bool next_tied(struct machine_history *history, struct history_hit *hit)
{
    bool any = false;
    for (size_t i = 0; i < history->tied_count; i++) {
        const struct history_hit *at = &history->tied[i];
        const struct place place = place_of(history, at);
        if (!arm968_is_watched(machine_core_processor(history->machine, at->core), at->address)) {
            continue;
        }
        if (at->time_ps == history->at.time_ps && is_before(history->at, place) &&
            (!any || is_before(place, place_of(history, hit)))) {
            any = true;
            *hit = *at;
        }
    }
    if (any) {
        history->at = place_of(history, hit);
    }
    return any;
}

/* Runs to a time, and keeps a state there if one is due. */
static enum machine_stop run_part(struct machine_history *history, uint64_t time_ps)
{
    const enum machine_stop stop = machine_run_until(history->machine, time_ps);
    if (stop != MACHINE_REACHED || history->found || history->states == 0) {
        return stop;
    }
    const uint64_t last_ps = kept_state_time_ps(history->state[history->states - 1]);
    if (time_ps > last_ps && time_ps - last_ps >= history->interval_ps && !keep(history)) {
        history->interval_ps *= 2; /* the history is coarser */
    }
    return stop;
}

enum history_stop machine_history_run(struct machine_history *history, uint64_t until_ps,
                                      struct history_hit *hit)
{
    enum machine_stop stop = MACHINE_REACHED;
    if (next_tied(history, hit)) {
        return HISTORY_HIT;
    }
    history->tied_count = 0;
    history->found = false;
    history->stops = true;
    history->least = history->at;
    history->most = (struct place){TIME_NEVER, -1};
    uint64_t now_ps = history->machine->time_ps;
    while (stop == MACHINE_REACHED && now_ps < until_ps) {
        const uint64_t left_ps = until_ps - now_ps;
        now_ps += left_ps < history->interval_ps ? left_ps : history->interval_ps;
        stop = run_part(history, now_ps);
    }
    if (history->found && history->states > 0) {
        go_to_hit(history, hit);
        return HISTORY_HIT;
    }
    history->at = (struct place){history->machine->time_ps, -1};
    switch (stop) {
    case MACHINE_REACHED:
        return HISTORY_REACHED;
    case MACHINE_QUIESCENT:
        return HISTORY_QUIESCENT;
    case MACHINE_STOPPED:
    default:
        return HISTORY_ENDED;
    }
}

enum history_stop machine_history_run_back(struct machine_history *history,
                                           struct history_hit *hit)
{
    history->tied_count = 0;
    history->found = false;
    history->stops = false;
    history->least = (struct place){0, -2};
    history->most = history->at;
    uint64_t end_ps = history->at.time_ps + 1;
    for (unsigned index = state_before(history, history->at.time_ps) + 1; index-- > 0;) {
        restore(history, index);
        (void)machine_run_until(history->machine, end_ps);
        if (history->found) {
            go_to_hit(history, hit);
            return HISTORY_HIT;
        }
        end_ps = kept_state_time_ps(history->state[index]) + 1;
    }
    machine_history_go_to(history, begin_ps(history));
    return HISTORY_BEGIN;
}

static uint64_t period_ps(const struct core *core)
{
    return cycles_to_ps(core_pace(core)->clock, 1);
}

/* Whether the core is between instructions, or in one that waits for its access. */
static bool executes(const struct core *core)
{
    return core->d.state == CORE_RUNNING || core->d.state == CORE_ACCESS;
}

static uint64_t executed(const struct core *core)
{
    return arm968_counters(core->cpu)->instructions;
}

enum history_stop machine_history_step(struct machine_history *history, struct machine_core core,
                                       struct history_hit *hit)
{
    const struct core *at = machine_find_core(history->machine, core);
    const uint64_t before = executed(at);
    const uint64_t now_ps = history->machine->time_ps;
    uint64_t until_ps = executes(at) ? later_of(core_time_ps(at), now_ps) : now_ps + period_ps(at);
    enum history_stop stop = machine_history_run(history, until_ps + 1, hit);
    while (stop == HISTORY_REACHED && executes(at) && executed(at) == before) {
        until_ps += period_ps(at); /* its access takes longer */
        stop = machine_history_run(history, until_ps + 1, hit);
    }
    return stop;
}

/* The last instruction of a core before now_ps that it begins at from_ps or later: its time;
 * TIME_NEVER: there is none. */
static uint64_t last_begun(struct machine_history *history, const struct core *core,
                           uint64_t from_ps, uint64_t now_ps)
{
    uint64_t last_ps = TIME_NEVER;
    uint64_t at_ps = from_ps;
    machine_history_go_to(history, from_ps);
    history->quiet = true;
    while (executes(core) && core_time_ps(core) < now_ps) {
        last_ps = core_time_ps(core);
        at_ps = later_of(at_ps, last_ps) + period_ps(core);
        (void)machine_run_until(history->machine, at_ps);
    }
    history->quiet = false;
    return last_ps;
}

enum history_stop machine_history_step_back(struct machine_history *history,
                                            struct machine_core core)
{
    const struct core *at = machine_find_core(history->machine, core);
    const uint64_t now_ps = executes(at) ? core_time_ps(at) : history->machine->time_ps;
    uint64_t span_ps = BACK_FIRST_CYCLES * period_ps(at);
    uint64_t found_ps = TIME_NEVER;
    for (bool more = true; more && found_ps == TIME_NEVER; span_ps *= BACK_FACTOR) {
        const uint64_t room_ps = now_ps > begin_ps(history) ? now_ps - begin_ps(history) : 0;
        more = span_ps < room_ps;
        found_ps = last_begun(history, at, now_ps - (more ? span_ps : room_ps), now_ps);
    }
    if (found_ps == TIME_NEVER) {
        machine_history_go_to(history, begin_ps(history));
        return HISTORY_BEGIN;
    }
    machine_history_go_to(history, found_ps);
    history->at = (struct place){found_ps, (int64_t)number_of(history, core)};
    return HISTORY_REACHED;
}

/* What has been told of the future that is given up will be told anew. */
static void forget_future(struct machine_history *history)
{
    const uint64_t now_ps = history->machine->time_ps;
    for (unsigned i = 0; i < history->machine->chip_count; i++) {
        const struct chip *chip = &history->machine->chip[i];
        for (unsigned p = 0; p < chip->core_count; p++) {
            struct told *told = &history->told[(size_t)i * CHIP_CORES + p];
            const uint64_t cycle = arm968_cycle(chip->core[p].cpu);
            told->mark_cycle = told->mark_cycle < cycle ? told->mark_cycle : cycle;
            told->sample_cycle = told->sample_cycle < cycle ? told->sample_cycle : cycle;
        }
    }
    history->told_frame.time_ps = earlier_of(history->told_frame.time_ps, now_ps);
    history->told_fault.time_ps = earlier_of(history->told_fault.time_ps, now_ps);
}

static void drop_states(struct machine_history *history)
{
    while (history->states > 0) {
        drop_state(history, history->states - 1);
    }
}

void machine_history_changed(struct machine_history *history)
{
    forget_future(history);
    drop_states(history);
    if (!keep(history)) {
        memory_exhausted();
    }
}

void machine_history_rest(struct machine_history *history)
{
    drop_states(history);
    history->interval_ps = TIME_NEVER;
    machine_history_clear(history);
}

/* ---- breakpoints ---- */

enum status machine_history_break(struct machine_history *history, struct machine_core core,
                                  uint32_t address)
{
    if (has_break(history, core, address)) {
        return STATUS_OK;
    }
    if (history->break_count == history->break_room) {
        const size_t room = history->break_room == 0 ? FIRST_BREAKS : 2 * history->break_room;
        struct breakpoint *grown = realloc(history->breaks, room * sizeof *grown);
        if (grown == NULL) {
            return STATUS_INTERNAL;
        }
        history->breaks = grown;
        history->break_room = room;
    }
    const enum status status = machine_add_mark(history->machine, core, address);
    if (status == STATUS_OK) {
        history->breaks[history->break_count++] = (struct breakpoint){core, address};
    }
    return status;
}

enum status machine_history_unbreak(struct machine_history *history, struct machine_core core,
                                    uint32_t address)
{
    if (!has_break(history, core, address)) {
        return STATUS_CONFIGURATION;
    }
    size_t kept = 0;
    for (size_t i = 0; i < history->break_count; i++) {
        const struct breakpoint *at = &history->breaks[i];
        const bool same = at->core.x == core.x && at->core.y == core.y && at->core.p == core.p;
        if (!same || at->address != address) {
            history->breaks[kept++] = *at;
        }
    }
    history->break_count = kept; /* the core's mark stays: the observer may have set it, too */
    return STATUS_OK;
}

enum status machine_history_watch(struct machine_history *history, struct machine_core core,
                                  uint32_t address, uint32_t bytes)
{
    return machine_add_watch(history->machine, core, address, bytes);
}

enum status machine_history_unwatch(struct machine_history *history, struct machine_core core,
                                    uint32_t address, uint32_t bytes)
{
    return machine_remove_watch(history->machine, core, address, bytes);
}

void machine_history_clear(struct machine_history *history)
{
    history->break_count = 0; /* as in machine_history_unbreak() */
    for (unsigned i = 0; i < history->machine->chip_count; i++) {
        for (unsigned p = 0; p < history->machine->chip[i].core_count; p++) {
            arm968_clear_watches(history->machine->chip[i].core[p].cpu);
        }
    }
}

/* ---- life cycle ---- */

enum status machine_history_create(struct machine *machine,
                                   const struct machine_history_options *options,
                                   struct machine_history **history)
{
    struct machine_history *made = calloc(1, sizeof *made);
    *history = NULL;
    if (made == NULL) {
        return STATUS_INTERNAL;
    }
    made->machine = machine;
    made->observer = machine->config.observer;
    made->budget_bytes = options->budget_bytes == 0 ? HISTORY_BUDGET_BYTES : options->budget_bytes;
    made->interval_ps = options->interval_ps == 0 ? HISTORY_INTERVAL_PS : options->interval_ps;
    made->at = (struct place){machine->time_ps, -1};
    made->told = calloc((size_t)machine->chip_count * CHIP_CORES, sizeof *made->told);
    if (made->told == NULL || !keep(made)) {
        free(made->told);
        free(made);
        return STATUS_INTERNAL;
    }
    machine->config.observer = (struct machine_observer){
        .context = made,
        .mark = on_mark,
        .guest_error = on_guest_error,
        .watch = on_watch,
        .sample = made->observer.sample == NULL ? NULL : on_sample,
        .frame = made->observer.frame == NULL ? NULL : on_frame,
    };
    *history = made;
    return STATUS_OK;
}

void machine_history_destroy(struct machine_history *history)
{
    if (history == NULL) {
        return;
    }
    drop_states(history);
    free(history->breaks);
    free(history->tied);
    free(history->told);
    free(history);
}

size_t machine_history_bytes(const struct machine_history *history)
{
    return history->held_bytes;
}

unsigned machine_history_states(const struct machine_history *history)
{
    return history->states;
}
