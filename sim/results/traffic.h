/* traffic.h - the tables of packets: which keys are for what, and what crossed each link. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/routing/routing.h"

#include <stdio.h>
C_LINKAGE_BEGIN

/* keys.csv: a row for each edge; cores as x:y:p, targets with blanks between them. */
void traffic_write_keys(FILE *stream, const struct routing *routing);

/* traffic.csv: rows as the machine has counted them; `cores` stands for the cores of a chip in
 * place of a link, busy is in picoseconds. */
void traffic_write(FILE *stream, const struct machine_traffic *row, size_t count);

C_LINKAGE_END
