/* topology.c - see topology.h. */
#include "models/network/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BOARD_SIDE = 8, /* of the bounding box of a SpiNN-5 board's hexagon */
    TRIAD_SIDE = 12,
    TRIAD_BOARDS = 3,
    SPIN3_SIDE = 2,
    NAMED_CHIPS = 4, /* maximum number of chips named in a message */
    NAME_CHARS = 16
};

static const int STEP_X[TOPOLOGY_LINKS] = {1, 1, 0, -1, -1, 0};
static const int STEP_Y[TOPOLOGY_LINKS] = {0, 1, 1, 0, -1, -1};

/* ---- shapes ---- */

/* Rows of the hexagon: from 0 (rows 0 to 3) or y - 3, to y + 4 or 7. */
static bool in_hexagon(uint32_t x, uint32_t y)
{
    return x < BOARD_SIDE && y < BOARD_SIDE && x <= y + BOARD_SIDE / 2 && y < x + BOARD_SIDE / 2;
}

/* The first chip of the board on which a chip of a machine of triads lies. */
static void find_board(const struct topology *topology, struct topology_chip *chip)
{
    static const uint32_t FIRST[TRIAD_BOARDS][2] = {{0, 0}, {4, 8}, {8, 4}};
    for (unsigned i = 0; i < TRIAD_BOARDS; i++) {
        const uint32_t x = (chip->x + TRIAD_SIDE - FIRST[i][0]) % TRIAD_SIDE;
        const uint32_t y = (chip->y + TRIAD_SIDE - FIRST[i][1]) % TRIAD_SIDE;
        if (in_hexagon(x, y)) {
            chip->ethernet_x = (uint8_t)((chip->x + topology->width - x) % topology->width);
            chip->ethernet_y = (uint8_t)((chip->y + topology->height - y) % topology->height);
        }
    }
}

static enum status refuse_side(const char *key, const char *what, uint32_t side,
                               struct diagnostic *diagnostic)
{
    const enum status status =
        diagnose(diagnostic, STATUS_CONFIGURATION, "%u chips: %s", side, what);
    diagnostic_key(diagnostic, key);
    return status;
}

static enum status check_side(enum topology_shape shape, const char *key, uint32_t side,
                              struct diagnostic *diagnostic)
{
    if (side == 0 || side > TOPOLOGY_SIDE_MAX) {
        return refuse_side(key, "a side has 1 to 256", side, diagnostic);
    }
    if (shape == TOPOLOGY_BOARDS && side % TRIAD_SIDE != 0) {
        return refuse_side(key,
                           "joined boards come in threes of 12 x 12 chips, so a side is a "
                           "multiple of 12",
                           side, diagnostic);
    }
    return STATUS_OK;
}

static enum status set_size(struct topology *topology, const struct topology_request *request,
                            struct diagnostic *diagnostic)
{
    topology->boards = 1;
    if (request->shape == TOPOLOGY_SPIN3 || request->shape == TOPOLOGY_SPIN5) {
        topology->width = request->shape == TOPOLOGY_SPIN3 ? SPIN3_SIDE : BOARD_SIDE;
        topology->height = topology->width;
        return STATUS_OK;
    }
    enum status status = check_side(request->shape, "board.width", request->width, diagnostic);
    if (status == STATUS_OK) {
        status = check_side(request->shape, "board.height", request->height, diagnostic);
    }
    topology->width = request->width;
    topology->height = request->height;
    if (request->shape == TOPOLOGY_BOARDS) {
        topology->boards =
            TRIAD_BOARDS * (request->width / TRIAD_SIDE) * (request->height / TRIAD_SIDE);
    }
    return status;
}

/* Lists every chip of the shape, including those that are down. */
static enum status list_chips(struct topology *topology, enum topology_shape shape,
                              struct diagnostic *diagnostic)
{
    topology->chip = calloc((size_t)topology->width * topology->height, sizeof *topology->chip);
    if (topology->chip == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    for (uint32_t x = 0; x < topology->width; x++) {
        for (uint32_t y = 0; y < topology->height; y++) {
            if (shape == TOPOLOGY_SPIN5 && !in_hexagon(x, y)) {
                continue;
            }
            struct topology_chip *chip = &topology->chip[topology->count++];
            chip->x = (uint8_t)x;
            chip->y = (uint8_t)y;
            chip->cores = (1u << TOPOLOGY_CORES) - 1;
            if (shape == TOPOLOGY_BOARDS) {
                find_board(topology, chip);
            }
        }
    }
    return STATUS_OK;
}

/* The neighbouring chip by a link; TOPOLOGY_NO_CHIP at the edge of the shape. */
static int32_t step(const struct topology *topology, enum topology_shape shape,
                    const struct topology_chip *chip, unsigned link)
{
    const bool joined = shape == TOPOLOGY_TORUS || shape == TOPOLOGY_BOARDS;
    const int width = (int)topology->width;
    const int height = (int)topology->height;
    int x = chip->x + STEP_X[link];
    int y = chip->y + STEP_Y[link];
    if (joined) {
        x = (x + width) % width;
    }
    if (joined || shape == TOPOLOGY_SPIN3) {
        y = (y + height) % height;
    }
    return x < 0 || y < 0 ? TOPOLOGY_NO_CHIP : topology_find(topology, (uint32_t)x, (uint32_t)y);
}

static void join(struct topology *topology, enum topology_shape shape)
{
    for (size_t i = 0; i < topology->count; i++) {
        struct topology_chip *chip = &topology->chip[i];
        for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
            const int32_t to = step(topology, shape, chip, link);
            chip->neighbour[link] = to;
            chip->between_boards[link] =
                to != TOPOLOGY_NO_CHIP && (topology->chip[to].ethernet_x != chip->ethernet_x ||
                                           topology->chip[to].ethernet_y != chip->ethernet_y);
        }
    }
}

