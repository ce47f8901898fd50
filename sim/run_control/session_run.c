/* session_run.c - see session.h: runs the machine in slices of time. */
#include "models/common/units.h"
#include "sim/run_control/session.h"

#include <time.h>

/* Largest and smallest machine time between two checks of the progress. */
#define SLICE_PS       (10 * PS_PER_MS)
#define SLICE_LEAST_PS (100 * PS_PER_US)
/* The same where ends of updates are looked for (session->looks). */
#define LOOK_PS (4 * PS_PER_US)

/* Whether only timer handlers have run for run.quiescent_limit.  Programs that are linked with SARK
 * may do all of their work in them: they run until they end, or to the limit of time. */
static bool is_quiescent(struct session *session)
{
    const uint64_t limit_ps = session->job->config->run_quiescent_limit_ps;
    if (limit_ps > 0 && session->job->service != JOB_SERVICE_SYSTEM) {
        const uint64_t since_ps = machine_quiet_since_ps(session->machine);
        const uint64_t now_ps = machine_time_ps(session->machine);
        if (since_ps != TIME_NEVER && now_ps - since_ps >= limit_ps) {
            session->quiet_since_ps = since_ps;
            return true;
        }
    }
    return false;
}

static uint64_t slice_ps(const struct session *session)
{
    const uint64_t limit_ps = session->job->config->run_quiescent_limit_ps;
    if (session->looks != NULL || session_hears_steps(session)) {
        return LOOK_PS;
    }
    if (limit_ps == 0 || limit_ps > SLICE_PS) {
        return SLICE_PS;
    }
    return limit_ps > SLICE_LEAST_PS ? limit_ps : SLICE_LEAST_PS;
}

static double host_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Runs up to a time, looks at the counters where intervals end, takes what a time line has, starts
 * a trace, and saves the state. */
static enum machine_stop run_slice(struct session *session, uint64_t until_ps)
{
    const struct job_options *options = &session->job->options;
    enum machine_stop stop;
    uint64_t at_ps;
    do {
        session_start_trace(session);
        const uint64_t end_ps = session_interval_end(session);
        const uint64_t save_ps = session_save_stop(session);
        const uint64_t stop_ps =
            earlier_of(session_timeline_stop(session), session_trace_stop(session));
        at_ps = earlier_of(earlier_of(earlier_of(end_ps, stop_ps), save_ps), until_ps);
        stop = options->run_until(options->run_context, session->machine, at_ps);
        if (stop == MACHINE_REACHED && at_ps == end_ps) {
            session_take_interval(session);
        }
        if (at_ps == stop_ps) {
            session_take_timeline(session);
        }
        if (stop == MACHINE_REACHED && at_ps == save_ps) {
            session_save_here(session);
        }
    } while (stop == MACHINE_REACHED && at_ps < until_ps && session->trouble == STATUS_OK);
    return stop;
}

/* The end of the next slice, or of the one that a restored run is in. */
static uint64_t next_slice(struct session *session, uint64_t now_ps)
{
    const uint64_t limit_ps = session->job->config->run_simulated_time_limit_ps;
    if (session->slice_ps == 0) {
        session->slice_ps = last_looks_next_ps(&session->last_looks, now_ps, slice_ps(session));
    }
    return earlier_of(session->slice_ps, limit_ps);
}

enum machine_stop session_run(struct session *session, void (*tell)(struct session *session))
{
    const struct sim_config *config = session->job->config;
    const uint64_t limit_ps = config->run_simulated_time_limit_ps;
    enum machine_stop stop = MACHINE_REACHED;
    const double since = host_seconds();
    uint64_t until_ps = machine_time_ps(session->machine);
    session->continued = false;
    while (stop == MACHINE_REACHED && (until_ps < limit_ps || session->slice_ps > 0)) {
        until_ps = next_slice(session, until_ps);
        stop = run_slice(session, until_ps);
        session->slice_ps = 0;
        if (session->trouble != STATUS_OK) {
            break;
        }
        last_looks_take(&session->last_looks, session->machine, session->outcome, session_image_of,
                        session);
        if (session->looks != NULL) {
            session_look(session);
        }
        tell(session);
        if (stop == MACHINE_REACHED && is_quiescent(session)) {
            stop = MACHINE_QUIESCENT;
        }
        if (session_hears_steps(session) && !session_tell_steps(session)) {
            break;
        }
    }
    session->outcome->run_seconds += host_seconds() - since;
    return stop;
}
