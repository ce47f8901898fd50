/* session_train.c - see session.h: the loop of a training.  The machine trains an epoch, or tests,
 * and waits; the host reads what has come of it, out of machine time, and says what is next. */
#include "models/common/units.h"
#include "sim/mapping/plan_train.h"
#include "sim/run_control/session.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum status no_memory(struct diagnostic *diagnostic)
{
    return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
}

/* ---- parameters ---- */

/* Those of the file, or drawn. */
static void initial_block(const struct job *job, int16_t *block, size_t count)
{
    if (job->weights.block != NULL) {
        memcpy(block, job->weights.block, count * sizeof *block);
    } else {
        learning_draw(&job->network, job->table, job->config->train_initializer, job->config->seed,
                      block);
    }
}

static enum status write_initial(struct session *session, struct diagnostic *diagnostic)
{
    const struct load_plan *plan = &session->plan;
    const size_t count = plan->table->parameter_bytes / sizeof(int16_t);
    int32_t *parameters = calloc(count + 1, sizeof *parameters);
    int16_t *block = calloc(count + 1, sizeof *block);
    enum status status = STATUS_OK;
    if (parameters == NULL || block == NULL) {
        status = no_memory(diagnostic);
    } else {
        initial_block(session->job, block, count);
        for (size_t i = 0; i < count; i++) {
            parameters[i] = block[i];
        }
        status = plan_train_write_parameters(plan, session->machine, parameters);
    }
    free(parameters);
    free(block);
    return status;
}

static enum status take_parameters(struct session *session, struct diagnostic *diagnostic)
{
    const struct load_plan *plan = &session->plan;
    struct outcome *outcome = session->outcome;
    const size_t count = plan->table->parameter_bytes / sizeof(int16_t);
    int32_t *parameters = calloc(count + 1, sizeof *parameters);
    outcome->trained.block = calloc(count + 1, sizeof *outcome->trained.block);
    if (parameters == NULL || outcome->trained.block == NULL) {
        free(parameters);
        return no_memory(diagnostic);
    }
    const enum status status =
        plan_train_read_parameters(plan, session->machine, parameters, diagnostic);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        outcome->trained.block[i] = (int16_t)parameters[i];
    }
    free(parameters);
    return status;
}

/* ---- learning.csv ---- */

static enum status add_row(struct session *session, const struct outcome_learning *row,
                           struct diagnostic *diagnostic)
{
    struct outcome *outcome = session->outcome;
    struct outcome_learning *larger =
        realloc(outcome->learning, (outcome->learning_count + 1) * sizeof *larger);
    if (larger == NULL) {
        return no_memory(diagnostic);
    }
    outcome->learning = larger;
    larger[outcome->learning_count++] = *row;
    return STATUS_OK;
}

static double seconds_of(uint64_t time_ps)
{
    return (double)time_ps / (double)PS_PER_S;
}

/* Time that the machine has trained and tested up to now. */
static uint64_t work_ps(const struct session *session)
{
    return session->stage_ps[STAGE_TRAIN] + session->stage_ps[STAGE_TEST];
}

static bool name_failure(struct session *session, const struct nn_train_record *record)
{
    if (learning_has_room(record->largest)) {
        return false;
    }
    const struct load_plan *plan = &session->plan;
    const char *layer = "?";
    for (uint32_t i = 0; i < plan->table->layers; i++) {
        const struct nn_layer *row = &plan->table->layer[i];
        if (row->kind != NN_MAX_POOL2D && row->weights / sizeof(int16_t) <= record->largest_at) {
            layer = row->name;
        }
    }
    session->outcome->end = OUTCOME_GUEST_FAILED;
    (void)snprintf(session->outcome->failure, sizeof session->outcome->failure,
                   "update %u, layer %s: a sum of gradients of %u has less than half of the range "
                   "left: the training diverges; lower train.learning_rate",
                   record->done, layer, record->largest);
    return true;
}

