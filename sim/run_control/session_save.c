/* session_save.c - see session.h: when a run saves its state (run.save_at, save_at_epoch,
 * save_at_mark).  The stops for it change no count. */
#include "models/common/memory.h"
#include "models/common/units.h"
#include "sim/file.h"
#include "sim/run_control/saved_state.h"
#include "sim/run_control/session.h"
#include "sim/run_control/session_state.h"
#include "sim/steps.h"

#include <stdlib.h>

/* Machine time between two looks whether a core has come to the mark. */
#define LOOK_PS (4 * PS_PER_US)
#define NO_MARK UINT32_MAX

static bool is_wanted(const struct sim_config *config)
{
    return config->run_save_at_ps > 0 || config->run_save_at_epoch > 0 ||
           config->run_save_at_mark[0] != '\0';
}

/* ---- whether a job can be saved, or restored ---- */

/* What a job has that no state holds; NULL: nothing.  `key`: the key that asks for it. */
static const char *obstacle(const struct job *job, const char **key)
{
    const struct sim_config *config = job->config;
    if (config->backend != CONFIG_BACKEND_SPINNAKER) {
        *key = "backend";
        return "there is no machine";
    }
    if (config->run_boot != CONFIG_BOOT_DIRECT) {
        *key = "run.boot";
        return "a client of `spinnsim serve` drives the boards, and its part is not saved";
    }
    if (config->stage_count > 0) {
        *key = "stages";
        return "each stage has machines of its own";
    }
    if (job_is_sampled(config)) {
        *key = "run.sample";
        return "each place of the sample has a machine of its own";
    }
    if (job->without != 0) {
        *key = "run.without";
        return "the host makes a part of the training, and has a machine for each update";
    }
    if (config->record_parameter_norms > 0) {
        *key = "record.parameter_norms";
        return "the host's training that is compared begins with the first update";
    }
    return NULL;
}

static bool has_mark(const struct job *job)
{
    bool has = false;
    for (size_t i = 0; i < job->program_count && !has; i++) {
        has = elf_image_find(&job->program[i].image, job->config->run_save_at_mark) != NULL;
    }
    return has;
}

static enum status check_keys(const struct job *job, struct diagnostic *diagnostic)
{
    const struct sim_config *config = job->config;
    const int given = (config->run_save_at_ps > 0) + (config->run_save_at_epoch > 0) +
                      (config->run_save_at_mark[0] != '\0');
    if (given > 1) {
        return config_refuse(config,
                             config->run_save_at_epoch > 0 ? "run.save_at_epoch" : "run.save_at",
                             "one of run.save_at, run.save_at_epoch and run.save_at_mark",
                             diagnostic, "a run saves its state once");
    }
    if (config->run_save_at_epoch > config->train_epochs && config->run_save_at_epoch > 0) {
        return config_refuse(config, "run.save_at_epoch", NULL, diagnostic,
                             "the training has fewer epochs\vtrain.epochs is %llu",
                             (unsigned long long)config->train_epochs);
    }
    if (config->run_save_at_mark[0] != '\0' && !has_mark(job)) {
        return config_refuse(config, "run.save_at_mark",
                             "a function of a program, as in phases.csv or profile.csv", diagnostic,
                             "no program has a symbol of this name");
    }
    return state_can_seal() ? STATUS_OK
                            : config_refuse(config, "run.save_at",
                                            "~/.cache, or XDG_CACHE_HOME, must be this user's "
                                            "alone",
                                            diagnostic,
                                            "there is no folder for the key that seals a state");
}

enum status session_check_save(const struct job *job, struct diagnostic *diagnostic)
{
    const struct sim_config *config = job->config;
    const bool saves = is_wanted(config);
    const char *key = NULL;
    if (!saves && job->restored == NULL) {
        return STATUS_OK;
    }
    const char *why = obstacle(job, &key);
    if (why != NULL) {
        return config_refuse(config, key, saves ? "or no run.save_at" : "or no --restore",
                             diagnostic, "%s: %s", saves ? "run.save_at" : "--restore", why);
    }
    return saves ? check_keys(job, diagnostic) : STATUS_OK;
}

/* ---- when ---- */

