/* load_map.h - a map of a run's board: hexagonal chips and the links between them, coloured by
 * load. For a counter of cores or chips, a chip shows that counter, summed over its cores, and a
 * link the fraction of the run's time in which it was busy.  For a counter of links, a link shows
 * that counter and a chip router.packets. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/network/topology.h"
#include "sim/reports/figure.h"
C_LINKAGE_BEGIN

enum load_map_state { LOAD_MAP_ABSENT, LOAD_MAP_DOWN, LOAD_MAP_WORKS };

struct load_map_chip {
    struct topology_chip place;
    enum load_map_state state;
    double value;
    enum load_map_state link_state[TOPOLOGY_LINKS];
    double link_value[TOPOLOGY_LINKS];
};

struct load_map {
    struct load_map_chip *chip; /* all chips of the board, including those that are down */
    size_t count;
    uint32_t width, height;
    const char *chip_counter, *link_counter, *title;
    char chip_unit[48], link_unit[48];
};

/* The figure; the map must outlive it. */
struct figure load_map_figure(struct load_map *map);

C_LINKAGE_END