static void add_numerics(struct outcome_training *training, const struct nn_train_record *record)
{
    training->saturations += record->saturations;
    training->overflows += record->overflows;
    training->error_saturations += record->error_saturations;
    training->weight_saturations += record->weight_saturations + record->state_saturations;
    training->largest_sum =
        record->largest > training->largest_sum ? record->largest : training->largest_sum;
}

/* What the updates of an epoch have come to. */
static enum status take_records(struct session *session, uint32_t epoch,
                                struct diagnostic *diagnostic)
{
    const struct load_plan *plan = &session->plan;
    const uint64_t every = session->job->config->record_learning_every;
    struct outcome *outcome = session->outcome;
    enum status status = STATUS_OK;
    double loss = 0;
    uint64_t images = 0;
    for (uint32_t u = 0; u < plan->train->learning.updates_per_epoch && status == STATUS_OK; u++) {
        struct nn_train_record record;
        if (!plan_train_read_record(plan, session->machine, epoch, u, &record)) {
            return diagnose(diagnostic, STATUS_INTERNAL, "update %u of epoch %u has no record", u,
                            epoch);
        }
        outcome->updates++;
        outcome->images_trained += record.images;
        add_numerics(&outcome->training, &record);
        if (name_failure(session, &record)) {
            return STATUS_OK;
        }
        loss += (double)record.loss / 65536;
        images += record.images;
        if ((u + 1) % every == 0 || u + 1 == plan->train->learning.updates_per_epoch) {
            const struct outcome_learning row = {
                .update = outcome->updates,
                .epoch = epoch + 1,
                .images = outcome->images_trained,
                .seconds = seconds_of(work_ps(session) - session->epoch_ps + session->update_ps[u] -
                                      session->command_ps),
                .joules = NAN,
                .loss = loss / (double)images,
                .accuracy = NAN,
            };
            status = add_row(session, &row, diagnostic);
            loss = 0;
            images = 0;
        }
    }
    return status;
}

/* ---- times ---- */

static void find_marks(struct session *session)
{
    static const char *const STAGE_MARK[STAGES] = {
        [STAGE_TRAIN] = "stage_train", [STAGE_TEST] = "stage_test"};
    const struct elf_image *program = &session->job->program[0].image;
    const struct elf_symbol *record = elf_image_find(program, "record_store");
    session->record_mark = record == NULL ? 0 : record->address;
    for (unsigned s = 0; s < STAGES; s++) {
        const struct elf_symbol *mark =
            STAGE_MARK[s] == NULL ? NULL : elf_image_find(program, STAGE_MARK[s]);
        session->stage_mark[s] = mark == NULL ? 0 : mark->address;
    }
}

void session_train_mark(struct session *session, struct machine_core core, uint32_t address,
                        uint64_t cycle)
{
    const struct machine_core first = session->plan.core[0].core;
    const struct clock clock = clock_of(session->job->config->machine.clock_cpu_hz, 1);
    if (address == session->record_mark) {
        const bool counts = core.x == first.x && core.y == first.y && core.p == first.p;
        if (counts && session->update_count < session->plan.train->learning.updates_per_epoch) {
            session->update_ps[session->update_count++] = cycles_to_ps(clock, cycle);
        }
    } else if (address == session->stage_mark[session->stage]) {
        const uint64_t now_ps = cycles_to_ps(clock, cycle);
        session->stage_begin_ps =
            now_ps < session->stage_begin_ps ? now_ps : session->stage_begin_ps;
    }
}

/* ---- commands ---- */

static void tell_training(struct session *session)
{
    const struct job_options *options = &session->job->options;
    const struct plan_train *train = session->plan.train;
    if (options->progress != NULL) {
        options->progress(
            options->progress_context, stage_text(session->stage),
            session->stage == STAGE_TRAIN ? session->outcome->updates + session->update_count
                                          : session->outcome->updates,
            (uint64_t)train->learning.updates_per_epoch * train->learning.epochs, "updates");
    }
}

