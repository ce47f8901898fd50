/* config_app_check.c - the list `app` against the machine: chips and cores that there are. */
#include "models/common/bits.h"
#include "sim/config/config_read.h"
#include "sim/steps.h"

/* Mask of the cores from the first after the monitors to the last. */
static uint32_t application_cores(const struct sim_config *config)
{
    const uint64_t all = (UINT64_C(1) << config->machine.chip_cores) - 1;
    const uint64_t monitors = (UINT64_C(1) << config->machine.chip_monitor_cores) - 1;
    return (uint32_t)(all & ~monitors);
}

static bool runs_on(const struct sim_config *config, const struct config_app *app,
                    const struct topology_chip *chip)
{
    return (config_application_cores(config, chip) & app->cores) != 0;
}

/* An entry for all chips runs on the chips that have its cores; there must be at least one. */
static enum status check_any_chip(const struct sim_config *config, size_t index,
                                  const struct topology *topology, struct diagnostic *diagnostic)
{
    for (size_t chip = 0; chip < topology->count; chip++) {
        if (runs_on(config, &config->app[index], &topology->chip[chip])) {
            return STATUS_OK;
        }
    }
    return config_refuse(config, config_item_key("app", index, "").text, "see faults.down_cores",
                         diagnostic,
                         "all its cores are down or kept for the monitor, on all chips");
}

/* The chip of an entry must exist, and at least one of the entry's cores there must work. */
static enum status check_chip(const struct sim_config *config, size_t index,
                              const struct topology *topology, struct diagnostic *diagnostic)
{
    const struct config_app *app = &config->app[index];
    const struct config_item_key key = config_item_key("app", index, ".chips");
    const int32_t chip = topology_find(topology, app->x, app->y);
    if (chip != TOPOLOGY_NO_CHIP) {
        return runs_on(config, app, &topology->chip[chip])
                   ? STATUS_OK
                   : config_refuse(config, key.text, "see faults.down_cores", diagnostic,
                                   "all these cores of the chip are down");
    }
    (void)config_refuse(config, key.text, NULL, diagnostic, "no such chip on the board");
    if (config->topology.down_chips > 0) {
        diagnostic_hint(diagnostic, "chips in faults.down_chips are none");
    } else if (config_key_applies(config, config_key_find("board", "width"))) {
        diagnostic_hint(diagnostic, "board.width is %llu, board.height %llu",
                        (unsigned long long)config->machine.board_width,
                        (unsigned long long)config->machine.board_height);
    } else {
        diagnostic_hint(diagnostic, "board.shape is %s",
                        config_board_shape_text(config->board_shape));
    }
    return STATUS_CONFIGURATION;
}

static enum status check_cores(const struct sim_config *config, size_t index,
                               struct diagnostic *diagnostic)
{
    const uint32_t cores = config->app[index].cores;
    const struct config_item_key key = config_item_key("app", index, ".cores");
    const uint32_t beyond = cores >> config->machine.chip_cores << config->machine.chip_cores;
    const uint32_t monitors = cores & ~application_cores(config);
    if (beyond != 0) {
        return config_refuse(config, key.text, NULL, diagnostic,
                             "no such core on a chip: %u\vchip.cores is %llu, the first is 0",
                             bits_lowest(beyond), (unsigned long long)config->machine.chip_cores);
    }
    if (monitors != 0) {
        return config_refuse(config, key.text, NULL, diagnostic,
                             "core %u is the monitor processor's\vthe first chip.monitor_cores "
                             "(%llu) are kept for it; programs have the others",
                             bits_lowest(monitors),
                             (unsigned long long)config->machine.chip_monitor_cores);
    }
    return STATUS_OK;
}

static bool overlap(const struct config_app *a, const struct config_app *b)
{
    const bool same_chip = a->all_chips || b->all_chips || (a->x == b->x && a->y == b->y);
    return same_chip && (a->cores & b->cores) != 0;
}

static enum status check_app(const struct sim_config *config, size_t index,
                             const struct topology *topology, struct diagnostic *diagnostic)
{
    const struct config_app *apps = config->app;
    TRY(check_cores(config, index, diagnostic));
    TRY(apps[index].all_chips ? check_any_chip(config, index, topology, diagnostic)
                              : check_chip(config, index, topology, diagnostic));
    for (size_t i = 0; i < index; i++) {
        if (overlap(&apps[i], &apps[index])) {
            return config_refuse(config, config_item_key("app", index, "").text, NULL, diagnostic,
                                 "two programs on the same core\vsee %s, line %d",
                                 apps[i].place.file, apps[i].place.line);
        }
    }
    return STATUS_OK;
}

enum status config_finish_app(const struct config_reader *reader)
{
    struct sim_config *config = reader->config;
    struct config_app *apps =
        config_arena_take(reader->arena, (config->app_count + 1) * sizeof *apps);
    for (size_t i = 0; i < config->app_count; i++) {
        apps[i] = config->app[i];
        apps[i].all_cores = apps[i].cores == 0;
        apps[i].cores = apps[i].all_cores ? application_cores(config) : apps[i].cores;
    }
    config->app = config->has_app ? apps : NULL;
    if (config->fragment) {
        return STATUS_OK;
    }
    RELEASED(topology_deinit) struct topology topology = {0};
    TRY(config_topology(config, &topology, reader->diagnostic));
    for (size_t i = 0; config->has_app && i < config->app_count; i++) {
        TRY(check_app(config, i, &topology, reader->diagnostic));
    }
    return STATUS_OK;
}

/* ---- what is left out ---- */

/* Counts the cores of an entry that do not run it, and notes the first. */
static uint32_t count_missing(const struct sim_config *config, const struct config_app *app,
                              const struct topology *topology, struct topology_fault *first)
{
    uint32_t count = 0;
    for (size_t i = 0; i < topology->count; i++) {
        const struct topology_chip *chip = &topology->chip[i];
        const bool here = app->all_chips || (app->x == chip->x && app->y == chip->y);
        const uint32_t missing = here ? app->cores & ~config_application_cores(config, chip) : 0;
        if (count == 0 && missing != 0) {
            *first = (struct topology_fault){chip->x, chip->y, bits_lowest(missing)};
        }
        count += bits_count(missing);
    }
    return count;
}

bool config_app_lacks(const struct sim_config *config, size_t i, struct diagnostic *about)
{
    RELEASED(topology_deinit) struct topology topology = {0};
    struct topology_fault first = {0};
    if (config->app[i].all_cores || config_topology(config, &topology, about) != STATUS_OK) {
        return false;
    }
    const uint32_t count = count_missing(config, &config->app[i], &topology, &first);
    if (count > 0) {
        (void)diagnose(about, STATUS_CONFIGURATION,
                       "%u of its cores do%s not run it: the first is core %u of chip %u,%u\v"
                       "cores in faults.down_cores are down; the monitor processor is the first "
                       "that works",
                       count, count == 1 ? "es" : "", (unsigned)first.number, (unsigned)first.x,
                       (unsigned)first.y);
        diagnostic_key(about, config_item_key("app", i, ".cores").text);
    }
    return count > 0;
}
