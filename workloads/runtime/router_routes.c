/* router_routes.c - routes in which cores have the numbers that programs know them by. */
#include "runtime.h"
#include "spin1_api.h"

enum { LINKS = (1 << NUM_LINKS) - 1, ROUTE = 0xffffff, OWN_ENTRIES = 1 };

static uint with_physical_cores(uint route)
{
    uint physical = route & LINKS;
    for (uint v = 0; v < sv->num_cpus; v++) {
        physical |= (route >> NUM_LINKS >> v & 1) << NUM_LINKS << sv->v2p_map[v];
    }
    return physical;
}

void rtr_fr_set(uint route)
{
    sv->fr_copy = route & ROUTE;
    rtr[RTR_FR] = (rtr[RTR_FR] & ~(uint)ROUTE) | with_physical_cores(route);
}

uint rtr_fr_get(void)
{
    return sv->fr_copy;
}

/* The first entry is the system's. */
uint spin1_set_mc_table_entry(uint entry, uint key, uint mask, uint route)
{
    return entry >= MC_TABLE_SIZE - OWN_ENTRIES
               ? FAILURE
               : rtr_mc_set(entry + OWN_ENTRIES, key, mask, with_physical_cores(route));
}
