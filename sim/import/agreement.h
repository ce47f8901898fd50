/* agreement.h - how near the integers of an imported network come to the model in doubles. */
#pragma once
#include "sim/import/images.h"
#include "sim/networks/network.h"
#include "sim/networks/weights.h"
C_LINKAGE_BEGIN

struct agreement {
    size_t images;
    size_t same;        /* images of the same class */
    size_t right;       /* of the integers, as labelled */
    size_t right_exact; /* of the doubles */
    double difference;  /* the largest between a sum of the last layer and the doubles' */
    double logit;       /* the largest of the doubles, of either sign */
    uint64_t saturations[NETWORK_LAYERS]; /* values that int16 has cut */
    uint64_t overflows;                   /* sums beyond 32 bits */
};

/* A network before its numbers are scaled, and after. */
struct agreement_sides {
    const struct network *exact;
    const double *parameters; /* of `exact` */
    const struct network *network;
    const struct nn_table *table; /* of `network` */
    const struct weights *weights;
    double logit_factor;
};

/* Classifies the images both ways, on so many threads; the result does not depend on them. */
enum status agreement_measure(struct agreement *agreement, const struct agreement_sides *sides,
                              const struct images *images, unsigned threads,
                              struct diagnostic *diagnostic);

C_LINKAGE_END