/* ---- faults ---- */

static enum status refuse_fault(const char *key, struct diagnostic *diagnostic)
{
    diagnostic_key(diagnostic, key);
    return STATUS_CONFIGURATION;
}

static struct topology_chip *find_faulty(const struct topology *topology,
                                         const struct topology_fault *fault, const char *key,
                                         struct diagnostic *diagnostic)
{
    const int32_t index = topology_find(topology, fault->x, fault->y);
    if (index == TOPOLOGY_NO_CHIP) {
        (void)diagnose(diagnostic, STATUS_CONFIGURATION, "the machine has no chip %u,%u", fault->x,
                       fault->y);
        diagnostic_key(diagnostic, key);
        return NULL;
    }
    return &topology->chip[index];
}

static enum status apply_cores(struct topology *topology, const struct topology_request *request,
                               struct diagnostic *diagnostic)
{
    static const char KEY[] = "faults.down_cores";
    for (size_t i = 0; i < request->down_cores; i++) {
        const struct topology_fault *fault = &request->down_core[i];
        struct topology_chip *chip = find_faulty(topology, fault, KEY, diagnostic);
        if (chip == NULL) {
            return STATUS_CONFIGURATION;
        }
        if (fault->number >= TOPOLOGY_CORES) {
            (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                           "chip %u,%u has no core %u: cores are 0 to %d", fault->x, fault->y,
                           fault->number, TOPOLOGY_CORES - 1);
            return refuse_fault(KEY, diagnostic);
        }
        chip->cores &= ~(1u << fault->number);
    }
    return STATUS_OK;
}

/* Removes both ends of a link. */
static void cut(struct topology *topology, struct topology_chip *chip, unsigned link)
{
    const int32_t to = chip->neighbour[link];
    if (to != TOPOLOGY_NO_CHIP) {
        struct topology_chip *other = &topology->chip[to];
        chip->neighbour[link] = TOPOLOGY_NO_CHIP;
        chip->between_boards[link] = false;
        other->neighbour[topology_opposite(link)] = TOPOLOGY_NO_CHIP;
        other->between_boards[topology_opposite(link)] = false;
    }
}

/* Checks links against the shape before any is cut: a list may name both ends of a link. */
static enum status check_links(const struct topology *topology,
                               const struct topology_request *request,
                               struct diagnostic *diagnostic)
{
    static const char KEY[] = "faults.down_links";
    for (size_t i = 0; i < request->down_links; i++) {
        const struct topology_fault *fault = &request->down_link[i];
        const struct topology_chip *chip = find_faulty(topology, fault, KEY, diagnostic);
        if (chip == NULL) {
            return STATUS_CONFIGURATION;
        }
        if (fault->number >= TOPOLOGY_LINKS) {
            (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                           "chip %u,%u has no link %u: links are 0 (E) to 5 (S)", fault->x,
                           fault->y, fault->number);
            return refuse_fault(KEY, diagnostic);
        }
        if (chip->neighbour[fault->number] == TOPOLOGY_NO_CHIP) {
            (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                           "link %u of chip %u,%u leads to no chip, it cannot be down",
                           fault->number, fault->x, fault->y);
            return refuse_fault(KEY, diagnostic);
        }
    }
    return STATUS_OK;
}

static void apply_links(struct topology *topology, const struct topology_request *request)
{
    for (size_t i = 0; i < request->down_links; i++) {
        const struct topology_fault *fault = &request->down_link[i];
        const int32_t index = topology_find(topology, fault->x, fault->y);
        if (index != TOPOLOGY_NO_CHIP) { /* otherwise removed together with its chip */
            cut(topology, &topology->chip[index], fault->number);
        }
    }
}

