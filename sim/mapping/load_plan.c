/* load_plan.c - see load_plan.h. */
#include "sim/mapping/load_plan.h"

#include "sim/config/config_schema.h"
#include "sim/load/sark_layout.h"
#include "sim/mapping/mapping.h"
#include "sim/mapping/program_table.h"
#include "sim/networks/optimizer.h"

#include <stdlib.h>
#include <string.h>

enum { COUNTER_LOCK = 8 /* the first lock that has no conventional use */ };

/* Word of System RAM that holds the number of the next image: after the heap, in the user words of
 * the system variables. */
#define COUNTER_ADDRESS 0xe5007f70u

/* ---- making it ---- */

static void note_shortage(const struct plan_request *request, uint64_t needed, uint64_t available)
{
    if (request->shortage != NULL) {
        *request->shortage = (struct plan_shortage){needed, available};
    }
}

static enum status describe_cores(struct load_plan *plan, const struct plan_request *request,
                                  struct diagnostic *diagnostic)
{
    const struct plan_program_bytes program = plan_program_bytes(request->program);
    for (size_t i = 0; i < plan->core_count; i++) {
        struct load_plan_core *core = &plan->core[i];
        core->role = plan->mapping->role;
        core->itcm_bytes = program.itcm;
        plan->mapping->describe(plan, i, core);
        core->dtcm_bytes += program.dtcm + PLAN_STACK_BYTES;
        if (core->dtcm_bytes > request->config->machine.chip_dtcm_bytes) {
            note_shortage(request, core->dtcm_bytes, request->config->machine.chip_dtcm_bytes);
            return config_refuse(
                request->config, "mapping.kind", NULL, diagnostic,
                "network %s does not fit a core: it needs %u bytes of DTCM (%u of them parameters) "
                "for %s, there are %llu",
                plan->network->name, core->dtcm_bytes, core->parameter_bytes, core->layer,
                (unsigned long long)request->config->machine.chip_dtcm_bytes);
        }
    }
    return STATUS_OK;
}

static enum status place_memory(struct load_plan *plan, const struct plan_request *request,
                                struct diagnostic *diagnostic)
{
    const uint64_t sdram_bytes = request->config->machine.sdram_bytes;
    plan->end = SARK_SDRAM_HEAP;
    plan->plan_address = plan_take_read(plan, "run plan", sizeof plan->run);
    plan->run = (struct nn_plan){.magic = NN_PLAN_MAGIC,
                                 .version = NN_PLAN_VERSION,
                                 .table_bytes = plan->table->bytes,
                                 .image_bytes = plan_image_bytes(plan->table),
                                 .counter = COUNTER_ADDRESS,
                                 .counter_lock = COUNTER_LOCK};
    TRY(program_table_check(plan->table, &plan->run.table_check, diagnostic));
    plan->mapping->place(plan, request);
    const uint64_t needed = plan->end - SARK_SDRAM_BASE + SARK_SYSTEM_HEAP_BYTES;
    if (needed <= sdram_bytes) {
        return STATUS_OK;
    }
    note_shortage(request, needed, sdram_bytes);
    return config_refuse(
        request->config, "sdram.size",
        "enlarge it, use fewer data.test_images or data.train_images, or more chips", diagnostic,
        "network %s needs %llu bytes of SDRAM for images, parameters and results, there are %llu",
        plan->network->name, (unsigned long long)needed, (unsigned long long)sdram_bytes);
}

static enum status list_tensors(struct load_plan *plan, struct diagnostic *diagnostic)
{
    plan->tensor =
        calloc(2 * plan->network->layer_count * plan->core_count + 1, sizeof *plan->tensor);
    if (plan->tensor == NULL) {
        return no_memory(diagnostic);
    }
    plan->mapping->add_tensors(plan);
    return STATUS_OK;
}

