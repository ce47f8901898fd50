/* free_parameters.h - which hardware parameters a state depends on; see free_parameters.def. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/parameters.h"
#include <stdbool.h>
C_LINKAGE_BEGIN

struct free_parameter {
    const char *group, *key; /* of the configuration: "link", "packet" */
    bool free;               /* a state goes on with another value */
    const char *reason;      /* why it does, or why not */
};

/* One for each field of struct machine_parameters, in its order. */
enum { FREE_PARAMETERS = sizeof(struct machine_parameters) / sizeof(uint64_t) };
extern const struct free_parameter FREE_PARAMETER[FREE_PARAMETERS];

/* The row of a key "group.key"; NULL: there is none. */
const struct free_parameter *free_parameter_of(const char *key);

/* The first row in which two sets of parameters differ although a state depends on it; NULL: a
 * state of one goes on with the other. */
const struct free_parameter *free_parameters_bound(const struct machine_parameters *one,
                                                   const struct machine_parameters *other);

C_LINKAGE_END
