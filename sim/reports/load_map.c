/* load_map.c - see load_map.h: what the map shows. */
#include "sim/reports/load_map.h"

#include "sim/config/config.h"
#include "sim/file.h"
#include "sim/reports/figure.h"
#include "sim/results/tally.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

static const char LINK[] = "link.", ALL_PACKETS[] = "router.packets",
                  ONE_PACKETS[] = "router.packets_mc", BUSY[] = "link.busy_ps";

/* ---- the board ---- */

/* Marks the chips and links that the machine had, among those of a board without faults. */
static enum status place_chips(struct load_map *map, const struct sim_config *config,
                               struct diagnostic *diagnostic)
{
    struct topology_request request = config->topology;
    request.down_chips = request.down_cores = request.down_links = 0;
    RELEASED(topology_deinit) struct topology whole = {0};
    RELEASED(topology_deinit) struct topology machine = {0};
    TRY(topology_make(&whole, &request, diagnostic));
    TRY(config_topology(config, &machine, diagnostic));
    map->chip = calloc(whole.count, sizeof *map->chip);
    map->count = whole.count;
    map->width = whole.width;
    map->height = whole.height;
    if (map->chip == NULL) {
        return no_memory(diagnostic);
    }
    for (size_t i = 0; i < whole.count; i++) {
        struct load_map_chip *chip = &map->chip[i];
        chip->place = whole.chip[i];
        const int32_t works = topology_find(&machine, chip->place.x, chip->place.y);
        chip->state = works == TOPOLOGY_NO_CHIP ? LOAD_MAP_DOWN : LOAD_MAP_WORKS;
        for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
            const bool leads = chip->place.neighbour[link] != TOPOLOGY_NO_CHIP;
            const bool is = works != TOPOLOGY_NO_CHIP &&
                            machine.chip[works].neighbour[link] != TOPOLOGY_NO_CHIP;
            chip->link_state[link] = is ? LOAD_MAP_WORKS : leads ? LOAD_MAP_DOWN : LOAD_MAP_ABSENT;
        }
    }
    return STATUS_OK;
}

