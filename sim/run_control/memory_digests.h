/* memory_digests.h - digests of the memory that a run has written, by chip, core and address, so
 * that two runs can be compared without keeping their memories. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "models/machine/machine.h"
#include "sim/run_control/outcome.h"
C_LINKAGE_BEGIN

/* Fills outcome->memory: for each chip the pages of SDRAM and of System RAM that its cores have
 * written, then its started cores, each with all of its ITCM and its DTCM.  SDRAM, System RAM and
 * DTCM are divided at multiples of a power of two into at most eight blocks; an ITCM is one.
 * STATUS_INTERNAL: out of memory. */
enum status memory_digests(const struct machine *machine, struct outcome *outcome,
                           struct diagnostic *diagnostic);

C_LINKAGE_END
