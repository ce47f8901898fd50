/* number.h - the number that a network's values are: weights, activations and errors.
 *
 * int16, in formats of the layer table; where NN_S1615 is defined, int32 with 15 fractional bits
 * (s16.15: s1615.h); where NN_FLOAT32 is, IEEE 754 singles (float32.h); where NN_INT8 is, int8 in
 * formats of each layer (int8.h).  Functions on values then have names of their own, so that a host
 * program can hold all of them. */
#pragma once
#include <stdint.h>

/* nn_total: what sums over products of values are, but for gradients, which are int32 always. */
#if defined(NN_S1615)
typedef int32_t nn_value;
typedef int32_t nn_total;
enum { NN_VALUE_LEAST = INT32_MIN, NN_VALUE_MOST = INT32_MAX };
#define NN_NAME(name) name##_s1615
#elif defined(NN_FLOAT32)
typedef float nn_value;
typedef float nn_total;
#define NN_NAME(name) name##_float32
#elif defined(NN_INT8)
typedef int8_t nn_value;
typedef int32_t nn_total;
enum { NN_VALUE_LEAST = INT8_MIN, NN_VALUE_MOST = INT8_MAX };
#define NN_NAME(name) name##_int8
#else
typedef int16_t nn_value;
typedef int32_t nn_total;
enum { NN_VALUE_LEAST = INT16_MIN, NN_VALUE_MOST = INT16_MAX };
#endif

/* Values of 32 bits. */
#if defined(NN_S1615) || defined(NN_FLOAT32)
#define NN_WIDE
#endif

/* Biases are values but in int8. */
#ifdef NN_INT8
typedef int16_t nn_bias;
#else
typedef nn_value nn_bias;
#endif

/* Functions, not macros, to all who use them.  NOLINTBEGIN(readability-identifier-naming) */
#ifdef NN_NAME
#define nn_conv2d            NN_NAME(nn_conv2d)
#define nn_conv2d_gradient   NN_NAME(nn_conv2d_gradient)
#define nn_conv2d_input_sums NN_NAME(nn_conv2d_input_sums)
#define nn_dense             NN_NAME(nn_dense)
#define nn_dense_gradient    NN_NAME(nn_dense_gradient)
#define nn_dense_gradient_of NN_NAME(nn_dense_gradient_of)
#define nn_dense_input_sums  NN_NAME(nn_dense_input_sums)
#define nn_dropout           NN_NAME(nn_dropout)
#define nn_finish_sums       NN_NAME(nn_finish_sums)
#define nn_forward           NN_NAME(nn_forward)
#define nn_forward_values    NN_NAME(nn_forward_values)
#define nn_load_image        NN_NAME(nn_load_image)
#define nn_max_pool2d        NN_NAME(nn_max_pool2d)
#define nn_max_pool2d_choose NN_NAME(nn_max_pool2d_choose)
#define nn_pool_events       NN_NAME(nn_pool_events)
#define nn_relu_back         NN_NAME(nn_relu_back)
#define nn_relu_events       NN_NAME(nn_relu_events)
#define nn_round_errors      NN_NAME(nn_round_errors)
#define nn_rule_state_words  NN_NAME(nn_rule_state_words)
#define nn_softmax_error     NN_NAME(nn_softmax_error)
#define nn_update            NN_NAME(nn_update)
#endif
#ifdef NN_FLOAT32
#define nn_softmax NN_NAME(nn_softmax)
#endif
/* NOLINTEND(readability-identifier-naming) */

enum {
    NN_S1615_FRACTION = 15,
    NN_FLOAT32_GRADIENT_FRACTION = 20, /* of the words that gradients add up to */
    NN_FLOAT32_LOGIT_FRACTION = 20     /* of logits as a result has them */
};
