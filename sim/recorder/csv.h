/* csv.h - a field of a comma-separated table, quoted where RFC 4180 asks for it. */
#ifndef SIM_RECORDER_CSV_H
#define SIM_RECORDER_CSV_H
#include <stdio.h>
#ifdef __cplusplus
extern "C" {
#endif

void csv_text(FILE *stream, const char *text);

#ifdef __cplusplus
}
#endif
#endif
