/* The backward kernels against the double reference, which gives the same values for the same
 * numbers, and against differences of the loss; errors that have been rounded are at most half a
 * unit away. */
#include "tests/unit/nn_backward_fixture.h"

namespace
{

/* ---- against doubles ---- */

std::vector<double> scaled(const std::vector<int16_t> &values, int fraction)
{
    std::vector<double> made;
    for (const int16_t value : values) {
        made.push_back(std::ldexp(value, -fraction));
    }
    return made;
}

struct network_layer as_reference(const struct nn_layer &l)
{
    struct network_layer made = {};
    made.type = l.kind == NN_CONV2D ? NETWORK_CONV2D : NETWORK_DENSE;
    made.outputs = l.output.channels;
    made.kernel = l.kernel;
    made.stride = l.stride;
    made.input = {l.input.channels, l.input.height, l.input.width};
    made.output = {l.output.channels, l.output.height, l.output.width};
    return made;
}

/* Adds the gradients of a layer in double precision. */
void reference_backward_of(const struct network_layer &layer, const std::vector<double> &weights,
                           const std::vector<double> &input, const std::vector<double> &errors,
                           std::vector<double> *weight_gradients,
                           std::vector<double> *bias_gradients,
                           std::vector<double> *input_gradients)
{
    struct layer_pass pass = {};
    pass.layer = &layer;
    pass.weights = weights.data();
    pass.input = input.data();
    pass.output_gradient = errors.data();
    pass.weight_gradients = weight_gradients->data();
    pass.bias_gradients = bias_gradients->data();
    pass.input_gradient = input_gradients->data();
    layer_kind_of(layer.type)->backward(&pass);
}

/* W13 A11 E8: what was found, as a number, and within half a unit of 2^-8 after the rounding. */
void expect_equal(const std::vector<double> &expected, const std::vector<int32_t> &found,
                  int fraction)
{
    for (size_t i = 0; i < expected.size(); i++) {
        ASSERT_EQ(expected[i], std::ldexp(found[i], -fraction));
    }
}

void expect_rounded(const std::vector<double> &expected, const std::vector<int32_t> &sums)
{
    std::vector<int16_t> errors(sums.size());
    struct nn_numerics numerics = {};
    nn_round_errors(sums.data(), errors.data(), static_cast<uint32_t>(errors.size()), 13,
                    &numerics);
    ASSERT_EQ(numerics.error_saturations, 0u);
    double bias = 0;
    for (size_t i = 0; i < errors.size(); i++) {
        const double difference = std::ldexp(errors[i], -8) - expected[i];
        ASSERT_LE(std::abs(difference), std::ldexp(1, -9));
        bias += difference;
    }
    /* A floor would have a mean of half a unit below. */
    if (errors.size() > 100) {
        ASSERT_LT(std::abs(bias / static_cast<double>(errors.size())), std::ldexp(1, -11));
    }
}

TEST(NnBackward, EqualsTheDoubleReference)
{
    random_source random(8);
    for (int i = 0; i < 100; i++) {
        const conv_case c(&random, 2000, i % 2 == 0);
        event_list list(c);
        nn_relu_events(&c.layer, c.output.data(), c.errors.data(), list.events.data(),
                       list.counts.data());
        const sums found = run_events(c, list);
        const struct network_layer layer = as_reference(c.layer);
        std::vector<double> errors = scaled(c.errors, 8);
        const std::vector<double> output = scaled(c.output, 11);
        activation_of(NETWORK_RELU)->backward(output.data(), errors.data(), errors.size());
        std::vector<double> weights(c.weights.size()), biases(layer.outputs),
            inputs(c.input.size());
        reference_backward_of(layer, scaled(c.weights, 13), scaled(c.input, 11), errors, &weights,
                              &biases, &inputs);
        expect_equal(weights, found.weights, 8 + 11);
        expect_equal(biases, found.biases, 8);
        expect_equal(inputs, found.inputs, 8 + 13);
        expect_rounded(inputs, found.inputs);
    }
}

TEST(NnBackward, DenseEqualsTheDoubleReference)
{
    random_source random(9);
    for (int i = 0; i < 100; i++) {
        const dense_case c(&random, 2000);
        const struct network_layer layer = as_reference(c.layer);
        std::vector<int32_t> found(c.weights.size()), found_biases(c.outputs), sums(c.inputs);
        nn_dense_gradient(&c.layer, c.input.data(), c.errors.data(), found.data(),
                          found_biases.data());
        nn_dense_input_sums(&c.layer, c.weights.data(), c.errors.data(), sums.data());
        std::vector<double> weights(c.weights.size()), biases(c.outputs), inputs(c.inputs);
        reference_backward_of(layer, scaled(c.weights, 13), scaled(c.input, 11),
                              scaled(c.errors, 8), &weights, &biases, &inputs);
        expect_equal(weights, found, 8 + 11);
        expect_equal(biases, found_biases, 8);
        expect_equal(inputs, sums, 8 + 13);
        expect_rounded(inputs, sums);
    }
}

/* ---- against differences ---- */

/* The loss sum of e_o z_o of a convolution's sums z, whose gradient by z is e: linear in weights,
 * biases and inputs, so that the central difference over one unit is the gradient, exactly. */
struct linear_loss {
    const conv_case *c;
    std::vector<int16_t> biases;

    int64_t operator()(const std::vector<int16_t> &weights, const std::vector<int16_t> &b,
                       const std::vector<int16_t> &input) const
    {
        std::vector<int32_t> z(c->errors.size());
        struct nn_numerics numerics = {};
        struct nn_layer layer = c->layer;
        layer.is_last = 1;
        layer.input_fraction = 0;
        const struct nn_arguments arguments = {&layer,       weights.data(), b.data(),
                                               input.data(), z.data(),       &numerics};
        nn_conv2d(&arguments);
        int64_t loss = 0;
        for (size_t o = 0; o < z.size(); o++) {
            loss += int64_t{z[o]} * c->errors[o];
        }
        return loss;
    }
};

int64_t central(std::vector<int16_t> *values, size_t i, const std::function<int64_t()> &loss)
{
    (*values)[i]++;
    const int64_t above = loss();
    (*values)[i] = static_cast<int16_t>((*values)[i] - 2);
    const int64_t below = loss();
    (*values)[i]++;
    return (above - below) / 2;
}

TEST(NnBackward, ConvolutionIsTheDerivativeOfItsForwardKernel)
{
    random_source random(10);
    for (int i = 0; i < 20; i++) {
        conv_case c(&random, 200, i % 2 == 0);
        c.layer.activation = NN_IDENTITY;
        event_list list(c);
        nn_relu_events(&c.layer, c.output.data(), c.errors.data(), list.events.data(),
                       list.counts.data());
        const sums found = run_events(c, list);
        linear_loss loss = {&c, random.int16s(c.layer.output.channels, 200)};
        std::vector<int16_t> weights = c.weights, biases = loss.biases, input = c.input;
        const auto run = [&] { return loss(weights, biases, input); };
        for (size_t w = 0; w < weights.size(); w += random.between(1u, 5u)) {
            ASSERT_EQ(found.weights[w], central(&weights, w, run));
        }
        for (size_t b = 0; b < biases.size(); b++) {
            ASSERT_EQ(found.biases[b], central(&biases, b, run));
        }
        for (size_t at = 0; at < input.size(); at += random.between(1u, 5u)) {
            ASSERT_EQ(found.inputs[at], central(&input, at, run));
        }
    }
}

} // namespace
