/* session_train.c - see session.h: the main loop of a training.  The machine trains an epoch, or
 * tests, and waits; the host reads the results and gives the next command, which takes no machine
 * time. */
#include "models/common/units.h"
#include "sim/mapping/plan_train.h"
#include "sim/run_control/follower.h"
#include "sim/run_control/session.h"
#include "sim/run_control/session_state.h"
#include "sim/steps.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- parameters ---- */

/* Fills the initial parameters: from the checkpoint or the weights file, or drawn. */
static void initial_block(const struct job *job, void *block)
{
    const size_t bytes = weights_block_bytes(&job->network, job->table);
    if (job->resumes) {
        memcpy(block, job->checkpoint.parameters, bytes);
    } else if (job->weights.block != NULL) {
        memcpy(block, job->weights.block, bytes);
    } else {
        learning_draw(&job->network, job->table, job->config->train_initializer, job->config->seed,
                      block);
    }
}

static void *new_block(const struct session *session)
{
    const size_t count = session->plan.table->parameter_bytes / sizeof(int16_t);
    return calloc(count + 1, network_value_bytes(session->plan.network));
}

static enum status write_initial(struct session *session, struct diagnostic *diagnostic)
{
    const struct load_plan *plan = &session->plan;
    const size_t count = plan->table->parameter_bytes / sizeof(int16_t);
    int32_t *parameters = calloc(count + 1, sizeof *parameters);
    void *block = new_block(session);
    enum status status = no_memory(diagnostic);
    if (parameters != NULL && block != NULL) {
        initial_block(session->job, block);
        for (size_t i = 0; i < count; i++) {
            parameters[i] = weights_value(plan->network, block, i);
        }
        status = plan_train_write_values(plan, session->machine, PLAN_TRAIN_PARAMETERS, parameters);
    }
    free(parameters);
    free(block);
    return status;
}

/* Restores everything from a checkpoint but the parameters and what the run has counted. */
static enum status resume(struct session *session, struct diagnostic *diagnostic)
{
    const struct checkpoint *from = &session->job->checkpoint;
    const struct learning *learning = &session->plan.train->learning;
    struct outcome *outcome = session->outcome;
    session->epochs_done = from->epochs;
    session->earlier_ps = from->time_ps;
    session->joules_earlier =
        (struct energy_joules){from->joules[0], from->joules[1], from->joules[2]};
    session->joules = session->joules_earlier;
    outcome->updates = (uint64_t)from->epochs * learning->updates_per_epoch;
    outcome->images_trained = (uint64_t)from->epochs * learning->order.images;
    outcome->images_before = outcome->images_trained;
    outcome->epochs_before = from->epochs;
    if (!outcome_restore(outcome, from)) {
        return no_memory(diagnostic);
    }
    return plan_train_write_values(&session->plan, session->machine, PLAN_TRAIN_STATE, from->state);
}

static enum status read_block(const struct session *session, void *block,
                              struct diagnostic *diagnostic)
{
    const struct load_plan *plan = &session->plan;
    const size_t count = plan->table->parameter_bytes / sizeof(int16_t);
    int32_t *parameters = calloc(count + 1, sizeof *parameters);
    if (parameters == NULL) {
        return no_memory(diagnostic);
    }
    const enum status status = plan_train_read_values(plan, session->machine, PLAN_TRAIN_PARAMETERS,
                                                      parameters, diagnostic);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        weights_set_value(plan->network, block, i, parameters[i]);
    }
    free(parameters);
    return status;
}

static enum status take_parameters(struct session *session, struct diagnostic *diagnostic)
{
    struct outcome *outcome = session->outcome;
    outcome->trained.block = new_block(session);
    if (outcome->trained.block == NULL) {
        return no_memory(diagnostic);
    }
    outcome_sign_weights(outcome, session->job);
    return read_block(session, outcome->trained.block, diagnostic);
}

/* After an epoch, if configured: adds rows of parameters.csv, by comparison with the host's
 * training (follower.h). */
static enum status follow(struct session *session, struct diagnostic *diagnostic)
{
    if (session->job->config->record_parameter_norms == 0) {
        return STATUS_OK;
    }
    if (session->follower == NULL) {
        TRY(follower_open(session->job, &session->follower, diagnostic));
    }
    void *block = new_block(session);
    enum status status =
        block == NULL ? no_memory(diagnostic) : read_block(session, block, diagnostic);
    if (status == STATUS_OK) {
        status = follower_update(session->follower, session->outcome->updates, block,
                                 session->outcome, diagnostic);
    }
    free(block);
    return status;
}

/* ---- checkpoints ---- */

static bool has_learnt(const struct session *session)
{
    const struct sim_config *config = session->job->config;
    return session->is_enough ||
           outcome_is_enough(session->outcome, session->epochs_done, config->train_patience,
                             config->train_target_accuracy);
}

