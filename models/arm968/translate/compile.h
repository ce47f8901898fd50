/* compile.h - from generated C to loaded code, by the host's compiler.  Private to models/arm968.
 */
#ifndef MODELS_ARM968_TRANSLATE_COMPILE_H
#define MODELS_ARM968_TRANSLATE_COMPILE_H
#include "models/arm968/translate/object_cache.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The compiler as it runs, so that another thread can end it. */
struct compile_process {
    pthread_mutex_t mutex;
    pid_t group; /* 0: none */
    bool cancelled;
};

struct compile_request {
    const char *compiler; /* a name for the PATH, or a path */
    bool quick;           /* without optimisation */
    bool cached;          /* take it from the disk, or put it there */
    const char *text;
    size_t size;
    struct compile_process *process;
};

struct compile_result {
    void *handle; /* of dlopen(); NULL: no compiler, or it has failed or been ended */
    bool from_cache;
    bool kept; /* on the disk, by this key */
    struct object_key key;
    double cpu_seconds; /* of the compiler */
};

void compile(const struct compile_request *request, struct compile_result *result);

/* What the disk has by a key, as the handle of dlopen(); NULL: nothing. */
void *compile_load(struct object_key key);

/* Ends the compiler that runs, and all later ones. */
void compile_cancel(struct compile_process *process);

#ifdef __cplusplus
}
#endif
#endif
