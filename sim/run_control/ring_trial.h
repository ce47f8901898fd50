/* ring_trial.h - the configuration group `exchange`: rings, plans and routes for a program that
 * adds up words over chips (workloads/micro/ring_exchange.c). */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
#include "sim/config/config.h"
#include "sim/mapping/exchange_plans.h"
#include "sim/routing/routing.h"
C_LINKAGE_BEGIN

struct ring_trial {
    const struct sim_config *config; /* the caller's; NULL: no trial */
    const struct topology *topology; /* the caller's */
    size_t cores;                    /* number on each chip */
    uint8_t *physical;               /* [chip][cores]: physical core numbers */
    struct exchange_plans plans;
    struct routing routing;
    uint32_t address; /* address of the first core's record; the same on all chips */
    uint32_t data;    /* address of what the exchange needs on each chip */
    uint32_t end;     /* end of the SDRAM in use */
};

/* Makes rings or trees, plans and routing; a trial that is all zero is no trial.
 * STATUS_CONFIGURATION when the configured programs are not what a trial needs. */
enum status ring_trial_make(struct ring_trial *trial, const struct sim_config *config,
                            const struct topology *topology, struct diagnostic *diagnostic);
void ring_trial_deinit(struct ring_trial *trial);

/* Writes the cores' plans into SDRAM and the routes into the routers. */
enum status ring_trial_write(const struct ring_trial *trial, struct machine *machine,
                             struct diagnostic *diagnostic);

/* Argument for a core's block: the address of the core's plan; 0 when there is no trial. */
uint32_t ring_trial_argument(const struct ring_trial *trial, uint32_t chip, uint32_t core);

C_LINKAGE_END
