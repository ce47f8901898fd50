/* load_plan.h - makes a load plan (plan.h) in the configured mapping, writes it into a machine, and
 * reads back what has come of it. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/mapping/plan.h"
C_LINKAGE_BEGIN

/* Makes the plan.  STATUS_CONFIGURATION when the mapping cannot lay out the network, or cores,
 * ITCM, DTCM or SDRAM are too small: the message names what is short, the hint the least number of
 * cores or chips with which there is enough, or other mappings of which that is so, or says that
 * there is none.  The plan is then empty. */
enum status load_plan_make(const struct plan_request *request, struct load_plan *plan,
                           struct diagnostic *diagnostic);
void load_plan_deinit(struct load_plan *plan);

/* Writes images, parameters, tables and plan into the machine's memory, routes into its routers. */
enum status load_plan_write(const struct load_plan *plan, struct machine *machine,
                            struct diagnostic *diagnostic);

/* Images that cores have taken, or that are done, of all chips. */
uint64_t load_plan_dealt(const struct load_plan *plan, const struct machine *machine);

/* Reads the results of all images, in the images' order; `results` has room for as many. */
enum status load_plan_read_results(const struct load_plan *plan, const struct machine *machine,
                                   struct nn_result *results);

/* Adds what programs have counted beside the results of images. */
enum status load_plan_read_numerics(const struct load_plan *plan, const struct machine *machine,
                                    uint64_t *saturations, uint64_t *overflows);

C_LINKAGE_END
