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
    struct host_training training;
    const struct job *job;
    struct stopwatch watch;
    double test_begin;
    struct outcome outcome; /* for the rules by which a training ends: rows of validations */
    struct baseline_measured *measured;
};

static enum status on_test(struct member *member, const struct trainer_news *news,
                           struct diagnostic *diagnostic)
{
    struct baseline_measured *measured = member->measured;
    const struct outcome_learning row = {.epoch = news->epoch,
                                         .validation_loss = news->validation_loss,
                                         .validation_accuracy = news->validation_accuracy};
    measured->accuracy = news->accuracy;
    measured->loss = news->loss;
    measured->validation_accuracy = news->validation_accuracy;
    if (!isfinite(measured->loss)) {
        (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                       "the training has diverged: its loss is no number");
        diagnostic_key(diagnostic, "train.learning_rate");
        diagnostic_hint(diagnostic, "lower it, or lengthen train.warm_up");
        return STATUS_CONFIGURATION;
    }
    return outcome_add_learning(&member->outcome, &row) ? STATUS_OK : no_memory(diagnostic);
}

/* The stopwatch runs during the updates of an epoch: time and energy of tests do not count. */
static enum status listen(void *context, const struct trainer_news *news, bool *enough,
                          struct diagnostic *diagnostic)
{
    struct member *member = context;
    const struct sim_config *config = member->job->config;
    struct baseline_measured *measured = member->measured;
    switch (news->event) {
    case TRAINER_EPOCH_BEGINS:
        stopwatch_start(&member->watch);
        break;
    case TRAINER_UPDATED:
        stopwatch_tick(&member->watch);
        break;
    case TRAINER_EPOCH_TRAINED:
        stopwatch_stop(&member->watch);
        measured->updates = news->update;
        measured->images = (uint64_t)news->epoch * member->job->train.count;
        measured->epochs = news->epoch;
        member->test_begin = stopwatch_now();
        break;
    case TRAINER_CLASSIFIED:
        measured->test_seconds = stopwatch_now() - member->test_begin;
        break;
    case TRAINER_TESTED:
        return on_test(member, news, diagnostic);
    case TRAINER_EPOCH_ENDS:
        *enough = outcome_is_enough(&member->outcome, news->epoch, config->train_patience,
                                    config->train_target_accuracy);
        break;
    default:
        break;
    }
    return STATUS_OK;
}

static enum status run_member(struct member *member, double begin, struct diagnostic *diagnostic)
{
    struct trainer *trainer;
    struct baseline_measured *measured = member->measured;
    member->training.listener = listen;
    member->training.context = member;
    TRY(trainer_open(&member->training, &trainer, diagnostic));
    measured->setup_seconds = stopwatch_now() - begin;
    enum status status = trainer_run(trainer, diagnostic);
    measured->train_seconds = member->watch.seconds;
    measured->cpu_seconds = member->watch.cpu_seconds;
    measured->joules = member->watch.joules;
    if (status == STATUS_OK) {
        status = exchange_sum(member->training.exchange, EXCHANGE_DOUBLES, &measured->cpu_seconds,
                              1, diagnostic);
    }
    trainer_close(trainer);
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

enum status baseline_train(const struct host_training *training, const struct job *job,
                           unsigned processes, struct joule_meter *meter,
                           struct baseline_measured *measured, struct diagnostic *diagnostic)
{
    const double begin = stopwatch_now();
    struct exchange exchange;
    *measured = (struct baseline_measured){.joules = NAN};
    TRY(exchange_init(&exchange, processes, exchange_bytes(job), diagnostic));
    struct member member = {
        .training = *training, .job = job, .watch = stopwatch_of(meter), .measured = measured};
    member.training.exchange = &exchange;
    const enum status status = processes > 1
                                   ? run_family(&member, &exchange, processes, begin, diagnostic)
                                   : run_member(&member, begin, diagnostic);
    exchange_deinit(&exchange);
    return status;
}
