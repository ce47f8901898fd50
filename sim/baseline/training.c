/* training.c - see training.h. */
#include "sim/baseline/training.h"

#include "sim/baseline/stopwatch.h"
#include "sim/run_control/outcome.h"
#include "sim/steps.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- one process ---- */

struct member {
    const struct baseline_program *program;
    struct baseline_work work;
    void *state;
    struct stopwatch watch;
    struct outcome outcome; /* for the rules by which a training ends: rows of validations */
    struct baseline_measured *measured;
};

/* Classifies images, in all processes; each gets the sums. */
static enum status classify(struct member *member, const struct dataset *images, double *accuracy,
                            double *loss, struct diagnostic *diagnostic)
{
    struct baseline_score score;
    TRY(member->program->test(member->state, images, &score, diagnostic));
    double sums[] = {score.correct, score.loss};
    TRY(exchange_sum(member->work.exchange, EXCHANGE_DOUBLES, sums, sizeof sums / sizeof *sums,
                     diagnostic));
    *accuracy = sums[0] / images->count;
    *loss = sums[1] / images->count;
    return STATUS_OK;
}

static enum status test(struct member *member, struct diagnostic *diagnostic)
{
    const struct job *job = member->work.job;
    struct baseline_measured *measured = member->measured;
    struct outcome_learning row = {.epoch = measured->epochs, .validation_accuracy = NAN};
    const double begin = stopwatch_now();
    TRY(classify(member, &job->test, &measured->accuracy, &measured->loss, diagnostic));
    measured->test_seconds = stopwatch_now() - begin;
    if (!isfinite(measured->loss)) {
        const enum status status = diagnose(diagnostic, STATUS_CONFIGURATION,
                                            "the training has diverged: its loss is no number");
        diagnostic_key(diagnostic, "train.learning_rate");
        diagnostic_hint(diagnostic, "lower it, or lengthen train.warm_up");
        return status;
    }
    if (job->validation.count > 0) {
        TRY(classify(member, &job->validation, &row.validation_accuracy, &row.validation_loss,
                     diagnostic));
    }
    return outcome_add_learning(&member->outcome, &row) ? STATUS_OK : no_memory(diagnostic);
}

static enum status run_epoch(struct member *member, struct diagnostic *diagnostic)
{
    const struct learning *learning = member->work.learning;
    struct baseline_measured *measured = member->measured;
    stopwatch_start(&member->watch);
    for (uint32_t i = 0; i < learning->updates_per_epoch; i++) {
        TRY(member->program->step(member->state, diagnostic));
        stopwatch_tick(&member->watch);
    }
    stopwatch_stop(&member->watch);
    measured->updates += learning->updates_per_epoch;
    measured->images += learning->order.images;
    measured->epochs++;
    return STATUS_OK;
}

/* All epochs; the energy of tests is not counted. */
static enum status run_epochs(struct member *member, struct diagnostic *diagnostic)
{
    const struct sim_config *config = member->work.job->config;
    const uint64_t every = config->test_every_epochs;
    struct baseline_measured *measured = member->measured;
    bool over = false;
    while (!over) {
        TRY(run_epoch(member, diagnostic));
        const bool last = measured->epochs == member->work.learning->epochs;
        if (last || (every != 0 && measured->epochs % every == 0)) {
            TRY(test(member, diagnostic));
        }
        over = last || outcome_is_enough(&member->outcome, measured->epochs, config->train_patience,
                                         config->train_target_accuracy);
    }
    measured->train_seconds = member->watch.seconds;
    measured->cpu_seconds = member->watch.cpu_seconds;
    measured->joules = member->watch.joules;
    return exchange_sum(member->work.exchange, EXCHANGE_DOUBLES, &measured->cpu_seconds, 1,
                        diagnostic);
}

static enum status run_member(struct member *member, double begin, struct diagnostic *diagnostic)
{
    enum status status = member->program->open(&member->work, &member->state, diagnostic);
    member->measured->setup_seconds = stopwatch_now() - begin;
    if (status == STATUS_OK) {
        status = run_epochs(member, diagnostic);
    }
    member->program->close(member->state);
    outcome_deinit(&member->outcome);
    return status;
}