/* Whether no epoch follows. */
static bool ends(const struct session *session)
{
    return session->epochs_done >= session->plan.train->learning.epochs || has_learnt(session);
}

static enum status fill_checkpoint(const struct session *session, struct checkpoint *to,
                                   struct diagnostic *diagnostic)
{
    to->epochs = session->epochs_done;
    to->time_ps =
        session->earlier_ps + session->stage_ps[STAGE_TRAIN] + session->stage_ps[STAGE_TEST];
    to->joules[0] = session->joules.low;
    to->joules[1] = session->joules.value;
    to->joules[2] = session->joules.high;
    if (!outcome_save(session->outcome, to)) {
        return no_memory(diagnostic);
    }
    TRY(read_block(session, to->parameters, diagnostic));
    if (!ends(session)) {
        session_state_save(session, &to->run, &to->run_bytes);
    }
    return plan_train_read_values(&session->plan, session->machine, PLAN_TRAIN_STATE, to->state,
                                  diagnostic);
}

static enum status leave_checkpoint(const struct session *session, struct diagnostic *diagnostic)
{
    const struct job *job = session->job;
    const struct learning *learning = &session->plan.train->learning;
    struct checkpoint to;
    if (job->options.results == NULL ||
        !checkpoint_is_due(job->config->record_checkpoint_every_epochs,
                           job->config->record_last_checkpoint, session->epochs_done,
                           ends(session))) {
        return STATUS_OK;
    }
    enum status status =
        checkpoint_init(&to, learning, job->table, job->train.digest_hex, diagnostic);
    if (status == STATUS_OK) {
        status = fill_checkpoint(session, &to, diagnostic);
    }
    if (status == STATUS_OK) {
        status = checkpoint_write(&to, job->options.results, diagnostic);
    }
    checkpoint_deinit(&to);
    return status;
}

/* ---- times ---- */

static void find_marks(struct session *session)
{
    const struct elf_symbol *record =
        elf_image_find(&session->job->program[0].image, "record_store");
    session->record_mark = record == NULL ? 0 : record->address;
}

void session_train_mark(struct session *session, struct machine_core core, uint32_t address)
{
    const struct machine_core first = session->plan.core[0].core;
    if (address == session->record_mark && core.x == first.x && core.y == first.y &&
        core.p == first.p &&
        session->update_count < session->plan.train->learning.updates_per_epoch) {
        session->update_ps[session->update_count++] = machine_core_time_ps(session->machine, core);
    }
}

/* ---- commands ---- */

static struct energy_joules difference(struct energy_joules all, struct energy_joules less)
{
    return (struct energy_joules){all.low - less.low, all.value - less.value, all.high - less.high};
}

/* Joules since the first command, including those before the checkpoint. */
static struct energy_joules so_far(const struct session *session, struct energy_joules now)
{
    const struct energy_joules here = difference(now, session->joules_before);
    const struct energy_joules earlier = session->joules_earlier;
    return (struct energy_joules){earlier.low + here.low, earlier.value + here.value,
                                  earlier.high + here.high};
}

/* Updates the mean loss from the last update that all cores have completed; keeps the old value if
 * there is none. */
static void look_at_loss(struct session *session)
{
    static const double ONE = 65536; /* losses have 16 fractional bits */
    for (uint32_t u = session->update_count; u > 0; u--) {
        struct nn_train_record record;
        if (plan_train_read_record(&session->plan, session->machine, u - 1, &record)) {
            session->loss = (double)record.loss / ONE / record.images;
            return;
        }
    }
}

/* Reports progress to job_options.progress.  Reads the machine without changing it. */
static void tell_training(struct session *session)
{
    const struct job_options *options = &session->job->options;
    const struct learning *learning = &session->plan.train->learning;
    struct energy_joules joules = outcome_no_joules();
    struct diagnostic nobody = {0};
    if (options->progress == NULL || session->stage == STAGE_LOAD) {
        return;
    }
    const bool trains = session->stage == STAGE_TRAIN;
    const uint32_t updates = trains ? session->update_count : 0;
    const uint64_t now_ps = machine_time_ps(session->machine) - session->command_ps;
    const uint64_t train_ps = session->stage_ps[STAGE_TRAIN] + (trains ? now_ps : 0);
    const uint64_t images = session->outcome->images_trained - session->outcome->images_before +
                            (uint64_t)updates * learning->batch;
    if (trains) {
        look_at_loss(session);
    }
    (void)session_joules(session, &joules, &nobody);
    const struct job_progress now = {
        .stage = stage_text(session->stage),
        .unit = "updates",
        .done = session->outcome->updates + updates,
        .total = (uint64_t)learning->updates_per_epoch * learning->epochs,
        .images_per_second = (double)images * (double)PS_PER_S / (double)train_ps,
        .loss = session->loss,
        .accuracy = session->accuracy,
        .joules = so_far(session, joules).value};
    options->progress(options->progress_context, &now);
}

