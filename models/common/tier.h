/* tier.h - how cores execute their code; results are the same. */
#ifndef MODELS_COMMON_TIER_H
#define MODELS_COMMON_TIER_H
#include <stdbool.h>
#ifdef __cplusplus
extern "C" {
#endif

enum tier {
    TIER_INTERPRETER,
    TIER_AUTO,      /* native code, made in the background, for what runs long */
    TIER_TRANSLATOR /* native code early and for everything; the cores wait for it (tests) */
};

/* By name: interpreter, auto, translator; false: none of them. */
bool tier_of(const char *name, enum tier *tier);
const char *tier_name(enum tier tier);

#ifdef __cplusplus
}
#endif
#endif
