/* page.c - see page.h. */
#include "sim/reports/page.h"

#include "sim/results/printable.h"

#include <stdint.h>
#include <string.h>

/* Tables are as wide as the window, and scroll within it; lines of text are not. */
static const char STYLE[] =
    "body{font:15px/1.5 system-ui,sans-serif;color:#1a1a1a;margin:0;padding:1em 2em}\n"
    "h1{font-size:1.6em}h2{font-size:1.15em;margin:2em 0 .5em;border-bottom:1px solid #ccc}\n"
    "p{max-width:60em}.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.92em}\n"
    "th,td{padding:.25em .7em;border-bottom:1px solid #ddd;text-align:left;vertical-align:top}\n"
    "th{border-bottom:2px solid "
    "#888}.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\n"
    "td:first-child{white-space:nowrap}\n"
    "pre{background:#f5f5f5;padding:.7em 1em;overflow-x:auto;font-size:.85em}\n"
    ".figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(36em,100%),1fr));"
    "gap:1em 2em}\n"
    "figure{margin:0}img{max-width:100%;height:auto}figcaption{color:#555;font-size:.9em}\n"
    ".question{font-size:1.15em}.note{color:#555}summary{cursor:pointer}\n"
    "@media print{body{padding:0}figure,tr{break-inside:avoid}.wide{overflow:visible}"
    "table{font-size:.7em}td{overflow-wrap:anywhere}}\n";

/* ---- texts ---- */

static const char *html_of(const char *character)
{
    static const struct {
        char character;
        const char *html;
    } ESCAPE[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    for (size_t i = 0; i < sizeof ESCAPE / sizeof *ESCAPE; i++) {
        if (character[0] == ESCAPE[i].character) {
            return ESCAPE[i].html;
        }
    }
    return character;
}

void page_text(const struct page *page, const char *text)
{
    char character[PRINTABLE_BYTES];
    while (*text != '\0') {
        text = printable_next(text, character);
        if (page->format == PAGE_HTML) {
            (void)fputs(html_of(character), page->stream);
            continue;
        }
        if (strchr("\\|<>&[]*`~$", character[0]) != NULL) {
            (void)fputc('\\', page->stream);
        }
        (void)fputs(character, page->stream);
    }
}

static void put(const struct page *page, const char *html)
{
    (void)fputs(html, page->stream);
}

/* <TAG class="CLASS">TEXT</TAG> */
static void put_element(const struct page *page, const char *tag, const char *css_class,
                        const char *text)
{
    (void)fprintf(page->stream, css_class[0] == '\0' ? "<%s>" : "<%s class=\"%s\">", tag,
                  css_class);
    page_text(page, text);
    (void)fprintf(page->stream, "</%s>", tag);
}

/* ---- the document ---- */

void page_open(const struct page *page, const char *title)
{
    put(page, "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
              "<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
              "content=\"width=device-width\"/>\n<title>");
    page_text(page, title);
    (void)fprintf(page->stream, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", STYLE);
    put_element(page, "h1", "", title);
    put(page, "\n");
}

void page_close(const struct page *page)
{
    put(page, "</body>\n</html>\n");
}

void page_title(const struct page *page, const char *title)
{
    if (page->format == PAGE_HTML) {
        put_element(page, "h2", "", title);
        put(page, "\n");
    } else {
        (void)fprintf(page->stream, "**%s**\n\n", title);
    }
}

void page_paragraph(const struct page *page, const char *css_class, const char *text)
{
    put_element(page, "p", css_class, text);
    put(page, "\n");
}

void page_figures_begin(const struct page *page)
{
    put(page, "<div class=\"figures\">\n");
}

void page_figures_end(const struct page *page)
{
    put(page, "</div>\n");
}

void page_details_begin(const struct page *page, const char *summary)
{
    put(page, "<details>");
    put_element(page, "summary", "", summary);
    put(page, "\n");
}

void page_details_end(const struct page *page)
{
    put(page, "</details>\n");
}

/* ---- tables ---- */

void page_table_begin(const struct page *page, const struct page_column *column, size_t count)
{
    if (page->format == PAGE_HTML) {
        put(page, "<div class=\"wide\"><table>\n<thead><tr>");
        for (size_t i = 0; i < count; i++) {
            put_element(page, "th", column[i].is_number ? "number" : "", column[i].head);
        }
        put(page, "</tr></thead>\n<tbody>\n");
        return;
    }
    put(page, "|");
    for (size_t i = 0; i < count; i++) {
        (void)fprintf(page->stream, " %s |", column[i].head);
    }
    put(page, "\n|");
    for (size_t i = 0; i < count; i++) {
        put(page, column[i].is_number ? " ---: |" : " --- |");
    }
}

void page_row_begin(const struct page *page)
{
    put(page, page->format == PAGE_HTML ? "<tr>" : "\n|");
}

void page_cell_begin(const struct page *page, bool is_number)
{
    put(page, page->format != PAGE_HTML ? " " : is_number ? "<td class=\"number\">" : "<td>");
}

void page_cell_end(const struct page *page)
{
    put(page, page->format == PAGE_HTML ? "</td>" : " |");
}

void page_row_end(const struct page *page)
{
    put(page, page->format == PAGE_HTML ? "</tr>\n" : "");
}

void page_table_end(const struct page *page)
{
    put(page, page->format == PAGE_HTML ? "</tbody>\n</table></div>\n" : "\n\n");
}

void page_cell(const struct page *page, const char *text)
{
    page_cell_begin(page, false);
    page_text(page, text);
    page_cell_end(page);
}

/* ---- lines and pictures ---- */

void page_lines(const struct page *page, const char *text)
{
    put(page, "<pre>");
    while (*text != '\0') {
        char line[1024];
        const size_t length = strcspn(text, "\n");
        const size_t part = length < sizeof line ? length : sizeof line - 1;
        (void)snprintf(line, sizeof line, "%.*s", (int)part, text);
        page_text(page, line);
        text += part;
        if (*text == '\n') {
            put(page, "\n");
            text++;
        }
    }
    put(page, "</pre>\n");
}

static void put_base64(FILE *stream, const uint8_t *bytes, size_t size)
{
    static const char DIGIT[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    enum { GROUP = 3, DIGITS = 4, BITS = 6, MASK = 63 };
    for (size_t i = 0; i < size; i += GROUP) {
        uint32_t group = 0;
        for (size_t k = 0; k < GROUP; k++) {
            group = group << 8 | (i + k < size ? bytes[i + k] : 0U);
        }
        for (size_t k = 0; k < DIGITS; k++) {
            const bool is_there = i + k < size + 1; /* a byte makes two digits, two make three */
            (void)fputc(is_there ? DIGIT[group >> (BITS * (DIGITS - 1 - k)) & MASK] : '=', stream);
        }
    }
}

void page_svg(const struct page *page, const void *bytes, size_t size, const char *caption)
{
    put(page, "<figure><img alt=\"");
    page_text(page, caption);
    put(page, "\" src=\"data:image/svg+xml;base64,");
    put_base64(page->stream, bytes, size);
    put(page, "\"/>");
    put_element(page, "figcaption", "", caption);
    put(page, "</figure>\n");
}
