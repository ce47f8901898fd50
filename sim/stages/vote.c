/* vote.c - see vote.h. */
#include "sim/stages/vote.h"

#include "models/common/check.h"
#include "workloads/nn/kernels.h"

#include <math.h>

void vote_add(const struct nn_table *table, const struct nn_result *result,
              uint32_t sums[NN_RESULT_CLASSES])
{
    const struct nn_layer *last = &table->layer[table->layers - 1];
    uint32_t exp_table[NN_EXP_STEPS + 1];
    uint32_t probability[NN_RESULT_CLASSES];
    nn_exp_table(exp_table);
    (void)nn_softmax(result->logits, table->classes,
                     (uint32_t)last->weight_fraction + last->input_fraction, exp_table,
                     probability);
    for (uint32_t c = 0; c < table->classes; c++) {
        sums[c] += probability[c];
    }
}

uint32_t vote_label(const uint32_t sums[NN_RESULT_CLASSES])
{
    uint32_t best = 0;
    for (uint32_t c = 1; c < NN_RESULT_CLASSES; c++) {
        best = sums[c] > sums[best] ? c : best;
    }
    return best;
}

void vote_join(struct vote_networks *of, const struct nn_table *table,
               const struct nn_result *result)
{
    CHECK(of->networks < CONFIG_STAGES, "a network of each stage");
    of->table[of->networks] = table;
    of->result[of->networks++] = result;
}

/* Asks the first `networks` of them. */
static struct nn_result ask(const struct vote_networks *of, size_t networks, size_t image)
{
    uint32_t sums[NN_RESULT_CLASSES] = {0};
    struct nn_result together = {.done = 1};
    CHECK(networks > 0, "somebody votes");
    for (size_t n = 0; n < networks; n++) {
        const struct nn_result *result = &of->result[n][image];
        vote_add(of->table[n], result, sums);
        together.saturations += result->saturations;
        together.overflows += result->overflows;
    }
    together.label = vote_label(sums);
    together.confidence = sums[together.label] / (uint32_t)networks;
    return together;
}

struct nn_result vote_sum(const struct vote_networks *of, size_t image)
{
    return ask(of, of->networks, image);
}

struct nn_result vote_cascade(const struct vote_networks *of, size_t image, double confidence,
                              size_t *asked)
{
    const double least = floor(ldexp(confidence, NN_PROBABILITY_FRACTION) + 0.5);
    const bool sure = of->result[0][image].confidence >= (uint32_t)least;
    *asked = sure ? 1 : of->networks;
    return ask(of, *asked, image);
}
