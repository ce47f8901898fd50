/* collectives_trial.h - the configuration group `collectives`: ranks and routes for a program that
 * does a collective operation (workloads/micro/collective_trial.c). */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
#include "sim/config/config.h"
#include "sim/routing/routing.h"
#include "workloads/nn/collectives_trial.h"
C_LINKAGE_BEGIN

struct collectives_trials {
    const struct sim_config *config; /* the caller's; NULL: no trial */
    const struct topology *topology; /* the caller's */
    uint32_t *chip;                  /* indices in the topology of chips with the program */
    size_t chips;
    size_t cores;                  /* number on each chip */
    uint8_t *physical;             /* [chip of the topology][cores]: physical core numbers */
    struct collectives_plan *plan; /* [chip with the program][cores] */
    struct routing routing;
    uint32_t address; /* of the first core's record; the same on all chips */
    uint32_t end;     /* end of the SDRAM in use; 0: none */
};

/* Makes ranks and routing; what is all zero is no trial.  STATUS_CONFIGURATION when the configured
 * programs are not what a trial needs. */
enum status collectives_trials_make(struct collectives_trials *trials,
                                    const struct sim_config *config,
                                    const struct topology *topology, struct diagnostic *diagnostic);
void collectives_trials_deinit(struct collectives_trials *trials);

/* Writes the cores' records into SDRAM and the routes into the routers. */
enum status collectives_trials_write(const struct collectives_trials *trials,
                                     struct machine *machine, struct diagnostic *diagnostic);

/* Argument for a core's block: the address of its record; 0 when there is no trial. */
uint32_t collectives_trials_argument(const struct collectives_trials *trials, uint32_t chip,
                                     uint32_t core);

C_LINKAGE_END
