/* estimate_infer.c - how long a plan takes to classify its images (estimate.h): what the core that
 * has most to do computes for an image, in the figures of estimate.def. */
#include "sim/mapping/estimate.h"
#include "sim/mapping/plan_maps.h"

#include <math.h>

/* Cycles of a table's layers for an image; pools belong to the convolutions before them. */
static double cycles_of(const struct load_plan *plan, const struct nn_table *table)
{
    double cycles = 0;
    for (uint32_t row = 0; row < table->layers; row++) {
        const uint8_t kind = table->layer[row].kind;
        if (kind == NN_CONV2D || kind == NN_DENSE) {
            cycles += estimate_forward(plan, table, row, 1);
        }
    }
    return cycles;
}

/* Of feature_maps_per_core, whose cores work on an image one after the other: the slowest one. */
static double slowest_part(const struct load_plan *plan)
{
    double most = 0;
    for (size_t i = 0; i < plan->maps->part_count; i++) {
        const struct plan_part *part = &plan->maps->part[i];
        const struct nn_part *record = &part->record;
        const double input = record->starts_network
                                 ? estimate_work(plan, ESTIMATE_PIXELS, plan->table->image_pixels)
                                 : estimate_work(plan, ESTIMATE_COPY, record->input_places);
        const double cycles = cycles_of(plan, part->table) + input +
                              estimate_work(plan, ESTIMATE_COPY, record->output_values);
        most = cycles > most ? cycles : most;
    }
    return most;
}

double estimate_inference(const struct load_plan *plan, const struct sim_config *config)
{
    const double images = plan->chip[0].image_count; /* of the chip that has most */
    const double cores = (double)plan->core_count / (double)plan->chip_count;
    const double hz = (double)config->machine.clock_cpu_hz;
    if (plan->maps != NULL) {
        return images * slowest_part(plan) / hz;
    }
    return ceil(images / cores) *
           (cycles_of(plan, plan->table) +
            estimate_work(plan, ESTIMATE_PIXELS, plan->table->image_pixels)) /
           hz;
}
