/* load_plan.h - makes a load plan (plan.h) in the configured mapping, writes it into a machine, and
 * reads the results back. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/mapping/plan.h"
C_LINKAGE_BEGIN

/* Makes the plan.  STATUS_CONFIGURATION when the mapping cannot lay out the network, or when cores,
 * ITCM, DTCM or SDRAM do not suffice; the plan is then empty.  The message names what is short.
 * The hint names the smallest number of cores or chips that suffices, or other mappings that fit,
 * or says that nothing does. */
enum status load_plan_make(const struct plan_request *request, struct load_plan *plan,
                           struct diagnostic *diagnostic);

/* The same without a hint. */
enum status load_plan_try(const struct plan_request *request, struct load_plan *plan,
                          struct diagnostic *diagnostic);

/* Whether the plan of a training fits only if it is tight.  The program may be the one that takes
 * all words at once: both are about as large. */
bool load_plan_needs_tight(const struct plan_request *request);

void load_plan_deinit(struct load_plan *plan);

/* Writes images, parameters, tables and the run plan into the machine's memory, and routes into its
 * routers. */
enum status load_plan_write(const struct load_plan *plan, struct machine *machine,
                            struct diagnostic *diagnostic);

/* Number of images, over all chips, that cores have taken or finished. */
uint64_t load_plan_dealt(const struct load_plan *plan, const struct machine *machine);

/* Reads the results of all images, in the images' order; `results` has room for one for each image.
 */
enum status load_plan_read_results(const struct load_plan *plan, const struct machine *machine,
                                   struct nn_result *results);

/* Adds the saturations and overflows that programs have counted outside the results of images. */
enum status load_plan_read_numerics(const struct load_plan *plan, const struct machine *machine,
                                    uint64_t *saturations, uint64_t *overflows);

C_LINKAGE_END
