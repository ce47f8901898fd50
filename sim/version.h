/* version.h - which spinnsim this is; made by scripts/cmake/Version.cmake at each build. */
#ifndef SIM_VERSION_H
#define SIM_VERSION_H
#ifdef __cplusplus
extern "C" {
#endif

extern const char spinnsim_version[]; /* "0.1.0" */
extern const char spinnsim_commit[];  /* of the checkout, "-dirty" when changed; "unknown" */

#ifdef __cplusplus
}
#endif
#endif
