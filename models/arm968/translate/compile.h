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

/* A running compiler, which another thread can stop.  It works in a folder of its own in TMPDIR or
 * /tmp (trusted_folder.h).  If this program ends meanwhile, in whatever way, the compiler is ended
 * and its files are removed. */
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
    bool cached;                     /* use the disk cache for reading and writing */
    const struct object_key *digest; /* digest to be stored in the object; NULL: none */
    const char *text;
    size_t size;
    struct compile_process *process;
};

struct compile_result {
    void *handle; /* of dlopen(); NULL: there is no compiler, or it failed, was stopped, or made a
                     different object */
    bool from_cache;
    bool kept; /* the object is on disk under this key */
    struct object_key key;
    double cpu_seconds; /* processor time of the compiler */
};

void compile(const struct compile_request *request, struct compile_result *result);

/* Loads the object with this key from disk, as a handle of dlopen(); NULL: none with this
 * digest. */
void *compile_load(struct object_key key, const struct object_key *digest);

/* Stops the running compiler and prevents all later ones. */
void compile_cancel(struct compile_process *process);

/* Leaves a request to a keeper (keeper.h), which keeper_start() starts, and returns the key of the
 * future object on disk.  Not in a hurry, the object is made when another run leaves the same
 * request.  False: there will be no object. */
bool compile_later(const struct compile_request *request, bool hurry, struct object_key *key);

C_LINKAGE_END