static enum status take_steps(const struct plan_request *request, const struct mapping *mapping,
                              struct load_plan *plan, struct diagnostic *diagnostic)
{
    TRY(plan_chips_choose(plan, request, mapping->all_images, diagnostic));
    if (mapping->divide != NULL) {
        TRY(mapping->divide(plan, request, diagnostic));
    }
    TRY(place_memory(plan, request, diagnostic));
    TRY(describe_cores(plan, request, diagnostic));
    if (request->trial) {
        return STATUS_OK;
    }
    TRY(list_tensors(plan, diagnostic));
    return mapping->route == NULL ? STATUS_OK : mapping->route(plan, request, diagnostic);
}

static enum status plan_by(const struct plan_request *request, const struct mapping *mapping,
                           struct load_plan *plan, struct diagnostic *diagnostic)
{
    *plan = (struct load_plan){.mapping = mapping,
                               .network = request->network,
                               .table = request->table,
                               .parameters = request->parameters,
                               .images = request->images,
                               .train_images = request->train_images};
    return take_steps(request, mapping, plan, diagnostic);
}

/* Pieces that suit the rings may be too large for a core where equal ones are not. */
enum status load_plan_try(const struct plan_request *request, struct load_plan *plan,
                          struct diagnostic *diagnostic)
{
    const struct mapping_row *row = mapping_of(request->config, diagnostic);
    *plan = (struct load_plan){.mapping = NULL};
    if (row == NULL) {
        return STATUS_CONFIGURATION;
    }
    enum status status = plan_by(request, row->mapping, plan, diagnostic);
    if (status == STATUS_CONFIGURATION && plan->by_rings) {
        struct plan_request again = *request;
        again.equal = true;
        load_plan_deinit(plan);
        status = plan_by(&again, row->mapping, plan, diagnostic);
    }
    if (status != STATUS_OK) {
        load_plan_deinit(plan);
    }
    return status;
}

/* ---- what would fit ---- */

static const char CHIPS[] = "mapping.chips";

static bool fits_as(const struct plan_request *request, bool tight)
{
    struct plan_request trial = *request;
    struct diagnostic why = {0};
    struct load_plan plan;
    trial.trial = true;
    trial.tight = tight;
    trial.shortage = NULL;
    const bool good = load_plan_try(&trial, &plan, &why) == STATUS_OK;
    load_plan_deinit(&plan);
    return good;
}

bool load_plan_needs_tight(const struct plan_request *request)
{
    return request->train_images != NULL && !fits_as(request, false) && fits_as(request, true);
}

/* Whether the network would fit with another configuration, assuming a program of the same size. */
static bool fits(const struct plan_request *request, const struct sim_config *config)
{
    struct plan_request trial = *request;
    trial.config = config;
    return fits_as(&trial, false) || load_plan_needs_tight(&trial);
}

/* Finds the configuration field of a lever (a key in its row) and its largest value. */
static uint64_t *find_lever(struct sim_config *config, const char *key, uint64_t *most)
{
    enum { CHIPS_MAX = 1152 /* 24 boards of 48 */ };
    const uint64_t cores = config->machine.chip_cores - config->machine.chip_monitor_cores;
    const bool chips = strcmp(key, CHIPS) == 0;
    *most = key[0] == '\0' ? 0 : chips ? CHIPS_MAX : cores;
    return chips                                         ? &config->mapping_chips
           : strcmp(key, "mapping.cores_per_image") == 0 ? &config->mapping_cores_per_image
                                                         : &config->mapping_cores_per_chip;
}

/* The chips that the machine has; 0 where its configuration says none. */
static size_t chips_of(const struct sim_config *config)
{
    struct topology topology = {0};
    struct diagnostic why = {0};
    const size_t count = config_topology(config, &topology, &why) == STATUS_OK ? topology.count : 0;
    topology_deinit(&topology);
    return count;
}

/* Writes a hint: the smallest value of the lever with which everything fits; for groups of cores
 * that share an image, all cores of a chip are tried, too.  False: no value fits. */
