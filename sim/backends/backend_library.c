/* backend_library.c - see backend_library.h. */
#include "sim/backends/backend_library.h"

#include "sim/file.h"
#include "sim/steps.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define SYMBOL "spinnsim_backend"

static enum status check_version(const char *path, const struct spinnsim_backend *operations,
                                 struct diagnostic *diagnostic)
{
    if (operations == NULL) {
        return file_refuse(path, "it returns the address of a struct spinnsim_backend", diagnostic,
                           SYMBOL "() returns NULL");
    }
    if (operations->version != SPINNSIM_BACKEND_VERSION) {
        return file_refuse(path, "build it with this spinnsim's spinnsim_backend.h", diagnostic,
                           "it is a backend of version %u, and this spinnsim takes version %d",
                           operations->version, SPINNSIM_BACKEND_VERSION);
    }
    if (operations->bytes != sizeof *operations) {
        return file_refuse(path,
                           "bytes: sizeof(struct spinnsim_backend); build it with this "
                           "spinnsim's spinnsim_backend.h",
                           diagnostic, "its struct spinnsim_backend has %u bytes instead of %zu",
                           operations->bytes, sizeof *operations);
    }
    return STATUS_OK;
}

static enum status check_minimal(const char *path, const struct spinnsim_backend *operations,
                                 struct diagnostic *diagnostic)
{
    const uint32_t has = backend_has(operations);
    const char *missing = operations->name == NULL    ? "name"
                          : operations->open == NULL  ? "open"
                          : operations->close == NULL ? "close"
                                                      : NULL;
    for (size_t i = 0; i < BACKEND_CAPABILITIES && missing == NULL; i++) {
        const bool lacks = BACKEND_CAPABILITY[i].minimal && (has >> i & 1) == 0;
        missing = lacks ? BACKEND_CAPABILITY[i].name : NULL;
    }
    if (missing != NULL) {
        return file_refuse(path, "a backend has all of the minimal set: `spinnsim backends`",
                           diagnostic, "its struct spinnsim_backend has no %s", missing);
    }
    const bool known =
        operations->numbers >= SPINNSIM_INT16 && operations->numbers <= SPINNSIM_FLOAT64;
    return known
               ? STATUS_OK
               : file_refuse(path, "numbers: SPINNSIM_INT16, SPINNSIM_FLOAT32 or SPINNSIM_FLOAT64",
                             diagnostic, "its numbers are none: %d", (int)operations->numbers);
}

static enum status load(struct backend_library *library, const char *path,
                        struct diagnostic *diagnostic)
{
    union {
        void *object;
        const struct spinnsim_backend *(*function)(void);
    } symbol;
    FREED char *whole = realpath(path, NULL); /* with a /, which dlopen() would else search for */
    if (whole == NULL) {
        return file_refuse(path, "run.library: the path of a shared library", diagnostic,
                           "there is no such file");
    }
    library->handle = dlopen(whole, RTLD_NOW | RTLD_LOCAL);
    if (library->handle == NULL) {
        return file_refuse(path, "cc -shared -fPIC makes one", diagnostic,
                           "it cannot be loaded as a shared library: %s", dlerror());
    }
    symbol.object = dlsym(library->handle, SYMBOL);
    if (symbol.object == NULL) {
        return file_refuse(path,
                           "const struct spinnsim_backend *" SYMBOL "(void): "
                           "docs/backends.md",
                           diagnostic, "it has no function " SYMBOL "()");
    }
    library->operations = symbol.function();
    TRY(check_version(path, library->operations, diagnostic));
    return check_minimal(path, library->operations, diagnostic);
}

enum status backend_library_open(struct backend_library *library, const char *path,
                                 struct diagnostic *diagnostic)
{
    *library = (struct backend_library){.handle = NULL};
    const enum status status = load(library, path, diagnostic);
    if (status != STATUS_OK) {
        backend_library_close(library);
    }
    return status;
}

void backend_library_close(struct backend_library *library)
{
    if (library->handle != NULL) {
        (void)dlclose(library->handle);
    }
    *library = (struct backend_library){.handle = NULL};
}
