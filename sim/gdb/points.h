/* points.h - the breakpoints and watchpoints of a target. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/gdb/access.h"
#include "sim/gdb/target.h"
C_LINKAGE_BEGIN

/* So few that a core takes all of its breakpoints. */
enum { GDB_POINTS_MAX = 512 };

struct gdb_points {
    struct gdb_point of[GDB_POINTS_MAX];
    size_t count;
};

/* GDB_FAILED: there is no room, or a watchpoint has no byte. */
enum gdb_answer gdb_points_add(struct gdb_points *points, const struct gdb_point *point);
void gdb_points_remove(struct gdb_points *points, const struct gdb_point *point);

static inline bool gdb_point_breaks(const struct gdb_point *point)
{
    return point->kind == GDB_BREAK_SOFTWARE || point->kind == GDB_BREAK_HARDWARE;
}

/* The breakpoint at an address, or NULL. */
const struct gdb_point *gdb_points_break(const struct gdb_points *points, unsigned process,
                                         uint32_t address);

/* Whether there is a watchpoint. */
bool gdb_points_watch(const struct gdb_points *points);

/* The watchpoint that an access of a process hits, or NULL. */
const struct gdb_point *gdb_points_watched(const struct gdb_points *points, unsigned process,
                                           const struct gdb_access *access);

C_LINKAGE_END
