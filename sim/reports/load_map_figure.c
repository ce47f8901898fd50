/* load_map_figure.c - see load_map.h: the table and the script that draws it.
 *
 * Chips lie where their six neighbours are equally far: (x - y / 2, y * sqrt(3) / 2).  Each
 * direction of a link is a line of its own, on the right of its way; one that leads round the torus
 * is a stump. */
#include "sim/reports/load_map.h"

#include "sim/reports/gnuplot.h"
#include "sim/results/json.h"
#include "sim/results/quantity.h"

#include <math.h>

#define HALF_SQRT3  0.8660254037844386
#define CELL_RADIUS 0.39 /* to a corner; neighbours are 1 apart */
#define LINE_BEGIN  0.36
#define LINE_LENGTH 0.28
#define LINE_ASIDE  0.06

struct point {
    double x, y;
};

static struct point centre_of(int x, int y)
{
    return (struct point){x - y / 2.0, y * HALF_SQRT3};
}

/* ---- the table ---- */

static struct point direction_of(unsigned link)
{
    static const int STEP[TOPOLOGY_LINKS][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};
    return centre_of(STEP[link][0], STEP[link][1]);
}

/* Whether the link leads to a chip that is adjacent on the map (not around the torus). */
static bool is_near(const struct load_map *map, const struct topology_chip *from, unsigned link)
{
    const struct topology_chip *to = &map->chip[from->neighbour[link]].place;
    const struct point here = centre_of(from->x, from->y);
    const struct point there = centre_of(to->x, to->y);
    return hypot(there.x - here.x, there.y - here.y) < 1.5;
}

static void put_value(FILE *stream, enum load_map_state state, double value)
{
    char text[REAL_TEXT_CHARS];
    (void)fprintf(stream, ",%s\n", state == LOAD_MAP_WORKS ? real_text(value, text) : "");
}

static void put_link(FILE *stream, const struct load_map *map, const struct load_map_chip *chip,
                     unsigned link)
{
    const struct topology_chip *place = &chip->place;
    const struct point centre = centre_of(place->x, place->y);
    const struct point way = direction_of(link);
    const double length = is_near(map, place, link) ? LINE_LENGTH : (1 - 2 * LINE_BEGIN) / 2;
    (void)fprintf(stream, "%s,%u,%u,%u,%.4f,%.4f,%.4f,%.4f",
                  chip->link_state[link] == LOAD_MAP_WORKS ? "link" : "link_down", place->x,
                  place->y, link, centre.x + LINE_BEGIN * way.x + LINE_ASIDE * way.y,
                  centre.y + LINE_BEGIN * way.y - LINE_ASIDE * way.x, length * way.x,
                  length * way.y);
    put_value(stream, chip->link_state[link], chip->link_value[link]);
}

static enum status write_table(FILE *stream, void *context, struct diagnostic *diagnostic)
{
    const struct load_map *map = context;
    (void)diagnostic;
    (void)fputs("part,x,y,link,at_x,at_y,by_x,by_y,value\n", stream);
    for (size_t i = 0; i < map->count; i++) {
        const struct load_map_chip *chip = &map->chip[i];
        const struct point centre = centre_of(chip->place.x, chip->place.y);
        (void)fprintf(stream, "%s,%u,%u,,%.4f,%.4f,,",
                      chip->state == LOAD_MAP_WORKS ? "chip" : "chip_down", chip->place.x,
                      chip->place.y, centre.x, centre.y);
        put_value(stream, chip->state, chip->value);
        for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
            if (chip->link_state[link] != LOAD_MAP_ABSENT) {
                put_link(stream, map, chip, link);
            }
        }
    }
    return STATUS_OK;
}

/* ---- the script ---- */

struct bounds {
    double left, right, low, high; /* of the picture, in units of the map */
    double chip, link;             /* greatest values */
};

