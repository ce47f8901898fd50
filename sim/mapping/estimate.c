/* estimate.c - see estimate.h. */
#include "sim/mapping/estimate.h"

#include "models/common/bits.h"
#include "sim/mapping/exchange_plans.h"
#include "sim/mapping/mapping.h"
#include "sim/mapping/plan_train.h"
#include "sim/networks/links.h"
#include "sim/networks/optimizer.h"
#include "sim/steps.h"
#include "workloads/nn/framed.h"
#include "workloads/nn/kernels.h"

#include <math.h>
#include <stdlib.h>

/* ---- figures ---- */

enum kernel {
#define KERNEL(NAME, int16, s1615, float32, source) NAME,
#include "sim/mapping/estimate.def"
    KERNELS
};

enum {
    FORMATS = 0
#define FORMAT(...) +1
#include "workloads/nn/formats.def"
};

static const double COSTS[KERNELS][FORMATS] = {
#define KERNEL(NAME, int16, s1615, float32, source)                                                \
    [NAME] = {[NETWORK_INT16] = (int16), [NETWORK_S1615] = (s1615), [NETWORK_FLOAT32] = (float32)},
#include "sim/mapping/estimate.def"
};

#define FIGURE(NAME, value, source) static const double NAME = (value);
#include "sim/mapping/estimate.def"

static double cost(const struct load_plan *plan, enum kernel kernel)
{
    return COSTS[kernel][plan->network->numbers];
}

static double update_cost(const struct load_plan *plan)
{
    const struct optimizer *optimizer = optimizer_of_rule(plan->train->learning.rule.optimizer);
    switch (plan->network->numbers) {
#define FORMAT(name, NAME, ...)                                                                    \
    case NETWORK_##NAME:                                                                           \
        return optimizer->cycles.name;
#include "workloads/nn/formats.def"
    }
    return 0;
}

/* Calls of a kernel that treats at most `most` things at a time. */
static double passes(double things, double most)
{
    return ceil(things / most);
}

/* ---- matrices ---- */

double estimate_values(const struct load_plan *plan, struct estimate_matrix matrix)
{
    return matrix.outputs * (matrix.inputs * cost(plan, DENSE) + cost(plan, DENSE_OUTPUT));
}

double estimate_gradient(const struct load_plan *plan, struct estimate_matrix matrix,
                         uint32_t images)
{
    enum { IMAGES_OF_A_PASS = 16 };
    return matrix.inputs * matrix.outputs *
           (images * cost(plan, DENSE_GRADIENT) +
            passes(images, IMAGES_OF_A_PASS) * cost(plan, DENSE_GRADIENT_PASS));
}

double estimate_errors(const struct load_plan *plan, struct estimate_matrix matrix)
{
    enum { OUTPUTS_OF_A_PASS = 32 };
    return matrix.inputs *
           (matrix.outputs * cost(plan, DENSE_SUMS) +
            passes(matrix.outputs, OUTPUTS_OF_A_PASS) * cost(plan, DENSE_SUMS_PASS));
}

/* ---- layers ---- */

static struct estimate_matrix matrix_of(const struct nn_layer *layer)
{
    return (struct estimate_matrix){nn_values(layer->input), layer->output.channels};
}

/* The windows for which there are loops in assembly. */
static bool is_usual(const struct nn_layer *layer)
{
    enum { WINDOW = 5 };
    return layer->kernel == WINDOW && layer->stride == 1 && layer->padding == 0 &&
           layer->one_weight == 0;
}

static const struct nn_layer *pool_behind(const struct nn_table *table, uint32_t row)
{
    const struct nn_layer *next = &table->layer[row + 1];
    return row + 1 < table->layers && next->kind != NN_CONV2D && next->kind != NN_DENSE ? next
                                                                                        : NULL;
}

/* Whether a program for inference takes the kernels of workloads/nn/conv2d_framed.c. */
static bool is_framed(const struct load_plan *plan, const struct nn_layer *layer)
{
    return plan->train == NULL && plan->network->numbers == NETWORK_INT16 &&
           nn_is_unusual_convolution(layer) && !(nn_needs_frame(layer) && layer->from == layer->to);
}