/* Joules since the first command. */
static enum status look_at_joules(struct session *session, struct diagnostic *diagnostic)
{
    struct energy_joules now;
    TRY(session_joules(session, &now, diagnostic));
    session->joules = so_far(session, now);
    return STATUS_OK;
}

/* Runs the machine until every core waits; time and counts are the stage's.  A restored run goes on
 * with the stage that it is in. */
static enum status run_stage(struct session *session, enum stage stage,
                             struct diagnostic *diagnostic)
{
    if (!session->continued) {
        session->stage = stage;
        session->update_count = 0;
        session->told_updates = 0;
        session->command_ps = machine_time_ps(session->machine);
    }
    session->stop = session_run(session, tell_training);
    TRY(session_save_trouble(session, diagnostic));
    session->epoch_ps = machine_time_ps(session->machine) - session->command_ps;
    session->stage_ps[stage] += session->epoch_ps;
    session->goes_on = session->stop == MACHINE_QUIESCENT && session->outcome->guest_errors == 0 &&
                       !session->given_up;
    return session_count_stage(session, stage, diagnostic);
}

/* Executes the command that was given, with that status. */
static enum status execute(struct session *session, enum status given, enum stage stage,
                           struct diagnostic *diagnostic)
{
    if (given != STATUS_OK) {
        return diagnose(diagnostic, given, "the machine's memory takes no command");
    }
    TRY(run_stage(session, stage, diagnostic));
    session->goes_on = session->goes_on && plan_train_is_done(&session->plan, session->machine);
    if (!session->goes_on) {
        return STATUS_OK;
    }
    session_enter(session, stage);
    return look_at_joules(session, diagnostic);
}

/* Whether a restored run stands within this command. */
static bool is_within(const struct session *session, enum nn_train_what what)
{
    return session->continued && session->place == SESSION_COMMAND && session->what == what;
}

static enum status command(struct session *session, enum nn_train_what what, uint32_t epoch,
                           enum stage stage, struct diagnostic *diagnostic)
{
    const bool given = is_within(session, what);
    session->place = SESSION_COMMAND;
    session->what = what;
    return execute(session,
                   given ? STATUS_OK
                         : plan_train_command(&session->plan, session->machine, what, epoch),
                   stage, diagnostic);
}

enum status session_fit_part(struct session *session, struct plan_train_part part,
                             struct diagnostic *diagnostic)
{
    return execute(session, plan_train_command_part(&session->plan, session->machine, part),
                   STAGE_TRAIN, diagnostic);
}

/* ---- epochs ---- */

static enum status add_epoch(struct session *session, struct energy_joules before,
                             struct diagnostic *diagnostic)
{
    struct outcome *outcome = session->outcome;
    struct outcome_epoch *larger =
        realloc(outcome->epoch, (outcome->epoch_count + 1) * sizeof *larger);
    if (larger == NULL) {
        return no_memory(diagnostic);
    }
    outcome->epoch = larger;
    larger[outcome->epoch_count++] =
        (struct outcome_epoch){session->epoch_ps, difference(session->joules, before)};
    for (size_t i = 0; i < outcome->stage_sum_count; i++) { /* so far all training was epochs */
        outcome->stage_sum[i].epochs = outcome->stage_sum[i].of[STAGE_TRAIN];
    }
    return STATUS_OK;
}

static enum status train_epoch(struct session *session, struct diagnostic *diagnostic)
{
    const uint32_t epoch = session->epochs_done;
    const struct energy_joules before = session->joules;
    session->told_epoch = epoch + 1;
    if (!is_within(session, NN_TRAIN_EPOCH)) {
        (void)session_tell(session, JOB_BEFORE_EPOCH);
        (void)session_tell(session, JOB_BEFORE_TRAINING_SET);
        session_tell_step(session);
    }
    TRY(command(session, NN_TRAIN_EPOCH, epoch, STAGE_TRAIN, diagnostic));
    if (session->goes_on) {
        session->epochs_done++;
        TRY(add_epoch(session, before, diagnostic));
        TRY(session_take_records(session, epoch, diagnostic));
    }
    if (session->goes_on) {
        (void)session_tell(session, JOB_AFTER_TRAINING_SET);
        TRY(plan_train_check_log(&session->plan, session->machine, diagnostic));
        TRY(follow(session, diagnostic));
    }
    return STATUS_OK;
}

