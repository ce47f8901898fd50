/* plan_neurons.h - mapping neuron_per_core: what plan_train.h's parts need besides.  Private to
 * sim/mapping.
 *
 * Each neuron of a network of two dense layers is a core with its own row of weights, the hidden
 * ones first, as many on each chip.  Each chip has all images. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/mapping/load_plan.h"
#include "workloads/nn/neuron_plan.h"
C_LINKAGE_BEGIN

/* Neuron i is core i of the plan; cores and chips that have none are left out.
 * STATUS_CONFIGURATION when the network has another shape, or more neurons than there are cores. */
enum status plan_neurons_choose(struct load_plan *plan, const struct sim_config *config,
                                struct diagnostic *diagnostic);

/* A piece for each neuron: its weights and its bias. */
enum status plan_neurons_make_pieces(struct load_plan *plan, struct diagnostic *diagnostic);

/* In SDRAM; the first chip's records then carry the address. */
void plan_neurons_place(struct load_plan *plan, uint32_t *next);

/* What a core's program takes of DTCM besides what all trainings take. */
uint32_t plan_neurons_dtcm_bytes(const struct load_plan *plan);

/* Also how long a turn to send is. */
enum status plan_neurons_make_routes(struct load_plan *plan, const struct sim_config *config,
                                     const struct topology *topology,
                                     struct diagnostic *diagnostic);

/* Chips with hidden neurons, which log the images: the first ones. */
size_t plan_neurons_logging_chips(const struct load_plan *plan);

/* "hidden neuron 3"; of which layer it is. */
void plan_neurons_describe(const struct load_plan *plan, size_t core, char *text, size_t size);
uint32_t plan_neurons_row_of(const struct load_plan *plan, size_t core);

enum status plan_neurons_write(const struct load_plan *plan, size_t chip, struct machine *machine);

/* The first output neuron has made all of them. */
enum status plan_neurons_read_results(const struct load_plan *plan, const struct machine *machine,
                                      struct nn_result *results);

C_LINKAGE_END
