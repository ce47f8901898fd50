/* page.h - writes a page as Markdown or as HTML: titles, paragraphs, tables.  Texts from outside
 * are shown as they stand in both. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
C_LINKAGE_BEGIN

enum page_format { PAGE_MARKDOWN, PAGE_HTML };
#define PAGE_FORMAT_TEXT "markdown|html"

struct page {
    FILE *stream;
    enum page_format format;
};

/* Any text in one line, with nothing in it taken as markup. */
void page_text(const struct page *page, const char *text);

/* HTML: the document up to its body, in which everything else stands; and its end.  Well-formed
 * XML, too. */
void page_open(const struct page *page, const char *title);
void page_close(const struct page *page);

/* Of a part of the page. */
void page_title(const struct page *page, const char *title);

/* A table: its heads, then rows of cells.  Heads are the program's own texts in Markdown. */
struct page_column {
    const char *head;
    bool is_number;
};
void page_table_begin(const struct page *page, const struct page_column *column, size_t count);
void page_row_begin(const struct page *page);
void page_cell_begin(const struct page *page, bool is_number);
void page_cell_end(const struct page *page);
void page_row_end(const struct page *page);
void page_table_end(const struct page *page);

/* HTML: a whole cell or paragraph, of a CSS class ("": none). */
void page_cell(const struct page *page, const char *text);
void page_paragraph(const struct page *page, const char *css_class, const char *text);

/* HTML: a part that the reader opens. */
/* Figures between them stand beside each other where the window is wide enough. */
void page_figures_begin(const struct page *page);
void page_figures_end(const struct page *page);
void page_details_begin(const struct page *page, const char *summary);
void page_details_end(const struct page *page);

/* HTML: lines as they are, in a fixed font; a picture of these bytes, with a caption. */
void page_lines(const struct page *page, const char *text);
void page_svg(const struct page *page, const void *bytes, size_t size, const char *caption);

C_LINKAGE_END
