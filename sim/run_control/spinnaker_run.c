/* spinnaker_run.c - the backend `spinnaker`: runs a loaded machine, and collects the results. */
#include "models/common/units.h"
#include "sim/backends/backends.h"
#include "sim/run_control/backend.h"
#include "sim/run_control/reference_optimizer.h"
#include "sim/run_control/session.h"
#include "sim/steps.h"

#include <math.h>

static void tell_progress(struct session *session)
{
    const struct job_options *options = &session->job->options;
    if (options->progress == NULL) {
        return;
    }
    struct job_progress now = {
        .images_per_second = NAN, .loss = NAN, .accuracy = NAN, .joules = NAN};
    if (session->planned) {
        now.stage = "test";
        now.unit = "images";
        now.done = load_plan_dealt(&session->plan, session->machine);
        now.total = session->job->test.count;
    } else {
        now.stage = "run";
        now.unit = "us";
        now.done = machine_time_ps(session->machine) / PS_PER_US;
    }
    options->progress(options->progress_context, &now);
}

static enum status read_memory(const struct session *session, struct diagnostic *diagnostic)
{
    const struct job_memory *memory = session->job->options.given.memory;
    for (size_t i = 0; memory != NULL && i < memory->block_count; i++) {
        const struct job_block *block = &memory->block[i];
        const enum status status =
            machine_read(session->machine, block->core, block->address, block->bytes, block->count);
        if (status != STATUS_OK) {
            return diagnose(diagnostic, status, "the programs' memory cannot be read");
        }
    }
    return STATUS_OK;
}

/* Programs that run by themselves: of a network that classifies, or the user's. */
static enum status run_to_end(struct session *session, struct diagnostic *diagnostic)
{
    const bool classifies = session->planned;
    (void)session_tell(session, JOB_BEFORE_RUN);
    if (classifies) {
        (void)session_tell(session, JOB_BEFORE_TEST_SET);
        (void)session_tell(session, JOB_BEFORE_INFERENCE);
    }
    session->stop = session_run(session, tell_progress);
    if (classifies) {
        (void)session_tell(session, JOB_AFTER_INFERENCE);
        (void)session_tell(session, JOB_AFTER_TEST_SET);
    }
    TRY(dataflow_app_read(&session->flow, session->machine, session->outcome, diagnostic));
    return read_memory(session, diagnostic);
}

static enum status run(const struct job *job, struct outcome *outcome,
                       struct diagnostic *diagnostic)
{
    struct session session;
    if ((job->without & BACKEND_BIT(BACKEND_CAN_OPTIMIZER)) != 0) {
        return reference_optimizer_run(job, outcome, diagnostic);
    }
    enum status status = session_open(&session, job, outcome, diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    if (session.plan.train != NULL) {
        status = session_train(&session, diagnostic);
    } else {
        status = run_to_end(&session, diagnostic);
    }
    if (status == STATUS_OK) {
        (void)session_tell(&session, JOB_AFTER_RUN);
        status = session_take_down(&session, session.stop, diagnostic);
    }
    session_close(&session);
    return status;
}

/* run.boot: handover and rom are for boards that somebody outside boots and drives. */
static enum status check_waits(const struct job *job, struct diagnostic *diagnostic)
{
    const struct sim_config *config = job->config;
    if (job->has_network || job->program_count > 0) {
        return config_refuse(config, "run.boot", "app: []", diagnostic,
                             "without run.boot: direct, programs are loaded over Ethernet only");
    }
    if (job->options.frame == NULL) {
        return config_refuse(
            config, "run.boot", "spinnsim serve FILE", diagnostic,
            "without run.boot: direct, the boards wait for a host, and there is none");
    }
    if (config->record_interval_ps > 0) {
        return config_refuse(config, "record.interval", "record.interval: 0 s", diagnostic,
                             "without run.boot: direct, a client may switch the boards off and on; "
                             "their counters then begin again");
    }
    if (config->record_timeline_what != 0) {
        return config_refuse(config, "record.timeline.what", "record.timeline.what: []", diagnostic,
                             "without run.boot: direct, a client may switch the boards off and on; "
                             "their time then begins again");
    }
    if (config->record_trace_core[0] != '\0') {
        return config_refuse(config, "record.trace.core", "record.trace.core: \"\"", diagnostic,
                             "without run.boot: direct, programs come when the run has begun");
    }
    return STATUS_OK;
}

static enum status check(const struct job *job, struct diagnostic *diagnostic)
{
    const struct sim_config *config = job->config;
    if (config->run_boot != CONFIG_BOOT_DIRECT) {
        TRY(check_waits(job, diagnostic));
    }
    if (job->has_network && config->network_number_format == CONFIG_NUMBER_FORMAT_FLOAT64) {
        return config_refuse(config, "network.number_format",
                             "float64 is the host's reference: backend: host", diagnostic,
                             "the machine computes in integers only");
    }
    if (config->record_interval_ps > 0 && config->record_interval_ps < PS_PER_US) {
        return config_refuse(config, "record.interval", "record.interval: 1 ms", diagnostic,
                             "intervals of less than 1 us make more rows than anybody reads");
    }
    if (config->record_trace_core[0] != '\0' && config->record_checkpoint_every_epochs > 0) {
        return config_refuse(config, "record.checkpoint_every_epochs",
                             "record.checkpoint_every_epochs: 0", diagnostic,
                             "a checkpoint has no trace to go on with");
    }
    return session_check_timeline(config, diagnostic);
}

const struct backend BACKEND_SPINNAKER = {"spinnaker", check, run};

const struct backend *backend_of(const struct sim_config *config)
{
    return config->backend == CONFIG_BACKEND_SPINNAKER ? &BACKEND_SPINNAKER : &BACKEND_HOST;
}
