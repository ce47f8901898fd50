/* config_faults.c - the group `faults`, and the shape and size of the board. */
#include "sim/config/config_read.h"
#include "sim/steps.h"

#include <stdlib.h>

/* ---- the lists ---- */

enum { FAULT_KEY = UINT32_MAX }; /* a routing key, in hexadecimal */

struct config_fault_kind {
    const char *what, *hint;
    uint32_t numbers;   /* of cores or links; 0: a chip alone; or FAULT_KEY */
    const char *format; /* how an item is written: x, y, number */
};

const struct config_fault_kind CONFIG_DOWN_CHIPS = {"chip", "a chip as \"x,y\", in quotes", 0,
                                                    "\"%u,%u\""};
const struct config_fault_kind CONFIG_DOWN_CORES = {
    "core", "a core as \"x,y,p\", in quotes; p from 0 to 17", TOPOLOGY_CORES, "\"%u,%u,%u\""};
const struct config_fault_kind CONFIG_DOWN_LINKS = {
    "link", "a link as \"x,y,link\", in quotes; 0 E, 1 NE, 2 N, 3 W, 4 SW, 5 S", TOPOLOGY_LINKS,
    "\"%u,%u,%u\""};
const struct config_fault_kind CONFIG_DELETED_ROUTES = {
    "route", "a chip and a key as \"x,y,0x00001000\", in quotes, lower case", FAULT_KEY,
    "\"%u,%u,0x%08x\""};

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
    const struct config_fault_kind *kind = about;
    const char *at = node->text;
    uint32_t x = 0;
    uint32_t y = 0;
    uint32_t number = 0;
    bool read = config_take_chip(&at, &x, &y);
    if (read && kind->numbers > 0) {
        read = take_comma(&at) &&
               (kind->numbers == FAULT_KEY ? take_key(&at, &number)
                                           : config_take_number(&at, kind->numbers, &number));
    }
    if (!read || *at != '\0') {
        return config_refuse_value(reader->diagnostic, node, "%s names no %s\v%s",
                                   config_show(node).text, kind->what, kind->hint);
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

enum status config_read_faults(const struct config_reading *from)
{
    const struct config_list list = {sizeof(struct topology_fault), from->key->about, read_fault,
                                     compare_faults, false};
    struct config_items items;
    TRY(config_read_items(from->reader, from->node, &list, &items));
    config_set_items(from->key, from->fields, items);
    return STATUS_OK;
}

static const char *fault_text(struct config_arena *arena, const void *items, size_t i,
                              const void *about)
{
    const struct topology_fault *fault = (const struct topology_fault *)items + i;
    const struct config_fault_kind *kind = about;
    return config_arena_print(arena, kind->format, (unsigned)fault->x, (unsigned)fault->y,
                              (unsigned)fault->number);
}

const char *config_text_faults(const struct config_writing *of)
{
    return config_items_text(of->arena, config_items_of(of->key, of->fields), fault_text,
                             of->key->about);
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
