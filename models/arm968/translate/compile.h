/* compile.h - from generated C to loaded code, by the host's compiler.  Private to models/arm968.
 */
#pragma once
#include "models/arm968/translate/object_cache.h"
#include "models/common/c_linkage.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
C_LINKAGE_BEGIN

/* The compiler as it runs, so that another thread can end it.  When this program ends in the middle
 * of it, however it does, the compiler is ended and its files are removed. */
struct compile_process {
    pthread_mutex_t mutex;
    pid_t group; /* 0: none */
    bool cancelled;
};

enum compile_effort {
    COMPILE_WELL,   /* -O2 */
    COMPILE_FAIRLY, /* -Og: two thirds of the speed or more, in a third of the time */
    COMPILE_PLAINLY /* -O0 */
};

struct compile_request {
    const char *compiler; /* a name for the PATH, or a path */
    enum compile_effort effort;
    bool cached;                     /* take it from the disk, or put it there */
    const struct object_key *digest; /* that the object is to carry; NULL: none */
    const char *text;
    size_t size;
    struct compile_process *process;
};

struct compile_result {
    void *handle; /* of dlopen(); NULL: no compiler, or it has failed, or been ended, or has made
                     something else */
    bool from_cache;
    bool kept; /* on the disk, by this key */
    struct object_key key;
    double cpu_seconds; /* of the compiler */
};

void compile(const struct compile_request *request, struct compile_result *result);

/* What the disk has by a key, as the handle of dlopen(); NULL: nothing with this digest. */
void *compile_load(struct object_key key, const struct object_key *digest);

/* Ends the compiler that runs, and all later ones. */
void compile_cancel(struct compile_process *process);

/* What is to be compiled, one after the other, by a keeper: a shell that outlives this program. */
enum { KEEPER_OBJECTS_MOST = 8 };
struct compile_keeper {
    char folder[KEEPER_OBJECTS_MOST][OBJECT_PATH_CHARS];
    unsigned count;
};

/* Prepares a request for the keeper, and says by which key its object will be on the disk; false:
 * it will not be there. */
bool compile_prepare(struct compile_keeper *keeper, const struct compile_request *request,
                     struct object_key *key);

/* Leaves all that has been prepared to the keeper, and does not wait for it.  It runs at the lowest
 * priority; no process of it takes more than a minute of processor time, no object more than five
 * minutes of time.  The requests' compiler and effort. */
void compile_leave(struct compile_keeper *keeper, const char *compiler, enum compile_effort effort);

C_LINKAGE_END
