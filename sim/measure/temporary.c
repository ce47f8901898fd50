/* temporary.c - see temporary.h. */
#include "sim/measure/temporary.h"

#include "sim/file.h"
#include "sim/steps.h"

#include <stdio.h>
#include <stdlib.h>

enum status temporary_folder(char **path, struct diagnostic *diagnostic)
{
    const char *base = getenv("TMPDIR");
    *path =
        file_print("%s/spinnsim-measure-XXXXXX", base != NULL && base[0] == '/' ? base : P_tmpdir);
    if (*path == NULL) {
        return no_memory(diagnostic);
    }
    if (mkdtemp(*path) == NULL) {
        const enum status status = file_cannot("make", *path, diagnostic);
        free(*path);
        *path = NULL;
        return status;
    }
    return STATUS_OK;
}
