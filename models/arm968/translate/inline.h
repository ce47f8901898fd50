/* inline.h - short functions that call nothing, as part of those that call them.  Private to
 * models/arm968. */
#pragma once
#include "models/arm968/translate/region.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

/* Copies the function that begins with `root` into a function, for a call with the return address
 * lr that comes back to the block return_to.  The copies have no entries.  Returns the copy of the
 * root; REGION_NONE: it is too long, or does something else than to run to its end. */
int inline_function(struct region *region, int function, const struct block *root, uint32_t lr,
                    int return_to);

C_LINKAGE_END
