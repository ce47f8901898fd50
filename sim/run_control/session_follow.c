/* session_follow.c - see session.h: the host's training beside the machine's (follower.h). */
#include "sim/mapping/plan_train.h"
#include "sim/run_control/follower.h"
#include "sim/run_control/session.h"

#include <stdlib.h>

static enum status read_block(const struct session *session, void **block,
                              struct diagnostic *diagnostic)
{
    const size_t count = session->plan.table->parameter_bytes / sizeof(int16_t);
    int32_t *parameters = calloc(count + 1, sizeof *parameters);
    *block = calloc(count + 1, network_value_bytes(session->plan.network));
    enum status status = STATUS_OK;
    if (parameters == NULL || *block == NULL) {
        status = diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    } else {
        status =
            plan_train_read_parameters(&session->plan, session->machine, parameters, diagnostic);
        for (size_t i = 0; i < count; i++) {
            weights_set_value(session->plan.network, *block, i, parameters[i]);
        }
    }
    free(parameters);
    return status;
}

enum status session_follow(struct session *session, struct diagnostic *diagnostic)
{
    const uint64_t every = session->job->config->record_parameter_norms;
    const uint64_t update = session->outcome->updates;
    enum status status = STATUS_OK;
    if (every == 0) {
        return STATUS_OK;
    }
    if (session->follower == NULL) {
        status = follower_open(session->job, &session->follower, diagnostic);
    }
    void *block = NULL;
    if (status == STATUS_OK) {
        status = read_block(session, &block, diagnostic);
    }
    if (status == STATUS_OK) {
        status = follower_update(session->follower, update, block, session->outcome, diagnostic);
    }
    free(block);
    return status;
}
