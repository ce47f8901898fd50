/* actions.c - see actions.h; the formulas stand in actions.def and machines.def. */
#include "actions.h"

#include "fixed_point.h"
#include "kernels.h"
#include "loss.h"

dataflow_kernel *const DATAFLOW_KERNEL[DATAFLOW_ACTIONS] = {
#define ACTION(NAME, KIND, name, ports, OUT, parameters, WEIGHTS, COMMUTES, kernel, help) kernel,
#include "actions.def"
#define PHASE(NAME, machine, name, ports, OUT, kernel, help) kernel,
#include "machines.def"
};

/* ---- arithmetic: all sums and products wrap ---- */

static int32_t negative(int32_t a)
{
    return (int32_t)(0u - (uint32_t)a);
}

static int32_t product(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a * (uint32_t)b);
}

static int32_t raised(int32_t a, int32_t bits)
{
    return (int32_t)((uint32_t)a << bits);
}

/* As nn_round_shift(), which has no room for the largest numbers by one bit. */
static int32_t rounded(int32_t a, int32_t bits)
{
    const int32_t doubled = a >> (bits - 1);
    return (doubled >> 1) + (doubled & 1);
}

static int32_t cut(int32_t a)
{
    return a < INT16_MIN ? INT16_MIN : a > INT16_MAX ? INT16_MAX : a;
}

static int32_t rectified(int32_t sum, int32_t bits)
{
    const int32_t value = cut(rounded(sum, bits));
    return value < 0 ? 0 : value;
}

static int32_t sum_of(const int32_t *x, uint32_t words)
{
    int32_t sum = 0;
    for (uint32_t i = 0; i < words; i++) {
        sum = nn_wrapping_add(sum, x[i]);
    }
    return sum;
}

/* bias + the sum of x w */
static int32_t weighted(int32_t bias, const int32_t *x, const int32_t *w, uint32_t words)
{
    int32_t sum = bias;
    for (uint32_t i = 0; i < words; i++) {
        sum = nn_wrapping_add(sum, product(x[i], w[i]));
    }
    return sum;
}

/* The error of a unit: of the sum that came back, where its output is open. */
static int32_t error_of(int32_t sum, int32_t bits, int32_t output)
{
    return output > 0 ? cut(rounded(sum, bits)) : 0;
}

/* ---- operations ---- */

void dataflow_constant(const struct dataflow_call *call)
{
    for (uint32_t i = 0; i < call->out_words; i++) {
        call->out[i] = call->parameter[i];
    }
}

#define EACH(name, word)                                                                           \
    void name(const struct dataflow_call *call)                                                    \
    {                                                                                              \
        for (uint32_t i = 0; i < call->out_words; i++) {                                           \
            call->out[i] = (word);                                                                 \
        }                                                                                          \
    }
#define A call->in[0][i]
#define B call->in[1][i]
EACH(dataflow_copy, A)
EACH(dataflow_add, nn_wrapping_add(A, B))
EACH(dataflow_subtract, nn_wrapping_add(A, negative(B)))
EACH(dataflow_multiply, product(A, B))
EACH(dataflow_shift, rounded(A, call->parameter[0]))
EACH(dataflow_rectify, rectified(A, call->parameter[0]))
EACH(dataflow_weigh_back, product(call->in[0][0], B))

void dataflow_sum(const struct dataflow_call *call)
{
    *call->out = sum_of(call->in[0], call->words[0]);
}

void dataflow_largest(const struct dataflow_call *call)
{
    const int32_t *x = call->in[0];
    uint32_t best = 0;
    for (uint32_t i = 1; i < call->words[0]; i++) {
        best = x[i] > x[best] ? i : best;
    }
    *call->out = (int32_t)best;
}

void dataflow_softmax(const struct dataflow_call *call)
{
    (void)nn_softmax(call->in[0], call->words[0], (uint32_t)call->parameter[0], call->exp_table,
                     (uint32_t *)call->out);
}

/* bias, lift, shift, weights */
void dataflow_neuron(const struct dataflow_call *call)
{
    const int32_t *own = call->parameter;
    *call->out =
        rectified(weighted(raised(own[0], own[1]), call->in[0], own + 3, call->words[0]), own[2]);
}

void dataflow_last_neuron(const struct dataflow_call *call)
{
    const int32_t *own = call->parameter;
    *call->out = weighted(raised(own[0], own[1]), call->in[0], own + 2, call->words[0]);
}

void dataflow_weighted_sum(const struct dataflow_call *call)
{
    const uint32_t words = call->words[0];
    const int32_t *w = call->in[1];
    *call->out = weighted(raised(w[words], call->parameter[0]), call->in[0], w, words);
}

