/* csv.h - a field of a comma-separated table, quoted where RFC 4180 asks for it. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdio.h>
C_LINKAGE_BEGIN

void csv_text(FILE *stream, const char *text);

enum { CSV_LINE_TEXT_BYTES = 1024 };

/* The same in one line, as readers of lines need it (printable.h), and not endlessly long: what is
 * beyond is cut off. */
void csv_line_text(FILE *stream, const char *text);

C_LINKAGE_END
