/* collectives.h - ranks for programs that use workloads/collectives: each core's plan
 * (workloads/nn/collectives_plan.h) and routes by which any rank reaches any other.
 *
 * Ranks are numbered by chip, in the request's order, and by core.  All chips have as many cores;
 * of the last ranks some may be left out.  Or the cores of the same number on all chips are ranks
 * among themselves, by chip. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/routing/routing.h"
#include "workloads/nn/collectives_plan.h"
C_LINKAGE_BEGIN

struct collectives_request {
    const struct topology *topology;
    const uint32_t *chip; /* indices in the topology */
    size_t chips;
    size_t cores;            /* on each chip, at least 1 */
    const uint8_t *physical; /* [chip of the topology][cores]: physical core numbers */
    bool apart;              /* cores of different numbers have nothing to do with each other */
    size_t ranks;            /* the first ones take part; 0: all; 0 if `apart` */
    uint32_t timeout_cycles, tries;
};

/* Sets plan[chip of the request][cores], whose magic is 0 for cores that do not take part, and adds
 * the routes.  STATUS_CONFIGURATION when there are more ranks than there are, or more ranks or
 * addresses than keys have room for. */
enum status collectives_make(const struct collectives_request *request,
                             struct collectives_plan *plan, struct routing *routing,
                             struct diagnostic *diagnostic);

C_LINKAGE_END
