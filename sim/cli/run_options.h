/* run_options.h - the command-line options of `spinnsim run`. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/cli/command.h"
#include "sim/cli/progress.h"
#include <stdbool.h>
C_LINKAGE_BEGIN

enum { RUN_THREADS_MAX = 256 };

struct run_options {
    const char *file; /* a configuration, or a program */
    struct argument_list sets;
    struct argument_list without; /* capabilities: run.without */
    const char *out;              /* NULL: out/<name>-<8 hex of sim_hash> */
    bool force;                   /* allows replacing results of another configuration in `out` */
    const char *resume;           /* a folder with a checkpoint; NULL: from the beginning */
    const char *restore;          /* a file with a saved state; NULL: from the beginning */
    const char *data_dir;         /* NULL: the usual places */
    const char *configs, *workloads; /* folders */
    uint64_t threads;
    enum tier tier;
    uint64_t run_ahead; /* models/common/run_ahead.h */
    unsigned progress;  /* enum progress_mode */
    const char *events; /* a socket, see listener.h; NULL: nobody listens */
    uint64_t gdb_port;  /* 0: none */
};

/* Executes the run; defined in sim/run.cpp.  Returns the exit status. */
int run_experiment(const struct run_options *options);

C_LINKAGE_END
