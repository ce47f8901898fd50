/* rows.h - the rows of workloads/dataflow/actions.def and machines.def, as the host sees them. */
#pragma once
#include "models/common/c_linkage.h"
#include "workloads/dataflow/actions.h"
#include <stddef.h>
C_LINKAGE_BEGIN

/* The width of a port or an output, in words. */
enum dataflow_width {
    DATAFLOW_WIDTH_NONE,
    DATAFLOW_WIDTH_ONE,
    DATAFLOW_WIDTH_N,
    DATAFLOW_WIDTH_N1, /* N + 1 */
    DATAFLOW_WIDTH_M,  /* any, for this port alone */
    DATAFLOW_WIDTH_VALUES
};

enum { DATAFLOW_ROW_NAME_CHARS = 24, DATAFLOW_ROW_PARAMETERS = 4 };

struct dataflow_row_port {
    char name[DATAFLOW_ROW_NAME_CHARS];
    enum dataflow_width width;
};

enum dataflow_row_kind { DATAFLOW_ROW_OPERATION, DATAFLOW_ROW_ASSIGN, DATAFLOW_ROW_PHASE };

/* A parameter of a row: a key of a node in YAML. */
struct dataflow_parameter {
    const char *name;
    int32_t least, most;
};

struct dataflow_row {
    enum dataflow_row_kind kind;
    const char *name, *help;
    const char *ports;      /* as in the table: "x:N w:N+1" */
    const char *parameters; /* "bias lift" */
    enum dataflow_width out;
    bool weighted;     /* each input word has a weight */
    uint32_t commutes; /* of an Assign: see actions.def */
};

struct dataflow_machine_row {
    const char *name, *help, *parameters;
    enum dataflow_action first; /* its first phase */
    uint32_t phases;
    bool weighted;
};

extern const struct dataflow_row DATAFLOW_ROW[DATAFLOW_ACTIONS];

/* Row number i of machines.def. */
enum {
#define MACHINE(NAME, name, parameters, WEIGHTS, help) DATAFLOW_MACHINE_##NAME,
#include "workloads/dataflow/machines.def"
    DATAFLOW_MACHINE_ROWS
};
struct dataflow_machine_row dataflow_machine_row(size_t i);

/* The data inputs of a row; returns how many, at most DATAFLOW_PORTS. */
uint32_t dataflow_row_ports(const struct dataflow_row *row,
                            struct dataflow_row_port port[DATAFLOW_PORTS]);

/* The parameters that a list names, without `values`; returns how many. */
uint32_t dataflow_row_parameters(const char *list, const struct dataflow_parameter *parameter[]);

/* The row of that kind and name, and the machine; DATAFLOW_ACTIONS or DATAFLOW_MACHINE_ROWS when
 * there is none; then *near is the nearest name, or NULL. */
enum dataflow_action dataflow_row_find(enum dataflow_row_kind kind, const char *name,
                                       const char **near);
size_t dataflow_machine_row_find(const char *name, const char **near);

C_LINKAGE_END
