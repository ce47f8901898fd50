/* tier.h - how cores execute their code; results are the same. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
C_LINKAGE_BEGIN

enum tier {
    TIER_INTERPRETER,
    TIER_AUTO,       /* native code, made in the background, of what runs long */
    TIER_TRANSLATOR, /* native code early; the cores wait for it */
    TIER_EVERYTHING  /* native code of all that has run, at once, not optimised: for tests */
};

/* By name: interpreter, auto, translator, everything; false: none of them. */
bool tier_of(const char *name, enum tier *tier);
const char *tier_name(enum tier tier);

C_LINKAGE_END
