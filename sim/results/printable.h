/* printable.h - texts from outside (names in files, paths, symbols) as every reader takes them:
 * UTF-8 without control characters; and as fields of a comma-separated table, quoted where RFC 4180
 * asks for it. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdio.h>
C_LINKAGE_BEGIN

enum { PRINTABLE_BYTES = 5 };                /* of one character, its end included */
#define PRINTABLE_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* The first character of a text that is not empty, and where the text goes on.  U+FFFD stands for a
 * byte that is no UTF-8, for a control character and for what XML calls no character. */
const char *printable_next(const char *text, char character[PRINTABLE_BYTES]);

void printable_put(FILE *stream, const char *text);

/* A field of a table, as it is. */
void csv_text(FILE *stream, const char *text);

enum { CSV_LINE_TEXT_BYTES = 1024 };

/* A field in one line, as readers of lines need it (printable_next), and not endlessly long: what
 * is beyond is cut off. */
void csv_line_text(FILE *stream, const char *text);

C_LINKAGE_END
