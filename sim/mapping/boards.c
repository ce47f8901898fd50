/* boards.c - see chip_orders.h. */
#include "sim/mapping/chip_orders.h"
#include "sim/steps.h"

#include <stdlib.h>

/* Links, in both directions, by which a step from a board to a neighbour goes: four of the one,
 * then four of the other. */
struct step {
    int x, y;             /* chips */
    int first_x, first_y; /* of the first four links */
};

/* The steps of a ring of boards: along a row and across the rows.  The rows of the three ways go
 * over different links, so that three rings use the links evenly. */
struct way {
    struct step along, across;
};
static const struct way WAYS[BOARD_WAYS] = {
    {{4, 8, 4, 4}, {8, 4, 4, 4}},
    {{-8, -4, -4, -4}, {4, -4, 4, 0}},
    {{4, -4, 4, 0}, {-4, -8, -4, -4}},
};

/* `rows` rows of `columns` boards; the first and the last one of a row are neighbours, too. */
struct grid {
    uint32_t rows, columns;
};

static uint32_t wrapped(int at, uint32_t side)
{
    const int past = at % (int)side;
    return (uint32_t)(past < 0 ? past + (int)side : past);
}

static struct grid grid_of(const struct topology *topology, const struct way *way)
{
    struct grid grid = {0, 1};
    while (wrapped((int)grid.columns * way->along.x, topology->width) != 0 ||
           wrapped((int)grid.columns * way->along.y, topology->height) != 0) {
        grid.columns++;
    }
    grid.rows = topology->boards / grid.columns;
    return grid;
}

struct cell {
    uint32_t row, column;
};

/* Number i of a cycle through an even number of rows: down one row and up the next in all columns
 * but the first, and back in the first.  One row is a cycle by itself.  An odd number of rows
 * closes by a longer step. */
static struct cell snake(struct grid grid, uint32_t i)
{
    const uint32_t inner = grid.columns - 1;
    const uint32_t in_columns = i / grid.columns;
    if (grid.rows % 2 != 0) {
        const uint32_t column = i % grid.columns;
        return (struct cell){in_columns, in_columns % 2 == 0 ? column : inner - column};
    }
    if (i >= grid.rows * inner) {
        return (struct cell){grid.rows - 1 - (i - grid.rows * inner), 0};
    }
    const uint32_t row = i / inner;
    return (struct cell){row, row % 2 == 0 ? 1 + i % inner : inner - i % inner};
}

static struct cell cell_of(struct grid grid, uint32_t i)
{
    if (grid.rows % 2 != 0 && grid.rows > 1 && grid.columns % 2 == 0) {
        const struct cell turned = snake((struct grid){grid.columns, grid.rows}, i);
        return (struct cell){turned.column, turned.row};
    }
    return snake(grid, i);
}

/* The first chip of a board. */
struct first {
    uint32_t x, y;
};

static struct first first_of(const struct topology *topology, const struct way *way,
                             struct cell cell)
{
    const int column = (int)cell.column;
    const int row = (int)cell.row;
    return (struct first){wrapped(column * way->along.x + row * way->across.x, topology->width),
                          wrapped(column * way->along.y + row * way->across.y, topology->height)};
}

/* The step from a cell to the next one: 1 forwards, -1 backwards, 0 another step. */
static int step_of(struct grid grid, struct cell from, struct cell to, bool *across)
{
    const int rows = (int)to.row - (int)from.row;
    const int columns = (int)to.column - (int)from.column;
    *across = rows != 0;
    if (rows == 0 && grid.rows == 1) {
        return 1; /* the last one of the only row, too */
    }
    return abs(rows) + abs(columns) == 1 ? rows + columns : 0;
}

/* Copies the rings of a board whose first chip is given; false: a chip or a link is missing. */
static bool place_board(struct board_rings *rings, const struct topology *topology,
                        const struct topology *single, const struct rings *own, size_t board,
                        struct first first)
{
    for (size_t r = 0; r < RINGS_MAX; r++) {
        uint32_t *ring = &rings->chip[r][board * BOARD_CHIPS];
        for (size_t i = 0; i < BOARD_CHIPS; i++) {
            const struct topology_chip *at = &single->chip[own->chip[r][i]];
            const int32_t chip = topology_find(topology, (first.x + at->x) % topology->width,
                                               (first.y + at->y) % topology->height);
            if (chip == TOPOLOGY_NO_CHIP || topology->chip[chip].ethernet_x != first.x ||
                topology->chip[chip].ethernet_y != first.y) {
                return false;
            }
            ring[i] = (uint32_t)chip;
        }
        for (size_t i = 0; i < BOARD_CHIPS; i++) {
            const struct topology_chip *at = &topology->chip[ring[i]];
            bool linked = false;
            for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
                linked = linked || at->neighbour[link] == (int32_t)ring[(i + 1) % BOARD_CHIPS];
            }
            if (!linked) {
                return false;
            }
        }
    }
    return true;
}

