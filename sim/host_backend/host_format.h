/* host_format.h - a number format of the host's trainings: the kernels that the loop of trainer.h
 * calls.  A format is one file: format_integers.c (int16, s16.15, the machine's float32, int8),
 * format_float64.c, format_float32.c (the host's vectors), format_operations.c (a backend's
 * operations). */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/host_backend/exchange.h"
#include "sim/run_control/outcome.h"
#include "workloads/nn/run_plan.h"
C_LINKAGE_BEGIN

struct host_training;

/* Images that are worked on together. */
struct host_batch {
    const uint8_t **image; /* [count], as all of these vectors */
    uint8_t *label;
    uint32_t *number; /* of the image in its data set */
    uint32_t count;
    uint32_t epoch;           /* of a training: 0, 1, ... */
    double *work;             /* set by train(): trainer_news.work; zeros unless the format tells */
    uint32_t *found;          /* set by a test: the classes */
    double *loss;             /* set by a test */
    struct nn_result *result; /* set by a test; NULL: not wanted */
};

struct host_score {
    uint32_t count, correct;
    double loss; /* of a test: mean; of a part of a batch: sum */
};

/* The parameters' next update; `gradients` are the sums over the batch. */
struct host_step {
    uint64_t number; /* 0, 1, ... */
    uint32_t rate;   /* of NN_FULL_RATE */
    size_t places;
    void *gradients, *state, *parameters;
};

/* A batch is trained in parts, then its gradients are summed in pieces, then come the updates: each
 * of the three is tasks that may run on any thread.  A test is parts, too.  `worker`: the thread's
 * working memory.  `pass` is what open() has made. */
struct host_format {
    enum exchange_type type; /* of a gradient */
    uint8_t value_bytes;     /* of a parameter */
    uint8_t word_bytes;      /* of a gradient, and of a word of state */
    uint8_t state_words;     /* for each parameter; 0: those of the learning rule */
    bool has_block;          /* its parameters are a block as the layer table lays it out;
                                otherwise network_parameters() values, see weights_place() */
    bool tells_losses;       /* of batches */
    uint32_t loss_group;     /* a test adds up losses of so many images, then these sums */
    size_t update_most;      /* parameters of a task; if an update can fail, there is one task */

    /* Memory for batches of at most `most` images.  What it has made is closed, also if it fails.
     * training->learning is NULL for tests alone. */
    enum status (*open)(const struct host_training *training, uint32_t most, unsigned workers,
                        void **pass, struct diagnostic *diagnostic);
    void (*close)(void *pass);
    size_t (*parts)(const void *pass, uint32_t images, bool trains);
    void (*begin)(void *pass, const void *parameters); /* before the parts of a batch; or NULL */
    /* Adds a part's gradients to a vector of its own, of zeros.  These vectors are added in order,
     * unless the format does it: then there are none. */
    void (*train)(void *pass, unsigned worker, size_t part, const struct host_batch *batch,
                  const void *parameters, void *gradients, struct host_score *score);
    size_t (*pieces)(const void *pass); /* NULL, as the next: it does not */
    void (*gather)(void *pass, unsigned worker, size_t piece, const struct host_batch *batch,
                   void *gradients);
    enum status (*update)(void *pass, const struct host_step *step, size_t first, size_t count,
                          struct diagnostic *diagnostic);
    void (*test)(void *pass, unsigned worker, size_t part, const struct host_batch *batch,
                 const void *parameters);
    void (*met)(const void *pass, struct outcome_training *met); /* numeric events; or NULL */
    /* Of parts that can fail: whether one has; or NULL. */
    enum status (*check)(const void *pass, struct diagnostic *diagnostic);
    /* Where parameters and state lie elsewhere between updates: brings them to the step's. NULL:
     * they do not. */
    void (*fetch)(void *pass, const struct host_step *step);
};

#define FORMAT(name, ...) extern const struct host_format HOST_FORMAT_##name;
#include "workloads/nn/formats.def"
extern const struct host_format HOST_FORMAT_FLOAT64;
/* By a backend's operations, in each kind of numbers (format_operations.c). */
extern const struct host_format HOST_FORMAT_OPERATIONS_INT16, HOST_FORMAT_OPERATIONS_FLOAT32,
    HOST_FORMAT_OPERATIONS_FLOAT64;

C_LINKAGE_END
