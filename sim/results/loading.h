/* loading.h - what the loading of a network's images takes (sim/mapping/data_input.h): apart from
 * the run, and computed from a stated rate. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/results/recorder.h"
#include <stdio.h>
C_LINKAGE_BEGIN

/* False: the images are in SDRAM before the clock starts. */
bool loading_is_charged(const struct record *record);
const char *loading_way(const struct record *record);
double loading_seconds(const struct record *record);

/* All chips and boards idle for that time, and the counters of what is known: bits in routers,
 * bytes written to SDRAM. */
struct energy_joules loading_joules(const struct record *record);

/* Prints a line; nothing for a run without a network. */
void loading_print(FILE *stream, const struct record *record);

C_LINKAGE_END
