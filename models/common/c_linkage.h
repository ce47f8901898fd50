/* c_linkage.h - gives the declarations between these two macros C linkage if C++ includes them. */
#pragma once

#ifdef __cplusplus
#define C_LINKAGE_BEGIN extern "C" {
#define C_LINKAGE_END   }
#else
#define C_LINKAGE_BEGIN
#define C_LINKAGE_END
#endif
