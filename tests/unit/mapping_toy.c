/* mapping_toy.c - a mapping for a test: the first core of each chip holds the whole network. */
#include "sim/mapping/mapping.h"
#include "sim/mapping/rows.h"

MAPPING(TOY_PER_CHIP, INFER, MAPPING_TOY, "")
PROGRAM(toy, MAPPING_TOY, RINGS, "int16", "", "", "lenet/roles/replica_infer.c")

static enum status divide(struct load_plan *plan, const struct plan_request *request,
                          struct diagnostic *diagnostic)
{
    const size_t each = request->config->mapping_cores_per_chip;
    (void)diagnostic;
    plan->core_count = plan->chip_count;
    for (size_t c = 0; c < plan->chip_count; c++) {
        plan->core[c] = plan->core[c * each];
    }
    return STATUS_OK;
}

static void place(struct load_plan *plan, const struct plan_request *request)
{
    (void)request;
    plan->run.parameters = plan_take(plan, plan->table->parameter_bytes);
    plan_take_images(plan);
}

static void describe(const struct load_plan *plan, size_t index, struct load_plan_core *core)
{
    (void)snprintf(core->layer, sizeof core->layer, "all on chip %zu", index);
    core->argument = plan->plan_address;
    core->parameter_bytes = plan->table->parameter_bytes;
    core->dtcm_bytes = plan->table->parameter_bytes + plan->table->activation_bytes;
}

static void add_tensors(struct load_plan *plan)
{
    (void)plan;
}

static enum status write_chip(const struct load_plan *plan, size_t chip, struct machine *machine)
{
    return machine_write(machine, plan->chip[chip].core, plan->run.parameters, plan->parameters,
                         plan->table->parameter_bytes);
}

const struct mapping MAPPING_TOY = {
    .role = "toy_infer",
    .networks = "any",
    .divide = divide,
    .place = place,
    .describe = describe,
    .add_tensors = add_tensors,
    .write = write_chip,
};
