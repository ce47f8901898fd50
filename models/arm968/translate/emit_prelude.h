/* emit_prelude.h - the beginning of generated C.  Private to models/arm968. */
#pragma once
#include "models/arm968/translate/text.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

/* Adds the layout of a core as numbers, then prelude.h with the headers that it includes. */
void emit_prelude(struct text *text);

C_LINKAGE_END
