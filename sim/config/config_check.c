/* config_check.c - consistency checks across the keys of a whole configuration. */
#include "models/common/bits.h"
#include "sim/config/config_read.h"
#include "sim/steps.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

/* Reports an error at the place of the key if it is given, else of its group, else of the file. */
static enum status refuse(const struct sim_config *config, const char *path,
                          struct diagnostic *diagnostic, const char *format, ...) PRINTF_LIKE(4, 5);
static enum status refuse(const struct sim_config *config, const char *path,
                          struct diagnostic *diagnostic, const char *format, ...)
{
    char group[DIAGNOSTIC_KEY_CHARS];
    va_list arguments;
    va_start(arguments, format);
    (void)diagnose_list(diagnostic, STATUS_CONFIGURATION, format, arguments);
    va_end(arguments);
    (void)snprintf(group, sizeof group, "%.*s", (int)strcspn(path, "."), path);
    const struct config_node *node = config_node_find(config->tree, path);
    node = node != NULL ? node : config_node_find(config->tree, group);
    const struct config_place place =
        node != NULL ? node->name_place : (struct config_place){config->file, 0, 0};
    diagnostic_at(diagnostic, place.file, place.line, place.column);
    diagnostic_key(diagnostic, path);
    return STATUS_CONFIGURATION;
}

static enum status check_required(const struct sim_config *config, struct diagnostic *diagnostic)
{
    if (config->name[0] == '\0') {
        return refuse(config, "name", diagnostic,
                      "missing\vname: what the run is called, of a-z, 0-9, \"_\" and \"-\"");
    }
    if (config->has_app) {
        return STATUS_OK;
    }
    if (config->network_name[0] == '\0') {
        return refuse(config, "network.name", diagnostic,
                      "nothing to run\vgive a network (network: {name: lenet1}) or programs (app)");
    }
    if (config->data_set == CONFIG_DATA_SET_UNSET) {
        return refuse(config, "data.set", diagnostic,
                      "missing\vset: mnist or set: synthetic, or set: files with data.train and "
                      "data.test");
    }
    return STATUS_OK;
}

/* The files that a run reads. */
static enum status check_files(const struct sim_config *config, struct diagnostic *diagnostic)
{
    const bool trains = config->mode == CONFIG_MODE_TRAIN ||
                        config->network_number_format == CONFIG_NUMBER_FORMAT_INT8;
    const struct {
        const char *key, *file, *hint;
        bool needed;
    } files[] = {
        {"data.train", config->data_train,
         "missing\vtrain: FILE.npz, the images to train with, or from which int8 is made", trains},
        {"data.test", config->data_test, "missing\vtest: FILE.npz, the images to classify", true}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (files[i].needed && files[i].file[0] == '\0') {
            return refuse(config, files[i].key, diagnostic, "%s", files[i].hint);
        }
    }
    return STATUS_OK;
}

/* Checks that the keys of a map, of rows that begin with `before`, have an effect. */
static enum status check_unused(const struct sim_config *config, const struct config_node *map,
                                const char *before, struct diagnostic *diagnostic)
{
    for (const struct config_node *node = map->first; node != NULL; node = node->next) {
        const struct config_key *key = config_row_find(config_rows(), before, node->name);
        const char *lacks = key == NULL ? NULL : config_key_lacks(config, key);
        char below[CONFIG_PATH_CHARS];
        if (lacks != NULL && node->shape != CONFIG_NULL) {
            return config_refuse_key(diagnostic, node,
                                     "%s\vremove it, or clear an inherited one with %s: null",
                                     lacks, node->name);
        }
        (void)snprintf(below, sizeof below, "%s%s.", before, node->name);
        if (key == NULL) {
            TRY(check_unused(config, node, below, diagnostic));
        }
    }
    return STATUS_OK;
}

/* ---- bounds ---- */

/* ---- the machine ---- */

