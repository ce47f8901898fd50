/* identity.c - no activation: kernels store what they have rounded. */
#define NN_ACTIVATION identity
#include "activation_kind.h"

#if NN_DOUBLES

const struct activation activation_identity = {ACTIVATION_ROW(IDENTITY, identity), .masks = true};

#endif
