/* version.h - which spinnsim this is; made by scripts/cmake/Version.cmake at each build. */
#pragma once
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

extern const char SPINNSIM_VERSION[]; /* MAJOR.MINOR.PATCH */
extern const char SPINNSIM_COMMIT[];  /* of the checkout, "-dirty" when changed; "unknown" */

C_LINKAGE_END
