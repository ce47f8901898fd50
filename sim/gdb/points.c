/* points.c - see points.h. */
#include "sim/gdb/points.h"

static bool is_same(const struct gdb_point *a, const struct gdb_point *b)
{
    return a->kind == b->kind && a->process == b->process && a->address == b->address &&
           a->bytes == b->bytes;
}

/* The place of a point; points->count: it is not there. */
static size_t find(const struct gdb_points *points, const struct gdb_point *point)
{
    size_t at = 0;
    while (at < points->count && !is_same(&points->of[at], point)) {
        at++;
    }
    return at;
}

enum gdb_answer gdb_points_add(struct gdb_points *points, const struct gdb_point *point)
{
    const bool usable = gdb_point_breaks(point) || point->bytes > 0;
    const size_t at = find(points, point);
    if (!usable || at == GDB_POINTS_MAX) {
        return GDB_FAILED;
    }
    points->of[at] = *point;
    points->count += at == points->count ? 1 : 0;
    return GDB_DONE;
}

void gdb_points_remove(struct gdb_points *points, const struct gdb_point *point)
{
    const size_t at = find(points, point);
    if (at < points->count) {
        points->of[at] = points->of[--points->count];
    }
}

const struct gdb_point *gdb_points_break(const struct gdb_points *points, unsigned process,
                                         uint32_t address)
{
    for (size_t i = 0; i < points->count; i++) {
        const struct gdb_point *at = &points->of[i];
        if (gdb_point_breaks(at) && at->process == process && at->address == address) {
            return at;
        }
    }
    return NULL;
}

bool gdb_points_watch(const struct gdb_points *points)
{
    for (size_t i = 0; i < points->count; i++) {
        if (!gdb_point_breaks(&points->of[i])) {
            return true;
        }
    }
    return false;
}

static bool overlaps(const struct gdb_point *point, const struct gdb_access *access)
{
    return point->address < (uint64_t)access->address + access->bytes &&
           access->address < (uint64_t)point->address + point->bytes;
}

static bool is_of_kind(enum gdb_point_kind kind, const struct gdb_access *access)
{
    return (access->writes && (kind == GDB_WATCH_WRITE || kind == GDB_WATCH_ACCESS)) ||
           (access->reads && (kind == GDB_WATCH_READ || kind == GDB_WATCH_ACCESS));
}

const struct gdb_point *gdb_points_watched(const struct gdb_points *points, unsigned process,
                                           const struct gdb_access *access)
{
    for (size_t i = 0; i < points->count; i++) {
        const struct gdb_point *at = &points->of[i];
        if (at->process == process && is_of_kind(at->kind, access) && overlaps(at, access)) {
            return at;
        }
    }
    return NULL;
}
