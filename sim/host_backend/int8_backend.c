/* int8_backend.c - what the host does in int8: it tests. */
#include "sim/host_backend/integer_train.h"

const struct integer_backend INTEGER_INT8 = {.test = host_integer_test};