static struct load_map_chip *chip_at(const struct load_map *map, unsigned x, unsigned y)
{
    size_t low = 0;
    size_t high = map->count;
    while (low < high) { /* they are ordered by x, then y */
        const size_t middle = (low + high) / 2;
        const struct topology_chip *place = &map->chip[middle].place;
        if (place->x < x || (place->x == x && place->y < y)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const bool found =
        low < map->count && map->chip[low].place.x == x && map->chip[low].place.y == y;
    return found ? &map->chip[low] : NULL;
}

/* ---- the counters ---- */

/* Whether the row belongs to the requested counter. */
static bool is_wanted(const struct tally_row *row, const char *wanted)
{
    const size_t component = strlen(row->component);
    if (strncmp(wanted, row->component, component) != 0 || wanted[component] != '.') {
        return false;
    }
    const char *counter = wanted + component + 1;
    if (strcmp(wanted, ALL_PACKETS) != 0) {
        return strcmp(counter, row->counter) == 0;
    }
    static const char *const TYPE[] = {"packets_mc", "packets_p2p", "packets_nn", "packets_fr"};
    for (unsigned i = 0; i < sizeof TYPE / sizeof *TYPE; i++) {
        if (strcmp(row->counter, TYPE[i]) == 0) {
            return true;
        }
    }
    return false;
}

struct reading {
    struct load_map *map;
    double seconds_ps; /* of the run */
    bool chip_counter_is_there, link_counter_is_there;
};

static void take_row(struct reading *reading, const struct tally_row *row)
{
    struct load_map *map = reading->map;
    if (strcmp(row->component, "machine") == 0 && strcmp(row->counter, "time_ps") == 0) {
        reading->seconds_ps = (double)row->value;
    }
    struct load_map_chip *chip =
        row->x >= 0 && row->y >= 0 ? chip_at(map, (unsigned)row->x, (unsigned)row->y) : NULL;
    if (chip == NULL) {
        return;
    }
    if (is_wanted(row, map->chip_counter)) {
        chip->value += (double)row->value;
        reading->chip_counter_is_there = true;
        (void)snprintf(map->chip_unit, sizeof map->chip_unit, "%s", row->unit);
    }
    if (is_wanted(row, map->link_counter) && row->instance >= 0 && row->instance < TOPOLOGY_LINKS) {
        chip->link_value[row->instance] += (double)row->value;
        reading->link_counter_is_there = true;
        (void)snprintf(map->link_unit, sizeof map->link_unit, "%s", row->unit);
    }
}

static enum status no_counter(const char *counter, const char *path, struct diagnostic *diagnostic)
{
    return file_refuse(path,
                       "a component and one of its counters, as in router.packets_mc; maps of "
                       "links want record.counters: core",
                       diagnostic, "no chip has a counter %s", counter);
}

/* Whether a counter may be 0 everywhere, and so without rows; its unit. */
static bool may_have_no_rows(const char *counter, char *unit, size_t size)
{
    const bool all = strcmp(counter, ALL_PACKETS) == 0;
    const struct counter_info *found = tally_counter(all ? ONE_PACKETS : counter);
    (void)snprintf(unit, size, "%s", found == NULL ? "" : found->unit);
    return found != NULL;
}

static enum status read_counters(struct load_map *map, const char *folder, bool has_links,
                                 const char *counter, struct diagnostic *diagnostic)
{
    struct result_table table;
    struct tally_row row;
    struct reading reading = {
        .map = map,
        .chip_counter_is_there =
            may_have_no_rows(map->chip_counter, map->chip_unit, sizeof map->chip_unit),
        .link_counter_is_there = has_links && may_have_no_rows(map->link_counter, map->link_unit,
                                                               sizeof map->link_unit)};
    enum status status = tally_open(&table, folder, diagnostic);
    while (status == STATUS_OK && result_table_next(&table)) {
        if (result_table_take(&table, TALLY_COLUMNS, TALLY_COLUMN_COUNT, &row) &&
            strcmp(row.phase, "run") == 0) {
            take_row(&reading, &row);
        }
    }
    if (status == STATUS_OK && !(reading.chip_counter_is_there && reading.link_counter_is_there)) {
        status = no_counter(counter, table.path, diagnostic);
    }
    status = result_table_end(&table, status, diagnostic);
    const bool shares = strcmp(map->link_counter, BUSY) == 0;
    if (shares) {
        map->link_counter = "Share of the run in which a link is busy";
        (void)snprintf(map->link_unit, sizeof map->link_unit, "%%");
    }
    for (size_t i = 0; shares && i < map->count; i++) {
        for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
            double *value = &map->chip[i].link_value[link];
            *value = reading.seconds_ps > 0 ? 100 * *value / reading.seconds_ps : 0;
        }
    }
    return status;
}

/* ---- the whole ---- */

static enum status read_map(struct load_map *map, const char *folder, const char *counter,
                            struct diagnostic *diagnostic)
{
    RELEASED(config_deinit) struct sim_config config = {0};
    TRY(results_load_config(folder, &config, diagnostic));
    TRY(place_chips(map, &config, diagnostic));
    const bool has_links = config.record_counters == CONFIG_RECORD_COUNTERS_CORE;
    return read_counters(map, folder, has_links, counter, diagnostic);
}

static void map_deinit(struct load_map *map)
{
    free(map->chip);
}

static enum status draw_map(const struct plotter *plotter, const struct results *results)
{
    const char *counter = plotter->request->map;
    if (counter == NULL) {
        return diagnose(plotter->diagnostic, STATUS_CONFIGURATION,
                        "a map needs a counter\v--map router.packets");
    }
    const bool of_links = strncmp(counter, LINK, strlen(LINK)) == 0;
    char name[2 * FIGURE_NAME_CHARS + 8];
    char base[FIGURE_NAME_CHARS];
    char key[FIGURE_KEY_CHARS];
    RELEASED(map_deinit)
    struct load_map map = {.chip_counter = of_links ? ALL_PACKETS : counter,
                           .link_counter = of_links ? counter : BUSY,
                           .title = results_text(results, "name")};
    figure_name_of_folder(results->folder, base);
    figure_name_of_key(counter, key);
    (void)snprintf(name, sizeof name, "%s_map_%s", base, key);
    TRY(read_map(&map, results->folder, counter, plotter->diagnostic));
    const struct figure figure = load_map_figure(&map);
    return figure_make(plotter, name, &figure);
}

static bool is_map_wanted(const struct plotter *plotter)
{
    return plotter->request->map != NULL;
}

const struct figure_kind FIGURE_MAP = {
    .about = {"map",
              "Chips and links of a run's board, coloured by what they carried: --map COUNTER."},
    .is_wanted = is_map_wanted,
    .draw_each = draw_map};
