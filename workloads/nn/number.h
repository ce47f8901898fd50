/* number.h - the number that a network's values are: weights, activations and errors.
 *
 * int16, in formats of the layer table; or, where NN_S1615 is defined, int32 with 15 fractional
 * bits (s16.15).  Functions on values then have names of their own, so that a host program can hold
 * both; the rules of s16.15 are in s1615.h. */
#ifndef WORKLOADS_NN_NUMBER_H
#define WORKLOADS_NN_NUMBER_H
#include <stdint.h>

#ifdef NN_S1615
typedef int32_t nn_value;
enum { NN_VALUE_LEAST = INT32_MIN, NN_VALUE_MOST = INT32_MAX };

/* Functions, not macros, to all who use them.  NOLINTBEGIN(readability-identifier-naming) */
#define nn_conv2d            nn_conv2d_s1615
#define nn_conv2d_gradient   nn_conv2d_gradient_s1615
#define nn_conv2d_input_sums nn_conv2d_input_sums_s1615
#define nn_dense             nn_dense_s1615
#define nn_dense_gradient    nn_dense_gradient_s1615
#define nn_dense_gradient_of nn_dense_gradient_of_s1615
#define nn_dense_input_sums  nn_dense_input_sums_s1615
#define nn_dropout           nn_dropout_s1615
#define nn_finish_sums       nn_finish_sums_s1615
#define nn_forward           nn_forward_s1615
#define nn_forward_values    nn_forward_values_s1615
#define nn_load_image        nn_load_image_s1615
#define nn_max_pool2d        nn_max_pool2d_s1615
#define nn_max_pool2d_choose nn_max_pool2d_choose_s1615
#define nn_pool_events       nn_pool_events_s1615
#define nn_relu_back         nn_relu_back_s1615
#define nn_relu_events       nn_relu_events_s1615
#define nn_round_errors      nn_round_errors_s1615
#define nn_rule_state_words  nn_rule_state_words_s1615
#define nn_softmax_error     nn_softmax_error_s1615
#define nn_update            nn_update_s1615
/* NOLINTEND(readability-identifier-naming) */
#else
typedef int16_t nn_value;
enum { NN_VALUE_LEAST = INT16_MIN, NN_VALUE_MOST = INT16_MAX };
#endif

enum { NN_S1615_FRACTION = 15 };

#endif
