/* printable.h - sanitises external texts (names in files, paths, symbols): writes them as UTF-8
 * without control characters. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdio.h>
C_LINKAGE_BEGIN

enum { PRINTABLE_BYTES = 5 };                /* one character and a final zero byte */
#define PRINTABLE_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Copies the first character of a non-empty text and returns a pointer to the next.  Invalid UTF-8,
 * control characters and code points that XML does not allow become U+FFFD. */
const char *printable_next(const char *text, char character[PRINTABLE_BYTES]);

void printable_put(FILE *stream, const char *text);

/* Writes two texts as one word of a shell: in single quotes, in which a shell changes nothing. */
void printable_put_word(FILE *stream, const char *first, const char *second);

enum { CSV_LINE_TEXT_BYTES = 1024 };

/* Writes a field of a CSV table (csv.h) in one line, for line-based readers: sanitised with
 * printable_next() and cut off after CSV_LINE_TEXT_BYTES. */
void csv_line_text(FILE *stream, const char *text);

C_LINKAGE_END
