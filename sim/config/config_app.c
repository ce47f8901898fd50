/* config_app.c - the list `app`: programs and the cores that they run on. */
#include "models/common/bits.h"
#include "sim/config/config_read.h"
#include "sim/config/config_table.h"
#include "sim/steps.h"

enum { APP_ID_MAXIMUM = 255, APP_ID_STANDARD = 16, PATH_CHARS = 4096 };

/* ---- one entry ---- */

/* all, or "x,y". */
static enum status read_chips(const struct config_reader *reader, const struct config_node *node,
                              struct config_app *app)
{
    const char *at = node->text;
    app->all_chips = node->shape == CONFIG_SCALAR && strcmp(at, "all") == 0;
    if (!app->all_chips && (!config_take_chip(&at, &app->x, &app->y) || *at != '\0')) {
        return config_refuse_value(reader->diagnostic, node,
                                   "%s names no chips\v"
                                   "all, or one chip as \"x,y\" (in quotes within braces)",
                                   config_show(node).text);
    }
    return STATUS_OK;
}

/* 3, or 1-17. */
static enum status read_range(const struct config_reader *reader, const struct config_node *node,
                              uint32_t *cores)
{
    const char *at = node->text;
    uint32_t first = 0;
    bool read = config_take_number(&at, TOPOLOGY_CORES, &first);
    uint32_t last = first;
    if (read && *at == '-') {
        at++;
        read = config_take_number(&at, TOPOLOGY_CORES, &last);
    }
    if (!read || *at != '\0' || last < first) {
        return config_refuse_value(
            reader->diagnostic, node,
            "%s names no cores\vone core, a range 1-17, or a list [1, 4-6]; 0 to %d",
            config_show(node).text, TOPOLOGY_CORES - 1);
    }
    for (uint32_t core = first; core <= last; core++) {
        if ((*cores >> core & 1u) != 0) {
            return config_refuse_value(reader->diagnostic, node,
                                       "core %u stands here twice\vremove one", (unsigned)core);
        }
        *cores |= 1u << core;
    }
    return STATUS_OK;
}

static enum status read_cores(const struct config_reader *reader, const struct config_node *node,
                              uint32_t *cores)
{
    if (node->shape != CONFIG_LIST || node->count == 0) {
        return read_range(reader, node, cores);
    }
    for (const struct config_node *entry = node->first; entry != NULL; entry = entry->next) {
        TRY(read_range(reader, entry, cores));
    }
    return STATUS_OK;
}

/* ---- the list ---- */

struct entry {
    struct config_app app;
    const struct config_node *chips, *cores;
};

static const struct config_key ENTRY_KEYS[] = {
    {.name = "file",
     .kind = KIND_TEXT,
     .whole = {0, 1, PATH_CHARS},
     .required = true,
     .help = "PROGRAM.aplx or PROGRAM.elf",
     CONFIG_FIELD(struct entry, app.file)},
    {.name = "chips", .raw = true, CONFIG_FIELD(struct entry, chips)},
    {.name = "cores", .raw = true, CONFIG_FIELD(struct entry, cores)},
    {.name = "app_id",
     .kind = KIND_COUNT,
     .whole = {APP_ID_STANDARD, 1, APP_ID_MAXIMUM},
     CONFIG_FIELD(struct entry, app.app_id)},
    {.name = NULL}};

enum status config_read_app(const struct config_reader *reader, const struct config_node *node)
{
    TRY(config_expect(node, CONFIG_LIST, reader->diagnostic));
    struct config_app *apps = config_arena_take(reader->arena, (node->count + 1) * sizeof *apps);
    reader->config->has_app = true;
    reader->config->app = apps;
    reader->config->app_count = node->count;
    for (const struct config_node *at = node->first; at != NULL; at = at->next) {
        struct entry entry = {.app = {.all_chips = true, .place = at->place}};
        TRY(config_table_read(at, ENTRY_KEYS, &entry, reader->arena, reader->diagnostic));
        if (entry.chips != NULL) {
            TRY(read_chips(reader, entry.chips, &entry.app));
        }
        if (entry.cores != NULL) {
            TRY(read_cores(reader, entry.cores, &entry.app.cores));
        }
        *apps++ = entry.app;
    }
    return STATUS_OK;
}

/* ---- against the machine ---- */

/* Mask of the cores from the first after the monitors to the last. */
static uint32_t application_cores(const struct sim_config *config)
{
    const uint64_t all = (UINT64_C(1) << config->machine.chip_cores) - 1;
    const uint64_t monitors = (UINT64_C(1) << config->machine.chip_monitor_cores) - 1;
    return (uint32_t)(all & ~monitors);
}

struct app_key {
    char text[DIAGNOSTIC_KEY_CHARS];
};

/* app[1].cores; `part` is ".cores", or "" for the entry itself. */
static struct app_key app_key(size_t index, const char *part)
{
    struct app_key key;
    (void)snprintf(key.text, sizeof key.text, "app[%zu]%s", index, part);
    return key;
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
    return config_refuse(config, app_key(index, "").text, "see faults.down_cores", diagnostic,
                         "all its cores are down or kept for the monitor, on all chips");
}

/* The chip of an entry must exist, and at least one of the entry's cores there must work. */
static enum status check_chip(const struct sim_config *config, size_t index,
                              const struct topology *topology, struct diagnostic *diagnostic)
{
    const struct config_app *app = &config->app[index];
    const struct app_key key = app_key(index, ".chips");
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
    const struct app_key key = app_key(index, ".cores");
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
            return config_refuse(config, app_key(index, "").text, NULL, diagnostic,
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
    config->app = apps;
    if (config->fragment) {
        return STATUS_OK;
    }
    struct topology topology;
    enum status status = config_topology(config, &topology, reader->diagnostic);
    for (size_t i = 0; i < config->app_count && status == STATUS_OK; i++) {
        status = check_app(config, i, &topology, reader->diagnostic);
    }
    topology_deinit(&topology);
    return status;
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
    struct topology topology;
    struct topology_fault first = {0};
    uint32_t count = 0;
    if (config->app[i].all_cores || config_topology(config, &topology, about) != STATUS_OK) {
        return false;
    }
    count = count_missing(config, &config->app[i], &topology, &first);
    topology_deinit(&topology);
    if (count > 0) {
        (void)diagnose(about, STATUS_CONFIGURATION,
                       "%u of its cores do%s not run it: the first is core %u of chip %u,%u\v"
                       "cores in faults.down_cores are down; the monitor processor is the first "
                       "that works",
                       count, count == 1 ? "es" : "", (unsigned)first.number, (unsigned)first.x,
                       (unsigned)first.y);
        diagnostic_key(about, app_key(i, ".cores").text);
    }
    return count > 0;
}
