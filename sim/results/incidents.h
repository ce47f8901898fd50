/* incidents.h - what went wrong in a run: packets that were lost, programs that have not ended. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/results/recorder.h"
C_LINKAGE_BEGIN

/* drops.csv: a row for each recorded copy of a packet that a router gave up. */
void incidents_write_drops(FILE *stream, const struct record *record);

/* One line for people: how many packets were lost, and how the first.  Nothing when none was. */
void incidents_print_drops(FILE *stream, const struct record *record);

/* One line: what the chips' reinjectors have done.  Nothing when there were none. */
void incidents_print_reinjector(FILE *stream, const struct record *record);

/* waits.csv: a row for each core whose program has not ended. */
void incidents_write_waits(FILE *stream, const struct record *record);

/* The first rows of it for people, when a guest has failed. */
void incidents_print_waits(FILE *stream, const struct record *record);

C_LINKAGE_END
