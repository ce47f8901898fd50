/* summary.h - writes summary.json, and prints its main values on a terminal. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/results/recorder.h"
C_LINKAGE_BEGIN

/* summary.json: the keys of summary_keys.def. */
void summary_write(FILE *stream, const struct record *record);

/* Writes the reference of its keys, with unit and meaning, as Markdown. */
void summary_explain(FILE *stream);

/* The unit of a dotted key, or of the low, default or high of one ("energy.joules.low"); "": it has
 * none. */
const char *summary_unit(const char *key);

/* Prints the main values in readable form. */
void summary_print(FILE *stream, const struct record *record);

C_LINKAGE_END
