/* host_process.h - starts programs of the host: the compiler and the shells that watch over it.
 * Private to models/arm968. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <sys/types.h>
C_LINKAGE_BEGIN

enum { HOST_PATH_CHARS = 512 };

/* Finds a program, given by a name for the PATH or by a path, and its absolute path.  False: there
 * is none. */
bool host_program_find(const char *name, char path[HOST_PATH_CHARS]);

/* The descriptor of `kept` in the process. */
enum { HOST_KEPT_DESCRIPTOR = 3 };

struct host_process {
    const char *const *arguments; /* the first is the program; the last is followed by NULL */
    int folder;                   /* an open one: where it works */
    const char *temporary;        /* TMPDIR; NULL: as it is */
    pid_t group;                  /* process group; 0: a new one */
    bool session;                 /* a session of its own, and so a new group */
    int input;                    /* its standard input; -1: none */
    int kept;                     /* a descriptor that it shall have, too; -1: none */
};

/* Starts a process without output, and without other descriptors of this program. */
bool host_process_start(const struct host_process *process, pid_t *child);

C_LINKAGE_END
