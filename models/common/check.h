/* check.h - conditions that only a fault of the simulator can violate.  Kept in every build type;
 * neither a guest nor a user can cause a failure. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/compiler.h"

C_LINKAGE_BEGIN

/* Prints where and what, and aborts the process. */
NOINLINE void check_failed(const char *file, int line, const char *what)
    __attribute__((noreturn, cold));

#define CHECK(condition, what)                                                                     \
    do {                                                                                           \
        if (UNLIKELY(!(condition))) {                                                              \
            check_failed(__FILE__, __LINE__, what);                                                \
        }                                                                                          \
    } while (0)

C_LINKAGE_END
