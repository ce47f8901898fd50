/* ring_trial.h - the group `exchange`: a program that adds up words over chips gets rings, plans
 * and routes (workloads/micro/ring_exchange.c). */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
#include "sim/config/config.h"
#include "sim/mapping/exchange_plans.h"
#include "sim/routing/routing.h"
C_LINKAGE_BEGIN

struct ring_trial {
    const struct sim_config *config; /* the caller's; NULL: there is no trial */
    const struct topology *topology; /* the caller's */
    size_t cores;                    /* of each chip */
    uint8_t *physical;               /* [chip][cores]: their numbers */
    struct exchange_plans plans;
    struct routing routing;
    uint32_t address; /* of the first core's; the same on all chips */
    uint32_t nodes;   /* address of the trees' nodes */
    uint32_t end;     /* of the SDRAM in use */
};

/* All of it; a trial that is all zero is none.  STATUS_CONFIGURATION when the programs are not what
 * a trial needs. */
enum status ring_trial_make(struct ring_trial *trial, const struct sim_config *config,
                            const struct topology *topology, struct diagnostic *diagnostic);
void ring_trial_deinit(struct ring_trial *trial);

/* What each core is told, into SDRAM; routes into routers. */
enum status ring_trial_write(const struct ring_trial *trial, struct machine *machine,
                             struct diagnostic *diagnostic);

/* For a core's block: where it finds what it is told; 0 when there is no trial. */
uint32_t ring_trial_argument(const struct ring_trial *trial, uint32_t chip, uint32_t core);

C_LINKAGE_END
