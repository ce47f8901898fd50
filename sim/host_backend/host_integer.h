/* host_integer.h - the integer host backend: a network executed on the host by the sources that the
 * modelled cores run (workloads/nn), bit for bit, without cycles.
 *
 * An image's result is the struct that a role's program writes to SDRAM (run_plan.h), with core 0.
 */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/data/dataset.h"
#include "workloads/nn/layer_table.h"
#include "workloads/nn/number.h"
#include "workloads/nn/run_plan.h"
C_LINKAGE_BEGIN

struct host_integer_request {
    const struct nn_table *table;
    const void *parameters; /* a parameter block, see struct weights */
    const struct dataset *dataset;
    unsigned threads;
};

struct host_integer_run {
    struct nn_result *result; /* one for each image; owned */
    uint32_t count, correct;
    uint64_t saturations, overflows; /* sums over all images */
};

/* Classifies all images.  The results do not depend on the number of threads.  STATUS_CONFIGURATION
 * when the images do not fit the network; *run is then empty. */
enum status host_integer_test(const struct host_integer_request *request,
                              struct host_integer_run *run, struct diagnostic *diagnostic)
    NN_SYMBOL(host_integer_test);

void host_integer_run_deinit(struct host_integer_run *run) NN_SYMBOL(host_integer_run_deinit);

C_LINKAGE_END
