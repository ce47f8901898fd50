/* csv.c - see csv.h. */
#include "sim/csv.h"

#include <stdbool.h>
#include <string.h>

/* With these a spreadsheet begins a formula; a tab or a line end before one is skipped. */
static const char FORMULA_STARTS[] = "=+-@\t\r\n";
static const char DIGITS[] = "0123456789";

enum { GUARD = '\'' };

static bool starts_formula(const char *text)
{
    return text[0] != '\0' && strchr(FORMULA_STARTS, text[0]) != NULL;
}

/* Apostrophes, then the start of a formula: the form of a guarded field. */
static bool looks_guarded(const char *text)
{
    size_t guards = 0;
    while (text[guards] == GUARD) {
        guards++;
    }
    return guards > 0 && starts_formula(text + guards);
}

static const char *after_sign(const char *text)
{
    return text + (*text == '+' || *text == '-' ? 1 : 0);
}

/* A decimal number: sign, digits with a point, exponent. */
static bool is_number(const char *text)
{
    const char *at = after_sign(text);
    const size_t whole = strspn(at, DIGITS);
    at += whole;
    const size_t part = *at == '.' ? strspn(at + 1, DIGITS) : 0;
    at += *at == '.' ? 1 + part : 0;
    if (whole + part == 0) {
        return false;
    }
    if (*at == 'e' || *at == 'E') {
        at = after_sign(at + 1);
        const size_t digits = strspn(at, DIGITS);
        at += digits;
        return digits > 0 && *at == '\0';
    }
    return *at == '\0';
}

/* ---- writing ---- */

void csv_text(FILE *stream, const char *text)
{
    const bool quoted = strpbrk(text, ",\"\r\n") != NULL;
    (void)fputs(quoted ? "\"" : "", stream);
    if (looks_guarded(text) || (starts_formula(text) && !is_number(text))) {
        (void)fputc(GUARD, stream);
    }
    for (const char *c = text; *c != '\0'; c++) {
        (void)fputs(*c == '"' ? "\"" : "", stream);
        (void)fputc(*c, stream);
    }
    (void)fputs(quoted ? "\"" : "", stream);
}

/* ---- reading ---- */

/* Unquotes in place a quoted field, which may contain commas, line ends and doubled quotes. Returns
 * the text behind it. */
static char *unquote(char *field)
{
    char *to = field;
    char *from = field + 1;
    while (*from != '\0' && !(from[0] == '"' && from[1] != '"')) {
        from += from[0] == '"' ? 1 : 0;
        *to++ = *from++;
    }
    from += *from == '"' ? 1 : 0;
    *to = '\0';
    return from;
}

unsigned csv_split(char **rest, char **field, unsigned room)
{
    unsigned count = 0;
    char *at = *rest;
    bool more = at != NULL;
    *rest = NULL;
    for (; more && count < room; count++) {
        char *const begin = at;
        char *end = at[0] == '"' ? unquote(at) : at;
        end += strcspn(end, ",\n");
        more = *end == ',';
        *rest = *end == '\n' ? end + 1 : NULL;
        if (*end != '\0') {
            *end = '\0';
            at = end + 1;
        }
        field[count] = begin + (looks_guarded(begin) ? 1 : 0);
    }
    return more ? room + 1 : count;
}
