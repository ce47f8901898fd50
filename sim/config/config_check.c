/* config_check.c - what must hold between keys of a whole configuration. */
#include "models/common/bits.h"
#include "sim/config/config_read.h"

#include "sim/steps.h"

/* A message at the key when it is given, else at its group, else at the file. */
static enum status refuse_path(const struct sim_config *config, const char *path, const char *what,
                               const char *hint, struct diagnostic *diagnostic)
{
    char group[DIAGNOSTIC_KEY_CHARS];
    (void)snprintf(group, sizeof group, "%.*s", (int)strcspn(path, "."), path);
    const struct config_node *node = config_node_find(config->tree, path);
    if (node == NULL) {
        node = config_node_find(config->tree, group);
    }
    const struct config_place place =
        node != NULL ? node->name_place : (struct config_place){config->file, 0, 0};
    const enum status status = diagnose(diagnostic, STATUS_CONFIGURATION, "%s", what);
    diagnostic_at(diagnostic, place.file, place.line, place.column);
    diagnostic_key(diagnostic, path);
    diagnostic_hint(diagnostic, "%s", hint);
    return status;
}

static enum status check_required(const struct sim_config *config, struct diagnostic *diagnostic)
{
    if (config->name[0] == '\0') {
        return refuse_path(config, "name", "missing",
                           "name: what the run is called, of a-z, 0-9, "
                           "\"_\" and \"-\"",
                           diagnostic);
    }
    if (config->has_app) {
        return STATUS_OK;
    }
    if (config->network_name[0] == '\0') {
        return refuse_path(config, "network.name", "nothing to run",
                           "give a network (network: {name: lenet1}) or programs (app)",
                           diagnostic);
    }
    if (config->data_set == CONFIG_DATA_SET_UNSET) {
        return refuse_path(config, "data.set", "missing", "set: mnist or set: synthetic",
                           diagnostic);
    }
    return STATUS_OK;
}

/* What a key lacks to have an effect. */
static const char *why_unused(const struct sim_config *config, enum config_use use)
{
    if (use == USE_SIZED) {
        return "no effect: the board's shape says its size";
    }
    if (use == USE_RINGS) {
        return "no effect without app: it belongs to programs";
    }
    if (config->has_app) {
        return "no effect beside app: it belongs to networks";
    }
    if (use == USE_GROUPED) {
        return "no effect without mapping.kind: replica_per_chip";
    }
    if (config->mode != CONFIG_MODE_TRAIN) {
        return "no effect with mode: infer";
    }
    switch (use) {
    case USE_MOMENTUM:
        return "no effect without train.optimizer: momentum";
    case USE_DESCENT:
        return "no effect with train.optimizer: adam";
    case USE_STEPS:
        return "no effect without train.decay: step";
    case USE_INTEGERS:
        return "no effect with network.number_format: float64";
    case USE_ANY:
    case USE_NETWORK:
    case USE_TRAINING:
    case USE_GROUPED:
    case USE_RINGS:
    case USE_SIZED:
    default:
        return "no effect here";
    }
}

static enum status refuse_unused(const struct sim_config *config, const struct config_node *node,
                                 enum config_use use, struct diagnostic *diagnostic)
{
    const enum status status = config_refuse_key(diagnostic, node, "%s", why_unused(config, use));
    diagnostic_hint(diagnostic, "remove it, or clear an inherited one with %s: null", node->name);
    return status;
}

/* A metric of `accept` that this run does not have. */
static enum status check_metrics(const struct sim_config *config, const struct config_node *group,
                                 struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < config->accept_count; i++) {
        const enum config_metric metric = config->accept[i].metric;
        const enum config_use use = config_metric_row(metric)->use;
        if (!config_use_applies(config, use)) {
            return refuse_unused(config, config_node_child(group, config_metric_text(metric)), use,
                                 diagnostic);
        }
    }
    return STATUS_OK;
}

static enum status check_unused(const struct sim_config *config, struct diagnostic *diagnostic)
{
    for (const struct config_node *node = config->tree->first; node != NULL; node = node->next) {
        const struct config_key *key = config_key_find("", node->name);
        if (key != NULL && node->shape != CONFIG_NULL && !config_key_applies(config, key)) {
            return refuse_unused(config, node, config_key_use(key), diagnostic);
        }
        if (!config_group_exists(node->name) || node->shape != CONFIG_MAP) {
            continue;
        }
        for (const struct config_node *child = node->first; child != NULL; child = child->next) {
            key = config_key_find(node->name, child->name);
            if (child->shape != CONFIG_NULL && !config_key_applies(config, key)) {
                return refuse_unused(config, child, config_key_use(key), diagnostic);
            }
        }
    }
    return check_metrics(config, config_node_given(config->tree, "accept"), diagnostic);
}

