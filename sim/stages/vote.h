/* vote.h - what several networks say of an image together: the sum of their probabilities, which
 * are integers; or a cascade, in which the first network asks the others only when it is not
 * confident. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config.h"
#include "workloads/nn/layer_table.h"
#include "workloads/nn/run_plan.h"
#include <stddef.h>
C_LINKAGE_BEGIN

/* The probabilities, with NN_PROBABILITY_FRACTION fractional bits, that a network's logits of an
 * image stand for, added to `sums`. */
void vote_add(const struct nn_table *table, const struct nn_result *result,
              uint32_t sums[NN_RESULT_CLASSES]);

/* The class of the largest sum, the first of equals. */
uint32_t vote_label(const uint32_t sums[NN_RESULT_CLASSES]);

/* The results of several networks for the same images. */
struct vote_networks {
    const struct nn_table *table[CONFIG_STAGES];
    const struct nn_result *result[CONFIG_STAGES]; /* [network][image] */
    size_t networks, images;
};

/* Adds a network that has classified the images. */
void vote_join(struct vote_networks *of, const struct nn_table *table,
               const struct nn_result *result);

/* Asks all networks about an image: the label of the sum, and its mean probability as confidence.
 */
struct nn_result vote_sum(const struct vote_networks *of, size_t image);

/* Asks the first network about an image, and the others, too, if its confidence is below the bound
 * (as a probability).  *asked: the number of networks asked. */
struct nn_result vote_cascade(const struct vote_networks *of, size_t image, double confidence,
                              size_t *asked);

C_LINKAGE_END
