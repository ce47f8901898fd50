/* backends.h - the table of backends and of what they can do (backends.def), and what is switched
 * off of it by run.without. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "sim/backends/spinnsim_backend.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
C_LINKAGE_BEGIN

enum backend_capability {
#define CAPABILITY(NAME, ...) BACKEND_CAN_##NAME,
#include "sim/backends/backends.def"
    BACKEND_CAPABILITIES
};

/* Sets of capabilities are words with a bit for each. */
#define BACKEND_BIT(capability) (UINT32_C(1) << (capability))

struct backend_capability_row {
    const char *name;
    bool minimal;
    uint32_t needs; /* of its fallback; 0: it has none */
    const char *fallback, *meaning;
};
extern const struct backend_capability_row BACKEND_CAPABILITY[BACKEND_CAPABILITIES];

enum backend_number {
#define BACKEND(NAME, ...) BACKEND_ROW_##NAME,
#include "sim/backends/backends.def"
    BACKEND_ROWS
};

struct backend_row {
    const char *name, *choice, *numbers;
    const struct spinnsim_backend *operations; /* NULL: spinnaker, or the user's */
};
extern const struct backend_row BACKEND_ROW[BACKEND_ROWS];

/* The host's own operations, one for each kind of numbers (operations_host.c).  In int16 they are
 * exactly what spinnsim_backend.h says. */
extern const struct spinnsim_backend OPERATIONS_INT16, OPERATIONS_FLOAT32, OPERATIONS_FLOAT64;

/* What there is of the operations. */
uint32_t backend_has(const struct spinnsim_backend *operations);

/* Reads run.without: names with commas between them, or `nothing`.  STATUS_CONFIGURATION with key
 * and hint for a name that is none. */
enum status backend_read_without(const char *text, uint32_t *without,
                                 struct diagnostic *diagnostic);

/* Whether all can be computed with what is in `has` but not in `without`.  STATUS_CONFIGURATION
 * names what is missing, and for what. */
enum status backend_check(const char *name, uint32_t has, uint32_t without,
                          struct diagnostic *diagnostic);

/* A cell of the matrix: "yes", "switch" (run.without switches it off), "required", "optional". */
const char *backend_cell(enum backend_number row, enum backend_capability capability);

/* Prints the matrix: a row for each capability, and below it how each backend is chosen. */
enum backend_format { BACKEND_TEXT, BACKEND_CSV, BACKEND_JSON, BACKEND_MARKDOWN };
void backend_print(enum backend_format format, FILE *out);

C_LINKAGE_END
