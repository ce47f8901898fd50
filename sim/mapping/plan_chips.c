/* plan_chips.c - which chips and cores a network gets, and which images each chip. */
#include "models/common/bits.h"
#include "sim/mapping/plan_kinds.h"

#include <stdlib.h>

/* Whether a chip has the cores that are asked for, in working order. */
static bool is_usable(const struct sim_config *config, const struct topology_chip *chip)
{
    return bits_count(config_application_cores(config, chip)) >= config->mapping_cores_per_chip;
}

static enum status refuse_shortage(const struct sim_config *config, const char *key, uint64_t asked,
                                   uint64_t available, const struct topology *topology,
                                   struct diagnostic *diagnostic)
{
    const enum status status =
        config_refuse(config, key, NULL, diagnostic,
                      "%llu asked for, the machine has %llu: %llu short", (unsigned long long)asked,
                      (unsigned long long)available, (unsigned long long)(asked - available));
    diagnostic_hint(
        diagnostic,
        "a chip has %llu cores, %llu of them for the monitor; the machine has %llu chips%s",
        (unsigned long long)config->machine.chip_cores,
        (unsigned long long)config->machine.chip_monitor_cores, (unsigned long long)topology->count,
        config->topology.down_cores > 0 ? "; of some, cores are down" : "");
    return status;
}

/* Images first_image to first_image + image_count of chip `index`: the first chips have one more.
 */
static void deal(struct load_plan *plan, size_t index)
{
    const uint32_t images = plan->images->count;
    const uint32_t chips = (uint32_t)plan->chip_count;
    const uint32_t each = images / chips;
    const uint32_t more = images % chips;
    const uint32_t at = (uint32_t)index;
    plan->chip[index].first_image = at * each + (at < more ? at : more);
    plan->chip[index].image_count = each + (at < more ? 1 : 0);
}

static void place_cores_of(struct load_plan *plan, const struct sim_config *config,
                           const struct topology *topology)
{
    const size_t each = config->mapping_cores_per_chip;
    size_t chips = 0;
    for (size_t i = 0; i < topology->count && chips < plan->chip_count; i++) {
        const struct topology_chip *chip = &topology->chip[i];
        uint32_t cores = config_application_cores(config, chip);
        if (!is_usable(config, chip)) {
            continue;
        }
        for (size_t c = 0; c < each; c++) {
            const unsigned p = bits_lowest(cores);
            cores &= cores - 1;
            plan->core[chips * each + c] = (struct load_plan_core){
                .core = {chip->x, chip->y, (uint8_t)p},
                .virtual_core = bits_count(chip->cores & ((1u << p) - 1)),
            };
        }
        plan->chip[chips].core = plan->core[chips * each].core;
        deal(plan, chips);
        chips++;
    }
}

/* The first chips that have enough cores, and of each the first cores. */
static enum status choose_cores(struct load_plan *plan, const struct sim_config *config,
                                const struct topology *topology, struct diagnostic *diagnostic)
{
    const uint64_t cores = config->machine.chip_cores - config->machine.chip_monitor_cores;
    uint64_t usable = 0;
    if (config->mapping_cores_per_chip > cores) {
        return refuse_shortage(config, "mapping.cores_per_chip", config->mapping_cores_per_chip,
                               cores, topology, diagnostic);
    }
    for (size_t i = 0; i < topology->count; i++) {
        usable += is_usable(config, &topology->chip[i]);
    }
    if (config->mapping_chips > usable) {
        return refuse_shortage(config, "mapping.chips", config->mapping_chips, usable, topology,
                               diagnostic);
    }
    plan->chip_count = config->mapping_chips;
    plan->core_count = plan->chip_count * config->mapping_cores_per_chip;
    plan->chip = calloc(plan->chip_count + 1, sizeof *plan->chip);
    plan->core = calloc(plan->core_count + 1, sizeof *plan->core);
    if (plan->chip == NULL || plan->core == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    place_cores_of(plan, config, topology);
    return STATUS_OK;
}

enum status plan_chips_choose(struct load_plan *plan, const struct sim_config *config,
                              struct diagnostic *diagnostic)
{
    struct topology topology;
    enum status status = config_topology(config, &topology, diagnostic);
    if (status == STATUS_OK) {
        status = choose_cores(plan, config, &topology, diagnostic);
    }
    topology_deinit(&topology);
    return status;
}
