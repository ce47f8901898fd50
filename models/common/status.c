/* status.c - filling of diagnostics. */
#include "models/common/status.h"

#include <stdio.h>
#include <string.h>

static void copy_text(char *to, size_t capacity, const char *from)
{
    (void)snprintf(to, capacity, "%.*s", (int)capacity - 1, from == NULL ? "" : from);
}

enum status diagnose_list(struct diagnostic *diagnostic, enum status status, const char *format,
                          va_list arguments)
{
    if (diagnostic != NULL) {
        char text[sizeof diagnostic->text + sizeof diagnostic->hint];
        (void)vsnprintf(text, sizeof text, format, arguments);
        char *hint = strchr(text, '\v');
        if (hint != NULL) {
            *hint++ = '\0';
        }
        memset(diagnostic, 0, sizeof *diagnostic);
        copy_text(diagnostic->text, sizeof diagnostic->text, text);
        copy_text(diagnostic->hint, sizeof diagnostic->hint, hint);
    }
    return status;
}

enum status(diagnose)(struct diagnostic *diagnostic, enum status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)diagnose_list(diagnostic, status, format, arguments);
    va_end(arguments);
    return status;
}

void diagnostic_at(struct diagnostic *diagnostic, const char *file, int line, int column)
{
    if (diagnostic != NULL) {
        copy_text(diagnostic->file, sizeof diagnostic->file, file);
        diagnostic->line = line;
        diagnostic->column = column;
    }
}

void diagnostic_key(struct diagnostic *diagnostic, const char *key)
{
    if (diagnostic != NULL) {
        copy_text(diagnostic->key, sizeof diagnostic->key, key);
    }
}

void diagnostic_hint(struct diagnostic *diagnostic, const char *format, ...)
{
    if (diagnostic != NULL) {
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(diagnostic->hint, sizeof diagnostic->hint, format, arguments);
        va_end(arguments);
    }
}

int status_exit_code(enum status status)
{
    switch (status) {
    case STATUS_OK:
        return 0;
    case STATUS_CONFIGURATION:
        return 2;
    case STATUS_GUEST:
        return 3;
    case STATUS_LIMIT:
        return 4;
    case STATUS_REJECTED:
        return 5;
    case STATUS_INTERNAL:
    default:
        return 1;
    }
}
