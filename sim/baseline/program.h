/* program.h - the ways in which `spinnsim baseline` trains a network on the host: each is a row of
 * programs.def and a struct baseline_program. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/baseline/exchange.h"
#include "sim/networks/learning.h"
#include "sim/run_control/job.h"
#include "workloads/nn/run_plan.h"
C_LINKAGE_BEGIN

/* What a training works on; all of it outlives the training. */
struct baseline_work {
    const struct job *job;
    const struct learning *learning;
    const void *initial; /* a parameter block in the job's number format */
    const void *from; /* state of an earlier training, whose parameters are taken instead; NULL */
    unsigned threads;
    const struct exchange *exchange; /* of one member, or of several processes */
};

/* Of images; a share of them if there are several processes. */
struct baseline_score {
    uint32_t count, correct;
    double loss; /* sum */
};

struct baseline_program {
    const char *name;
    const char *number_format; /* network.number_format that it needs */
    bool shares;               /* can be one of several processes */
    /* STATUS_CONFIGURATION when it cannot train this job. */
    enum status (*check)(const struct job *job, struct diagnostic *diagnostic);
    enum status (*open)(const struct baseline_work *work, void **state,
                        struct diagnostic *diagnostic);
    enum status (*step)(void *state, struct diagnostic *diagnostic);
    enum status (*test)(void *state, const struct dataset *images, struct baseline_score *score,
                        struct diagnostic *diagnostic);
    /* Label and logits of each image, as a run has them; by one process.  NULL: it has none. */
    enum status (*classify)(void *state, const struct dataset *images, struct nn_result *result,
                            struct diagnostic *diagnostic);
    void (*close)(void *state);
    const char *(*instructions)(void); /* instruction set of its arithmetic; "": the build's */
};

/* In the order of programs.def; NULL behind the last. */
const struct baseline_program *const *baseline_programs(void);

/* NULL: there is none of that name. */
const struct baseline_program *baseline_program_of(const char *name);

/* The images that this process classifies: a view, without digest. */
struct dataset baseline_share(const struct exchange *exchange, const struct dataset *images);

/* The initial parameters as doubles, see weights_place(); malloc'ed. */
enum status baseline_initial(const struct baseline_work *work, double **parameters,
                             struct diagnostic *diagnostic);

/* The rate for the sum over a batch. */
double baseline_rate(const struct sim_config *config);

#define PROGRAM(NAME, name) extern const struct baseline_program BASELINE_##NAME;
#include "sim/baseline/programs.def"

C_LINKAGE_END
