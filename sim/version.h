/* version.h - which spinnsim this is; made by scripts/cmake/Version.cmake at each build. */
#ifndef SIM_VERSION_H
#define SIM_VERSION_H
#ifdef __cplusplus
extern "C" {
#endif

extern const char SPINNSIM_VERSION[]; /* "0.1.0" */
extern const char SPINNSIM_COMMIT[];  /* of the checkout, "-dirty" when changed; "unknown" */

#ifdef __cplusplus
}
#endif
#endif
