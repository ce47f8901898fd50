/* incidents.h - what went wrong in a run: packets that were lost, programs that have not ended. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/results/recorder.h"
C_LINKAGE_BEGIN

/* The output that a lost copy was for: "link_2", "core_5" (physical number), or nothing. */
enum { DROP_OUTPUT_CHARS = 16 };
const char *drop_output_text(const struct machine_drop *drop, char text[DROP_OUTPUT_CHARS]);

/* One line for people: how many packets were lost, and how the first.  Nothing when none was. */
void incidents_print_drops(FILE *stream, const struct record *record);

/* One line: what the chips' reinjectors have done.  Nothing when there were none. */
void incidents_print_reinjector(FILE *stream, const struct record *record);

/* The first rows of waits.csv for people, when a guest has failed. */
void incidents_print_waits(FILE *stream, const struct record *record);

C_LINKAGE_END