/* Number of chips with at least that many working application cores. */
static uint64_t chips_with(const struct sim_config *config, const struct topology *topology,
                           uint64_t cores)
{
    uint64_t chips = 0;
    for (size_t i = 0; i < topology->count; i++) {
        chips += bits_count(config_application_cores(config, &topology->chip[i])) >= cores;
    }
    return chips;
}

/* What judges a training looks at validation images; the test images decide nothing. */
static enum status check_validation(const struct sim_config *config, struct diagnostic *diagnostic)
{
    const struct {
        const char *key;
        bool given, between; /* between: it judges between epochs, too */
    } judges[] = {{"train.patience", config->train_patience > 0, true},
                  {"train.target_accuracy", config->train_target_accuracy > 0, true},
                  {"accept.validation_accuracy",
                   config_accepts(&config->accept[CONFIG_METRIC_VALIDATION_ACCURACY]), false}};
    for (size_t i = 0; i < sizeof judges / sizeof *judges; i++) {
        if (judges[i].given && config->data_validation_images == 0) {
            return refuse(config, judges[i].key, diagnostic,
                          "there are no validation images to decide, and test images must not"
                          "\vdata.validation_images: 5000, and data.train_images: 55000 at most");
        }
        if (judges[i].given && judges[i].between && config->test_every_epochs == 0) {
            return refuse(config, judges[i].key, diagnostic,
                          "there are no tests in between, so nothing ends the training early"
                          "\vtest.every_epochs: 1");
        }
    }
    return STATUS_OK;
}

static enum status check_mapping(const struct sim_config *config, const struct topology *topology,
                                 struct diagnostic *diagnostic)
{
    const struct machine_parameters *machine = &config->machine;
    const uint64_t application_cores = machine->chip_cores - machine->chip_monitor_cores;
    const bool chosen = config->mapping_kind == CONFIG_MAPPING_KIND_AUTO;
    const uint64_t cores = chosen ? 1 : config->mapping_cores_per_chip;
    const uint64_t chips = chips_with(config, topology, cores);
    if (cores > application_cores) {
        return refuse(config, "mapping.cores_per_chip", diagnostic,
                      "more cores than a chip has: %" PRIu64 " of %" PRIu64
                      "\vapplication cores are chip.cores less chip.monitor_cores",
                      cores, application_cores);
    }
    if (config->mapping_chips > topology->count) {
        return refuse(config, "mapping.chips", diagnostic,
                      "more chips than the board has: %" PRIu64 " of %zu\v%s",
                      config->mapping_chips, topology->count,
                      config->topology.down_chips > 0 ? "chips in faults.down_chips are not counted"
                      : config_key_applies(config, config_key_find("board", "width"))
                          ? "the board has board.width x board.height chips"
                          : "board.shape says how many there are");
    }
    if (config->mapping_chips > chips) {
        return refuse(config, "mapping.chips", diagnostic,
                      "more chips than have mapping.cores_per_chip working cores: %" PRIu64
                      " of %" PRIu64 "\vcores in faults.down_cores are not counted: use fewer "
                      "chips or fewer cores of each",
                      config->mapping_chips, chips);
    }
    if (config->mode == CONFIG_MODE_TRAIN && config->data_train_images == 0 &&
        config->data_set != CONFIG_DATA_SET_FILES) {
        return refuse(config, "data.train_images", diagnostic, "nothing to train with\vat least 1");
    }
    return config->mode == CONFIG_MODE_TRAIN ? check_validation(config, diagnostic) : STATUS_OK;
}

static enum status check_cores(const struct sim_config *config, const struct topology *topology,
                               struct diagnostic *diagnostic)
{
    const struct machine_parameters *machine = &config->machine;
    if (machine->chip_monitor_cores >= machine->chip_cores) {
        return refuse(config, "chip.monitor_cores", diagnostic,
                      "no application core is left: %" PRIu64 " monitor cores of %" PRIu64
                      "\vchip.monitor_cores must be less than chip.cores",
                      machine->chip_monitor_cores, machine->chip_cores);
    }
    if (!config->has_app && config->backend != CONFIG_BACKEND_SPINNAKER &&
        config->data_input != CONFIG_DATA_INPUT_PRELOAD) {
        return refuse(config, "data.input", diagnostic,
                      "the host has its images in memory: nothing is loaded\v"
                      "data.input: preload, or backend: spinnaker");
    }
    if (!config->has_app) {
        return check_mapping(config, topology, diagnostic);
    }
    return config->backend == CONFIG_BACKEND_SPINNAKER
               ? STATUS_OK
               : refuse(config, "backend", diagnostic,
                        "only spinnaker runs programs for the ARM\vbackend: spinnaker");
}