/* ---- several processes ---- */

struct family {
    pid_t parent;
    unsigned rank, count;
    pid_t child[EXCHANGE_MOST]; /* [rank]; the parent has rank 0 */
};

/* Whether a process that this one waits for has ended before its time. */
static bool is_alone(void *context)
{
    const struct family *family = context;
    if (family->rank != 0) {
        return getppid() != family->parent;
    }
    for (unsigned i = 1; i < family->count; i++) {
        siginfo_t ended = {0};
        if (waitid(P_PID, (id_t)family->child[i], &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
            ended.si_pid != 0) {
            return true;
        }
    }
    return false;
}

/* Returns in each process with its rank; fewer than wanted if the host has no more. */
static void part(struct family *family, unsigned processes)
{
    *family = (struct family){.parent = getpid(), .count = 1};
    while (family->count < processes) {
        const pid_t child = fork();
        if (child < 0) {
            return;
        }
        if (child == 0) {
            (void)prctl(PR_SET_PDEATHSIG,
                        SIGKILL); /* wherever it is then; is_alone() sees it, too */
            family->rank = family->count;
            family->count = processes;
            return;
        }
        family->child[family->count++] = child;
    }
}

static enum status join(const struct family *family, struct diagnostic *diagnostic)
{
    bool well = true;
    for (unsigned i = 1; i < family->count; i++) {
        int ended = 0;
        well = waitpid(family->child[i], &ended, 0) == family->child[i] && WIFEXITED(ended) &&
               WEXITSTATUS(ended) == 0 && well;
    }
    return well ? STATUS_OK
                : diagnose(diagnostic, STATUS_INTERNAL, "a process of the training has failed");
}

/* Bytes of the longest vector that the processes add up: gradients, 4 bytes a parameter, or two
 * doubles. */
static size_t exchange_bytes(const struct job *job)
{
    const size_t places = weights_places(job->table);
    const size_t parameters = network_parameters(&job->network);
    return 4 * (places > parameters ? places : parameters) + 2 * sizeof(double);
}

static enum status run_family(struct member *member, struct exchange *exchange, unsigned processes,
                              double begin, struct diagnostic *diagnostic)
{
    struct family family;
    part(&family, processes);
    exchange->rank = family.rank;
    exchange->alone = is_alone;
    exchange->context = &family;
    if (family.rank != 0) {
        member->watch = stopwatch_of(NULL);
        const enum status status = run_member(member, begin, diagnostic);
        if (status != STATUS_OK) {
            exchange_leave(exchange);
        }
        _exit(status == STATUS_OK ? 0 : 1);
    }
    enum status status = STATUS_OK;
    if (family.count == processes) {
        status = run_member(member, begin, diagnostic);
    } else {
        status = diagnose(diagnostic, STATUS_INTERNAL, "cannot start %u processes", processes);
    }
    if (status != STATUS_OK) {
        exchange_leave(exchange);
        (void)join(&family, NULL);
        return status;
    }
    return join(&family, diagnostic);
}

enum status baseline_train(const struct baseline_program *program, const struct baseline_work *work,
                           unsigned processes, struct joule_meter *meter,
                           struct baseline_measured *measured, struct diagnostic *diagnostic)
{
    const double begin = stopwatch_now();
    struct exchange exchange;
    *measured = (struct baseline_measured){.joules = NAN};
    TRY(exchange_init(&exchange, processes, exchange_bytes(work->job), diagnostic));
    struct member member = {
        .program = program, .work = *work, .watch = stopwatch_of(meter), .measured = measured};
    member.work.exchange = &exchange;
    const enum status status = processes > 1
                                   ? run_family(&member, &exchange, processes, begin, diagnostic)
                                   : run_member(&member, begin, diagnostic);
    exchange_deinit(&exchange);
    return status;
}