static struct bounds bounds_of(const struct load_map *map)
{
    struct bounds bounds = {
        .left = INFINITY, .right = -INFINITY, .low = INFINITY, .high = -INFINITY};
    for (size_t i = 0; i < map->count; i++) {
        const struct load_map_chip *chip = &map->chip[i];
        const struct point centre = centre_of(chip->place.x, chip->place.y);
        bounds.left = fmin(bounds.left, centre.x - 0.7);
        bounds.right = fmax(bounds.right, centre.x + 0.7);
        bounds.low = fmin(bounds.low, centre.y - 0.7);
        bounds.high = fmax(bounds.high, centre.y + 0.7);
        bounds.chip = fmax(bounds.chip, chip->value);
        for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
            bounds.link = fmax(bounds.link, chip->link_value[link]);
        }
    }
    bounds.chip = bounds.chip > 0 ? bounds.chip : 1;
    bounds.link = bounds.link > 0 ? bounds.link : 1;
    return bounds;
}

static void put_corner(FILE *stream, struct point centre, double x, double y, const char *value)
{
    (void)fprintf(stream, "%.6f,%.6f%s\n", centre.x + x, centre.y + y, value);
}

/* The four rows of a surface whose colour is the value. */
static void put_hexagon(FILE *stream, const struct load_map_chip *chip)
{
    static const double W = CELL_RADIUS * HALF_SQRT3;
    static const double ROW[][2] = {
        {0, -CELL_RADIUS}, {W, -CELL_RADIUS / 2}, {W, CELL_RADIUS / 2}, {0, CELL_RADIUS}};
    const struct point centre = centre_of(chip->place.x, chip->place.y);
    char number[REAL_TEXT_CHARS];
    char value[REAL_TEXT_CHARS + 1];
    (void)snprintf(value, sizeof value, ",%s", real_text(chip->value, number));
    for (unsigned i = 0; i < sizeof ROW / sizeof *ROW; i++) {
        put_corner(stream, centre, -ROW[i][0], ROW[i][1], value);
        put_corner(stream, centre, ROW[i][0], ROW[i][1], value);
        (void)fputc('\n', stream);
    }
    (void)fputc('\n', stream);
}

static void put_outline(FILE *stream, const struct load_map_chip *chip)
{
    static const double W = CELL_RADIUS * HALF_SQRT3;
    static const double CORNER[][2] = {
        {0, CELL_RADIUS},       {W, CELL_RADIUS / 2},  {W, -CELL_RADIUS / 2}, {0, -CELL_RADIUS},
        {-W, -CELL_RADIUS / 2}, {-W, CELL_RADIUS / 2}, {0, CELL_RADIUS}};
    const struct point centre = centre_of(chip->place.x, chip->place.y);
    for (unsigned i = 0; i < sizeof CORNER / sizeof *CORNER; i++) {
        put_corner(stream, centre, CORNER[i][0], CORNER[i][1], "");
    }
    (void)fputs("\n\n", stream);
}

/* The chips' shapes: blocks of gnuplot's, parted by empty lines. */
static void put_hexagons(FILE *stream, const struct load_map *map)
{
    (void)fputs("$hexagons << end\n", stream);
    for (size_t i = 0; i < map->count; i++) {
        if (map->chip[i].state == LOAD_MAP_WORKS) {
            put_hexagon(stream, &map->chip[i]);
        }
    }
    (void)fputs("end\n$outlines << end\n", stream);
    for (size_t i = 0; i < map->count; i++) {
        put_outline(stream, &map->chip[i]);
    }
    (void)fputs("end\n", stream);
}

static void put_link_scale(FILE *stream, const struct load_map *map, const struct bounds *bounds)
{
    enum { STEPS = 60, MARKS = 4 };
    char text[REAL_TEXT_CHARS];
    const double length = bounds->high - bounds->low;
    const double at = bounds->left - 0.9;
    (void)fputs("$scale << end\n", stream); /* the links', on the left */
    for (unsigned i = 0; i < STEPS; i++) {
        (void)fprintf(stream, "%.4f,%.4f,%.6f,%s\n", at, bounds->low + i * length / STEPS,
                      length / STEPS, real_text(i * bounds->link / STEPS, text));
    }
    (void)fputs("end\n", stream);
    for (unsigned i = 0; i <= MARKS; i++) {
        (void)fprintf(stream, "set label '%.4g' at %.4f,%.4f right offset -0.8,0\n",
                      bounds->link * i / MARKS, at, bounds->low + length * i / MARKS);
    }
    (void)fputs("set label ", stream);
    gnuplot_put_text(stream, "%s", quantity_label(map->link_counter, map->link_unit).text);
    (void)fprintf(stream, " at %.4f,%.4f center rotate by 90\n", at - 1.1,
                  (bounds->low + bounds->high) / 2);
}

