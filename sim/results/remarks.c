/* remarks.c - see remarks.h. */
#include "sim/results/remarks.h"

#include "models/common/units.h"
#include "sim/config/config_schema.h"
#include "sim/run_control/saved_state.h"

#include <inttypes.h>
#include <string.h>

static struct diagnostic *next(struct remarks *remarks)
{
    return remarks->count < REMARKS_MAX ? &remarks->of[remarks->count] : NULL;
}

void remarks_of_energy(struct remarks *remarks, const struct sim_config *config)
{
    *remarks = (struct remarks){.count = 0};
    for (size_t i = 0; i < config->energy.clock_count && next(remarks) != NULL; i++) {
        remarks->count += config_extrapolates(config, i, next(remarks));
    }
}

/* ---- keys without effect ---- */

/* A part of the machine that a run need not use: its group of keys, and what it counts when it is
 * used. */
static const struct part {
    const char *group, *what;
    const char *counter[4];
} PARTS[] = {
    {"link", "no packet crossed a link", {"link.packets"}},
    {"router",
     "no packet came to a router",
     {"router.packets_mc", "router.packets_p2p", "router.packets_nn", "router.packets_fr"}},
};

static bool was_used(const struct part *part, const struct tally_sums *sums)
{
    uint64_t count = 0;
    for (size_t i = 0; i < sizeof part->counter / sizeof *part->counter; i++) {
        count += part->counter[i] == NULL ? 0 : tally_value(sums, part->counter[i]);
    }
    return count > 0;
}

/* The keys of a group that are not at their defaults, with commas between them. */
static void list_changed(const struct sim_config *config, const char *group,
                         char text[DIAGNOSTIC_KEY_CHARS])
{
    size_t count;
    size_t length = 0;
    const struct config_key *key = config_keys(&count);
    text[0] = '\0';
    for (size_t i = 0; i < count && length < DIAGNOSTIC_KEY_CHARS; i++) {
        if (strncmp(key[i].name, group, strlen(group)) == 0 && key[i].name[strlen(group)] == '.' &&
            config_field_whole(config, &key[i]) != key[i].whole.standard) {
            length += (size_t)snprintf(text + length, DIAGNOSTIC_KEY_CHARS - length, "%s%s",
                                       length == 0 ? "" : ", ", key[i].name);
        }
    }
}

/* ---- a training that was resumed in part ---- */

static void remark_resumed(struct remarks *remarks, const struct record *record)
{
    const struct job *job = record->job;
    struct diagnostic *remark = next(remarks);
    const char *why =
        job->checkpoint.strange
            ? "another user or computer wrote the checkpoint, and a machine's state is "
              "taken from oneself only"
        : job->checkpoint.run == NULL
            ? "the checkpoint holds no state of a machine"
            : "the checkpoint's machine is of another configuration, mapping or "
              "spinnsim";
    if (remark != NULL) {
        (void)diagnose(remark, STATUS_CONFIGURATION,
                       "counters, seconds and joules of the machine before the end of epoch %u are "
                       "not in the results: %s\v"
                       "weights, predictions and learning.csv are those of the whole training",
                       record->outcome->epochs_before, why);
        diagnostic_key(remark, "resumed_after_epoch");
        remarks->count++;
    }
}

/* ---- a fork ---- */

static void remark_fork(struct remarks *remarks, const struct saved_fork *fork)
{
    struct diagnostic *remark = next(remarks);
    if (remark != NULL) {
        (void)diagnose(remark, STATUS_CONFIGURATION,
                       "a fork: up to %.6g ms the machine had %s of %s, as the run that saved the "
                       "state%s\vsummary.json has all that differs under fork",
                       (double)fork->time_ps / (double)PS_PER_MS, fork->change[0].was,
                       fork->change[0].key, fork->changes > 1 ? ", and other values of others" : "");
        diagnostic_key(remark, "fork");
        remarks->count++;
    }
}

