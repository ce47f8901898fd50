/* text.h - a text that grows: generated C.  Private to models/arm968. */
#ifndef MODELS_ARM968_TRANSLATE_TEXT_H
#define MODELS_ARM968_TRANSLATE_TEXT_H
#include "models/common/compiler.h"
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

struct text {
    char *at; /* the owner's to free(); ends with a 0 that `size` does not count */
    size_t size, capacity;
};

void text_add(struct text *text, const char *format, ...) PRINTF_LIKE(2, 3);

#ifdef __cplusplus
}
#endif
#endif
