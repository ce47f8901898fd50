/* schedule.c - machine_run_until(): see machine_state.h. */
#include "models/machine/core/ahead.h"
#include "models/machine/link_devices.h"
#include "models/machine/machine_state.h"
#include "models/machine/noc_devices.h"
#include "models/machine/team.h"

#include <inttypes.h>
#include <stdlib.h>

/* With fewer chips per thread than this, one thread is faster. */
enum { CHIPS_WORTH_A_THREAD = 2 };

/* ---- life cycle ---- */

/* An effect of a chip reaches another one as a packet, which takes time on the link, or as a
 * credit.  The fastest of the links that lead somewhere counts. */
static uint64_t lookahead_of(const struct machine *machine)
{
    uint64_t lookahead_ps = earlier_of(machine->config.parameters.link_credit_latency_ps,
                                       devices_shortest_ps(machine->devices));
    for (unsigned i = 0; i < machine->chip_count; i++) {
        const struct chip *chip = &machine->chip[i];
        for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
            const bool leads = chip->place->neighbour[link] != TOPOLOGY_NO_CHIP;
            lookahead_ps = earlier_of(lookahead_ps, leads ? chip->rate[link].short_ps : TIME_NEVER);
        }
    }
    return lookahead_ps > 0
               ? lookahead_ps
               : 1; /* 0 would make windows empty; with 1 one moment takes several windows */
}

void schedule_look(struct machine *machine)
{
    machine->schedule.lookahead_ps = lookahead_of(machine);
}

enum status schedule_init(struct machine *machine)
{
    struct schedule *schedule = &machine->schedule;
    const unsigned threads = machine->config.threads;
    schedule->lookahead_ps = lookahead_of(machine);
    schedule->next_ps = calloc(machine->chip_count, sizeof *schedule->next_ps);
    schedule->reach_ps = calloc(machine->chip_count, sizeof *schedule->reach_ps);
    schedule->active = calloc(machine->chip_count, sizeof *schedule->active);
    if (schedule->next_ps == NULL || schedule->reach_ps == NULL || schedule->active == NULL) {
        return STATUS_INTERNAL;
    }
    if (threads > 1 && machine->chip_count > 1 &&
        pthread_mutex_init(&schedule->observing, NULL) == 0) {
        schedule->team = team_create(threads < TEAM_THREADS_MAX ? threads : TEAM_THREADS_MAX);
    }
    for (unsigned i = 0; i < machine->chip_count; i++) {
        machine->chip[i].scheduled_next_ps = &schedule->next_ps[i];
        machine->chip[i].scheduled_reach_ps = &schedule->reach_ps[i];
        machine->chip[i].observing = schedule->team == NULL ? NULL : &schedule->observing;
    }
    return STATUS_OK;
}

void schedule_deinit(struct machine *machine)
{
    team_destroy(machine->schedule.team);
    free(machine->schedule.next_ps);
    free(machine->schedule.reach_ps);
    free(machine->schedule.active);
}

/* ---- devices ---- */

static uint64_t next_of_devices(const struct machine *machine)
{
    return machine->devices == NULL ? TIME_NEVER : devices_next_ps(machine->devices);
}

/* What devices do within the window, after the chips have run. */
static void run_devices(struct machine *machine)
{
    struct devices *devices = machine->devices;
    struct noc_early early;
    for (unsigned i = 0; i < machine->chip_count; i++) {
        const struct chip *chip = &machine->chip[i];
        if (noc_devices_early(chip->noc, &early)) {
            devices_fail(devices,
                         "the device at 0x%08" PRIx32 " of chip %u,%u has answered at %" PRIu64
                         " ps an access that arrived at %" PRIu64
                         " ps\vwhat it returns is the time of arrival or later",
                         early.address, chip->x, chip->y, early.done_ps, early.arrival_ps);
        }
    }
    devices_run(devices, machine->schedule.window_ps);
}

static bool device_failed(const struct machine *machine)
{
    return machine->devices != NULL && machine->devices->failed;
}

/* The present of devices is at least this. */
static void devices_are_at(struct machine *machine, uint64_t time_ps)
{
    if (machine->devices != NULL) {
        machine->devices->now_ps = time_ps;
    }
}

/* ---- a window ---- */

