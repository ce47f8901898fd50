/* label_places.c - see label_places.h. */
#include "sim/reports/label_places.h"

#include <math.h>

#define MARK_MM 1.2 /* of a point, to each side */

struct box {
    double left, right, low, high;
};

static struct box box_of(const struct label_place *label)
{
    const double width = LABEL_CHARACTER_MM * (double)label->characters;
    const double x = label->x_mm + label->dx_mm;
    const double y = label->y_mm + label->dy_mm;
    return (struct box){label->from_right ? x - width : x, label->from_right ? x : x + width,
                        y - LABEL_LINE_MM / 2, y + LABEL_LINE_MM / 2};
}

static struct box mark_of(const struct label_place *label)
{
    return (struct box){label->x_mm - MARK_MM, label->x_mm + MARK_MM,
                        fmin(label->low_mm, label->y_mm - MARK_MM),
                        fmax(label->high_mm, label->y_mm + MARK_MM)};
}

static double covered(struct box a, struct box b)
{
    const double width = fmin(a.right, b.right) - fmax(a.left, b.left);
    const double height = fmin(a.high, b.high) - fmax(a.low, b.low);
    return width > 0 && height > 0 ? width * height : 0;
}

static double area_of(struct box box)
{
    return (box.right - box.left) * (box.high - box.low);
}

/* Area of the text of label `own` that lies over others' texts, over points, or outside. */
static double cost_of(const struct label_place *label, size_t count, size_t own, struct box area)
{
    static const double OUTSIDE = 2; /* is worse than to be covered */
    const struct box box = box_of(&label[own]);
    double cost = OUTSIDE * (area_of(box) - covered(box, area));
    for (size_t i = 0; i < count; i++) {
        cost += covered(box, mark_of(&label[i])) + (i < own ? covered(box, box_of(&label[i])) : 0);
    }
    return cost;
}

/* Candidate `k` of a reach: to the right or to the left, upwards or downwards, the rest of the
 * reach sideways. */
static void try_candidate(struct label_place *label, unsigned reach, unsigned k)
{
    static const double NEAR_MM = 1.8;
    const unsigned lines = k / 4;
    const double side = k % 2 == 0 ? 1 : -1;
    const double up = k % 4 < 2 ? 1 : -1;
    label->dx_mm = side * (NEAR_MM + (reach - lines) * LABEL_LINE_MM);
    label->dy_mm = up * (NEAR_MM + lines * LABEL_LINE_MM);
    label->from_right = side < 0;
    label->is_far = reach > 0;
}

void label_places(struct label_place *label, size_t count, double width_mm, double height_mm)
{
    enum { REACHES = 16 };
    const struct box area = {0, width_mm, 0, height_mm};
    for (size_t i = 0; i < count; i++) {
        struct label_place best = label[i];
        double least = INFINITY;
        for (unsigned reach = 0; reach < REACHES && least > 0; reach++) {
            for (unsigned k = 0; k < 4 * (reach + 1) && least > 0; k++) {
                try_candidate(&label[i], reach, k);
                const double cost = cost_of(label, count, i, area);
                if (cost < least) {
                    least = cost;
                    best = label[i];
                }
            }
        }
        label[i] = best;
    }
}