static bool least_fit(const struct plan_request *request, const struct sim_config *config,
                      const char *lever, char *text, size_t size)
{
    struct sim_config other = *config;
    uint64_t most = 0;
    uint64_t *value = find_lever(&other, lever, &most);
    const bool groups = value == &other.mapping_cores_per_image;
    for (uint64_t n = 1; n <= most; n++) {
        *value = n;
        if (fits(request, &other)) {
            const bool beyond = strcmp(lever, CHIPS) == 0 && n > chips_of(config);
            (void)snprintf(text, size, "%s: %llu%s", lever, (unsigned long long)n,
                           beyond ? ", on a board of as many," : "");
            return true;
        }
        struct sim_config more = other;
        more.mapping_cores_per_chip = most / n * n;
        if (groups && fits(request, &more)) {
            (void)snprintf(text, size, "%s: %llu, mapping.cores_per_chip: %llu", lever,
                           (unsigned long long)n, (unsigned long long)more.mapping_cores_per_chip);
            return true;
        }
    }
    return false;
}

/* The least DTCM of a core with which the configuration fits, in bytes; 0: none does. */
static uint64_t least_dtcm(const struct plan_request *request)
{
    const struct config_key *key = config_key_find("chip", "dtcm");
    struct sim_config other = *request->config;
    for (uint64_t bytes = 2 * other.machine.chip_dtcm_bytes;
         bytes > 0 && bytes <= key->whole.maximum; bytes *= 2) {
        other.machine.chip_dtcm_bytes = bytes;
        if (fits(request, &other)) {
            return bytes;
        }
    }
    return 0;
}

/* The first optimizer that keeps less state for each parameter, and with which a training fits, in
 * the order of optimizers.def; NULL: none. */
static const struct optimizer *less_state(const struct plan_request *request)
{
    const uint8_t words = optimizer_of(request->config->train_optimizer)->state_words;
    struct sim_config other = *request->config;
    const struct optimizer *row;
    if (request->train_images == NULL) {
        return NULL;
    }
    for (int i = 0; (row = optimizer_of((enum config_optimizer)i)) != NULL; i++) {
        other.train_optimizer = (enum config_optimizer)i;
        if (row->state_words < words && fits(request, &other)) {
            return row;
        }
    }
    return NULL;
}

/* Adds a hint for a configuration that does not fit, found by trial plans: the smallest value of
 * the lever, another mapping, another optimizer, or a core with more memory. */
static void advise(const struct plan_request *request, const char *lever,
                   struct diagnostic *diagnostic)
{
    const bool wide = network_value_bytes(request->network) > sizeof(int16_t);
    const char *smaller = wide ? "; network.number_format: int16 takes half the room" : "";
    struct sim_config other = *request->config;
    const struct mapping_row *row;
    char text[96];
    if (least_fit(request, &other, lever, text, sizeof text)) {
        diagnostic_hint(diagnostic, "%s is the least with which it fits%s", text, smaller);
        return;
    }
    for (size_t i = 0; (row = mapping_alternative(request->config, request->network, i)) != NULL;
         i++) {
        other.mapping_kind = row->kind;
        const bool now = fits(request, &other);
        if (now || least_fit(request, &other, row->lever, text, sizeof text)) {
            diagnostic_hint(diagnostic, "it fits with mapping.kind: %s%s%s%s",
                            config_mapping_kind_text(row->kind), now ? "" : ", ", now ? "" : text,
                            smaller);
            return;
        }
    }
    const struct optimizer *less = less_state(request);
    const char *optimizer = less != NULL ? less->name : "";
    if (least_fit(request, request->config, CHIPS, text, sizeof text)) { /* they share the state */
        diagnostic_hint(diagnostic, "%s is the least with which it fits%s%s%s", text,
                        less != NULL ? "; so it does with train.optimizer: " : "", optimizer,
                        smaller);
        return;
    }
    if (less != NULL) {
        diagnostic_hint(diagnostic, "it fits with train.optimizer: %s, which keeps less state%s",
                        optimizer, smaller);
        return;
    }
    const uint64_t dtcm = least_dtcm(request);
    const bool none = lever[0] == '\0';
    diagnostic_hint(
        diagnostic, "%s%s%s mapping helps%s%s%s%s", none ? "" : "neither another ",
        none ? "no other" : lever, none ? "" : " nor another",
        dtcm == 0 ? "" : "; chip.dtcm: ", dtcm == 0 ? "" : units_write_whole(UNITS_SIZE, dtcm).text,
        dtcm == 0 ? "" : " would, on a chip of another design", smaller);
}

