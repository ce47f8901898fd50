/* traffic.h - the tables of packets: which keys are for what, and what crossed each link. */
#ifndef SIM_RECORDER_TRAFFIC_H
#define SIM_RECORDER_TRAFFIC_H
#include "sim/mapping/routing.h"

#include <stdio.h>
#ifdef __cplusplus
extern "C" {
#endif

/* keys.csv: a row for each edge; cores as x:y:p, targets with blanks between them. */
void traffic_write_keys(FILE *stream, const struct routing *routing);

#ifdef __cplusplus
}
#endif
#endif
