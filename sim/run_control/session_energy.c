/* session_energy.c - see session.h and energy_so_far.h: the energy used so far by a machine that is
 * still running, from the same counters and with the same sums as the recorder's at the end. */
#include "sim/run_control/energy_so_far.h"
#include "sim/run_control/session.h"

#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

static bool is_of(const struct session_sums *sums, size_t kind,
                  const struct machine_counter *counter)
{
    const size_t length = strlen(counter->component);
    return sums->kind[kind].info == counter->info &&
           strncmp(sums->kind[kind].name, counter->component, length) == 0 &&
           sums->kind[kind].name[length] == '.';
}

static void add_counter(void *context, const struct machine_counter *counter)
{
    struct session_sums *sums = context;
    for (size_t i = 0; i < sums->size; i++) {
        if (is_of(sums, i, counter)) {
            sums->count[i].value += counter->value;
            return;
        }
    }
    if (sums->size == SESSION_SUMS) {
        sums->full = true;
        return;
    }
    const size_t added = sums->size++;
    sums->kind[added].info = counter->info;
    sums->kind[added].component = counter->component;
    (void)snprintf(sums->kind[added].name, sizeof sums->kind[added].name, "%s.%s",
                   counter->component, counter->info->name);
    sums->count[added] = (struct energy_count){sums->kind[added].name, counter->value};
}

static enum status sum(const struct machine *machine, struct session_sums *sums,
                       struct diagnostic *diagnostic)
{
    *sums = (struct session_sums){.time_ps = machine_time_ps(machine)};
    machine_each_counter(machine, add_counter, sums);
    return sums->full ? diagnose(diagnostic, STATUS_INTERNAL, "no room to sum the counters")
                      : STATUS_OK;
}

enum status session_sum(const struct session *session, struct session_sums *sums,
                        struct diagnostic *diagnostic)
{
    return sum(session->machine, sums, diagnostic);
}

/* Kinds of counters are never fewer than before: those that are new were 0. */
static bool add_since(struct session *session, enum stage stage, const struct session_sums *now)
{
    const struct session_sums *was = session->counted;
    bool good = true;
    for (size_t i = 0; good && i < now->size; i++) {
        const uint64_t before = was != NULL && i < was->size ? was->count[i].value : 0;
        good = outcome_add_stage_sum(session->outcome, stage, now->kind[i].component,
                                     now->kind[i].info, now->count[i].value - before);
    }
    return good;
}

enum status session_count_stage(struct session *session, enum stage stage,
                                struct diagnostic *diagnostic)
{
    struct session_sums *now = calloc(1, sizeof *now);
    enum status status =
        now == NULL ? no_memory(diagnostic) : session_sum(session, now, diagnostic);
    if (status == STATUS_OK && !add_since(session, stage, now)) {
        status = no_memory(diagnostic);
    }
    if (status != STATUS_OK) {
        free(now);
        return status;
    }
    free(session->counted);
    session->counted = now;
    return STATUS_OK;
}

enum status energy_so_far(const struct machine *machine, const struct energy_table *table,
                          struct energy_joules *joules, struct diagnostic *diagnostic)
{
    struct session_sums *sums = calloc(1, sizeof *sums);
    if (sums == NULL) {
        return no_memory(diagnostic);
    }
    const enum status status = sum(machine, sums, diagnostic);
    const struct energy_activity activity = {.count = sums->count,
                                             .count_count = sums->size,
                                             .time_ps = sums->time_ps,
                                             .chips = machine_chip_count(machine),
                                             .boards = machine_board_count(machine)};
    *joules = energy_total(table, &activity);
    free(sums);
    return status;
}

enum status session_joules(const struct session *session, struct energy_joules *joules,
                           struct diagnostic *diagnostic)
{
    return energy_so_far(session->machine, &session->job->config->energy, joules, diagnostic);
}
