/* integer_backends.c - functions of the integer host backend for each number format. */
#include "sim/host_backend/integer_train.h"

#define FORMAT(name, ...)                                                                          \
    __typeof__(host_integer_test) host_integer_test_##name;                                        \
    __typeof__(integer_train) integer_train_##name;                                                \
    __typeof__(integer_trainer_open) integer_trainer_open_##name;                                  \
    __typeof__(integer_trainer_step) integer_trainer_step_##name;                                  \
    __typeof__(integer_trainer_parameters) integer_trainer_parameters_##name;                      \
    __typeof__(integer_trainer_close) integer_trainer_close_##name;
#include "workloads/nn/formats.def"

/* By the format's column `trains`. */
#define BACKEND_0(name) .test = host_integer_test_##name
#define BACKEND_1(name)                                                                            \
    .test = host_integer_test_##name, .train = integer_train_##name,                               \
    .open = integer_trainer_open_##name, .step = integer_trainer_step_##name,                      \
    .parameters = integer_trainer_parameters_##name, .close = integer_trainer_close_##name
#define FORMAT(name, NAME, text, value, total, bias, array, fraction, error_fraction, convolves,   \
               pads, operators, trains)                                                            \
    [NETWORK_##NAME] = {BACKEND_##trains(name)},
const struct integer_backend INTEGER_BACKEND[] = {
#include "workloads/nn/formats.def"
};
