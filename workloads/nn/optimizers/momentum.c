/* momentum.c - gradient descent with momentum: the formulas stand in descent.h. */
#define NN_RULE momentum
#include "descent.h"

NN_NEEDS(TRAINS)

#if NN_DOUBLES

const struct optimizer optimizer_momentum = {
    OPTIMIZER_ROW(MOMENTUM, momentum), .doubles = doubles, .is_state = is_state,
    .cycles = {.int16 = 165, .s1615 = 165, .float32 = 165}, .source = "updates: parameters_update"};

#endif
