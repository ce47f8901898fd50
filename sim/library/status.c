/* status.c - see handle.h: what the library says of a failure. */
#include "sim/library/handle.h"

#include <stdio.h>

enum spinnsim_status handle_status(enum status status, const struct diagnostic *diagnostic,
                                   struct spinnsim_error *error)
{
    if (status != STATUS_OK && error != NULL) {
        (void)snprintf(error->file, sizeof error->file, "%s", diagnostic->file);
        (void)snprintf(error->key, sizeof error->key, "%s", diagnostic->key);
        (void)snprintf(error->text, sizeof error->text, "%s", diagnostic->text);
        (void)snprintf(error->hint, sizeof error->hint, "%s", diagnostic->hint);
        error->line = diagnostic->line;
        error->column = diagnostic->column;
    }
    return (enum spinnsim_status)status;
}
