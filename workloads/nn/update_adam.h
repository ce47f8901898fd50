/* update_adam.h - Adam, a part of update.c: the formulas stand in update.h.
 * State: the first moment, then the second as a mantissa with its exponent above it. */
#pragma once

enum {
    RATIO_FRACTION = 20, /* of a / (sqrt(u) + epsilon) */
    RATIO_BITS = 30,     /* it is cut to this size: beyond +-8 it never comes */
    CORRECTION_FRACTION = 24,
    MANTISSA_BITS = 26,
    ADAM_SUM_BITS = 30
};

#define ONE_32 (UINT64_C(1) << 32)

static uint32_t leading_zeros(uint64_t value)
{
    return value == 0 ? 64 : (uint32_t)__builtin_clzll(value);
}

/* The integer part of the root, bit by bit. */
static uint32_t root(uint64_t value)
{
    uint64_t result = 0;
    for (uint64_t bit = UINT64_C(1) << 62; bit != 0; bit >>= 2) {
        if (value >= result + bit) {
            value -= result + bit;
            result = (result >> 1) + bit;
        } else {
            result >>= 1;
        }
    }
    return (uint32_t)result;
}

/* 1 - (1 - less)^exponent; less, not 0, and the result with 32 fractional bits */
static uint64_t one_less_power(uint64_t less, uint32_t exponent)
{
    uint64_t power = ONE_32;
    for (uint64_t base = ONE_32 - less; exponent != 0; exponent >>= 1) {
        if ((exponent & 1) != 0) {
            power = (power * base) >> 32;
        }
        base = (base * base) >> 32;
    }
    return ONE_32 - power;
}

/* sqrt(1 - b2^t) / (1 - b1^t) */
static __attribute__((cold, noinline)) uint32_t correction_of(const struct nn_rule *rule,
                                                              uint32_t times)
{
    const uint64_t first =
        one_less_power((uint64_t)rule->one_less_momentum << (32 - NN_MOMENTUM_FRACTION), times);
    const uint64_t second =
        one_less_power((uint64_t)rule->one_less_decay << (32 - NN_SECOND_MOMENT_FRACTION), times);
    const uint64_t top = second < ONE_32 ? root(second << 32) : ONE_32;
    return first == 0 ? 0 : (uint32_t)((top << CORRECTION_FRACTION) / first);
}

static inline void adam_begin(struct step *step)
{
    step->correction = correction_of(step->rule, step->number + 1);
}

/* u as one word: a mantissa and, above it, its exponent. */
static uint64_t unpacked(uint32_t word)
{
    return (uint64_t)(word & ((1u << MANTISSA_BITS) - 1)) << (word >> MANTISSA_BITS);
}

static uint32_t packed(uint64_t value)
{
    const uint32_t bits = 64 - leading_zeros(value);
    if (bits <= MANTISSA_BITS) {
        return (uint32_t)value;
    }
    uint32_t exponent = bits - MANTISSA_BITS;
    uint64_t mantissa = (uint64_t)shifted((int64_t)value, (int32_t)exponent);
    if (mantissa >> MANTISSA_BITS != 0) {
        mantissa >>= 1;
        exponent++;
    }
    return exponent << MANTISSA_BITS | (uint32_t)mantissa;
}

/* u + (to - u) share, rounded; share with `fraction` bits, at most 1; u and `to` at most 2^62 */
static uint64_t moved_mean(uint64_t u, uint64_t to, uint32_t share, uint32_t fraction)
{
    const int64_t gap = (int64_t)(to - u);
    const int64_t upper = gap >> fraction;
    const int64_t lower = gap & ((1 << fraction) - 1);
    return u + (uint64_t)(upper * share + shifted(lower * share, (int32_t)fraction));
}

/* a / (sqrt(u) + epsilon), rounded to nearest */
static int64_t ratio_of(int32_t a, uint64_t u, uint32_t epsilon)
{
    enum { ROOM = 10, MOST_SHIFT = 31 };
    const uint32_t size = a < 0 ? 0u - (uint32_t)a : (uint32_t)a;
    if (size == 0) {
        return 0;
    }
    uint32_t shift = leading_zeros(u) / 2; /* the root gets so many fractional bits */
    const uint32_t most = (uint32_t)__builtin_clz(size) + ROOM;
    shift = shift < most ? shift : most;
    shift = shift < MOST_SHIFT ? shift : MOST_SHIFT;
    const uint64_t below = root(u << 2 * shift) + ((uint64_t)epsilon << shift);
    const uint64_t ratio = (((uint64_t)size << (shift + RATIO_FRACTION)) + below / 2) / below;
    const int64_t limited = (int64_t)(ratio >> RATIO_BITS == 0 ? ratio : UINT64_C(1) << RATIO_BITS);
    return a < 0 ? -limited : limited;
}

/* Weights' and biases' sums in one format. */
static inline int32_t aligned_sum(const struct step *step, int32_t gradient)
{
    const struct nn_rule *rule = step->rule;
    const uint32_t align = rule->error_fraction + rule->activation_fraction - step->fraction;
    return cut((int64_t)gradient * (INT64_C(1) << align), (INT64_C(1) << ADAM_SUM_BITS) - 1,
               &step->note->state_saturations);
}

RULE_STEP_KIND nn_value adam_step(const struct step *step, int32_t gradient, int32_t *state,
                                  nn_value parameter)
{
    const struct nn_rule *rule = step->rule;
    const int32_t g = aligned_sum(step, gradient);
    const int64_t gap = (int64_t)g - state[0];
    state[0] += (int32_t)shifted(gap * rule->one_less_momentum, NN_MOMENTUM_FRACTION);
    const uint64_t u = moved_mean(unpacked((uint32_t)state[1]), (uint64_t)((int64_t)g * g),
                                  rule->one_less_decay, NN_SECOND_MOMENT_FRACTION);
    state[1] = (int32_t)packed(u);
    const int64_t ratio =
        shifted(ratio_of(state[0], u, rule->epsilon) * step->correction, CORRECTION_FRACTION);
    const int32_t shift =
        (int32_t)(RATIO_FRACTION + rule->rate_shift + RATE_BITS) - rule->weight_fraction;
    return moved(step, parameter, ratio * step->rate, shift, gradient);
}
