/* config_faults.c - the group `faults`, and the shape and size of the board. */
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

static bool take_chip(const char **at, uint32_t *x, uint32_t *y)
{
    return config_take_number(at, TOPOLOGY_SIDE_MAX, x) &&
           take_after_comma(at, TOPOLOGY_SIDE_MAX, y);
}

static enum status read_fault(const struct config_reader *reader, const struct config_node *node,
                              const void *about, void *item)
{
    const struct fault_list *list = about;
    struct topology_fault *fault = item;
    const char *at = node->text;
    uint32_t x = 0;
    uint32_t y = 0;
    uint32_t number = 0;
    if (node->shape != CONFIG_SCALAR || !take_chip(&at, &x, &y) ||
        (list->numbers > 0 && !take_after_comma(&at, list->numbers, &number)) || *at != '\0') {
        return config_refuse_value(reader->diagnostic, node, list->hint, "%s names no %.4s",
                                   config_show(node).text, list->name + sizeof "down_" - 1);
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
                              const void *about, void *item)
{
    struct config_deleted_route *route = item;
    const char *at = node->text;
    uint32_t x = 0;
    uint32_t y = 0;
    (void)about;
    bool read = node->shape == CONFIG_SCALAR && take_chip(&at, &x, &y) && *at == ',';
    if (read) {
        at += at[1] == ' ' ? 2 : 1;
        read = take_key(at, &route->key);
    }
    if (!read) {
        return config_refuse_value(reader->diagnostic, node,
                                   "a chip and a key as \"x,y,0x00001000\", in quotes, lower case",
                                   "%s names no route", config_show(node).text);
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

/* ---- the group ---- */

enum status config_read_faults(const struct config_reader *reader, const struct config_node *node)
{
    static const char *const NAMES[] = {"down_chips", "down_cores", "down_links", "deleted_routes",
                                        NULL};
    static const struct config_list ROUTES = {sizeof(struct config_deleted_route), NULL, read_route,
                                              compare_routes, false};
    struct sim_config *config = reader->config;
    struct topology_request *topology = &config->topology;
    const struct {
        const struct topology_fault **faults;
        size_t *count;
    } to[LIST_COUNT] = {{&topology->down_chip, &topology->down_chips},
                        {&topology->down_core, &topology->down_cores},
                        {&topology->down_link, &topology->down_links}};
    TRY(config_expect(node, CONFIG_MAP, reader->diagnostic));
    for (const struct config_node *key = node->first; key != NULL; key = key->next) {
        const int i = config_name_index(key, NAMES, reader->diagnostic);
        const void *items = NULL;
        if (i < 0) {
            return STATUS_CONFIGURATION;
        }
        if (key->shape == CONFIG_NULL) {
            continue;
        }
        if (i == LIST_COUNT) {
            TRY(config_read_list(reader, key, &ROUTES, &items, &config->deleted_routes));
            config->deleted_route = items;
        } else {
            const struct config_list faults = {sizeof(struct topology_fault), &LISTS[i], read_fault,
                                               compare_faults, false};
            TRY(config_read_list(reader, key, &faults, &items, to[i].count));
            *to[i].faults = items;
        }
    }
    return STATUS_OK;
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
