/* describe.h - a lowered model as a network: the text of its file, and its parameters. */
#pragma once
#include "sim/import/lower.h"
#include "sim/networks/network.h"
#include <stdio.h>
C_LINKAGE_BEGIN

struct describe_formats {
    uint32_t weight_fraction, activation_fraction;
    double logit_factor; /* sums of the last layer are those of the model times this */
};

/* Writes a network's file, without weights, behind its comment. */
void describe_network(const struct lowered *lowered, const struct describe_formats *formats,
                      const char *name, FILE *stream);

/* The same as a network that can run.  STATUS_CONFIGURATION where the network is too large. */
enum status describe_parse(const struct lowered *lowered, const struct describe_formats *formats,
                           const char *name, struct network *network,
                           struct diagnostic *diagnostic);

/* The parameters in the order of weights_place(), in malloc'ed memory. */
enum status describe_parameters(const struct lowered *lowered, double **parameters,
                                struct diagnostic *diagnostic);

C_LINKAGE_END
