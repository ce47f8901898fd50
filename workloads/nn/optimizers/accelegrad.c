/* accelegrad.c - AcceleGrad (Levy, Yurtsever and Cevher 2018), with weights
 * a = max(1, (t + 1) / 4), t = 0, 1, ...; a+ is the next step's.  w is their x, y is not kept:
 *     u <- u (a- / a)^2 + G^2        p = rn(rate G / (sqrt(u) + epsilon))
 *     z <- z - p        y = w - rn(p / a)        w <- sat(y + rn((z - y) / a+))
 * so u is the sum of (a G)^2, divided by the last a^2, and the rate is their 2 D.
 *
 * Their step is one for all parameters, by the norm of the whole gradient, which would take a sum
 * over all owners; here each parameter has its own, as in AdaGrad.  Nothing is projected, and the
 * result is x, not the mean of y.
 *
 * State: z - w with NN_VELOCITY_FRACTION bits, then the sum of squares u. */
#define NN_RULE accelegrad
#include "squares.h"

NN_NEEDS(TRAINS)

#if NN_INTEGERS

enum {
    COUPLING_FRACTION = 30,
    FADE_FRACTION = 30,
    FIRST_STEPS = 4 /* of weight 1 */
};

/* 1 / a of a step: 4 / times, at most 1 */
static uint32_t coupling_of(uint64_t times)
{
    const uint64_t four = UINT64_C(4) << COUPLING_FRACTION;
    return (uint32_t)(times <= FIRST_STEPS ? four / 4 : (four + times / 2) / times);
}

static __attribute__((cold, noinline)) void accelegrad_begin(struct step *step)
{
    const uint64_t times = (uint64_t)step->number + 1;
    const uint64_t square = times * times;
    step->coupling = coupling_of(times);
    step->next_coupling = coupling_of(times + 1);
    /* 1 - ((times - 1) / times)^2 */
    step->fade = times <= FIRST_STEPS
                     ? 0
                     : (uint32_t)((((2 * times - 1) << FADE_FRACTION) + square / 2) / square);
}

static inline nn_value accelegrad_step(const struct step *step, int32_t gradient, int32_t *state,
                                       nn_value parameter)
{
    const struct nn_rule *rule = step->rule;
    const int32_t to_weight = NN_VELOCITY_FRACTION - rule->weight_fraction;
    const int32_t g = aligned_sum(step, gradient);
    const uint64_t faded = moved_mean(unpacked((uint32_t)state[1]), 0, step->fade, FADE_FRACTION);
    const uint64_t u = squares_with(step, faded, g, &state[1]);
    const int64_t far =
        shifted(ratio_of(g, u, rule->epsilon) * step->rate,
                (int32_t)(RATIO_FRACTION + rule->rate_shift + RATE_BITS) - NN_VELOCITY_FRACTION);
    const int64_t near = shifted(far * step->coupling, COUPLING_FRACTION);
    const int64_t apart = state[0] - far + near; /* z - y */
    const int64_t by = near - shifted(apart * step->next_coupling, COUPLING_FRACTION);
    const nn_value next = moved(step, parameter, by, to_weight, gradient);
    const int64_t gone = ((int64_t)parameter - next) * (INT64_C(1) << to_weight);
    state[0] = cut(state[0] - far + gone, INT32_MAX, &step->note->state_saturations);
    return next;
}

#include "loop.h"

#elif NN_DOUBLES

double optimizer_accelegrad_weight(uint64_t number)
{
    return number < 3 ? 1 : 0.25 * (double)(number + 1);
}

static void doubles(const struct optimizer_step *step, size_t count, const double *gradients,
                    double *state, double *parameters)
{
    const double weight = optimizer_accelegrad_weight(step->number);
    const double coupling = 1 / optimizer_accelegrad_weight(step->number + 1);
    for (size_t i = 0; i < count; i++) {
        const double weighted = weight * gradients[i];
        double *ahead = &state[2 * i];
        double *squares = &state[2 * i + 1];
        *squares += weighted * weighted;
        const double rate = step->rate / (sqrt(*squares) + OPTIMIZER_EPSILON);
        const double z = parameters[i] + *ahead - rate * weighted;
        const double y = parameters[i] - rate * gradients[i];
        parameters[i] = coupling * z + (1 - coupling) * y;
        *ahead = z - parameters[i];
    }
}

static bool is_state(size_t place, int32_t word, const char **what)
{
    *what = "sum of squares";
    return place % 2 == 0 || are_squares(word, SQUARES_BITS);
}

const struct optimizer optimizer_accelegrad = {
    OPTIMIZER_ROW(ACCELEGRAD, accelegrad), .doubles = doubles, .is_state = is_state,
    .cycles = {.int16 = 1549, .s1615 = 1599},
    .source = "parameters_update of lenet1 on one chip, more than momentum's"};

#endif
