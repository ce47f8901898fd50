/* tier.h - how cores execute their code; results do not depend on it. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
API_BEGIN

enum tier {
    TIER_INTERPRETER,
    TIER_AUTO,       /* native code, compiled in the background, for code that runs long */
    TIER_TRANSLATOR, /* native code early; the cores wait for the compiler */
    TIER_EVERYTHING  /* native code, not optimised, for all code that has run, at once: for tests */
};

/* Parses interpreter, auto, translator or everything; false for any other name. */
bool tier_of(const char *name, enum tier *tier);
const char *tier_name(enum tier tier);

API_END
