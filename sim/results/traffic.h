/* traffic.h - the tables of packets: which keys are for what, and what crossed each link. */
#ifndef SIM_RESULTS_TRAFFIC_H
#define SIM_RESULTS_TRAFFIC_H
#include "sim/routing/routing.h"

#include <stdio.h>
#ifdef __cplusplus
extern "C" {
#endif

/* keys.csv: a row for each edge; cores as x:y:p, targets with blanks between them. */
void traffic_write_keys(FILE *stream, const struct routing *routing);

/* traffic.csv: rows as the machine has counted them; `cores` stands for the cores of a chip in
 * place of a link, busy is in picoseconds. */
void traffic_write(FILE *stream, const struct machine_traffic *row, size_t count);

#ifdef __cplusplus
}
#endif
#endif
