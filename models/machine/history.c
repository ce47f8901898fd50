/* history.c - see history.h. */
#include "models/machine/history_state.h"

#include "models/common/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BACK_FIRST_CYCLES = 64, BACK_FACTOR = 4 };

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

/* Drops a state between the first and the last, so that states are the wider apart the older they
 * are: the one that leaves the smallest gap for its age. */
static void thin_out(struct machine_history *history)
{
    const uint64_t last_ps = kept_state_time_ps(history->state[history->states - 1]);
    unsigned dropped = 1;
    double least = INFINITY;
    for (unsigned i = 1; i + 1 < history->states; i++) {
        const uint64_t gap_ps =
            kept_state_time_ps(history->state[i + 1]) - kept_state_time_ps(history->state[i - 1]);
        const uint64_t age_ps = last_ps - kept_state_time_ps(history->state[i]);
        const double share = (double)gap_ps / (double)(age_ps + history->interval_ps);
        if (share < least && history->state[i] != history->last) { /* the next one shares with it */
            least = share;
            dropped = i;
        }
    }
    drop_state(history, dropped);
}

/* Keeps the machine's state, behind those that are kept.  False: out of memory. */
static bool keep(struct machine_history *history)
{
    while (history->states > 2 &&
           (history->states == HISTORY_STATES || history->held_bytes > history->budget_bytes)) {
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

/* The last place up to which hits have been told. */
static struct history_place told_up_to(const struct machine_history *history)
{
    return history_is_before(history->at, history->passed) ? history->passed : history->at;
}

static void move_to(struct machine_history *history, uint64_t time_ps)
{
    const uint64_t to_ps = later_of(time_ps, begin_ps(history));
    restore(history, state_before(history, to_ps));
    history->quiet = true;
    (void)machine_run_until(history->machine, to_ps);
    history->quiet = false;
    history->at = (struct history_place){to_ps, -1};
}

static const struct history_place NOTHING = {0, -2}; /* before all places */

static void forget_hits(struct machine_history *history)
{
    history->tied_count = 0;
    history->passed = NOTHING;
}

void machine_history_go_to(struct machine_history *history, uint64_t time_ps)
{
    forget_hits(history);
    move_to(history, time_ps);
}

void machine_history_rewind(struct machine_history *history, uint64_t time_ps)
{
    const struct history_place stood = told_up_to(history);
    machine_history_go_to(history, time_ps);
    history->passed = stood;
}

static void go_to_hit(struct machine_history *history, struct history_hit *hit)
{
    *hit = history->hit;
    move_to(history, hit->time_ps);
    history->at = history_place_of(history, hit);
}

/* The next store at the time of the last hit; false: there is none. */
static bool next_tied(struct machine_history *history, struct history_hit *hit)
{
    bool any = false;
    for (size_t i = 0; i < history->tied_count; i++) {
        const struct history_hit *at = &history->tied[i];
        const struct history_place place = history_place_of(history, at);
        if (!arm968_is_watched(machine_core_processor(history->machine, at->core), at->address)) {
            continue;
        }
        if (at->time_ps == history->at.time_ps && history_is_before(history->at, place) &&
            (!any || history_is_before(place, history_place_of(history, hit)))) {
            any = true;
            *hit = *at;
        }
    }
    if (any) {
        history->at = history_place_of(history, hit);
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
    history->least = told_up_to(history);
    history->most = (struct history_place){TIME_NEVER, -1};
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
    history->at = (struct history_place){history->machine->time_ps, -1};
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

enum history_stop machine_history_run_back(struct machine_history *history, struct history_hit *hit)
{
    forget_hits(history);
    history->found = false;
    history->stops = false;
    history->least = NOTHING;
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
    history->at =
        history_place_of(history, &(struct history_hit){.core = core, .time_ps = found_ps});
    return HISTORY_REACHED;
}

void machine_history_go_before(struct machine_history *history, const struct history_hit *hit)
{
    (void)machine_history_step_back(history, hit->core);
    history->passed = history_place_of(history, hit);
}

static void drop_states(struct machine_history *history)
{
    while (history->states > 0) {
        drop_state(history, history->states - 1);
    }
}

void machine_history_changed(struct machine_history *history)
{
    struct kept_state *now = kept_state_take(history->machine, history->last, &history->held_bytes);
    memory_need(now);
    history_forget_future(history);
    forget_hits(history);
    drop_states(history);
    history->state[history->states++] = now;
    history->last = now;
}

void machine_history_rest(struct machine_history *history)
{
    drop_states(history);
    history->interval_ps = TIME_NEVER;
    machine_history_clear(history);
}

/* ---- life cycle ---- */

enum status machine_history_create(struct machine *machine,
                                   const struct machine_history_options *options,
                                   struct machine_history **history)
{
    struct machine_history *made = calloc(1, sizeof *made);
    *history = NULL;
    if (made == NULL || machine->devices != NULL) {
        free(made);
        return made == NULL ? STATUS_INTERNAL : STATUS_CONFIGURATION;
    }
    made->machine = machine;
    made->budget_bytes = options->budget_bytes == 0 ? HISTORY_BUDGET_BYTES : options->budget_bytes;
    made->interval_ps = options->interval_ps == 0 ? HISTORY_INTERVAL_PS : options->interval_ps;
    made->at = (struct history_place){machine->time_ps, -1};
    made->passed = NOTHING;
    made->told = calloc((size_t)machine->chip_count * CHIP_CORES, sizeof *made->told);
    if (made->told == NULL || !keep(made)) {
        free(made->told);
        free(made);
        return STATUS_INTERNAL;
    }
    history_observe(made);
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
