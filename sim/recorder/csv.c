/* csv.c - see csv.h. */
#include "sim/recorder/csv.h"

#include <string.h>

void csv_text(FILE *stream, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        (void)fputs(text, stream);
        return;
    }
    (void)fputc('"', stream);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"') {
            (void)fputc('"', stream);
        }
        (void)fputc(*c, stream);
    }
    (void)fputc('"', stream);
}
