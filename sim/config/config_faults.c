/* config_faults.c - the group `faults`, and the board that is left of the shape. */
#include "sim/config/config_read.h"
#include "sim/config/config_value.h"
#include "sim/steps.h"

#include <stdlib.h>

/* ---- one list ---- */

struct fault_list {
    const char *name;
    uint32_t numbers; /* of cores or links; 0: a chip alone */
    const char *hint;
};

static const struct fault_list LISTS[] = {
    {"down_chips", 0, "a chip as \"x,y\", in quotes"},
    {"down_cores", TOPOLOGY_CORES, "a core as \"x,y,p\", in quotes; p from 0 to 17"},
    {"down_links", TOPOLOGY_LINKS,
     "a link as \"x,y,link\", in quotes; 0 E, 1 NE, 2 N, 3 W, 4 SW, 5 S"},
};
enum { LIST_COUNT = sizeof LISTS / sizeof LISTS[0] };

static bool take_after_comma(const char **at, uint32_t below, uint32_t *number)
{
    if (**at != ',') {
        return false;
    }
    ++*at;
    *at += **at == ' ' ? 1 : 0;
    return config_take_number(at, below, number);
}

static enum status read_fault(const struct config_reader *reader, const struct config_node *node,
                              const struct fault_list *list, struct topology_fault *fault)
{
    const char *at = node->text;
    uint32_t x = 0;
    uint32_t y = 0;
    uint32_t number = 0;
    bool read = node->shape == CONFIG_SCALAR && config_take_number(&at, TOPOLOGY_SIDE_MAX, &x) &&
                take_after_comma(&at, TOPOLOGY_SIDE_MAX, &y);
    if (read && list->numbers > 0) {
        read = take_after_comma(&at, list->numbers, &number);
    }
    if (!read || *at != '\0') {
        const enum status status =
            config_refuse_value(reader->diagnostic, node, "%s names no %.4s",
                                config_show(node).text, list->name + sizeof "down_" - 1);
        diagnostic_hint(reader->diagnostic, "%s", list->hint);
        return status;
    }
    *fault = (struct topology_fault){(uint8_t)x, (uint8_t)y, (uint8_t)number};
    return STATUS_OK;
}

static int compare_faults(const void *a, const void *b)
{
    const struct topology_fault *first = a;
    const struct topology_fault *second = b;
    int order = first->x - second->x;
    order = order != 0 ? order : first->y - second->y;
    return order != 0 ? order : first->number - second->number;
}