static void remark_unsaved(struct remarks *remarks, const struct record *record)
{
    struct diagnostic *remark = next(remarks);
    if (remark != NULL) {
        (void)diagnose(remark, STATUS_CONFIGURATION,
                       "no state was saved: the run ended before, at %.6g ms\v"
                       "an earlier time, epoch or function",
                       (double)record->outcome->time_ps / (double)PS_PER_MS);
        diagnostic_key(remark, "run.save_at");
        remarks->count++;
    }
}

/* ---- programs ---- */

/* The stack that went furthest below its end, and how many others did. */
static void remark_stacks(struct remarks *remarks, const struct outcome *outcome)
{
    const struct outcome_core *worst = NULL;
    size_t others = 0;
    char more[64] = "";
    for (size_t i = 0; i < outcome->core_count; i++) {
        const struct outcome_core *core = &outcome->core[i];
        if (core->overrun[0] == '\0') {
            continue;
        }
        others += worst != NULL;
        if (worst == NULL ||
            core->stack_end - core->lowest_sp > worst->stack_end - worst->lowest_sp) {
            worst = core;
        }
    }
    struct diagnostic *remark = next(remarks);
    if (worst == NULL || remark == NULL) {
        return;
    }
    if (others > 0) {
        (void)snprintf(more, sizeof more, "; so did those of %zu more cores", others);
    }
    (void)diagnose(remark, STATUS_GUEST,
                   "chip (%u,%u) core %u: the stack ran %" PRIu32 " bytes below its end at "
                   "0x%08" PRIx32 ", to 0x%08" PRIx32 " in %s%s\v"
                   "large arrays belong into static memory, and recursion needs a bound; "
                   "placement.csv has the lowest stack pointer of each core",
                   worst->core.x, worst->core.y, worst->core.p, worst->stack_end - worst->lowest_sp,
                   worst->stack_end, worst->lowest_sp, worst->overrun, more);
    remarks->count++;
}

static void remark_apps(struct remarks *remarks, const struct sim_config *config)
{
    for (size_t i = 0; i < config->app_count && next(remarks) != NULL; i++) {
        remarks->count += config_app_lacks(config, i, next(remarks));
    }
}

/* ---- fallbacks of a backend ---- */

static void remark_fallbacks(struct remarks *remarks, const struct outcome *outcome)
{
    for (size_t i = 0; i < outcome->operation_count && next(remarks) != NULL; i++) {
        const struct outcome_operation *row = &outcome->operation[i];
        if (row->fallbacks == 0) {
            continue;
        }
        struct diagnostic *remark = next(remarks);
        (void)diagnose(remark, STATUS_CONFIGURATION,
                       "%s by its fallback, %" PRIu64 " times: %s\v"
                       "operations.csv counts what the backend was asked for",
                       row->operation, row->fallbacks, row->fallback);
        diagnostic_key(remark, "operations");
        remarks->count++;
    }
}

void remarks_of_run(struct remarks *remarks, const struct record *record)
{
    const struct sim_config *config = record->job->config;
    *remarks = (struct remarks){.count = 0};
    if (config->backend == CONFIG_BACKEND_SPINNAKER) {
        remarks_of_energy(remarks, config);
    }
    if (record->outcome->epochs_before > 0 && !record->job->config->train_continues) {
        remark_resumed(remarks, record);
    }
    if (record->outcome->unsaved) {
        remark_unsaved(remarks, record);
    }
    if (saved_state_is_fork(record->job)) {
        remark_fork(remarks, &record->job->restored->fork);
    }
    remark_fallbacks(remarks, record->outcome);
    if (config->backend != CONFIG_BACKEND_SPINNAKER) {
        return;
    }
    remark_stacks(remarks, record->outcome);
    remark_apps(remarks, config);
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS && next(remarks) != NULL; i++) {
        char keys[DIAGNOSTIC_KEY_CHARS];
        list_changed(config, PARTS[i].group, keys);
        if (keys[0] != '\0' && !was_used(&PARTS[i], &record->tally.total)) {
            struct diagnostic *remark = next(remarks);
            (void)diagnose(remark, STATUS_CONFIGURATION,
                           "changed, but without effect: %s in this run\v"
                           "a network or program whose cores send packets shows the effect",
                           PARTS[i].what);
            diagnostic_key(remark, keys);
            remarks->count++;
        }
    }
}