/* Sizes that the hardware knows only as powers of two. */
static const struct {
    const char *group, *name, *why;
} POWERS_OF_TWO[] = {{"chip", "itcm", "a core reports it as 512 << n bytes"},
                     {"chip", "dtcm", "a core reports it as 512 << n bytes"},
                     {"sdram", "bus_width", "memories are 1, 2, 4 or 8 bytes wide"},
                     {"sdram", "row", "an address has whole column bits"},
                     {"sdram", "banks", "an address has whole bank bits"}};

static enum status check_sizes(const struct sim_config *config, struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < sizeof POWERS_OF_TWO / sizeof *POWERS_OF_TWO; i++) {
        const struct config_key *key =
            config_key_find(POWERS_OF_TWO[i].group, POWERS_OF_TWO[i].name);
        const enum units_kind units = config_units(key->kind);
        const uint32_t size = (uint32_t)config_field_whole(config, key); /* at least 1 */
        uint32_t below = size;
        while ((below & (below - 1)) != 0) {
            below &= below - 1; /* without its lowest bit */
        }
        if (size != below) {
            return refuse(config, key->name, diagnostic, "%s is no power of two: %s\v%s or %s",
                          units_write_whole(units, size).text, POWERS_OF_TWO[i].why,
                          units_write_whole(units, below).text,
                          units_write_whole(units, UINT64_C(2) * below).text);
        }
    }
    return STATUS_OK;
}

static enum status check_machine(const struct sim_config *config, struct diagnostic *diagnostic)
{
    RELEASED(topology_deinit) struct topology topology = {0};
    TRY(config_topology(config, &topology, diagnostic));
    return check_cores(config, &topology, diagnostic);
}

enum status config_check(const struct sim_config *config, struct diagnostic *diagnostic)
{
    if (config->fragment) {
        return STATUS_OK;
    }
    if (config->has_app && config->network_name[0] != '\0') {
        return refuse(config, "app", diagnostic,
                      "app and network in one configuration\v"
                      "a run is a network or a list of programs: remove one");
    }
    TRY(check_required(config, diagnostic));
    if (config->data_set == CONFIG_DATA_SET_FILES) {
        TRY(check_files(config, diagnostic));
    }
    TRY(check_unused(config, config->tree, "", diagnostic));
    TRY(check_sizes(config, diagnostic));
    TRY(check_machine(config, diagnostic));
    return config_check_energy(config, diagnostic);
}

bool config_extrapolates(const struct sim_config *config, size_t i, struct diagnostic *about)
{
    const struct energy_clock *range = &config->energy.clock[i];
    const struct config_key *key = config_key_find("clock", range->name);
    const uint64_t hz = config_field_whole(config, key);
    if (range->low_hz <= hz && hz <= range->high_hz) {
        return false;
    }
    const bool one = range->low_hz == range->high_hz;
    (void)diagnose(about, STATUS_CONFIGURATION,
                   "at %s joules are extrapolated: the sources of the energy coefficients cover "
                   "%s%s%s\v"
                   "set energy.* for this clock, and energy.clocks.%s to the range for which they "
                   "hold",
                   units_write_whole(UNITS_FREQUENCY, hz).text,
                   units_write_whole(UNITS_FREQUENCY, range->low_hz).text, one ? "" : " to ",
                   one ? "" : units_write_whole(UNITS_FREQUENCY, range->high_hz).text, range->name);
    diagnostic_key(about, key->name);
    return true;
}
