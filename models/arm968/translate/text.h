/* text.h - a growing buffer of text: generated C.  Private to models/arm968. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/compiler.h"
#include <stddef.h>
C_LINKAGE_BEGIN

struct text {
    char *at; /* the owner must free() it; ends with a 0 that `size` does not count */
    size_t size, capacity;
};

void text_add(struct text *text, const char *format, ...) PRINTF_LIKE(2, 3);

C_LINKAGE_END
