/* format_float32.h - the host's vectors as a number format of its trainings.  (The machine's
 * float32 is another: HOST_FORMAT_float32.) */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/host_backend/host_format.h"
C_LINKAGE_BEGIN

extern const struct host_format FORMAT_FLOAT32;

C_LINKAGE_END
