/* plan_replicas.c - mapping replica_per_core: every core holds the whole network. */
#include "sim/mapping/plan_kinds.h"
#include "sim/networks/links.h"
#include "workloads/nn/kernels.h"

#include <stdlib.h>

enum { SLOTS = 2 /* images in a core at a time */ };

/* What replica_infer allocates in DTCM. */
static uint32_t heap_bytes(const struct load_plan *plan, bool table_in_program)
{
    const uint32_t parts[] = {plan->run.parameter_bytes,
                              plan->table->activation_bytes,
                              (NN_EXP_STEPS + 1) * (uint32_t)sizeof(uint32_t),
                              table_in_program ? 0 : plan->table->bytes,
                              SLOTS * plan->run.image_bytes,
                              SLOTS * (uint32_t)sizeof(struct nn_result)};
    uint32_t sum = PLAN_HEAP_BLOCK_BYTES * (sizeof parts / sizeof *parts + SLOTS + 1);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        sum += parts[i];
    }
    return sum;
}

static enum status describe_cores(struct load_plan *plan, const struct plan_request *request,
                                  struct diagnostic *diagnostic)
{
    uint32_t itcm;
    uint32_t dtcm;
    plan_program_bytes(request->program, &itcm, &dtcm);
    const uint32_t needed = dtcm + PLAN_STACK_BYTES + heap_bytes(plan, request->table_in_program);
    if (needed > request->config->machine.chip_dtcm_bytes) {
        return plan_refuse_dtcm(plan, request, needed, plan->run.parameter_bytes,
                                "replica_per_core needs the whole network in each core",
                                diagnostic);
    }
    for (size_t i = 0; i < plan->core_count; i++) {
        plan->core[i].role = "replica_infer";
        (void)snprintf(plan->core[i].layer, sizeof plan->core[i].layer, "all");
        plan->core[i].argument = plan->plan_address;
        plan->core[i].itcm_bytes = itcm;
        plan->core[i].dtcm_bytes = needed;
        plan->core[i].macs = network_macs(plan->network);
    }
    return STATUS_OK;
}

static enum status place_memory(struct load_plan *plan, const struct plan_request *request,
                                struct diagnostic *diagnostic)
{
    uint32_t next;
    const uint64_t others = (uint64_t)plan->table->parameter_bytes + plan->table->bytes;
    const enum status status = plan_begin_memory(plan, request, others, &next, diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    plan->run.parameter_bytes = plan->table->parameter_bytes;
    plan->run.table = request->table_in_program ? 0 : plan_take(&next, plan->table->bytes);
    plan->run.parameters = plan_take(&next, plan->table->parameter_bytes);
    plan_place_images(plan, &next);
    return STATUS_OK;
}

static void add_tensors(struct load_plan *plan, struct machine_core core)
{
    for (size_t i = 0; i < plan->network->layer_count; i++) {
        const struct network_layer *layer = &plan->network->layer[i];
        const struct nn_layer *row = &plan->table->layer[i];
        uint32_t shape[4];
        if (network_is_pool(layer)) {
            continue;
        }
        const uint32_t rank = links_tensor_shape(row, shape);
        plan_add_tensor(plan, core, layer, "weights", "", plan->run.parameters + row->weights, rank,
                        shape);
        plan_add_tensor(plan, core, layer, "biases", "", plan->run.parameters + row->biases, 1,
                        &layer->outputs);
    }
}

/* Each chip has all of them. */
static enum status list_tensors(struct load_plan *plan, struct diagnostic *diagnostic)
{
    plan->tensor = calloc(2 * plan->network->layer_count * plan->chip_count, sizeof *plan->tensor);
    if (plan->tensor == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    for (size_t i = 0; i < plan->chip_count; i++) {
        add_tensors(plan, plan->chip[i].core);
    }
    return STATUS_OK;
}

enum status plan_replicas_make(struct load_plan *plan, const struct plan_request *request,
                               struct diagnostic *diagnostic)
{
    enum status status = place_memory(plan, request, diagnostic);
    if (status == STATUS_OK) {
        status = describe_cores(plan, request, diagnostic);
    }
    return status == STATUS_OK ? list_tensors(plan, diagnostic) : status;
}

enum status plan_replicas_write(const struct load_plan *plan, const struct load_plan_chip *chip,
                                struct machine *machine)
{
    const struct nn_plan *run = &plan->run;
    enum status status = STATUS_OK;
    if (run->table != 0) {
        status = machine_write(machine, chip->core, run->table, plan->table, plan->table->bytes);
    }
    return status == STATUS_OK ? machine_write(machine, chip->core, run->parameters,
                                               plan->parameters, plan->table->parameter_bytes)
                               : status;
}
