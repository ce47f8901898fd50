/* chain.c - see chain.h. */
#include "sim/measure/chain.h"

#include "sim/import/describe.h"
#include "sim/steps.h"

#include <math.h>
#include <string.h>

enum status chain_make(struct chain *chain, const struct lowered *lowered, enum chain_end end,
                       struct diagnostic *diagnostic)
{
    static const struct describe_formats ANY = {13, 11, 1}; /* doubles have none */
    chain->end = end;
    TRY(describe_parse(lowered, &ANY, "chain", &chain->network, diagnostic));
    TRY(describe_parameters(lowered, &chain->parameters, diagnostic));
    return reference_pass_init(&chain->pass, &chain->network, diagnostic);
}

void chain_deinit(struct chain *chain)
{
    reference_pass_deinit(&chain->pass);
    free(chain->parameters);
    network_deinit(&chain->network);
}

size_t chain_inputs(const struct chain *chain)
{
    return network_values(chain->network.input);
}

static size_t sums_of(const struct chain *chain)
{
    return chain->network.layer[chain->network.layer_count - 1].outputs;
}

bool chain_gives(const struct chain *chain, size_t outputs)
{
    return outputs == sums_of(chain) ||
           (outputs == 1 && sums_of(chain) == 2 && chain->end == CHAIN_SUMS);
}

/* Of the sums: their softmax, or its logarithm. */
static void soften(enum chain_end end, size_t count, double *value)
{
    double most = -HUGE_VAL;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        most = value[i] > most ? value[i] : most;
    }
    for (size_t i = 0; i < count; i++) {
        sum += exp(value[i] - most);
    }
    for (size_t i = 0; i < count; i++) {
        const double log_of = value[i] - most - log(sum);
        value[i] = end == CHAIN_SOFTMAX ? exp(log_of) : log_of;
    }
}

void chain_run(struct chain *chain, const double *input, size_t outputs, double *output)
{
    struct reference_pass *pass = &chain->pass;
    const size_t layers = chain->network.layer_count;
    memcpy(pass->value[0], input, chain_inputs(chain) * sizeof *input);
    for (size_t i = 0; i < layers; i++) {
        reference_sums(pass, i, chain->parameters);
        reference_activate(pass, i);
    }
    if (outputs != sums_of(chain)) {
        output[0] = 1 / (1 + exp(-pass->value[layers][1]));
        return;
    }
    memcpy(output, pass->value[layers], outputs * sizeof *output);
    if (chain->end != CHAIN_SUMS) {
        soften(chain->end, outputs, output);
    }
}
