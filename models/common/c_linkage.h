/* c_linkage.h - what stands between these two has C's names, also where C++ includes it. */
#pragma once

#ifdef __cplusplus
#define C_LINKAGE_BEGIN extern "C" {
#define C_LINKAGE_END   }
#else
#define C_LINKAGE_BEGIN
#define C_LINKAGE_END
#endif
