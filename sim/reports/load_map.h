/* load_map.h - a map of a run's board: hexagonal chips and the links between them, coloured by what
 * they carried. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/network/topology.h"
#include "sim/reports/gnuplot.h"
#include <stdio.h>
C_LINKAGE_BEGIN

struct load_map_request {
    const char *folder;  /* of results */
    const char *counter; /* component.counter of counters.csv, or router.packets: all types */
    const char *out;     /* where the figure goes; it exists */
    const char *name;    /* of the figure's files */
    const char *title;   /* of the run */
};

/* Writes out/name.csv and out/name.gp and draws out/name.svg.  Chips have the counter, summed over
 * their cores, and links the share of the run in which they were busy; of a counter of links, links
 * have that and chips router.packets.  STATUS_CONFIGURATION for what a user can mend. */
enum status load_map_draw(const struct load_map_request *request,
                          const struct figure_listener *listener, struct diagnostic *diagnostic);

/* ---- what the figure is drawn from ---- */

enum load_map_state { LOAD_MAP_ABSENT, LOAD_MAP_DOWN, LOAD_MAP_WORKS };

struct load_map_chip {
    struct topology_chip place;
    enum load_map_state state;
    double value;
    enum load_map_state link_state[TOPOLOGY_LINKS];
    double link_value[TOPOLOGY_LINKS];
};

struct load_map {
    struct load_map_chip *chip; /* of the whole board, what is down included */
    size_t count;
    uint32_t width, height;
    const char *chip_counter, *link_counter, *title;
    char chip_unit[48], link_unit[48];
};

/* The table, and the gnuplot script that draws it. */
void load_map_write_table(FILE *stream, const struct load_map *map);
void load_map_write_script(FILE *stream, const struct load_map *map, const char *name);

C_LINKAGE_END
