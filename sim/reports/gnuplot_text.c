/* gnuplot_text.c - see gnuplot_text.h. */
#include "sim/reports/gnuplot_text.h"

#include "sim/reports/gnuplot.h"
#include "sim/results/printable.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

/* gnuplot reads '' in single quotes as a quote only where another character stands before it:
 * quotes are texts of their own. */
static const char QUOTE[] = "'.\"'\".'";

static void put_quoted(FILE *stream, bool tic, const char *format, va_list arguments)
{
    char text[GNUPLOT_TEXT_BYTES];
    char character[PRINTABLE_BYTES];
    (void)vsnprintf(text, sizeof text, format, arguments);
    (void)fputc('\'', stream);
    for (const char *at = text; *at != '\0';) {
        /* ]]> may not stand in XML, and gnuplot's SVG has it as it is */
        const bool end = at - text >= 2 && strncmp(at - 2, "]]>", 3) == 0;
        at = printable_next(at, character);
        (void)fputs(*character == '\''         ? QUOTE
                    : *character == '%' && tic ? "%%"
                    : end                      ? PRINTABLE_REPLACEMENT
                                               : character,
                    stream);
    }
    (void)fputc('\'', stream);
}

void gnuplot_put_text(FILE *stream, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_quoted(stream, false, format, arguments);
    va_end(arguments);
}

void gnuplot_put_tic(FILE *stream, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_quoted(stream, true, format, arguments);
    va_end(arguments);
}

/* Names begin with "./": gnuplot takes some others as commands. */
static void put_file(FILE *stream, const char *what, const char *name, const char *suffix)
{
    (void)fputs(what, stream);
    gnuplot_put_text(stream, "./%s.%s", name, suffix);
    (void)fputc('\n', stream);
}

void gnuplot_put_head(FILE *stream, const char *name, const char *terminal)
{
    (void)fprintf(stream,
                  "# gnuplot, run in this folder, draws it again\nset encoding utf8\nset terminal "
                  "svg noenhanced %s\n",
                  terminal);
    put_file(stream, "if (!exists('" GNUPLOT_TO_OUTPUT "')) set output ", name, "svg");
    put_file(stream, "table = ", name, "csv");
    (void)fputs("set datafile separator ','\nset datafile commentschars ''\n", stream);
}
