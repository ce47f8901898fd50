/* axes.h - the axes of a sweep and the points that they span: every value of each axis with every
 * value of the others.  The last axis advances first. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config.h"
C_LINKAGE_BEGIN

enum { AXES_MAX = 16, AXES_KEYS = 64, AXES_POINTS = 10000 };

struct axes {
    struct config_axis axis[AXES_MAX];
    size_t count;
    size_t points; /* 1 without an axis */
    size_t keys;   /* of all axes together */
    void *owned[AXES_MAX];
    size_t owned_count;
};

/* The axes of a file, then those of the command line ("KEY=A,B,C"); one of these replaces the
 * file's axis that has its key alone.  A comma within [] or {} or quotes is part of a value; a
 * value may be a range (sim/config/value_range.h).  STATUS_CONFIGURATION for a text that is no
 * axis, an unknown key, a key in two axes, a key that is given by --set (config->sets), too, and
 * more than the sizes above. */
enum status axes_make(struct axes *axes, const struct sim_config *config, const char *const *texts,
                      size_t text_count, struct diagnostic *diagnostic);
void axes_deinit(struct axes *axes);

/* The dotted key number k of all axes, and its value at a point, as YAML. */
const char *axes_key(const struct axes *axes, size_t k);
const char *axes_value(const struct axes *axes, size_t point, size_t k);

C_LINKAGE_END
