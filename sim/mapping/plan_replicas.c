/* plan_replicas.c - mapping replica_per_core: every core holds the whole network. */
#include "sim/mapping/mapping.h"
#include "sim/mapping/program_table.h"
#include "sim/mapping/rows.h"
#include "workloads/nn/kernels.h"

MAPPING(REPLICA_PER_CORE, INFER, MAPPING_REPLICAS, "")
PROGRAM(infer, MAPPING_REPLICAS, RINGS, "int16 int8", "int16", "int16",
        "lenet/roles/replica_infer.c")

enum { SLOTS = 2 /* images in a core at a time */ };

static void place(struct load_plan *plan, const struct plan_request *request)
{
    (void)request;
    plan->run.parameter_bytes = plan->table->parameter_bytes;
    plan->run.table = plan_take_read(plan, "layer table", plan->table->bytes);
    plan->run.parameters = plan_take_read(plan, "parameters", plan->table->parameter_bytes);
    plan_take_images(plan);
}

/* DTCM bytes that replica_infer allocates. */
static uint32_t heap_bytes(const struct load_plan *plan)
{
    const uint32_t parts[] = {plan->run.parameter_bytes,
                              plan->table->activation_bytes,
                              (NN_EXP_STEPS + 1) * (uint32_t)sizeof(uint32_t),
                              plan->table->bytes,
                              SLOTS * plan->run.image_bytes,
                              SLOTS * nn_result_bytes(plan->table->classes)};
    uint32_t sum = PLAN_HEAP_BLOCK_BYTES * (sizeof parts / sizeof *parts + SLOTS + 1);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        sum += parts[i];
    }
    return sum;
}

static void describe(const struct load_plan *plan, size_t index, struct load_plan_core *core)
{
    (void)index;
    (void)snprintf(core->layer, sizeof core->layer, "all");
    core->argument = plan->plan_address;
    core->parameter_bytes = plan->run.parameter_bytes;
    core->dtcm_bytes = heap_bytes(plan);
    core->macs = network_macs(plan->network);
}

/* Every chip has all parameters: adds them for each chip. */
static void add_tensors(struct load_plan *plan)
{
    for (size_t c = 0; c < plan->chip_count; c++) {
        for (size_t i = 0; i < plan->network->layer_count; i++) {
            if (!network_is_pool(&plan->network->layer[i])) {
                const struct nn_layer *row = &plan->table->layer[i];
                plan_add_tensors(plan, plan->chip[c].core, &plan->network->layer[i], row, row, "",
                                 plan->run.parameters);
            }
        }
    }
}

static enum status write_chip(const struct load_plan *plan, size_t chip, struct machine *machine)
{
    const struct machine_core core = plan->chip[chip].core;
    TRY(program_table_write(plan->table, plan->table, machine, core, plan->run.table));
    return machine_write(machine, core, plan->run.parameters, plan->parameters,
                         plan->table->parameter_bytes);
}

const struct mapping MAPPING_REPLICAS = {
    .role = "replica_infer",
    .networks = "any",
    .place = place,
    .describe = describe,
    .add_tensors = add_tensors,
    .write = write_chip,
};