static uint64_t earliest(const uint64_t *time_ps, unsigned count)
{
    uint64_t earliest_ps = TIME_NEVER;
    for (unsigned i = 0; i < count; i++) {
        earliest_ps = time_ps[i] < earliest_ps ? time_ps[i] : earliest_ps;
    }
    return earliest_ps;
}

/* Opens the next window; false: no chip has an event before the end of the run. */
static bool open_window(struct machine *machine)
{
    struct schedule *schedule = &machine->schedule;
    const uint64_t device_ps = next_of_devices(machine);
    const uint64_t reach_ps =
        earlier_of(device_ps, earliest(schedule->reach_ps, machine->chip_count));
    schedule->window_ps = schedule->until_ps;
    if (reach_ps < schedule->until_ps && schedule->until_ps - reach_ps > schedule->lookahead_ps) {
        schedule->window_ps = reach_ps + schedule->lookahead_ps;
    }
    schedule->active_count = 0;
    for (unsigned i = 0; i < machine->chip_count; i++) {
        schedule->active[schedule->active_count] = i;
        schedule->active_count += schedule->next_ps[i] < schedule->window_ps;
    }
    if (machine->devices != NULL && reach_ps < schedule->window_ps) {
        devices_are_at(machine, later_of(reach_ps, machine->devices->now_ps));
    }
    return schedule->active_count > 0 || device_ps < schedule->window_ps;
}

static void run_chip(struct machine *machine, unsigned chip)
{
    chip_run(&machine->chip[chip], machine->schedule.window_ps, machine->schedule.until_ps);
}

/* Parts are all chips, active or not: so a thread gets the same ones in every window. */
static void run_part(void *context, unsigned part)
{
    struct machine *machine = context;
    if (machine->schedule.next_ps[part] < machine->schedule.window_ps) {
        run_chip(machine, part);
    }
}

static void run_window(struct machine *machine)
{
    struct schedule *schedule = &machine->schedule;
    if (schedule->team != NULL &&
        schedule->active_count >= CHIPS_WORTH_A_THREAD * machine->config.threads) {
        team_run(schedule->team, machine->chip_count, run_part, machine);
        return;
    }
    for (unsigned i = 0; i < schedule->active_count; i++) {
        run_chip(machine, schedule->active[i]);
    }
}

/* The chip whose fault or frame is reported next, in the order (time, chip); NULL: none. */
static struct chip *first_report(const struct machine *machine)
{
    const struct schedule *schedule = &machine->schedule;
    struct chip *first = NULL;
    for (unsigned i = 0; i < schedule->active_count; i++) {
        struct chip *chip = &machine->chip[schedule->active[i]];
        const uint64_t first_ps = first == NULL ? TIME_NEVER : chip_report_ps(first);
        if (chip_report_ps(chip) < first_ps) {
            first = chip;
        }
    }
    return first;
}

/* Reports pending faults and frames, and lets the chips concerned run on to the end of the window.
 * Returns NULL, or the chip at which the observer stops the run. */
static struct chip *report_all(struct machine *machine)
{
    const struct schedule *schedule = &machine->schedule;
    for (struct chip *chip = first_report(machine); chip != NULL; chip = first_report(machine)) {
        if (chip_report(chip)) {
            return chip;
        }
        chip_run(chip, schedule->window_ps, schedule->until_ps);
    }
    return NULL;
}

/* A chip at one of whose marks the observer ends the run; NULL: none. */
static struct chip *ended_at_mark(struct machine *machine)
{
    const struct schedule *schedule = &machine->schedule;
    struct chip *ended = NULL;
    for (unsigned i = 0; i < schedule->active_count; i++) {
        struct chip *chip = &machine->chip[schedule->active[i]];
        ended = chip->mark_ends ? chip : ended;
        chip->mark_ends = false;
    }
    return ended;
}

static void close_window(struct machine *machine)
{
    struct schedule *schedule = &machine->schedule;
    for (unsigned i = 0; i < schedule->active_count; i++) {
        const struct chip *chip = &machine->chip[schedule->active[i]];
        schedule->next_ps[schedule->active[i]] = chip->next_ps;
        schedule->reach_ps[schedule->active[i]] = chip->reach_ps;
    }
    if (machine->devices != NULL) {
        devices_collect(machine->devices);
    }
    for (unsigned i = 0; i < schedule->active_count; i++) {
        fabric_hand_over(&machine->chip[schedule->active[i]]);
    }
    if (machine->devices != NULL) {
        run_devices(machine);
    }
}