static enum status refuse_numbers(const struct sim_config *config, const char *path,
                                  const char *what, unsigned long long number,
                                  const char *comparison, unsigned long long bound,
                                  const char *hint, struct diagnostic *diagnostic)
{
    char text[DIAGNOSTIC_TEXT_CHARS];
    (void)snprintf(text, sizeof text, "%s: %llu %s %llu", what, number, comparison, bound);
    return refuse_path(config, path, text, hint, diagnostic);
}

/* Chips with at least so many application cores that work. */
static uint64_t chips_with(const struct sim_config *config, const struct topology *topology,
                           uint64_t cores)
{
    uint64_t chips = 0;
    for (size_t i = 0; i < topology->count; i++) {
        chips += bits_count(config_application_cores(config, &topology->chip[i])) >= cores;
    }
    return chips;
}

static enum status check_mapping(const struct sim_config *config, const struct topology *topology,
                                 struct diagnostic *diagnostic)
{
    const struct machine_parameters *machine = &config->machine;
    const uint64_t application_cores = machine->chip_cores - machine->chip_monitor_cores;
    const uint64_t cores = config->mapping_cores_per_chip;
    if (cores > application_cores) {
        return refuse_numbers(config, "mapping.cores_per_chip", "more cores than a chip has", cores,
                              "of", application_cores,
                              "application cores are chip.cores less chip.monitor_cores",
                              diagnostic);
    }
    if (config->mapping_chips > topology->count) {
        return refuse_numbers(config, "mapping.chips", "more chips than the board has",
                              config->mapping_chips, "of", topology->count,
                              config->topology.down_chips > 0
                                  ? "chips in faults.down_chips are not counted"
                              : config_key_applies(config, config_key_find("board", "width"))
                                  ? "the board has board.width x board.height chips"
                                  : "board.shape says how many there are",
                              diagnostic);
    }
    const uint64_t chips = chips_with(config, topology, cores);
    if (config->mapping_chips > chips) {
        return refuse_numbers(config, "mapping.chips",
                              "more chips than have mapping.cores_per_chip working cores",
                              config->mapping_chips, "of", chips,
                              "cores in faults.down_cores are not counted: use fewer chips or "
                              "fewer cores of each",
                              diagnostic);
    }
    if (config->mode == CONFIG_MODE_TRAIN && config->data_train_images == 0) {
        return refuse_path(config, "data.train_images", "nothing to train with", "at least 1",
                           diagnostic);
    }
    if (config->mode == CONFIG_MODE_TRAIN && config->train_patience > 0 &&
        config->test_every_epochs == 0) {
        return refuse_path(config, "train.patience", "there are no tests to get better",
                           "test.every_epochs: 1", diagnostic);
    }
    return STATUS_OK;
}

static enum status check_cores(const struct sim_config *config, const struct topology *topology,
                               struct diagnostic *diagnostic)
{
    const struct machine_parameters *machine = &config->machine;
    if (machine->chip_monitor_cores >= machine->chip_cores) {
        return refuse_numbers(config, "chip.monitor_cores", "no application core is left",
                              machine->chip_monitor_cores, "monitor cores of", machine->chip_cores,
                              "chip.monitor_cores must be less than chip.cores", diagnostic);
    }
    if (config->has_app) {
        if (config->backend == CONFIG_BACKEND_HOST) {
            return refuse_path(config, "backend", "the host cannot run programs for the ARM",
                               "backend: spinnaker", diagnostic);
        }
        return STATUS_OK;
    }
    return check_mapping(config, topology, diagnostic);
}

static enum status check_machine(const struct sim_config *config, struct diagnostic *diagnostic)
{
    struct topology topology;
    enum status status = config_topology(config, &topology, diagnostic);
    if (status == STATUS_OK) {
        status = check_cores(config, &topology, diagnostic);
    }
    topology_deinit(&topology);
    return status;
}

enum status config_check(const struct sim_config *config, struct diagnostic *diagnostic)
{
    if (config->fragment) {
        return STATUS_OK;
    }
    if (config->has_app && config->network_name[0] != '\0') {
        return refuse_path(config, "app", "app and network in one configuration",
                           "a run is a network or a list of programs: remove one", diagnostic);
    }
    TRY(check_required(config, diagnostic));
    TRY(check_unused(config, diagnostic));
    TRY(check_machine(config, diagnostic));
    return config_check_energy(config, diagnostic);
}