/* Finds the mark in each of the job's programs. */
static enum status find_marks(struct session *session, struct diagnostic *diagnostic)
{
    const struct job *job = session->job;
    session->save_mark = calloc(job->program_count + 1, sizeof *session->save_mark);
    if (session->save_mark == NULL) {
        return no_memory(diagnostic);
    }
    for (size_t i = 0; i < job->program_count; i++) {
        const struct elf_symbol *symbol =
            elf_image_find(&job->program[i].image, job->config->run_save_at_mark);
        session->save_mark[i] = symbol == NULL ? NO_MARK : symbol->address & ~1u;
    }
    return STATUS_OK;
}

/* The mark of the program in core outcome->core[core]; NO_MARK: it has none. */
static uint32_t mark_of(const struct session *session, size_t core)
{
    const struct job *job = session->job;
    for (size_t i = 0; i < job->program_count; i++) {
        if (session->loaded[core].program == &job->program[i]) {
            return session->save_mark[i];
        }
    }
    return NO_MARK;
}

enum status session_begin_save(struct session *session, struct diagnostic *diagnostic)
{
    const struct outcome *outcome = session->outcome;
    if (session->job->config->run_save_at_mark[0] == '\0' || session->job->options.results == NULL) {
        return STATUS_OK;
    }
    TRY(find_marks(session, diagnostic));
    for (size_t i = 0; i < outcome->core_count; i++) {
        const uint32_t mark = mark_of(session, i);
        if (mark != NO_MARK &&
            machine_add_mark(session->machine, outcome->core[i].core, mark) != STATUS_OK) {
            return no_memory(diagnostic);
        }
    }
    return STATUS_OK;
}

uint64_t session_save_stop(const struct session *session)
{
    const uint64_t now_ps = machine_time_ps(session->machine);
    const uint64_t at_ps = session->job->config->run_save_at_ps;
    if (session->saved || session->job->options.results == NULL) {
        return TIME_NEVER;
    }
    if (session->save_mark != NULL) {
        return (now_ps / LOOK_PS + 1) * LOOK_PS;
    }
    return at_ps > now_ps ? at_ps : TIME_NEVER;
}

void session_save_mark(struct session *session, struct machine_core core, uint32_t address)
{
    const struct outcome *outcome = session->outcome;
    bool any = false;
    for (size_t i = 0; session->save_mark != NULL && i < session->job->program_count; i++) {
        any = any || session->save_mark[i] == address;
    }
    for (size_t i = 0; any && !session->save_passed && i < outcome->core_count; i++) {
        const struct machine_core at = outcome->core[i].core;
        session->save_passed = at.x == core.x && at.y == core.y && at.p == core.p &&
                               mark_of(session, i) == address;
    }
}

/* ---- saving ---- */

static enum status save(const struct session *session, struct diagnostic *diagnostic)
{
    const struct job *job = session->job;
    FREED char *path =
        file_print("%s/%s" STATE_ENDING, job->options.results, job->config->run_state);
    return path == NULL ? no_memory(diagnostic) : session_state_write(session, path, diagnostic);
}

static void save_now(struct session *session)
{
    struct diagnostic why = {0};
    session->saved = true;
    session->trouble = save(session, &why);
    if (session->trouble != STATUS_OK) {
        session->why = malloc(sizeof *session->why);
        memory_need(session->why);
        *session->why = why;
    }
}

void session_save_here(struct session *session)
{
    if (session->save_mark == NULL || session->save_passed) {
        save_now(session);
    }
}

void session_save_epoch(struct session *session)
{
    const uint64_t epoch = session->job->config->run_save_at_epoch;
    if (epoch > 0 && session->epochs_done == epoch && !session->saved &&
        session->job->options.results != NULL) {
        save_now(session);
    }
}

enum status session_save_trouble(const struct session *session, struct diagnostic *diagnostic)
{
    if (session->trouble != STATUS_OK) {
        *diagnostic = *session->why;
    }
    return session->trouble;
}

bool session_save_missed(const struct session *session)
{
    const struct sim_config *config = session->job->config;
    return !session->saved && session->job->options.results != NULL &&
           (session->save_mark != NULL || config->run_save_at_epoch > session->epochs_done ||
            config->run_save_at_ps > machine_time_ps(session->machine));
}
