/* emit_prelude.h - the beginning of generated C.  Private to models/arm968. */
#ifndef MODELS_ARM968_TRANSLATE_EMIT_PRELUDE_H
#define MODELS_ARM968_TRANSLATE_EMIT_PRELUDE_H
#include "models/arm968/translate/text.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Adds the layout of a core as numbers, then prelude.h with the headers that it includes. */
void emit_prelude(struct text *text);

#ifdef __cplusplus
}
#endif
#endif