static enum kernel kernel_of(const struct load_plan *plan, const struct nn_layer *layer)
{
    enum { THREE = 3, FIVE = 5 };
    const bool by_words = layer->stride == 1 || layer->stride % 2 == 0;
    const enum kernel of_fives = layer->input.channels == 1 ? CONV_ONE : CONV;
    if (is_framed(plan, layer)) {
        return by_words && layer->kernel == FIVE    ? of_fives
               : by_words && layer->kernel == THREE ? CONV_THREE
                                                    : CONV_FRAMED;
    }
    return is_usual(layer) ? of_fives : CONV_OTHER;
}

/* Whether a layer's windows are clipped value by value: a convolution for which there are no loops
 * in assembly, in a training. */
static bool is_clipped(const struct load_plan *plan, const struct nn_layer *layer)
{
    return plan->train != NULL && !is_usual(layer) && nn_is_plain_convolution(layer) &&
           layer->one_weight == 0;
}

static double convolution_forward(const struct load_plan *plan, const struct nn_layer *layer)
{
    const double products = (double)links_macs(layer);
    const double rows = products / layer->kernel;
    if (!is_clipped(plan, layer)) {
        return products * cost(plan, kernel_of(plan, layer));
    }
    const bool padded = layer->padding > 0;
    return products * cost(plan, padded ? CONV_PADDED : CONV_PLAIN) +
           rows * cost(plan, padded ? CONV_PADDED_ROW : CONV_PLAIN_ROW) +
           nn_values(layer->output) * cost(plan, CONV_OUTPUT);
}

double estimate_forward(const struct load_plan *plan, const struct nn_table *table, uint32_t row,
                        uint32_t images)
{
    const struct nn_layer *layer = &table->layer[row];
    const struct nn_layer *pool = pool_behind(table, row);
    if (layer->kind == NN_DENSE) {
        return images * estimate_values(plan, matrix_of(layer));
    }
    return convolution_forward(plan, layer) +
           (pool == NULL ? 0 : nn_values(pool->output) * cost(plan, POOL));
}

/* A convolution's: outputs behind a pool have an error where they are the largest, each of an
 * average. */
static double convolution_back(const struct load_plan *plan, const struct nn_table *table,
                               uint32_t row, bool inner)
{
    const struct nn_layer *layer = &table->layer[row];
    const struct nn_layer *pool = pool_behind(table, row);
    const double places = nn_values(layer->output);
    const double errors = pool == NULL || nn_averages(pool) ? places : nn_values(pool->output);
    if (places == 0) {
        return 0;
    }
    const double products = (double)links_macs(layer) * errors / places;
    const double clipped = cost(plan, CONV_BACK_PLAIN) + cost(plan, CONV_BACK_ROW) / layer->kernel;
    const double other = is_clipped(plan, layer) ? clipped : cost(plan, CONV_BACK_OTHER);
    const double sums = is_usual(layer) ? cost(plan, CONV_SUMS) : other;
    const double gradients = is_usual(layer) ? cost(plan, CONV_GRADIENT) : other;
    return products * (gradients + (inner ? sums : 0)) +
           errors * (cost(plan, EVENT) + cost(plan, ROUND));
}

double estimate_backward(const struct load_plan *plan, const struct nn_table *table, uint32_t row,
                         uint32_t images, bool inner)
{
    const struct nn_layer *layer = &table->layer[row];
    if (layer->kind != NN_DENSE) {
        return convolution_back(plan, table, row, inner);
    }
    const struct estimate_matrix matrix = matrix_of(layer);
    return estimate_gradient(plan, matrix, images) +
           (inner ? images * estimate_errors(plan, matrix) : 0) +
           images * matrix.outputs * cost(plan, ROUND);
}

/* ---- other work ---- */

