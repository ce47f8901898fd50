/* expression.c - see expression.h. */
#include "sim/reports/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_CHARS = 512, DEPTH_MAX = 32 };

struct parser {
    const char *at;
    const struct expression_scope *scope;
    unsigned depth;
    bool good;
    char unknown[EXPRESSION_NAME_CHARS]; /* the unknown name */
};

static double sum_of(struct parser *parser);

static bool take(struct parser *parser, char character)
{
    parser->at += strspn(parser->at, " ");
    if (*parser->at != character) {
        return false;
    }
    parser->at++;
    return true;
}

static void take_name(struct parser *parser, char name[EXPRESSION_NAME_CHARS])
{
    size_t length = 0;
    for (bool inside = false; inside || isalnum((unsigned char)*parser->at) != 0 ||
                              (*parser->at != '\0' && strchr("_.:[", *parser->at) != NULL);
         parser->at++) {
        if (*parser->at == '\0' || length + 1 == EXPRESSION_NAME_CHARS) {
            parser->good = false;
            break;
        }
        inside = *parser->at == '[' || (inside && *parser->at != ']');
        name[length++] = *parser->at;
    }
    name[length] = '\0';
}

/* Parses sum(table, expression) from its opening parenthesis. */
static bool take_sum(struct parser *parser, double *value)
{
    char table[EXPRESSION_NAME_CHARS];
    char text[TEXT_CHARS];
    parser->at += strspn(parser->at, " ");
    take_name(parser, table);
    if (!take(parser, ',') || parser->scope->sum == NULL) {
        return false;
    }
    size_t length = 0;
    for (unsigned open = 0; parser->at[length] != '\0'; length++) {
        open += parser->at[length] == '(';
        if (parser->at[length] == ')' && open-- == 0) {
            break;
        }
    }
    (void)snprintf(text, sizeof text, "%.*s", (int)length, parser->at);
    parser->at += length;
    return length < sizeof text && take(parser, ')') &&
           parser->scope->sum(parser->scope->context, table, text, value);
}

static double named_value(struct parser *parser)
{
    char name[EXPRESSION_NAME_CHARS];
    double value = 0;
    take_name(parser, name);
    const bool known = strcmp(name, "sum") == 0 && take(parser, '(')
                           ? take_sum(parser, &value)
                           : parser->scope->value(parser->scope->context, name, &value);
    if (!known && parser->unknown[0] == '\0') {
        memcpy(parser->unknown, name, sizeof name);
    }
    parser->good &= known;
    return value;
}

static double factor_of(struct parser *parser)
{
    double value = 0;
    if (++parser->depth > DEPTH_MAX || !parser->good) {
        parser->good = false;
    } else if (take(parser, '(')) {
        value = sum_of(parser);
        parser->good &= take(parser, ')');
    } else if (take(parser, '-')) {
        value = -factor_of(parser);
    } else if (isalpha((unsigned char)*parser->at) != 0) {
        value = named_value(parser);
    } else {
        char *end;
        value = strtod(parser->at, &end);
        parser->good &= end != parser->at;
        parser->at = end;
    }
    parser->depth--;
    return value;
}

static double product_of(struct parser *parser)
{
    double value = factor_of(parser);
    for (;;) {
        if (take(parser, '*')) {
            value *= factor_of(parser);
        } else if (take(parser, '/')) {
            value /= factor_of(parser);
        } else {
            return value;
        }
    }
}

static double sum_of(struct parser *parser)
{
    double value = product_of(parser);
    for (;;) {
        if (take(parser, '+')) {
            value += product_of(parser);
        } else if (take(parser, '-')) {
            value -= product_of(parser);
        } else {
            return value;
        }
    }
}

enum status expression_value(const char *text, const struct expression_scope *scope, double *value,
                             struct diagnostic *diagnostic)
{
    struct parser parser = {.at = text, .scope = scope, .good = true};
    *value = sum_of(&parser);
    parser.at += strspn(parser.at, " ");
    if (parser.good && *parser.at == '\0') {
        return STATUS_OK;
    }
    const bool unknown = parser.unknown[0] != '\0';
    const enum status status =
        diagnose(diagnostic, STATUS_CONFIGURATION,
                 unknown ? "no number has this name" : "not an expression of numbers and names");
    diagnostic_key(diagnostic, unknown ? parser.unknown : text);
    return status;
}

/* The next of several expressions; false: there is none. */
static bool next_of(const char **expressions, char text[TEXT_CHARS])
{
    const size_t length = strcspn(*expressions, ";");
    (void)snprintf(text, TEXT_CHARS, "%.*s", (int)length, *expressions);
    *expressions += length + ((*expressions)[length] == ';');
    return length > 0 && length < TEXT_CHARS;
}

/* Writes a value by a conversion of expression_format(), whose last letter is `letter`; returns its
 * length. */
static size_t put_number(char *to, size_t size, const char *conversion, char letter, double value)
{
    int decimals = letter == 'S' ? 3 : 0;
    double bound = 1;
    double unit = 1;
    int length;
    while (decimals > 0 && fabs(value) >= bound) {
        decimals--;
        bound *= 10;
    }
    while (letter == 'R' && fabs(value) / unit >= 1000) {
        unit *= 10;
    }
    if (letter == 'R' || letter == 'S') {
        length = snprintf(to, size, "%.*f", decimals,
                          letter == 'R' ? round(value / unit) * unit : value);
    } else {
        length = snprintf(to, size, conversion, value);
    }
    return (size_t)length;
}

enum status expression_format(char *to, size_t size, const char *format, const char *expressions,
                              const struct expression_scope *scope, struct diagnostic *diagnostic)
{
    enum { CONVERSION_CHARS = 16 };
    enum status status = STATUS_OK;
    size_t length = 0;
    to[0] = '\0';
    while (*format != '\0' && status == STATUS_OK && length + 1 < size) {
        char text[TEXT_CHARS];
        char conversion[CONVERSION_CHARS];
        double value;
        const size_t bytes = *format == '%' ? strspn(format + 1, "+-0123456789.") + 2 : 1;
        if (*format != '%' || format[1] == '%') {
            to[length++] = *format;
            to[length] = '\0';
            format += *format == '%' ? 2 : 1;
        } else if (bytes < CONVERSION_CHARS && format[bytes - 1] != '\0' &&
                   strchr(bytes == 2 ? "fgeRS" : "fge", format[bytes - 1]) != NULL &&
                   next_of(&expressions, text)) {
            (void)snprintf(conversion, sizeof conversion, "%.*s", (int)bytes, format);
            status = expression_value(text, scope, &value, diagnostic);
            if (status == STATUS_OK) {
                length +=
                    put_number(to + length, size - length, conversion, format[bytes - 1], value);
            }
            format += bytes;
        } else {
            status = diagnose(diagnostic, STATUS_CONFIGURATION,
                              "not a format with a number for each expression");
            diagnostic_key(diagnostic, format);
        }
    }
    return status;
}