static void write_script(FILE *stream, void *context)
{
    const struct load_map *map = context;
    const struct bounds bounds = bounds_of(map);
    char text[REAL_TEXT_CHARS];
    (void)fputs("set title ", stream);
    gnuplot_put_text(stream, "%s", map->title);
    (void)fputs("\nset cblabel ", stream);
    gnuplot_put_text(stream, "%s", quantity_label(map->chip_counter, map->chip_unit).text);
    (void)fprintf(
        stream,
        "\n"
        "set view map\nset size ratio -1\nunset border\nunset tics\nunset grid\nunset key\n"
        "set xrange [%.4f:%.4f]\nset yrange [%.4f:%.4f]\n",
        bounds.left - 2.2, bounds.right, bounds.low, bounds.high);
    (void)fprintf(stream,
                  "set palette defined (0 '#fffbe8', 0.5 '#fdb45c', 1 '#e8502a')\n"
                  "set cbrange [0:%s]\nset cbtics\nset pm3d corners2color c1\n",
                  real_text(bounds.chip, text));
    (void)fprintf(stream,
                  "mix(a, b, f) = int(a + (b - a) * f)\n"
                  "blue(v) = 65536 * mix(214, 0, v / %s) + 256 * mix(220, 40, v / %s) + mix(228, "
                  "140, v / %s)\n",
                  real_text(bounds.link, text), text, text);
    put_hexagons(stream, map);
    put_link_scale(stream, map, &bounds);
    (void)fputs(
        "is(part) = strcol(1) eq part\n"
        "chip_name(part) = is(part) ? sprintf('%s,%s', strcol(2), strcol(3)) : ''\n"
        "splot $hexagons using 1:2:(0):3 with pm3d, \\\n"
        "    $outlines using 1:2:(0) with lines lc rgb '#909090' lw 0.7, \\\n"
        "    table using (is('link') ? $5 : NaN):6:(0):7:8:(0):(blue($9)) with vectors "
        "nohead lw 3.5 lc rgb variable, \\\n"
        "    table using (is('link_down') ? $5 : NaN):6:(0):7:8:(0) with vectors nohead lw "
        "1 dt 3 lc rgb '#c00000', \\\n"
        "    $scale using 1:2:(0):(0):3:(0):(blue($4)) with vectors nohead lw 14 lc rgb "
        "variable, \\\n"
        "    table using (is('chip') ? $5 : NaN):6:(0):(chip_name('chip')) with labels, \\\n"
        "    table using (is('chip_down') ? $5 : NaN):6:(0):(chip_name('chip_down').\"\\n"
        "down\") with labels offset 0,0.5 tc rgb '#c00000'\n",
        stream);
}

struct figure load_map_figure(struct load_map *map)
{
    static const double CHIP_MM = 20.6;
    static const double MARGIN_X_MM = 53;
    static const double MARGIN_Y_MM = 24;
    static const double MOST_MM = 1050;
    static const double TEXT_LEAST = 0.5;
    const struct bounds bounds = bounds_of(map);
    const double width = bounds.right - bounds.left + 2.2;
    const double height = bounds.high - bounds.low;
    const double chip_mm = fmin(CHIP_MM, MOST_MM / fmax(width, height));
    return (struct figure){.write_table = write_table,
                           .write_script = write_script,
                           .context = map,
                           .width_mm = width * chip_mm + MARGIN_X_MM,
                           .height_mm = height * chip_mm + MARGIN_Y_MM,
                           .text_size = fmax(TEXT_LEAST, chip_mm / CHIP_MM)};
}