static bool is_test_due(const struct session *session)
{
    const struct sim_config *config = session->job->config;
    const uint64_t every = config->test_every_epochs;
    return session->epochs_done == session->plan.train->learning.epochs ||
           (every > 0 && session->epochs_done % every == 0);
}

enum status session_predict(struct session *session, struct diagnostic *diagnostic)
{
    if (!is_within(session, NN_TRAIN_TEST)) {
        (void)session_tell(session, JOB_BEFORE_TEST_SET);
        (void)session_tell(session, JOB_BEFORE_INFERENCE);
    }
    TRY(command(session, NN_TRAIN_TEST, session->epochs_done, STAGE_TEST, diagnostic));
    if (session->goes_on) {
        (void)session_tell(session, JOB_AFTER_INFERENCE);
        TRY(session_take_test(session, diagnostic));
        (void)session_tell(session, JOB_AFTER_TEST_SET);
    }
    return STATUS_OK;
}

/* Whether an epoch follows, or the rest of one in which a restored run stands. */
static bool has_more(const struct session *session)
{
    return is_within(session, NN_TRAIN_EPOCH) || is_within(session, NN_TRAIN_TEST) ||
           !ends(session);
}

enum status session_fit(struct session *session, uint32_t epochs, struct diagnostic *diagnostic)
{
    if (is_within(session, NN_TRAIN_END)) {
        return STATUS_OK;
    }
    for (uint32_t i = 0; i < epochs && session->goes_on && has_more(session); i++) {
        if (!is_within(session, NN_TRAIN_TEST)) {
            TRY(train_epoch(session, diagnostic));
        }
        if (session->goes_on && (is_within(session, NN_TRAIN_TEST) || is_test_due(session))) {
            TRY(session_predict(session, diagnostic));
        }
        if (session->goes_on) {
            (void)session_tell(session, JOB_AFTER_EPOCH);
            session->is_enough = !session_tell(session, JOB_EPOCH_CHECK);
            session->place = SESSION_BETWEEN;
            TRY(leave_checkpoint(session, diagnostic));
            session_save_epoch(session);
            TRY(session_save_trouble(session, diagnostic));
        }
    }
    return STATUS_OK;
}

/* ---- the whole ---- */

/* The programs initialise themselves and wait. */
static enum status load(struct session *session, struct diagnostic *diagnostic)
{
    session->place = SESSION_LOADS;
    TRY(run_stage(session, STAGE_LOAD, diagnostic));
    session_enter(session, STAGE_LOAD);
    return session_joules(session, &session->joules_before, diagnostic);
}

/* From the first parameters, or from those of a checkpoint. */
static enum status begin_anew(struct session *session, struct diagnostic *diagnostic)
{
    TRY(write_initial(session, diagnostic));
    if (session->job->resumes) {
        TRY(resume(session, diagnostic));
    }
    (void)session_tell(session, JOB_BEFORE_RUN);
    return load(session, diagnostic);
}

static enum status restore(struct session *session, struct diagnostic *diagnostic)
{
    TRY(session_state_restore(session, diagnostic));
    (void)session_tell(session, JOB_BEFORE_RUN);
    return session->place == SESSION_LOADS ? load(session, diagnostic) : STATUS_OK;
}

enum status session_train_begin(struct session *session, struct diagnostic *diagnostic)
{
    const struct checkpoint *from = &session->job->checkpoint;
    session->update_ps =
        calloc(session->plan.train->learning.updates_per_epoch, sizeof *session->update_ps);
    if (session->update_ps == NULL) {
        return no_memory(diagnostic);
    }
    session->loss = NAN;
    session->accuracy = NAN;
    find_marks(session);
    if (session->job->restored != NULL) {
        return restore(session, diagnostic);
    }
    if (session->job->resumes && from->run != NULL &&
        session_state_fits(session->job, from->run, from->run_bytes)) {
        session->goes_on = true;
        TRY(session_state_load(session, from->run, from->run_bytes, diagnostic));
        (void)session_tell(session, JOB_BEFORE_RUN);
        return STATUS_OK;
    }
    return begin_anew(session, diagnostic);
}

enum status session_train_end(struct session *session, struct diagnostic *diagnostic)
{
    if (session->goes_on) {
        TRY(command(session, NN_TRAIN_END, 0, STAGE_TEST, diagnostic));
    }
    return session->goes_on ? take_parameters(session, diagnostic) : STATUS_OK;
}

enum status session_train(struct session *session, struct diagnostic *diagnostic)
{
    TRY(session_train_begin(session, diagnostic));
    if (session->job->options.given.classifies) {
        TRY(session_predict(session, diagnostic));
    } else {
        TRY(session_fit(session, session->plan.train->learning.epochs, diagnostic));
    }
    return session_train_end(session, diagnostic);
}
