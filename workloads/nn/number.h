/* number.h - the number that a network's values are: weights, activations and errors. */
#ifndef WORKLOADS_NN_NUMBER_H
#define WORKLOADS_NN_NUMBER_H
#include <stdint.h>

typedef int16_t nn_value;
enum { NN_VALUE_LEAST = INT16_MIN, NN_VALUE_MOST = INT16_MAX };

#endif
