/* config_faults.c - the group `faults`, and the shape and size of the board. */
#include "sim/config/config_read.h"
#include "sim/steps.h"

#include <stdlib.h>

/* ---- the lists ---- */

#define KEY(name_, help_)                                                                          \
    {                                                                                              \
        .group = "faults", .name = (name_), .kind = KIND_NAME, .help = (help_), .raw = true        \
    }
#define LIST(field) offsetof(struct sim_config, field), offsetof(struct sim_config, field##s)

const struct config_fault_list CONFIG_FAULT_LISTS[] = {
    {KEY("down_chips", "chips that do not work, each as \"x,y\""), "chip",
     "a chip as \"x,y\", in quotes", 0, "\"%u,%u\"", LIST(topology.down_chip)},
    {KEY("down_cores", "cores that do not work, each as \"x,y,p\""), "core",
     "a core as \"x,y,p\", in quotes; p from 0 to 17", TOPOLOGY_CORES, "\"%u,%u,%u\"",
     LIST(topology.down_core)},
    {KEY("down_links",
         "links that do not work, each as \"x,y,link\"; 0 E, 1 NE, 2 N, 3 W, 4 SW, 5 S"),
     "link", "a link as \"x,y,link\", in quotes; 0 E, 1 NE, 2 N, 3 W, 4 SW, 5 S", TOPOLOGY_LINKS,
     "\"%u,%u,%u\"", LIST(topology.down_link)},
    {KEY("deleted_routes",
         "entries of routing tables that are deleted after loading, each as \"x,y,key\""),
     "route", "a chip and a key as \"x,y,0x00001000\", in quotes, lower case", CONFIG_FAULT_KEY,
     "\"%u,%u,0x%08x\"", LIST(deleted_route)},
    {{.name = NULL}, NULL, NULL, 0, NULL, 0, 0}};

#undef KEY
#undef LIST

static bool take_comma(const char **at)
{
    if (**at != ',') {
        return false;
    }
    *at += (*at)[1] == ' ' ? 2 : 1;
    return true;
}

bool config_take_chip(const char **at, uint32_t *x, uint32_t *y)
{
    return config_take_number(at, TOPOLOGY_SIDE_MAX, x) && take_comma(at) &&
           config_take_number(at, TOPOLOGY_SIDE_MAX, y);
}

/* 0x and one to eight digits. */
static bool take_key(const char **at, uint32_t *key)
{
    enum { RADIX = 16, DIGITS = 8 };
    const char *text = *at;
    const size_t digits = strncmp(text, "0x", 2) == 0 ? strspn(text + 2, "0123456789abcdef") : 0;
    *key = (uint32_t)strtoul(text, NULL, RADIX);
    *at += 2 + digits;
    return digits > 0 && digits <= DIGITS;
}

static enum status read_fault(const struct config_reader *reader, const struct config_node *node,
                              const void *about, void *item)
{
    const struct config_fault_list *list = about;
    const char *at = node->text;
    uint32_t x = 0;
    uint32_t y = 0;
    uint32_t number = 0;
    bool read = config_take_chip(&at, &x, &y);
    if (read && list->numbers > 0) {
        read = take_comma(&at) && (list->numbers == CONFIG_FAULT_KEY
                                       ? take_key(&at, &number)
                                       : config_take_number(&at, list->numbers, &number));
    }
    if (!read || *at != '\0') {
        return config_refuse_value(reader->diagnostic, node, "%s names no %s\v%s",
                                   config_show(node).text, list->what, list->hint);
    }
    *(struct topology_fault *)item = (struct topology_fault){(uint8_t)x, (uint8_t)y, number};
    return STATUS_OK;
}

static int compare_faults(const void *a, const void *b)
{
    const struct topology_fault *first = a;
    const struct topology_fault *second = b;
    int order = first->x - second->x;
    order = order != 0 ? order : first->y - second->y;
    return order != 0 ? order : (first->number > second->number) - (first->number < second->number);
}

enum status config_read_faults(const struct config_reader *reader, const struct config_node *node)
{
    enum { LISTS = sizeof CONFIG_FAULT_LISTS / sizeof *CONFIG_FAULT_LISTS };
    const char *names[LISTS];
    for (size_t i = 0; i < LISTS; i++) {
        names[i] = CONFIG_FAULT_LISTS[i].key.name;
    }
    TRY(config_expect(node, CONFIG_MAP, reader->diagnostic));
    for (const struct config_node *key = node->first; key != NULL; key = key->next) {
        const int i = config_name_index(key, names, reader->diagnostic);
        if (i < 0) {
            return STATUS_CONFIGURATION;
        }
        if (key->shape != CONFIG_NULL) {
            const struct config_fault_list *row = &CONFIG_FAULT_LISTS[i];
            const struct config_list list = {sizeof(struct topology_fault), row, read_fault,
                                             compare_faults, false};
            const void *items = NULL;
            size_t count = 0;
            TRY(config_read_list(reader, key, &list, &items, &count));
            memcpy((char *)reader->config + row->items, &items, sizeof items);
            memcpy((char *)reader->config + row->count, &count, sizeof count);
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
