/* sgd.c - gradient descent without momentum: the formulas stand in descent.h. */
#define NN_RULE sgd
#include "descent.h"

NN_NEEDS(TRAINS)

#if NN_DOUBLES

const struct optimizer optimizer_sgd = {
    OPTIMIZER_ROW(SGD, sgd), .doubles = doubles, .is_state = is_state,
    .cycles = {.int16 = 149, .s1615 = 149, .float32 = 149},
    .source =
        "parameters_update of lenet1 on one chip, less than momentum's; float32: assumed as int16"};

#endif
