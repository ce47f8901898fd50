/* session_learning.c - see session.h: rows of learning.csv, from records in the machine's memory.
 */
#include "models/common/units.h"
#include "sim/mapping/plan_train.h"
#include "sim/networks/loss.h"
#include "sim/run_control/session.h"
#include "sim/steps.h"
#include "workloads/nn/kernels.h"

#include <math.h>
#include <stdlib.h>

static double seconds_of(uint64_t time_ps)
{
    return (double)time_ps / (double)PS_PER_S;
}

/* Machine time of training and tests so far. */
static uint64_t work_ps(const struct session *session)
{
    return session->earlier_ps + session->stage_ps[STAGE_TRAIN] + session->stage_ps[STAGE_TEST];
}

/* ---- updates ---- */

static bool name_failure(struct session *session, const struct nn_train_record *record)
{
    if (learning_has_room(record->largest)) {
        return false;
    }
    const struct load_plan *plan = &session->plan;
    const char *layer = "?";
    for (uint32_t i = 0; i < plan->table->layers; i++) {
        const struct nn_layer *row = &plan->table->layer[i];
        if (!nn_is_pool(row) && row->weights / sizeof(int16_t) <= record->largest_at) {
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

static void count(struct outcome *outcome, const struct nn_train_record *record)
{
    struct outcome_training *training = &outcome->training;
    outcome->updates++;
    outcome->images_trained += record->images;
    training->saturations += record->saturations;
    training->overflows += record->overflows;
    training->error_saturations += record->error_saturations;
    training->weight_saturations += record->weight_saturations + record->state_saturations;
    training->largest_sum =
        record->largest > training->largest_sum ? record->largest : training->largest_sum;
}

/* Joules are known only at the end of a command, when all parts of the machine are at the same
 * time. */
static enum status add_row(struct session *session, uint32_t epoch, uint32_t update, double loss,
                           struct diagnostic *diagnostic)
{
    const bool last = update + 1 == session->plan.train->learning.updates_per_epoch;
    struct outcome_learning row = {
        .update = session->outcome->updates,
        .epoch = epoch + 1,
        .images = session->outcome->images_trained,
        .seconds = seconds_of(work_ps(session)),
        .joules = outcome_no_joules(),
        .loss = loss,
        .accuracy = NAN,
        .validation_loss = NAN,
        .validation_accuracy = NAN,
    };
    if (last) {
        row.joules = session->joules;
    } else {
        row.seconds = seconds_of(work_ps(session) - session->epoch_ps + session->update_ps[update] -
                                 session->command_ps);
    }
    return outcome_add_learning(session->outcome, &row) ? STATUS_OK : no_memory(diagnostic);
}

enum status session_take_records(struct session *session, uint32_t epoch,
                                 struct diagnostic *diagnostic)
{
    static const double ONE = 65536; /* losses have 16 fractional bits */
    const struct load_plan *plan = &session->plan;
    const uint64_t every = session->job->config->record_learning_every;
    const uint32_t updates = plan->train->learning.updates_per_epoch;
    double loss = 0;
    uint64_t images = 0;
    for (uint32_t u = 0; u < updates; u++) {
        struct nn_train_record record;
        if (!plan_train_read_record(plan, session->machine, u, &record)) {
            return diagnose(diagnostic, STATUS_INTERNAL, "update %u of epoch %u has no record", u,
                            epoch);
        }
        count(session->outcome, &record);
        if (name_failure(session, &record)) {
            session->goes_on = false;
            return STATUS_OK;
        }
        loss += (double)record.loss / ONE;
        images += record.images;
        if ((u + 1) % every == 0 || u + 1 == updates) {
            TRY(add_row(session, epoch, u, loss / (double)images, diagnostic));
            loss = 0;
            images = 0;
        }
    }
    return STATUS_OK;
}

/* ---- tests ---- */

static double accuracy_of(const struct dataset *images, const struct nn_result *result)
{
    uint32_t right = 0;
    for (uint32_t i = 0; i < images->count; i++) {
        right += result[i].done == 1 && result[i].label == images->labels[i];
    }
    return (double)right / images->count;
}

enum status session_take_test(struct session *session, struct diagnostic *diagnostic)
{
    const struct job *job = session->job;
    const struct dataset *images = &job->test;
    const struct dataset *validation = &job->validation;
    struct outcome *outcome = session->outcome;
    struct nn_result *result = calloc(job->classified.count + 1u, sizeof *result);
    if (result == NULL) {
        return no_memory(diagnostic);
    }
    enum status status = load_plan_read_results(&session->plan, session->machine, result);
    const struct nn_result *validated = result + images->count;
    const struct outcome_learning row = {
        .update = outcome->updates,
        .epoch = session->epochs_done,
        .images = outcome->images_trained,
        .seconds = seconds_of(work_ps(session)),
        .joules = session->joules,
        .loss =
            test_loss(job->table, job->network.logit_factor, result, images->labels, images->count),
        .accuracy = accuracy_of(images, result),
        .validation_loss = test_loss(job->table, job->network.logit_factor, validated,
                                     validation->labels, validation->count),
        .validation_accuracy = accuracy_of(validation, validated)};
    free(result);
    session->accuracy = row.accuracy;
    outcome->tests++;
    if (status == STATUS_OK && !outcome_add_learning(outcome, &row)) {
        status = no_memory(diagnostic);
    }
    return status;
}
