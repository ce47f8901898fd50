/* csv.h - a field of a comma-separated table, quoted where RFC 4180 asks for it. */
#ifndef SIM_RESULTS_CSV_H
#define SIM_RESULTS_CSV_H
#include <stdio.h>
#ifdef __cplusplus
extern "C" {
#endif

void csv_text(FILE *stream, const char *text);

enum { CSV_LINE_TEXT_BYTES = 1024 };

/* The same in one line, as readers of lines need it (printable.h), and not endlessly long: what is
 * beyond is cut off. */
void csv_line_text(FILE *stream, const char *text);

#ifdef __cplusplus
}
#endif
#endif
