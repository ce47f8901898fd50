/* incidents.h - prints what went wrong in a run: lost packets, programs that have not ended. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/results/recorder.h"
C_LINKAGE_BEGIN

/* The router output of a dropped copy: "link_2", "core_5" (physical core number), or "". */
enum { DROP_OUTPUT_CHARS = 16 };
const char *drop_output_text(const struct machine_drop *drop, char text[DROP_OUTPUT_CHARS]);

/* Prints one line: the number of lost packets and how the first was lost.  Nothing if there are
 * none. */
void incidents_print_drops(FILE *stream, const struct record *record);

/* Prints one line: the counts of the chips' reinjectors.  Nothing if there are no reinjectors. */
void incidents_print_reinjector(FILE *stream, const struct record *record);

/* With check.memory: prints how many faults there were, and the first. */
void incidents_print_memory(FILE *stream, const struct record *record);

/* Prints the first rows of waits.csv in readable form if a guest has failed, or the run was given
 * up. */
void incidents_print_waits(FILE *stream, const struct record *record);

C_LINKAGE_END
