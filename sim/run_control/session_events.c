/* session_events.c - see session.h: what a hook hears of a run on the machine. */
#include "sim/run_control/session.h"

#include <math.h>

static bool tell(const struct session *session, enum job_event_kind kind, uint32_t update,
                 uint64_t time_ps)
{
    const struct job_live live = {.job = session->job,
                                  .machine = session->machine,
                                  .plan = session->planned ? &session->plan : NULL};
    const bool trains = session->planned && session->plan.train != NULL;
    const struct job_event event = {
        .kind = kind,
        .epoch = session->told_epoch,
        .update = update,
        .time_ps = session->earlier_ps + time_ps,
        .loss = NAN,
        .accuracy = trains && kind >= JOB_AFTER_TEST_SET ? session->accuracy : NAN,
        .live = &live};
    return job_tell(session->job, &event);
}

bool session_tell(const struct session *session, enum job_event_kind kind)
{
    return tell(session, kind, (uint32_t)session->outcome->updates,
                machine_time_ps(session->machine));
}

bool session_hears_steps(const struct session *session)
{
    return session->stage == STAGE_TRAIN && session->update_ps != NULL && session->looks == NULL &&
           (job_hears(session->job, JOB_BEFORE_STEP) || job_hears(session->job, JOB_AFTER_STEP) ||
            job_hears(session->job, JOB_STEP_CHECK));
}

void session_tell_step(const struct session *session)
{
    (void)tell(session, JOB_BEFORE_STEP, (uint32_t)session->outcome->updates + 1,
               machine_time_ps(session->machine));
}

bool session_tell_steps(struct session *session)
{
    const uint32_t before = (uint32_t)session->outcome->updates;
    const uint32_t all = session->plan.train->learning.updates_per_epoch;
    while (session->told_updates < session->update_count && !session->given_up) {
        const uint64_t time_ps = session->update_ps[session->told_updates++];
        const uint32_t update = before + session->told_updates;
        (void)tell(session, JOB_AFTER_STEP, update, time_ps);
        session->given_up = !tell(session, JOB_STEP_CHECK, update, time_ps);
        if (!session->given_up && session->told_updates < all) {
            (void)tell(session, JOB_BEFORE_STEP, update + 1, time_ps);
        }
    }
    return !session->given_up;
}
