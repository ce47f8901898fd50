/* operator_case.h - an operator as a network: its layer and, behind it, a dense layer that passes
 * values on, since networks end in one; so the network's sums are the operator's outputs, exactly
 * in every number format.
 *
 * Weights lie within +-1 and have as many fractional bits as a number format has; pixels are even,
 * for int8.  So the format has all numbers exactly, and a difference from doubles is due to the
 * operator's arithmetic. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/data/dataset.h"
#include "sim/networks/network.h"
C_LINKAGE_BEGIN

enum { OPERATOR_IMAGES = 8, OPERATOR_TEXT = 1024 };

struct operator_row {
    struct network_shape input;
    const char *before, *layer;
    bool each; /* of the activations */
};

extern const struct operator_row OPERATOR_ROWS[];
extern const size_t OPERATOR_ROW_COUNT;

struct operator_case {
    const struct operator_row *row;
    const char *activation; /* NULL: the layer has no such key */
    enum network_numbers numbers;
    char text[OPERATOR_TEXT]; /* the network's file */
    struct network network;   /* in int16 */
    size_t at;                /* its layer in it */
    size_t outputs;           /* of the operator: the first sums */
    double *parameters;       /* of the network, network_parameters(); owned */
    struct dataset images;    /* OPERATOR_IMAGES */
    double *expected;         /* [image][output], in doubles; owned */
    double gradient;          /* largest difference between the operator's gradients in doubles, by
                                 weights, biases and input, and central differences */
};

/* Makes the case of a row with an activation (NULL: identity or none) for a number format, from a
 * seed. */
enum status operator_case_make(struct operator_case *made, const struct operator_row *row,
                               const char *activation, enum network_numbers numbers, uint64_t seed,
                               struct diagnostic *diagnostic);
void operator_case_deinit(struct operator_case *made);

/* A row's next activation: NULL first, which stands for none, then, if it has each, those of
 * activations.def but identity and endings.  *number begins with 0; false after the last. */
bool operator_case_next(const struct operator_row *row, size_t *number, const char **activation);

C_LINKAGE_END
