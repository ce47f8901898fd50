/* printable.c - see printable.h. */
#include "sim/results/printable.h"

#include "sim/config/config_text.h"
#include "sim/csv.h"

#include <string.h>

static bool is_character(uint32_t code)
{
    return !config_text_is_control(code) && code != 0xfffe && code != 0xffff;
}

const char *printable_next(const char *text, char character[PRINTABLE_BYTES])
{
    uint32_t code = 0;
    const size_t there = strnlen(text, PRINTABLE_BYTES - 1);
    const size_t length = config_text_character(text, there, 0, &code);
    const bool good = length > 0 && is_character(code);
    (void)snprintf(character, PRINTABLE_BYTES, "%.*s", good ? (int)length : PRINTABLE_BYTES,
                   good ? text : PRINTABLE_REPLACEMENT);
    return text + (length > 0 ? length : 1);
}

void printable_put(FILE *stream, const char *text)
{
    char character[PRINTABLE_BYTES];
    while (*text != '\0') {
        text = printable_next(text, character);
        (void)fputs(character, stream);
    }
}

void printable_put_word(FILE *stream, const char *first, const char *second)
{
    const char *const part[] = {first, second};
    (void)fputc('\'', stream);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        for (const char *at = part[i]; *at != '\0'; at++) {
            (void)fputs(*at == '\'' ? "'\\''" : (const char[]){*at, '\0'}, stream);
        }
    }
    (void)fputc('\'', stream);
}

void csv_line_text(FILE *stream, const char *text)
{
    /* each byte becomes one replacement at worst */
    char line[CSV_LINE_TEXT_BYTES * (sizeof PRINTABLE_REPLACEMENT - 1) + PRINTABLE_BYTES];
    const char *const begin = text;
    char *end = line;
    *end = '\0';
    while (*text != '\0' && text - begin < CSV_LINE_TEXT_BYTES) {
        text = printable_next(text, end);
        end += strlen(end);
    }
    csv_text(stream, line);
}