double estimate_work(const struct load_plan *plan, enum estimate_work work, double values)
{
    const double cycles[] = {
        [ESTIMATE_PIXELS] = cost(plan, PIXEL), [ESTIMATE_PLAIN] = cost(plan, PLAIN),
        [ESTIMATE_ROUND] = cost(plan, ROUND),  [ESTIMATE_LOSS] = cost(plan, LOSS),
        [ESTIMATE_COPY] = COPY_CYCLES,         [ESTIMATE_ADD] = ADD_CYCLES};
    return values * cycles[work];
}

void estimate_add_update(const struct load_plan *plan, uint32_t slice_words, uint32_t owned_words,
                         struct estimate_sum *sum)
{
    enum { TRANSFERS = 4 /* parameters to and from SDRAM, a record */ };
    const struct plan_train *train = plan->train;
    const uint32_t words = train->record[0].parameter_count;
    const double cleared = train->all_images ? slice_words : words;
    sum->cycles += cleared * CLEAR_CYCLES;
    sum->update_cycles += owned_words * update_cost(plan);
    sum->bytes += (double)train->cores * words * train->value_bytes;
    sum->transfers += TRANSFERS;
    sum->signals += 1;
}

/* ---- rings ---- */

double estimate_ring(const struct load_plan *plan, const struct exchange_pace *rings,
                     const double *packets)
{
    double most_s = 0;
    for (size_t c = 0; c < plan->train->cores && plan->chip_count > 1; c++) {
        const double chips = (double)rings->chips;
        const double boards = (double)rings->boards;
        const double within_s = packets[c] * rings->slot_s[c % rings->rings];
        const double between_s = packets[c] / chips * rings->between_boards_s;
        const double step_s =
            LINKS_TO_BOARD * HOP_SECONDS + ROUNDS_OF_BOARDS * rings->between_boards_s;
        most_s = fmax(most_s, within_s * (chips - 1) / chips + between_s * (boards - 1) / boards +
                                  chips * HOP_SECONDS + (boards - 1) * step_s);
    }
    return most_s;
}

enum status estimate_rings_make(const struct sim_config *config, const struct topology *topology,
                                bool by_board, struct exchange_pace *rings,
                                struct diagnostic *diagnostic)
{
    const size_t cores = config->mapping_cores_per_chip;
    uint32_t *chip = calloc(topology->count, sizeof *chip);
    uint8_t *physical = calloc(topology->count, cores);
    size_t count = 0;
    for (size_t i = 0; chip != NULL && i < topology->count && count < config->mapping_chips; i++) {
        if (bits_count(config_application_cores(config, &topology->chip[i])) >= cores) {
            chip[count++] = (uint32_t)i;
        }
    }
    const struct exchange_request request = {.topology = topology,
                                             .by_board = by_board,
                                             .cores = cores,
                                             .physical = physical,
                                             .pace = config->train_pace,
                                             .link_packet_ps = config->machine.link_packet_ps,
                                             .link_packet_between_boards_ps =
                                                 config->machine.link_packet_between_boards_ps,
                                             .clock_hz = config->machine.clock_cpu_hz};
    const struct exchange_chips chips = {.chip = chip, .count = count, .rings_most = RINGS_MAX};
    const enum status status = chip == NULL || physical == NULL
                                   ? no_memory(diagnostic)
                                   : exchange_slots(&request, &chips, rings, diagnostic);
    free(chip);
    free(physical);
    return status;
}

/* ---- the whole ---- */

bool estimate_knows(const struct mapping *mapping)
{
    return mapping->training != NULL && mapping->training->estimate != NULL;
}

struct estimate estimate_update(const struct load_plan *plan, const struct sim_config *config,
                                const struct exchange_pace *rings)
{
    struct estimate_sum sum = {0};
    const double hz = (double)config->machine.clock_cpu_hz;
    plan->mapping->training->estimate(plan, rings, &sum);
    const double cycles = sum.cycles + sum.update_cycles;
    return (struct estimate){
        .compute_s = cycles / hz,
        .memory_s = (sum.transfers * TRANSFER_CYCLES + sum.signals * SIGNAL_CYCLES) / hz +
                    sum.bytes / SDRAM_BYTES_PER_S,
        .exchange_s = sum.exchange_s};
}
