/* choose.h - which functions of a code are translated.  Private to models/arm968. */
#pragma once
#include "models/arm968/translate/emit.h"
#include "models/arm968/translate/object_cache.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

/* What is to be translated, of which code. */
struct choice {
    struct code *code;
    const uint8_t *bytes; /* of the code memory */
    struct emit_memory memory;
    bool everything; /* translate all code that has run, not only hot code */
    bool hurry;      /* translate only the busiest part, until the rest has been translated */
    bool has_list;
    struct object_key list; /* key of the list of known translations of the code */
};

/* Puts the chosen functions into a region that names the code and its bytes; the caller holds the
 * code's lock. */
void choose(struct region *region, const struct choice *choice);

C_LINKAGE_END
