/* softmax.c - of the last layer: its outputs are logits, and the loss takes them as they are. */
#define NN_ACTIVATION softmax
#include "activation_kind.h"

#if NN_DOUBLES

const struct activation activation_softmax = {.name = "softmax", .row = NN_IDENTITY, .ends = true};

#endif
