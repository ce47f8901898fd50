/* csv.h - text in CSV tables (RFC 4180): the one writer, and the reader that undoes it.
 *
 * Spreadsheets run a field that begins with = + - or @ as a formula.  Such text is written with an
 * apostrophe before it, which the reader removes.  Numbers are written as they are. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdio.h>
C_LINKAGE_BEGIN

/* Writes one field.  Quotes it if it contains a comma, a quote or a line end. */
void csv_text(FILE *stream, const char *text);

/* Splits the line at *rest, in place, into the texts that csv_text() was given, and advances *rest
 * to the next line; NULL after the last.  Returns the number of fields, room + 1 if there are more
 * than `room`. */
unsigned csv_split(char **rest, char **field, unsigned room);

C_LINKAGE_END
