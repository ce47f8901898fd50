/* estimate.h - how long an update of a training takes, computed from its plan and not executed:
 * products of each layer, words passed between the cores of a chip and between chips, and the
 * figures of estimate.def.  mapping.kind: auto chooses by it (choose.h). */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/mapping/exchange_plans.h"
#include "sim/mapping/plan.h"
C_LINKAGE_BEGIN

/* Seconds of an update: the core that takes longest computes; the cores of a chip pass words to
 * each other through SDRAM; chips do over rings. */
struct estimate {
    double compute_s, memory_s, exchange_s;
};

static inline double estimate_seconds(const struct estimate *estimate)
{
    return estimate->compute_s + estimate->memory_s + estimate->exchange_s;
}

/* How fast cores send on rings over the first mapping.chips chips that have mapping.cores_per_chip
 * working cores; `by_board`: of a mapping that sums by board (struct mapping_training). */
enum status estimate_rings_make(const struct sim_config *config, const struct topology *topology,
                                bool by_board, struct exchange_pace *rings,
                                struct diagnostic *diagnostic);

/* Whether plans of a mapping can be estimated. */
bool estimate_knows(const struct mapping *mapping);

/* Of a plan, or of a trial plan, whose mapping's plans can be estimated. */
struct estimate estimate_update(const struct load_plan *plan, const struct sim_config *config,
                                const struct exchange_pace *rings);

/* Seconds in which a plan of a mapping that classifies gets through its images (estimate_infer.c).
 */
double estimate_inference(const struct load_plan *plan, const struct sim_config *config);

/* ---- for mappings ---- */

/* What happens one after the other in an update. */
struct estimate_sum {
    double cycles;        /* of computing, of the core that takes longest, but for: */
    double update_cycles; /* of updates of parameters, by the optimizer */
    double transfers;     /* DMA transfers of a core */
    double signals;       /* rounds of signals between the cores of a chip */
    double bytes;         /* of a chip's SDRAM, read and written */
    double exchange_s;    /* of rings */
};

/* Cycles for a row of a piece's table and the pooling behind it: `images` at a time, all of a dense
 * layer; a convolution's one.  `inner`: its inputs have errors, too. */
double estimate_forward(const struct load_plan *plan, const struct nn_table *table, uint32_t row,
                        uint32_t images);
double estimate_backward(const struct load_plan *plan, const struct nn_table *table, uint32_t row,
                         uint32_t images, bool inner);

/* Cycles of a matrix: values for an image, gradients of `images`, sums of an image's errors. */
struct estimate_matrix {
    double inputs, outputs;
};
double estimate_values(const struct load_plan *plan, struct estimate_matrix matrix);
double estimate_gradient(const struct load_plan *plan, struct estimate_matrix matrix,
                         uint32_t images);
double estimate_errors(const struct load_plan *plan, struct estimate_matrix matrix);

/* Cycles of other work, of so many values. */
enum estimate_work {
    ESTIMATE_PIXELS,
    ESTIMATE_PLAIN, /* products in a loop of a role */
    ESTIMATE_ROUND,
    ESTIMATE_LOSS, /* images */
    ESTIMATE_COPY,
    ESTIMATE_ADD
};
double estimate_work(const struct load_plan *plan, enum estimate_work work, double values);

/* Adds what a core does after a batch: its slice's update and its parameters, but not the sums. */
void estimate_add_update(const struct load_plan *plan, uint32_t slice_words, uint32_t owned_words,
                         struct estimate_sum *sum);

/* Seconds in which each core of a chip sends so many packets around its ring; 0 on one chip. */
double estimate_ring(const struct load_plan *plan, const struct exchange_pace *rings,
                     const double *packets);

C_LINKAGE_END
