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
    bool everything; /* that has run, not only what is hot */
    bool hurry;      /* only the busiest part: until the rest of it has been translated */
    bool has_list;
    struct object_key list; /* of what is known of the code */
};

/* Puts what is chosen into a region that names the code and its bytes; the caller holds the code's
 * lock. */
void choose(struct region *region, const struct choice *choice);

C_LINKAGE_END
