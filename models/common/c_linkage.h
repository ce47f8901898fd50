/* c_linkage.h - gives the declarations between these two macros C linkage if C++ includes them. */
#pragma once
#include "models/common/compiler.h"

#ifdef __cplusplus
#define C_LINKAGE_BEGIN extern "C" {
#define C_LINKAGE_END   }
#else
#define C_LINKAGE_BEGIN
#define C_LINKAGE_END
#endif

/* The same for the functions that shared libraries offer; all others are hidden in them. */
#define API_BEGIN C_LINKAGE_BEGIN VISIBLE_BEGIN
#define API_END   VISIBLE_END C_LINKAGE_END
