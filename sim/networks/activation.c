/* activation.c - see activation.h. */
#include "sim/networks/activation.h"

#include "sim/networks/loss.h"
#include "workloads/nn/layer_table.h"

static void relu(double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = values[i] > 0 ? values[i] : 0;
    }
}

static void relu_back(const double *output, double *gradient, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        gradient[i] *= output[i] > 0 ? 1 : 0;
    }
}

static double sigmoid(double value)
{
    const double small = reference_exp(value < 0 ? value : -value);
    return (value < 0 ? small : 1) / (1 + small);
}

static void logistic(double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = sigmoid(values[i]);
    }
}

static void logistic_back(const double *output, double *gradient, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        gradient[i] *= output[i] * (1 - output[i]);
    }
}

static void hyperbolic(double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double value = values[i];
        values[i] = value < 0 ? 2 * sigmoid(2 * value) - 1 : 1 - 2 * sigmoid(-2 * value);
    }
}

static void hyperbolic_back(const double *output, double *gradient, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        gradient[i] *= 1 - output[i] * output[i];
    }
}

/* 1.7159 tanh(2 x / 3): LeCun et al. 1998, appendix A. */
static const double SCALED_GAIN = 1.7159;

static void scaled_hyperbolic(double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double value = 2 * values[i] / 3;
        hyperbolic(&value, 1);
        values[i] = SCALED_GAIN * value;
    }
}

static void scaled_hyperbolic_back(const double *output, double *gradient, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        gradient[i] *= (SCALED_GAIN - output[i] * output[i] / SCALED_GAIN) * 2 / 3;
    }
}

const struct activation *activation_of(enum network_activation activation)
{
    static const struct activation ROW[] = {
#define ACTIVATION(NAME, name, ROW, OPERATOR, MASKS, forward, backward, ENDS)                      \
    [NETWORK_##NAME] = {#name, NN_##ROW, OPERATOR, MASKS, ENDS, forward, backward},
#include "sim/networks/layers.def"
    };
    return &ROW[activation];
}

bool activation_is_bounded(enum network_activation activation)
{
    const uint8_t row = activation_of(activation)->row;
    return row == NN_TANH || row == NN_SIGMOID || row == NN_SCALED_TANH;
}