/* Removes chips from the list; links to them then lead nowhere. */
static enum status remove_chips(struct topology *topology, const struct topology_request *request,
                                struct diagnostic *diagnostic)
{
    static const char KEY[] = "faults.down_chips";
    for (size_t i = 0; i < request->down_chips; i++) {
        struct topology_chip *chip = find_faulty(topology, &request->down_chip[i], KEY, diagnostic);
        if (chip == NULL) {
            return STATUS_CONFIGURATION;
        }
        for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
            cut(topology, chip, link);
        }
    }
    int32_t *now = calloc(topology->count + 1, sizeof *now);
    if (now == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    for (size_t i = 0; i < request->down_chips; i++) {
        now[topology_find(topology, request->down_chip[i].x, request->down_chip[i].y)] =
            TOPOLOGY_NO_CHIP;
    }
    size_t left = 0;
    for (size_t i = 0; i < topology->count; i++) {
        if (now[i] != TOPOLOGY_NO_CHIP) {
            now[i] = (int32_t)left;
            topology->chip[left++] = topology->chip[i];
        }
    }
    for (size_t i = 0; i < left; i++) {
        for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
            int32_t *to = &topology->chip[i].neighbour[link];
            *to = *to == TOPOLOGY_NO_CHIP ? TOPOLOGY_NO_CHIP : now[*to];
        }
    }
    topology->count = left;
    free(now);
    if (left == 0) {
        (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                       "all chips are down\vleave the machine one at least");
        return refuse_fault(KEY, diagnostic);
    }
    return STATUS_OK;
}

/* ---- connected? ---- */

static size_t reach(const struct topology *topology, bool *reached, int32_t *queue)
{
    size_t count = 1;
    reached[0] = true;
    queue[0] = 0;
    for (size_t at = 0; at < count; at++) {
        for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
            const int32_t to = topology->chip[queue[at]].neighbour[link];
            if (to != TOPOLOGY_NO_CHIP && !reached[to]) {
                reached[to] = true;
                queue[count++] = to;
            }
        }
    }
    return count;
}

static enum status refuse_cut(const struct topology *topology, const bool *reached, size_t lost,
                              const char *key, struct diagnostic *diagnostic)
{
    char names[NAMED_CHIPS * NAME_CHARS] = "";
    char others[NAMED_CHIPS * NAME_CHARS] = "";
    size_t named = 0;
    for (size_t i = 0; i < topology->count && named < NAMED_CHIPS; i++) {
        if (!reached[i]) {
            const size_t used = strlen(names);
            (void)snprintf(names + used, sizeof names - used, "%s%u,%u", named == 0 ? "" : " ",
                           topology->chip[i].x, topology->chip[i].y);
            named++;
        }
    }
    if (lost > named) {
        (void)snprintf(others, sizeof others, " and %zu more", lost - named);
    }
    const enum status status = diagnose(diagnostic, STATUS_CONFIGURATION,
                                        "the machine is cut in two: no way from chip %u,%u to %s%s",
                                        topology->chip[0].x, topology->chip[0].y, names, others);
    diagnostic_key(diagnostic, key);
    diagnostic_hint(diagnostic, "name what is cut off in faults.down_chips");
    return status;
}

static enum status check_one_piece(const struct topology *topology, const char *key,
                                   struct diagnostic *diagnostic)
{
    bool *reached = calloc(topology->count + 1, sizeof *reached);
    int32_t *queue = calloc(topology->count + 1, sizeof *queue);
    enum status status = STATUS_OK;
    if (reached == NULL || queue == NULL) {
        status = diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    } else {
        const size_t lost = topology->count - reach(topology, reached, queue);
        if (lost > 0) {
            status = refuse_cut(topology, reached, lost, key, diagnostic);
        }
    }
    free(reached);
    free(queue);
    return status;
}

/* ---- the whole ---- */

enum status topology_make(struct topology *topology, const struct topology_request *request,
                          struct diagnostic *diagnostic)
{
    *topology = (struct topology){0};
    enum status status = set_size(topology, request, diagnostic);
    if (status == STATUS_OK) {
        status = list_chips(topology, request->shape, diagnostic);
    }
    if (status == STATUS_OK) {
        join(topology, request->shape);
        status = apply_cores(topology, request, diagnostic);
    }
    if (status == STATUS_OK) {
        status = check_links(topology, request, diagnostic);
    }
    if (status == STATUS_OK) {
        status = remove_chips(topology, request, diagnostic);
    }
    if (status == STATUS_OK) {
        status = check_one_piece(topology, "faults.down_chips", diagnostic);
    }
    if (status == STATUS_OK) {
        apply_links(topology, request);
        status = check_one_piece(topology, "faults.down_links", diagnostic);
    }
    if (status != STATUS_OK) {
        topology_deinit(topology);
    }
    return status;
}

void topology_deinit(struct topology *topology)
{
    free(topology->chip);
    *topology = (struct topology){0};
}

int32_t topology_find(const struct topology *topology, uint32_t x, uint32_t y)
{
    size_t low = 0;
    size_t high = topology->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const struct topology_chip *chip = &topology->chip[middle];
        if (chip->x == x && chip->y == y) {
            return (int32_t)middle;
        }
        if (chip->x < x || (chip->x == x && chip->y < y)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return TOPOLOGY_NO_CHIP;
}
