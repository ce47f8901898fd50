/* varying.h - which words of a code vary (../code.h), from one run to the next.  Private to
 * models/arm968.
 *
 * A program sets words of its code memory when it begins: its number, vectors.  The blocks of a
 * known translation (known.h) end in front of them and load them, and are to be built like that
 * again before the program has set any.  Kept beside the code's list, and like it. */
#pragma once
#include "models/arm968/code.h"
#include "models/arm968/translate/object_cache.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

/* Keeps which words of a code vary now; `list` is the key of its list. */
void varying_keep(const struct code *code, struct object_key list);

/* Lets them vary from now on. */
void varying_restore(struct code *code, struct object_key list);

C_LINKAGE_END