enum status load_plan_make(const struct plan_request *request, struct load_plan *plan,
                           struct diagnostic *diagnostic)
{
    const enum status status = load_plan_try(request, plan, diagnostic);
    if (status == STATUS_CONFIGURATION && diagnostic->hint[0] == '\0') {
        struct diagnostic why;
        advise(request, mapping_of(request->config, &why)->lever, diagnostic);
    }
    return status;
}

void load_plan_deinit(struct load_plan *plan)
{
    if (plan->mapping != NULL && plan->mapping->deinit != NULL) {
        plan->mapping->deinit(plan);
    }
    routing_deinit(&plan->routing);
    free(plan->block);
    free(plan->chip);
    free(plan->core);
    free(plan->tensor);
    *plan = (struct load_plan){0};
}

/* ---- into the machine ---- */

static enum status write_chip(const struct load_plan *plan, size_t index, struct machine *machine)
{
    const struct load_plan_chip *chip = &plan->chip[index];
    const uint32_t first_image = 0;
    struct nn_plan run = plan->run;
    run.image_count = chip->image_count;
    TRY(machine_write(machine, chip->core, plan->plan_address, &run, sizeof run));
    TRY(plan->mapping->write(plan, index, machine));
    TRY(machine_write(machine, chip->core, run.counter, &first_image, sizeof first_image));
    for (uint32_t i = 0; i < chip->image_count; i++) {
        const uint8_t *image =
            plan->images->images + (size_t)(chip->first_image + i) * plan->table->image_pixels;
        TRY(machine_write(machine, chip->core, run.images + i * run.image_bytes, image,
                          plan->table->image_pixels));
    }
    return STATUS_OK;
}

enum status load_plan_write(const struct load_plan *plan, struct machine *machine,
                            struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < plan->chip_count; i++) {
        const enum status status = write_chip(plan, i, machine);
        if (status != STATUS_OK) {
            return diagnose(diagnostic, status, "the machine's memory cannot hold the load plan");
        }
    }
    return routing_write(&plan->routing, machine, diagnostic);
}

/* ---- reading back ---- */

uint64_t load_plan_dealt(const struct load_plan *plan, const struct machine *machine)
{
    uint64_t dealt = 0;
    for (size_t i = 0; i < plan->chip_count; i++) {
        uint32_t next = 0;
        (void)machine_read(machine, plan->chip[i].core, plan->run.counter, &next, sizeof next);
        dealt += next < plan->chip[i].image_count ? next : plan->chip[i].image_count;
    }
    return dealt;
}

enum status load_plan_read_results(const struct load_plan *plan, const struct machine *machine,
                                   struct nn_result *results)
{
    if (plan->mapping->read_results != NULL) {
        return plan->mapping->read_results(plan, machine, results);
    }
    for (size_t i = 0; i < plan->chip_count; i++) {
        const struct load_plan_chip *chip = &plan->chip[i];
        TRY(plan_read_results(plan, machine, chip->core, (struct plan_slice){0, chip->image_count},
                              results + chip->first_image));
    }
    return STATUS_OK;
}

enum status load_plan_read_numerics(const struct load_plan *plan, const struct machine *machine,
                                    uint64_t *saturations, uint64_t *overflows)
{
    return plan->mapping->read_numerics == NULL
               ? STATUS_OK
               : plan->mapping->read_numerics(plan, machine, saturations, overflows);
}
