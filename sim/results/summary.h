/* summary.h - writes summary.json, and prints its main values on a terminal. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/results/recorder.h"
C_LINKAGE_BEGIN

/* summary.json: the keys of summary_keys.def. */
void summary_write(FILE *stream, const struct record *record);

/* Writes the reference of its keys, with unit and meaning, as Markdown. */
void summary_explain(FILE *stream);

/* Unit ("": none) and meaning of a dotted key, or of the low, default or high of one
 * ("energy.joules.low"); false when summary.json has no such key.  See quantity.h. */
bool summary_find(const char *key, const char **unit, const char **meaning);

/* Calls `visit` with the dotted name of each key, in the order of the file. */
void summary_each(void (*visit)(void *context, const char *key), void *context);

/* Prints the main values in readable form. */
void summary_print(FILE *stream, const struct record *record);

C_LINKAGE_END