/* The order of the boards, which are numbered as on the first way, on another way. */
static void place_way(struct board_rings *rings, const struct topology *topology, size_t number)
{
    const struct way *way = &WAYS[number];
    const struct grid grid = grid_of(topology, way);
    for (uint32_t i = 0; i < topology->boards; i++) {
        const struct cell cell = cell_of(grid, i);
        const struct first first = first_of(topology, way, cell);
        const struct cell next = cell_of(grid, (i + 1) % topology->boards);
        bool across;
        const int sign = step_of(grid, cell, next, &across);
        const struct step *step = across ? &way->across : &way->along;
        const int back_x = step->x - step->first_x; /* a step back begins with its last links */
        const int back_y = step->y - step->first_y;
        struct board_step *at = &rings->step[number][i];
        at->turns = sign != 0;
        at->x = sign > 0 ? step->first_x : -back_x;
        at->y = sign > 0 ? step->first_y : -back_y;
        for (uint32_t b = 0; b < topology->boards; b++) {
            const struct topology_chip *chip =
                &topology->chip[rings->chip[0][(size_t)b * BOARD_CHIPS]];
            if (chip->ethernet_x == first.x && chip->ethernet_y == first.y) {
                at->board = b;
            }
        }
    }
}

static enum status place_all(struct board_rings *rings, const struct topology *topology,
                             struct diagnostic *diagnostic)
{
    const struct topology_request request = {.shape = TOPOLOGY_SPIN5};
    const struct grid grid = grid_of(topology, &WAYS[0]);
    uint32_t all[BOARD_CHIPS];
    struct topology single;
    struct rings own;
    for (uint32_t i = 0; i < BOARD_CHIPS; i++) {
        all[i] = i;
    }
    TRY(topology_make(&single, &request, diagnostic));
    const enum status status = rings_make(&own, &single, all, BOARD_CHIPS, diagnostic);
    bool whole = status == STATUS_OK;
    for (uint32_t b = 0; whole && b < topology->boards; b++) {
        whole = place_board(rings, topology, &single, &own, b,
                            first_of(topology, &WAYS[0], cell_of(grid, b)));
    }
    rings->boards = whole ? topology->boards : 0;
    for (size_t way = 0; whole && way < BOARD_WAYS; way++) {
        place_way(rings, topology, way);
    }
    rings_deinit(&own);
    topology_deinit(&single);
    return status;
}

int32_t board_rings_turn(const struct board_step *step, const struct topology *topology,
                         uint32_t chip)
{
    const struct topology_chip *at = &topology->chip[chip];
    return step->turns ? topology_find(topology, wrapped(at->x + step->x, topology->width),
                                       wrapped(at->y + step->y, topology->height))
                       : TOPOLOGY_NO_CHIP;
}

enum status board_rings_make(struct board_rings *rings, const struct topology *topology,
                             size_t chips, struct diagnostic *diagnostic)
{
    *rings = (struct board_rings){0};
    if (topology->boards <= 1 || chips != topology->boards * (size_t)BOARD_CHIPS) {
        return STATUS_OK;
    }
    enum status status = STATUS_OK;
    for (size_t r = 0; r < RINGS_MAX; r++) {
        rings->chip[r] = calloc(chips, sizeof *rings->chip[r]);
        status = rings->chip[r] == NULL ? no_memory(diagnostic) : status;
    }
    for (size_t way = 0; way < BOARD_WAYS; way++) {
        rings->step[way] = calloc(topology->boards, sizeof *rings->step[way]);
        status = rings->step[way] == NULL ? no_memory(diagnostic) : status;
    }
    status = status == STATUS_OK ? place_all(rings, topology, diagnostic) : status;
    if (status != STATUS_OK) {
        board_rings_deinit(rings);
    }
    return status;
}

void board_rings_deinit(struct board_rings *rings)
{
    for (size_t r = 0; r < RINGS_MAX; r++) {
        free(rings->chip[r]);
    }
    for (size_t way = 0; way < BOARD_WAYS; way++) {
        free(rings->step[way]);
    }
    *rings = (struct board_rings){0};
}