/* One command; false when the machine has ended otherwise. */
static bool command(struct session *session, enum nn_train_what what, uint32_t epoch,
                    enum stage stage, enum machine_stop *stop, enum status *status)
{
    const uint64_t begin_ps = machine_time_ps(session->machine);
    session->stage = stage;
    session->update_count = 0;
    session->command_ps = begin_ps;
    session->stage_begin_ps = UINT64_MAX;
    *status = plan_train_command(&session->plan, session->machine, what, epoch);
    if (*status != STATUS_OK) {
        return false;
    }
    *stop = session_run(session, tell_training);
    if (session->stage_begin_ps != UINT64_MAX) { /* the programs' own setting up comes before */
        session->stage_ps[STAGE_LOAD] += session->stage_begin_ps - begin_ps;
        session->command_ps = session->stage_begin_ps;
    }
    session->epoch_ps = machine_time_ps(session->machine) - session->command_ps;
    session->stage_ps[stage] += session->epoch_ps;
    return *stop == MACHINE_QUIESCENT && session->outcome->guest_errors == 0 &&
           plan_train_is_done(&session->plan, session->machine);
}

static enum status take_test(struct session *session, uint32_t epoch, struct diagnostic *diagnostic)
{
    const struct dataset *images = &session->job->test;
    struct nn_result *result = calloc(images->count + 1u, sizeof *result);
    if (result == NULL) {
        return no_memory(diagnostic);
    }
    enum status status = load_plan_read_results(&session->plan, session->machine, result);
    uint32_t right = 0;
    for (uint32_t i = 0; i < images->count; i++) {
        right += result[i].done == 1 && result[i].label == images->labels[i];
    }
    free(result);
    const struct outcome_learning row = {.update = session->outcome->updates,
                                         .epoch = epoch + 1,
                                         .images = session->outcome->images_trained,
                                         .seconds = seconds_of(work_ps(session)),
                                         .joules = NAN,
                                         .loss = NAN,
                                         .accuracy = (double)right / images->count};
    return status == STATUS_OK ? add_row(session, &row, diagnostic) : status;
}

static bool tests_after(const struct sim_config *config, uint32_t epoch)
{
    const uint64_t every = config->test_every_epochs;
    return epoch + 1 == config->train_epochs || (every > 0 && (epoch + 1) % every == 0);
}

enum status session_train(struct session *session, enum machine_stop *stop,
                          struct diagnostic *diagnostic)
{
    const struct sim_config *config = session->job->config;
    const struct plan_train *train = session->plan.train;
    session->update_ps = calloc(train->learning.updates_per_epoch, sizeof *session->update_ps);
    if (session->update_ps == NULL) {
        return no_memory(diagnostic);
    }
    find_marks(session);
    enum status status = write_initial(session, diagnostic);
    bool goes_on = status == STATUS_OK;
    for (uint32_t epoch = 0; epoch < train->learning.epochs && goes_on; epoch++) {
        goes_on = command(session, NN_TRAIN_EPOCH, epoch, STAGE_TRAIN, stop, &status);
        if (goes_on) {
            status = take_records(session, epoch, diagnostic);
        }
        if (goes_on && status == STATUS_OK) {
            status = plan_train_check_log(&session->plan, session->machine, diagnostic);
        }
        goes_on = goes_on && status == STATUS_OK && session->outcome->failure[0] == '\0';
        if (goes_on && tests_after(config, epoch)) {
            goes_on = command(session, NN_TRAIN_TEST, epoch, STAGE_TEST, stop, &status);
            status = goes_on ? take_test(session, epoch, diagnostic) : status;
        }
        goes_on = goes_on && status == STATUS_OK;
    }
    if (goes_on) {
        goes_on = command(session, NN_TRAIN_END, 0, STAGE_TEST, stop, &status);
    }
    return goes_on ? take_parameters(session, diagnostic) : status;
}
