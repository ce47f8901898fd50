/* free_parameters.c - see free_parameters.h. */
#include "models/machine/free_parameters.h"

#include <stddef.h>
#include <string.h>

#define AT(field) (offsetof(struct machine_parameters, field) / sizeof(uint64_t))

const struct free_parameter FREE_PARAMETER[FREE_PARAMETERS] = {
#define FREE(group, key, field, reason)  [AT(field)] = {#group, #key, true, reason},
#define BOUND(group, key, field, reason) [AT(field)] = {#group, #key, false, reason},
#include "models/machine/free_parameters.def"
};

/* A parameter without a row would count as bound, without a reason. */
enum {
    ROWS = 0
#define FREE(group, key, field, reason)  +1
#define BOUND(group, key, field, reason) +1
#include "models/machine/free_parameters.def"
};
_Static_assert((int)ROWS == (int)FREE_PARAMETERS, "each parameter has a row");

const struct free_parameter *free_parameter_of(const char *key)
{
    for (size_t i = 0; i < FREE_PARAMETERS; i++) {
        const struct free_parameter *row = &FREE_PARAMETER[i];
        const size_t length = strlen(row->group);
        if (strncmp(key, row->group, length) == 0 && key[length] == '.' &&
            strcmp(key + length + 1, row->key) == 0) {
            return row;
        }
    }
    return NULL;
}

const struct free_parameter *free_parameters_bound(const struct machine_parameters *one,
                                                   const struct machine_parameters *other)
{
    uint64_t values[2][FREE_PARAMETERS];
    memcpy(values[0], one, sizeof *one);
    memcpy(values[1], other, sizeof *other);
    for (size_t i = 0; i < FREE_PARAMETERS; i++) {
        if (!FREE_PARAMETER[i].free && values[0][i] != values[1][i]) {
            return &FREE_PARAMETER[i];
        }
    }
    return NULL;
}