/* ---- running ---- */

static void settle(struct core *core)
{
    core_ahead_settle(core, TIME_NEVER);
}

static void each_core(struct machine *machine, void (*each)(struct core *core))
{
    for (unsigned i = 0; i < machine->chip_count; i++) {
        struct chip *chip = &machine->chip[i];
        for (unsigned p = 0; p < chip->core_count; p++) {
            each(&chip->core[p]);
        }
    }
}

/* The machine has reached a time: sleeping cores have slept up to it, and everything up to done_ps
 * has happened.  A transmitter that becomes free after that is left to its event, which wakes its
 * core. */
static void reach(struct machine *machine, uint64_t time_ps, uint64_t done_ps)
{
    machine->time_ps = time_ps > machine->time_ps ? time_ps : machine->time_ps;
    devices_are_at(machine, machine->time_ps);
    for (unsigned i = 0; i < machine->chip_count; i++) {
        struct chip *chip = &machine->chip[i];
        for (unsigned p = 0; p < chip->core_count; p++) {
            core_advance_transmitter(&chip->core[p], done_ps);
            core_sleep_until(&chip->core[p], machine->time_ps);
        }
    }
}

static uint64_t last_event(const struct machine *machine)
{
    uint64_t last_ps = machine->devices == NULL ? 0 : machine->devices->last_event_ps;
    for (unsigned i = 0; i < machine->chip_count; i++) {
        last_ps = later_of(last_ps, machine->chip[i].d.last_event_ps);
    }
    return last_ps;
}

/* When the last transmitter becomes free: this counts as activity, though it is no event. */
static uint64_t last_free(const struct machine *machine)
{
    uint64_t last_ps = 0;
    for (unsigned i = 0; i < machine->chip_count; i++) {
        const struct chip *chip = &machine->chip[i];
        for (unsigned p = 0; p < chip->core_count; p++) {
            const uint64_t free_ps = core_free_ps(&chip->core[p]);
            last_ps = later_of(last_ps, free_ps == TIME_NEVER ? 0 : free_ps);
        }
    }
    return last_ps;
}

enum machine_stop machine_run_until(struct machine *machine, uint64_t time_ps)
{
    struct schedule *schedule = &machine->schedule;
    schedule->until_ps = time_ps;
    if (device_failed(machine)) {
        return MACHINE_STOPPED;
    }
    for (unsigned i = 0; i < machine->chip_count; i++) {
        chip_plan(&machine->chip[i]);
        schedule->next_ps[i] = machine->chip[i].next_ps;
        schedule->reach_ps[i] = machine->chip[i].reach_ps;
    }
    while (open_window(machine)) {
        run_window(machine);
        const struct chip *stopped = report_all(machine);
        const struct chip *marked = ended_at_mark(machine);
        stopped = stopped == NULL ? marked : stopped;
        close_window(machine);
        if (stopped != NULL) {
            each_core(machine, core_ahead_drop);
            reach(machine, stopped->d.last_event_ps, stopped->d.last_event_ps - 1);
            return MACHINE_STOPPED;
        }
        if (device_failed(machine)) {
            const uint64_t now_ps = machine->devices->now_ps;
            each_core(machine, core_ahead_drop);
            reach(machine, now_ps, now_ps);
            return MACHINE_STOPPED;
        }
    }
    each_core(machine, settle); /* nothing can reach them before time_ps any more */
    const uint64_t free_ps = last_free(machine);
    const uint64_t next_ps = earlier_of(next_of_devices(machine),
                                        earliest(schedule->next_ps, machine->chip_count));
    if (next_ps == TIME_NEVER && free_ps < time_ps) {
        const uint64_t last_ps = later_of(last_event(machine), free_ps);
        reach(machine, last_ps, last_ps);
        return MACHINE_QUIESCENT;
    }
    reach(machine, time_ps, time_ps - 1); /* what happens at time_ps itself is yet to come */
    return MACHINE_REACHED;
}
