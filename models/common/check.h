/* check.h - conditions that cannot fail unless the simulator itself is wrong.  Kept in every build
 * type; a guest or a user can never cause it. */
#ifndef MODELS_COMMON_CHECK_H
#define MODELS_COMMON_CHECK_H
#include "models/common/compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Prints where and what, and aborts the process. */
NOINLINE void check_failed(const char *file, int line, const char *what)
    __attribute__((noreturn, cold));

#define CHECK(condition, what)                                                                     \
    do {                                                                                           \
        if (UNLIKELY(!(condition))) {                                                              \
            check_failed(__FILE__, __LINE__, what);                                                \
        }                                                                                          \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
