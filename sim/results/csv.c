/* csv.c - see csv.h. */
#include "sim/results/csv.h"

#include "sim/results/printable.h"

#include <stdbool.h>
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

void csv_line_text(FILE *stream, const char *text)
{
    char character[PRINTABLE_BYTES];
    const char *const begin = text;
    const bool quoted = strpbrk(text, ",\"") != NULL;
    (void)fputs(quoted ? "\"" : "", stream);
    while (*text != '\0' && text - begin < CSV_LINE_TEXT_BYTES) {
        text = printable_next(text, character);
        (void)fputs(character[0] == '"' ? "\"\"" : character, stream);
    }
    (void)fputs(quoted ? "\"" : "", stream);
}
