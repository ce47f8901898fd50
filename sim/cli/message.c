/* message.c - see message.h. */
#include "sim/cli/message.h"

#include "sim/results/printable.h"

#include <stdio.h>

static void put(const char *before, const char *text, const char *behind)
{
    (void)fputs(before, stderr);
    printable_put(stderr, text);
    (void)fputs(behind, stderr);
}

static void tell(const char *what, const struct diagnostic *diagnostic)
{
    (void)fprintf(stderr, "spinnsim: %s", what);
    if (diagnostic->file[0] != '\0') {
        put("", diagnostic->file, ":");
        if (diagnostic->line > 0) {
            (void)fprintf(stderr, "%d:", diagnostic->line);
        }
        if (diagnostic->line > 0 && diagnostic->column > 0) {
            (void)fprintf(stderr, "%d:", diagnostic->column);
        }
        (void)fputc(' ', stderr);
    }
    if (diagnostic->key[0] != '\0') {
        put("", diagnostic->key, ": ");
    }
    put("", diagnostic->text, "\n");
    if (diagnostic->hint[0] != '\0') {
        put("    hint: ", diagnostic->hint, "\n");
    }
}

int message_error(enum status status, const struct diagnostic *diagnostic)
{
    static const struct diagnostic NO_MEMORY = {.text = "out of memory"};
    /* There is nothing else that is not described where it happens. */
    tell("", diagnostic->text[0] != '\0' ? diagnostic : &NO_MEMORY);
    return status_exit_code(status);
}

void message_warning(const struct diagnostic *diagnostic)
{
    tell("warning: ", diagnostic);
}
