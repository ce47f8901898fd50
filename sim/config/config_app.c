/* config_app.c - the list `app`: programs and the cores that they run on. */
#include "models/common/check.h"
#include "sim/config/config_read.h"
#include "sim/config/config_value.h"
#include "sim/steps.h"

enum { APP_ID_MAXIMUM = 255, APP_ID_STANDARD = 16 };

/* The largest value that a machine key allows, independent of this configuration's machine. */
static uint32_t greatest(const char *group, const char *key)
{
    return (uint32_t)config_key_find(group, key)->whole.maximum;
}

/* ---- one key of an entry ---- */

static enum status read_file(const struct config_reader *reader, const struct config_node *node,
                             struct config_app *app)
{
    app->file = config_path_read(node, reader->diagnostic);
    return app->file == NULL ? STATUS_CONFIGURATION : STATUS_OK;
}

static enum status read_chips(const struct config_reader *reader, const struct config_node *node,
                              struct config_app *app)
{
    const char *at = node->text;
    app->all_chips = node->shape == CONFIG_SCALAR && strcmp(at, "all") == 0;
    if (app->all_chips) {
        return STATUS_OK;
    }
    bool read = node->shape == CONFIG_SCALAR &&
                config_take_number(&at, greatest("board", "width"), &app->x);
    read = read && *at == ',';
    if (read) {
        at++;
        at += *at == ' ' ? 1 : 0;
        read = config_take_number(&at, greatest("board", "height"), &app->y) && *at == '\0';
    }
    if (read) {
        return STATUS_OK;
    }
    return config_refuse_value(reader->diagnostic, node,
                               "all, or one chip as \"x,y\" (in quotes within braces)",
                               "%s names no chips", config_show(node).text);
}

/* 3, or 1-17. */
static enum status read_range(const struct config_reader *reader, const struct config_node *node,
                              uint32_t *cores)
{
    const uint32_t most = greatest("chip", "cores");
    const char *at = node->text;
    uint32_t first = 0;
    bool read = node->shape == CONFIG_SCALAR && config_take_number(&at, most, &first);
    uint32_t last = first;
    if (read && *at == '-') {
        at++;
        read = config_take_number(&at, most, &last);
    }
    if (!read || *at != '\0' || last < first) {
        const enum status status = config_refuse_value(reader->diagnostic, node, NULL,
                                                       "%s names no cores", config_show(node).text);
        diagnostic_hint(reader->diagnostic, "one core, a range 1-17, or a list [1, 4-6]; 0 to %u",
                        (unsigned)(most - 1));
        return status;
    }
    for (uint32_t core = first; core <= last; core++) {
        if ((*cores >> core & 1u) != 0) {
            return config_refuse_value(reader->diagnostic, node, NULL, "core %u stands here twice",
                                       (unsigned)core);
        }
        *cores |= 1u << core;
    }
    return STATUS_OK;
}

static enum status read_cores(const struct config_reader *reader, const struct config_node *node,
                              struct config_app *app)
{
    app->cores = 0;
    if (node->shape != CONFIG_LIST || node->count == 0) {
        return read_range(reader, node, &app->cores);
    }
    for (const struct config_node *entry = node->first; entry != NULL; entry = entry->next) {
        TRY(read_range(reader, entry, &app->cores));
    }
    return STATUS_OK;
}

static enum status read_app_id(const struct config_reader *reader, const struct config_node *node,
                               struct config_app *app)
{
    uint64_t value = 0;
    const enum status status =
        config_whole_read(node, UNITS_COUNT, 1, APP_ID_MAXIMUM, &value, reader->diagnostic);
    app->app_id = (uint32_t)value;
    return status;
}

/* ---- the list ---- */

static enum status read_entry(const struct config_reader *reader, const struct config_node *node,
                              struct config_app *app)
{
    static const char *const NAMES[] = {"file", "chips", "cores", "app_id", NULL};
    static enum status (*const READERS[])(const struct config_reader *, const struct config_node *,
                                          struct config_app *) = {read_file, read_chips, read_cores,
                                                                  read_app_id};
    TRY(config_expect(node, CONFIG_MAP, reader->diagnostic));
    for (const struct config_node *key = node->first; key != NULL; key = key->next) {
        const int i = config_name_index(key, NAMES, reader->diagnostic);
        if (i < 0) {
            return STATUS_CONFIGURATION;
        }
        if (key->shape != CONFIG_NULL) {
            TRY(READERS[i](reader, key, app));
        }
    }
    return app->file != NULL
               ? STATUS_OK
               : config_refuse_value(reader->diagnostic, node, "file: PROGRAM.aplx or PROGRAM.elf",
                                     "a program without \"file\"");
}

