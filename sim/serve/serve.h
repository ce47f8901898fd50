/* serve.h - boards behind UDP sockets: drives a machine in slices of board time, while datagrams of
 * clients go in as Ethernet frames and frames of the boards come out as datagrams.
 *
 * The machine belongs to a run (sim/run_control), which this makes stop and go: serve_follow()
 * takes over the options of a job.  A run ends when the process gets SIGINT or SIGTERM, at the end
 * of a recording, or of what a client of this process measures.  One thread; the machine may use
 * more. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/network/topology.h"
#include "sim/run_control/job.h"
#include "sim/serve/client.h"
#include "sim/serve/pace.h"
#include <stdio.h>
C_LINKAGE_BEGIN

struct serve_options {
    const struct topology_request *topology; /* of the machine */
    const char *simulation;                  /* sim_hash */
    bool rom;             /* run.boot: rom: boot messages are frames for the boards, too */
    uint32_t address;     /* IPv4 of the first board; others have the next ones */
    bool leaves_computer; /* boards may send to other computers */
    uint32_t bmp_address; /* 0: no board management processor */
    enum pace_mode pace;
    uint32_t slower;
    uint32_t hold_s; /* a datagram is held back for so long at most, to keep its client's pause; 0:
                        as pace.h has it */
    const char *image;  /* file with a boot image, with which the boards are found running; NULL:
                           they wait for one */
    const char *record; /* file to be written; NULL: none */
    const char *replay; /* file to be read instead of opening sockets; NULL: none */
    const struct serve_client *client; /* in place of sockets, as fast as it goes; NULL: none */
    FILE *terminal; /* told once a second how far the boards are behind; NULL: nobody is */
};

struct serve;

/* NULL: out of memory. */
struct serve *serve_create(void);

/* Makes a job's machine run under this.  The job must have run.boot: handover or
 * rom. */
void serve_follow(struct serve *serve, struct job_options *options);

/* Reads the files and opens the sockets; SIGINT and SIGTERM are blocked until serve_destroy(), and
 * end the run.  STATUS_CONFIGURATION with a message: a port is in use, a file is broken, the
 * recording is of another simulation. */
enum status serve_open(struct serve *serve, const struct serve_options *options,
                       struct diagnostic *diagnostic);

/* The end of the run: completes the recording.  STATUS_INTERNAL: it could not be written, or the
 * host failed during the run. */
enum status serve_end(struct serve *serve, struct diagnostic *diagnostic);

/* One line for each count that is not 0. */
void serve_print_counts(const struct serve *serve, FILE *stream);

/* Says where the boards listen, a line for each. */
void serve_print_boards(const struct serve *serve, FILE *stream);

/* NULL: there is none. */
void serve_destroy(struct serve **serve);

C_LINKAGE_END
