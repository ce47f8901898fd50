/* dataflow_app.h - the configuration group `dataflow`: a graph that is folded on the cores of a
 * program (workloads/dataflow). */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
#include "sim/config/config.h"
#include "sim/data/sha256.h"
#include "sim/dataflow/graph.h"
#include "sim/dataflow/tables.h"
#include "sim/routing/routing.h"
#include "sim/run_control/outcome.h"
C_LINKAGE_BEGIN

/* The graph of a configuration; without the group it stays empty (graph.name is NULL).
 * STATUS_CONFIGURATION with file, line and hint. */
enum status dataflow_app_load(const struct sim_config *config, struct dataflow_graph *graph,
                              struct diagnostic *diagnostic);

/* Adds all of a graph to a hash. */
void dataflow_app_hash(const struct dataflow_graph *graph, struct sha256 *hash);

/* A graph on the cores of a machine. */
struct dataflow_app {
    const struct dataflow_graph *graph; /* the caller's; NULL: none */
    struct machine_core *place;         /* [cores of the tables] */
    uint32_t *address;                  /* [cores]: of its table; 0: it has none */
    uint32_t *core_of;
    struct dataflow_tables tables;
    struct routing routing;
    uint32_t end; /* end of the SDRAM in use, on the chip that uses most */
};

/* Folds the graph and makes tables and routes; a graph that is empty makes an app that is all zero.
 * STATUS_CONFIGURATION when there are too few cores, or the routes do not fit. */
enum status dataflow_app_make(struct dataflow_app *app, const struct sim_config *config,
                              const struct dataflow_graph *graph, const struct topology *topology,
                              struct diagnostic *diagnostic);
void dataflow_app_deinit(struct dataflow_app *app);

/* Writes the tables into SDRAM and the routes into the routers. */
enum status dataflow_app_write(const struct dataflow_app *app, struct machine *machine,
                               struct diagnostic *diagnostic);

/* Argument for a core's block: the address of the core's table; 0: it has none. */
uint32_t dataflow_app_argument(const struct dataflow_app *app, struct machine_core core);

/* Reads answers and states, and adds them to the outcome beside those of an execution on the
 * host. */
enum status dataflow_app_read(const struct dataflow_app *app, const struct machine *machine,
                              struct outcome *outcome, struct diagnostic *diagnostic);

C_LINKAGE_END