/* Sorted: the order of writing changes nothing. */
static enum status read_list(const struct config_reader *reader, const struct config_node *node,
                             const struct fault_list *list, const struct topology_fault **faults,
                             size_t *count)
{
    enum status status = config_expect(node, CONFIG_LIST, reader->diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    struct topology_fault *read =
        config_arena_take(reader->arena, (node->count + 1) * sizeof *read);
    if (read == NULL) {
        return no_memory(reader->diagnostic);
    }
    size_t found = 0;
    for (const struct config_node *entry = node->first; entry != NULL; entry = entry->next) {
        status = read_fault(reader, entry, list, &read[found]);
        for (size_t i = 0; i < found && status == STATUS_OK; i++) {
            if (compare_faults(&read[i], &read[found]) == 0) {
                status = config_refuse_value(reader->diagnostic, entry, "%s stands here twice",
                                             config_show(entry).text);
            }
        }
        if (status != STATUS_OK) {
            return status;
        }
        found++;
    }
    qsort(read, found, sizeof *read, compare_faults);
    *faults = read;
    *count = found;
    return STATUS_OK;
}

/* ---- entries of routers ---- */

/* 0x and one to eight digits. */
static bool take_key(const char *at, uint32_t *key)
{
    enum { RADIX = 16, DIGITS = 8 };
    const size_t digits = at[0] == '0' && at[1] == 'x' ? strspn(at + 2, "0123456789abcdef") : 0;
    if (digits == 0 || digits > DIGITS || at[2 + digits] != '\0') {
        return false;
    }
    *key = (uint32_t)strtoul(at, NULL, RADIX);
    return true;
}

static enum status read_route(const struct config_reader *reader, const struct config_node *node,
                              struct config_deleted_route *route)
{
    const char *at = node->text;
    uint32_t x = 0;
    uint32_t y = 0;
    bool read = node->shape == CONFIG_SCALAR && config_take_number(&at, TOPOLOGY_SIDE_MAX, &x) &&
                take_after_comma(&at, TOPOLOGY_SIDE_MAX, &y) && *at == ',';
    if (read) {
        at += at[1] == ' ' ? 2 : 1;
        read = take_key(at, &route->key);
    }
    if (!read) {
        const enum status status = config_refuse_value(reader->diagnostic, node,
                                                       "%s names no route", config_show(node).text);
        diagnostic_hint(reader->diagnostic,
                        "a chip and a key as \"x,y,0x00001000\", in quotes, lower case");
        return status;
    }
    route->x = (uint8_t)x;
    route->y = (uint8_t)y;
    return STATUS_OK;
}

static int compare_routes(const void *a, const void *b)
{
    const struct config_deleted_route *first = a;
    const struct config_deleted_route *second = b;
    int order = first->x - second->x;
    order = order != 0 ? order : first->y - second->y;
    return order != 0 ? order : (first->key > second->key) - (first->key < second->key);
}

static enum status read_routes(const struct config_reader *reader, const struct config_node *node)
{
    const enum status status = config_expect(node, CONFIG_LIST, reader->diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    struct config_deleted_route *read =
        config_arena_take(reader->arena, (node->count + 1) * sizeof *read);
    if (read == NULL) {
        return no_memory(reader->diagnostic);
    }
    size_t found = 0;
    for (const struct config_node *entry = node->first; entry != NULL; entry = entry->next) {
        const enum status good = read_route(reader, entry, &read[found]);
        if (good != STATUS_OK) {
            return good;
        }
        for (size_t i = 0; i < found; i++) {
            if (compare_routes(&read[i], &read[found]) == 0) {
                return config_refuse_value(reader->diagnostic, entry, "%s stands here twice",
                                           config_show(entry).text);
            }
        }
        found++;
    }
    qsort(read, found, sizeof *read, compare_routes);
    reader->config->deleted_route = read;
    reader->config->deleted_routes = found;
    return STATUS_OK;
}

/* ---- the group ---- */

enum status config_read_faults(const struct config_reader *reader, const struct config_node *node)
{
    static const char *const NAMES[] = {"down_chips", "down_cores", "down_links", "deleted_routes",
                                        NULL};
    struct topology_request *topology = &reader->config->topology;
    const struct {
        const struct topology_fault **faults;
        size_t *count;
    } to[LIST_COUNT] = {{&topology->down_chip, &topology->down_chips},
                        {&topology->down_core, &topology->down_cores},
                        {&topology->down_link, &topology->down_links}};
    enum status status = config_expect(node, CONFIG_MAP, reader->diagnostic);
    for (const struct config_node *key = node->first; status == STATUS_OK && key != NULL;
         key = key->next) {
        size_t i = 0;
        while (NAMES[i] != NULL && strcmp(NAMES[i], key->name) != 0) {
            i++;
        }
        if (NAMES[i] == NULL) {
            return config_refuse_unknown(key, NAMES, reader->diagnostic);
        }
        if (key->shape != CONFIG_NULL && i == LIST_COUNT) {
            status = read_routes(reader, key);
        } else if (key->shape != CONFIG_NULL) {
            status = read_list(reader, key, &LISTS[i], to[i].faults, to[i].count);
        }
    }
    return status;
}

/* ---- the board ---- */

_Static_assert((int)CONFIG_BOARD_SHAPE_RECTANGLE == (int)TOPOLOGY_RECTANGLE &&
                   (int)CONFIG_BOARD_SHAPE_TORUS == (int)TOPOLOGY_TORUS &&
                   (int)CONFIG_BOARD_SHAPE_SPIN3 == (int)TOPOLOGY_SPIN3 &&
                   (int)CONFIG_BOARD_SHAPE_SPIN5 == (int)TOPOLOGY_SPIN5 &&
                   (int)CONFIG_BOARD_SHAPE_BOARDS == (int)TOPOLOGY_BOARDS,
               "one list in two places");

void config_finish_board(struct sim_config *config)
{
    config->topology.shape = (enum topology_shape)config->board_shape;
    config->topology.width = (uint32_t)config->machine.board_width;
    config->topology.height = (uint32_t)config->machine.board_height;
}

enum status config_topology(const struct sim_config *config, struct topology *topology,
                            struct diagnostic *diagnostic)
{
    const enum status status = topology_make(topology, &config->topology, diagnostic);
    if (status == STATUS_CONFIGURATION) {
        config_locate(config, NULL, diagnostic);
    }
    return status;
}

uint32_t config_application_cores(const struct sim_config *config, const struct topology_chip *chip)
{
    uint32_t cores = chip->cores & ((1u << config->machine.chip_cores) - 1);
    for (uint64_t i = 0; i < config->machine.chip_monitor_cores; i++) {
        cores &= cores - 1; /* less the lowest */
    }
    return cores;
}
