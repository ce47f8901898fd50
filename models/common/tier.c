/* tier.c - see tier.h. */
#include "models/common/tier.h"

#include <stddef.h>
#include <string.h>

static const char *const NAMES[] = {"interpreter", "auto", "translator", "everything"};

bool tier_of(const char *name, enum tier *tier)
{
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (strcmp(name, NAMES[i]) == 0) {
            *tier = (enum tier)i;
            return true;
        }
    }
    return false;
}

const char *tier_name(enum tier tier)
{
    return NAMES[tier];
}
