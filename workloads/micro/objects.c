/* objects.c - objects of four kinds, each with a table of functions, as languages with virtual
 * functions lay them out.  They are measured, moved, asked what they cover, and sorted with
 * comparison functions: calls through pointers whose targets change from call to call.  For one
 * flat memory, so that its speed can be compared with other simulators on the same file. */
#include <stdbool.h>
#include <stdint.h>

/* ROUNDS: the run takes several times as long as its translation.  EXPECTED: the result of a build
 * for the host. */
enum { SHAPES = 96, FIELD = 256, ROUNDS = 40000, EXPECTED = 0x34b6 };

struct shape {
    const struct shape_kind *kind;
    int32_t x, y, width, height;
};

struct shape_kind {
    int32_t (*area)(const struct shape *shape);
    bool (*covers)(const struct shape *shape, int32_t x, int32_t y);
    void (*move)(struct shape *shape, int32_t right, int32_t up);
};

static struct shape shapes[SHAPES];
static const struct shape *order[SHAPES];
static uint32_t random_state;

void begin(void);
void end(void);

/* The counted region (spinnsim elf --count begin:end). */
__attribute__((noipa)) void begin(void)
{
}
__attribute__((noipa)) void end(void)
{
}

static int32_t next_random(uint32_t limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (int32_t)((random_state >> 16) * limit >> 16);
}

/* ---- kinds ---- */

static void move(struct shape *shape, int32_t right, int32_t up)
{
    shape->x = (shape->x + right) & (FIELD - 1);
    shape->y = (shape->y + up) & (FIELD - 1);
}
static void slide(struct shape *shape, int32_t right, int32_t up)
{
    move(shape, right + up, 0);
}

static int32_t box_area(const struct shape *box)
{
    return box->width * box->height;
}
static bool box_covers(const struct shape *box, int32_t x, int32_t y)
{
    return x >= box->x && x < box->x + box->width && y >= box->y && y < box->y + box->height;
}

static int32_t disc_area(const struct shape *disc)
{
    return 201 * disc->width * disc->width >> 6; /* pi */
}
static bool disc_covers(const struct shape *disc, int32_t x, int32_t y)
{
    const int32_t right = x - disc->x;
    const int32_t up = y - disc->y;
    return right * right + up * up <= disc->width * disc->width;
}

static int32_t triangle_area(const struct shape *triangle)
{
    return triangle->width * triangle->width >> 1;
}
static bool triangle_covers(const struct shape *triangle, int32_t x, int32_t y)
{
    return x >= triangle->x && y >= triangle->y &&
           x - triangle->x + y - triangle->y < triangle->width;
}

static const struct shape_kind KINDS[] = {
    {box_area, box_covers, move},
    {box_area, box_covers, slide},
    {disc_area, disc_covers, move},
    {triangle_area, triangle_covers, slide},
};

/* ---- order ---- */

typedef int32_t compare_function(const struct shape *a, const struct shape *b);

static int32_t by_area(const struct shape *a, const struct shape *b)
{
    return a->kind->area(a) - b->kind->area(b);
}
static int32_t by_place(const struct shape *a, const struct shape *b)
{
    return a->y != b->y ? a->y - b->y : a->x - b->x;
}

/* Sorts order[first] to order[last]; among equals, by address. */
__attribute__((noipa)) static void sort(int32_t first, int32_t last, compare_function *compare)
{
    while (first < last) {
        const struct shape *middle = order[(first + last) / 2];
        int32_t low = first;
        int32_t high = last;
        while (low <= high) {
            int32_t above;
            while ((above = compare(order[low], middle)) < 0 ||
                   (above == 0 && order[low] < middle)) {
                low++;
            }
            while ((above = compare(order[high], middle)) > 0 ||
                   (above == 0 && order[high] > middle)) {
                high--;
            }
            if (low <= high) {
                const struct shape *exchanged = order[low];
                order[low++] = order[high];
                order[high--] = exchanged;
            }
        }
        sort(first, high, compare);
        first = low;
    }
}

/* ---- rounds ---- */

static uint32_t mixed(uint32_t sum, uint32_t value)
{
    return (sum ^ value) * 16777619u; /* FNV */
}

static uint32_t measure(uint32_t sum)
{
    const int32_t x = next_random(FIELD);
    const int32_t y = next_random(FIELD);
    uint32_t covering = 0;
    for (int32_t i = 0; i < SHAPES; i++) {
        covering += shapes[i].kind->covers(&shapes[i], x, y);
        sum += (uint32_t)shapes[i].kind->area(&shapes[i]);
    }
    return mixed(sum, covering);
}

static void move_all(void)
{
    for (int32_t i = 0; i < SHAPES; i++) {
        shapes[i].kind->move(&shapes[i], i & 7, 3);
    }
}

static uint32_t sort_all(uint32_t sum, compare_function *compare)
{
    sort(0, SHAPES - 1, compare);
    for (int32_t i = 0; i < SHAPES; i += 7) {
        sum = mixed(sum, (uint32_t)(order[i] - shapes));
    }
    return sum;
}

int main(void)
{
    random_state = 968;
    for (int32_t i = 0; i < SHAPES; i++) {
        shapes[i].kind = &KINDS[next_random(4)];
        shapes[i].x = next_random(FIELD);
        shapes[i].y = next_random(FIELD);
        shapes[i].width = next_random(80);
        shapes[i].height = next_random(60);
        order[i] = &shapes[i];
    }
    uint32_t sum = 0;
    begin();
    for (int32_t round = 0; round < ROUNDS; round++) {
        sum = measure(sum);
        move_all();
        sum = sort_all(sum, (round & 3) == 0 ? by_area : by_place);
    }
    end();
    return (sum & 0xffff) == EXPECTED ? 0 : 1;
}
