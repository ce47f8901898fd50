/* backend_library.h - the user's shared library (spinnsim_backend.h), loaded from the path that a
 * configuration names, and never by itself. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/backends/backends.h"
C_LINKAGE_BEGIN

struct backend_library {
    void *handle; /* of dlopen() */
    const struct spinnsim_backend *operations;
};

/* Loads and checks it.  STATUS_CONFIGURATION with the file and a hint: no library, no symbol,
 * another version, a function of the minimal set that is missing (its name). */
enum status backend_library_open(struct backend_library *library, const char *path,
                                 struct diagnostic *diagnostic);
void backend_library_close(struct backend_library *library);

C_LINKAGE_END