void dataflow_softmax_error(const struct dataflow_call *call)
{
    const uint32_t classes = call->words[0];
    const uint32_t label = (uint32_t)call->in[1][0];
    nn_value error[NN_MAX_CLASSES];
    (void)nn_softmax_error(call->in[0], classes, (uint32_t)call->parameter[0], call->exp_table,
                           label < classes ? label : 0, (uint32_t)call->parameter[1], error, NULL);
    for (uint32_t i = 0; i < classes; i++) {
        call->out[i] = error[i];
    }
}

void dataflow_gather_error(const struct dataflow_call *call)
{
    *call->out = error_of(sum_of(call->in[0], call->words[0]), call->parameter[0], call->in[1][0]);
}

void dataflow_gradient(const struct dataflow_call *call)
{
    const int32_t error = call->in[0][0];
    const uint32_t words = call->words[1];
    for (uint32_t i = 0; i < words; i++) {
        call->out[i] = product(error, B);
    }
    call->out[words] = error;
}

/* ---- Assigns ---- */

#define UPDATE(name, word)                                                                         \
    void name(const struct dataflow_call *call)                                                    \
    {                                                                                              \
        for (uint32_t i = 0; i < call->state_words; i++) {                                         \
            const int32_t own = call->state[i];                                                    \
            (void)own;                                                                             \
            call->state[i] = (word);                                                               \
        }                                                                                          \
    }
#define ONE call->in[0][0]
UPDATE(dataflow_set, A)
UPDATE(dataflow_assign_add, nn_wrapping_add(own, A))
UPDATE(dataflow_assign_sub, nn_wrapping_add(own, negative(A)))
UPDATE(dataflow_descend, nn_wrapping_add(own, negative(rounded(A, call->parameter[0]))))
UPDATE(dataflow_assign_most, own > A ? own : A)
UPDATE(dataflow_assign_least, own < A ? own : A)
UPDATE(dataflow_scale, rounded(product(own, ONE), call->parameter[0]))
UPDATE(dataflow_clip, own > ONE ? ONE : own < negative(ONE) ? negative(ONE) : own)

/* ---- machines: lift, shift, rate; the state as machines.def says ---- */

struct neuron {
    uint32_t inputs;
    int32_t *weight, *input, *output, *gradient;
    int32_t lift, shift, rate;
};

static struct neuron neuron_of(const struct dataflow_call *call)
{
    const uint32_t inputs = dataflow_neuron_inputs(call->state_words);
    int32_t *weight = call->state;
    int32_t *input = weight + inputs + 1;
    return (struct neuron){.inputs = inputs,
                           .weight = weight,
                           .input = input,
                           .output = input + inputs,
                           .gradient = input + inputs + 1,
                           .lift = call->parameter[0],
                           .shift = call->parameter[1],
                           .rate = call->parameter[2]};
}

/* Keeps the inputs, and returns the sum. */
static int32_t go_forward(const struct neuron *neuron, const int32_t *x)
{
    for (uint32_t i = 0; i < neuron->inputs; i++) {
        neuron->input[i] = x[i];
    }
    return weighted(raised(neuron->weight[neuron->inputs], neuron->lift), x, neuron->weight,
                    neuron->inputs);
}

static void go_back(const struct neuron *neuron, int32_t error, const struct dataflow_call *call)
{
    for (uint32_t i = 0; i < call->out_words; i++) {
        call->out[i] = product(error, neuron->weight[i]);
    }
    for (uint32_t i = 0; i <= neuron->inputs; i++) {
        const int32_t gradient = i < neuron->inputs ? product(error, neuron->input[i]) : error;
        neuron->gradient[i] = gradient;
        neuron->weight[i] =
            nn_wrapping_add(neuron->weight[i], negative(rounded(gradient, neuron->rate)));
    }
}

void dataflow_hidden_forward(const struct dataflow_call *call)
{
    const struct neuron neuron = neuron_of(call);
    *neuron.output = rectified(go_forward(&neuron, call->in[0]), neuron.shift);
    *call->out = *neuron.output;
}

void dataflow_hidden_backward(const struct dataflow_call *call)
{
    const struct neuron neuron = neuron_of(call);
    const int32_t sum = sum_of(call->in[0], call->words[0]);
    go_back(&neuron, error_of(sum, neuron.shift, *neuron.output), call);
}

void dataflow_output_forward(const struct dataflow_call *call)
{
    const struct neuron neuron = neuron_of(call);
    *neuron.output = go_forward(&neuron, call->in[0]);
    *call->out = *neuron.output;
}

void dataflow_output_backward(const struct dataflow_call *call)
{
    const struct neuron neuron = neuron_of(call);
    go_back(&neuron, call->in[0][0], call);
}
