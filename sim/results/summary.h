/* summary.h - summary.json, and what of it a terminal shows. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/results/recorder.h"
C_LINKAGE_BEGIN

/* summary.json: the keys of summary_keys.def. */
void summary_write(FILE *stream, const struct record *record);

/* Its keys with unit and meaning, as Markdown. */
void summary_explain(FILE *stream);

/* For people, on standard output: what matters of it. */
void summary_print(FILE *stream, const struct record *record);

C_LINKAGE_END