enum status config_read_app(const struct config_reader *reader, const struct config_node *node)
{
    TRY(config_expect(node, CONFIG_LIST, reader->diagnostic));
    reader->config->has_app = true;
    struct config_app *apps = config_arena_take(reader->arena, (node->count + 1) * sizeof *apps);
    size_t count = 0;
    for (const struct config_node *entry = node->first; entry != NULL; entry = entry->next) {
        struct config_app *app = &apps[count++];
        *app = (struct config_app){
            .all_chips = true, .app_id = APP_ID_STANDARD, .place = entry->place};
        TRY(read_entry(reader, entry, app));
    }
    reader->config->app = apps;
    reader->config->app_count = count;
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

static enum status refuse_app(const struct config_reader *reader, size_t index, const char *key,
                              const char *hint, const char *what)
{
    char path[DIAGNOSTIC_KEY_CHARS];
    (void)snprintf(path, sizeof path, "app[%zu]%s%s", index, key[0] == '\0' ? "" : ".", key);
    const struct config_node *node = config_node_find(reader->config->tree, path);
    CHECK(node != NULL, "only what an entry says can fail to fit");
    return config_refuse_value(reader->diagnostic, node, hint, "%s", what);
}

/* An entry for all chips runs on the chips that have its cores; there must be at least one. */
static enum status check_any_chip(const struct config_reader *reader, size_t index,
                                  const struct topology *topology)
{
    const struct sim_config *config = reader->config;
    for (size_t chip = 0; chip < topology->count; chip++) {
        if ((config_application_cores(config, &topology->chip[chip]) & config->app[index].cores) !=
            0) {
            return STATUS_OK;
        }
    }
    return refuse_app(reader, index, "", "see faults.down_cores",
                      "all its cores are down or kept for the monitor, on all chips");
}

/* The chip of an entry must exist, and at least one of the entry's cores there must work. */
static enum status check_chip(const struct config_reader *reader, size_t index,
                              const struct topology *topology)
{
    const struct sim_config *config = reader->config;
    const struct config_app *app = &config->app[index];
    if (app->all_chips) {
        return check_any_chip(reader, index, topology);
    }
    const int32_t chip = topology_find(topology, app->x, app->y);
    if (chip == TOPOLOGY_NO_CHIP) {
        const enum status status =
            refuse_app(reader, index, "chips", NULL, "no such chip on the board");
        if (config_key_applies(config, config_key_find("board", "width"))) {
            diagnostic_hint(reader->diagnostic, "board.width is %llu, board.height %llu",
                            (unsigned long long)config->machine.board_width,
                            (unsigned long long)config->machine.board_height);
        } else {
            diagnostic_hint(reader->diagnostic, "board.shape is %s",
                            config_board_shape_text(config->board_shape));
        }
        if (config->topology.down_chips > 0) {
            diagnostic_hint(reader->diagnostic, "chips in faults.down_chips are none");
        }
        return status;
    }
    if ((config_application_cores(config, &topology->chip[chip]) & app->cores) == 0) {
        return refuse_app(reader, index, "chips", "see faults.down_cores",
                          "all these cores of the chip are down");
    }
    return STATUS_OK;
}

static enum status check_cores(const struct config_reader *reader, size_t index)
{
    const struct sim_config *config = reader->config;
    const struct config_app *app = &config->app[index];
    if (app->cores >> config->machine.chip_cores != 0) {
        const enum status status =
            refuse_app(reader, index, "cores", NULL, "no such core on a chip");
        diagnostic_hint(reader->diagnostic, "chip.cores is %llu",
                        (unsigned long long)config->machine.chip_cores);
        return status;
    }
    if ((app->cores & ~application_cores(config)) != 0) {
        const enum status status =
            refuse_app(reader, index, "cores", NULL, "that core is the monitor processor's");
        diagnostic_hint(reader->diagnostic,
                        "the first chip.monitor_cores (%llu) are kept for it; programs have "
                        "the others",
                        (unsigned long long)config->machine.chip_monitor_cores);
        return status;
    }
    return STATUS_OK;
}

static bool overlap(const struct config_app *a, const struct config_app *b)
{
    const bool same_chip = a->all_chips || b->all_chips || (a->x == b->x && a->y == b->y);
    return same_chip && (a->cores & b->cores) != 0;
}

static enum status check_overlap(const struct config_reader *reader, size_t index)
{
    const struct config_app *apps = reader->config->app;
    for (size_t i = 0; i < index; i++) {
        if (overlap(&apps[i], &apps[index])) {
            const enum status status =
                refuse_app(reader, index, "", NULL, "two programs on the same core");
            diagnostic_hint(reader->diagnostic, "see %s, line %d", apps[i].place.file,
                            apps[i].place.line);
            return status;
        }
    }
    return STATUS_OK;
}

static enum status check_app(const struct config_reader *reader, size_t index,
                             const struct topology *topology)
{
    TRY(check_cores(reader, index));
    TRY(check_chip(reader, index, topology));
    return check_overlap(reader, index);
}

static enum status check_apps(const struct config_reader *reader)
{
    struct topology topology;
    enum status status = config_topology(reader->config, &topology, reader->diagnostic);
    for (size_t i = 0; i < reader->config->app_count && status == STATUS_OK; i++) {
        status = check_app(reader, i, &topology);
    }
    topology_deinit(&topology);
    return status;
}

enum status config_finish_app(const struct config_reader *reader)
{
    const struct sim_config *config = reader->config;
    const size_t count = config->app_count;
    struct config_app *apps = config_arena_take(reader->arena, (count + 1) * sizeof *apps);
    for (size_t i = 0; i < count; i++) {
        apps[i] = config->app[i];
        if (apps[i].cores == 0) {
            apps[i].cores = application_cores(config);
        }
    }
    reader->config->app = apps;
    return config->fragment ? STATUS_OK : check_apps(reader);
}
