/* listener.h - tells another process of a run's events (sim/run_control/events.def) over a socket
 * that it has left open for this one (`--events SOCKET`), and waits for its answers.
 *
 * All is lines of text.  The listener begins with the names of the events that it wants, separated
 * by spaces ("all": the fourteen).  For each event it gets an object of JSON on a line, with the
 * fields of struct job_event (null: not known), and answers "go"; "stop_epoch": the training ends
 * behind this epoch; or "stop": it ends behind this update, with status 4.  Until the answer the
 * run stands.  A listener that closes its end has answered "stop". */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/experiment/experiment.h"
#include <stdio.h>
C_LINKAGE_BEGIN

struct listener {
    FILE *from, *to; /* NULL: there is none */
    uint32_t wanted; /* a bit for each event */
    bool stops, stops_epoch;
    struct job_options *options; /* the run's */
};

/* Reads what is wanted, and makes a prepared experiment, which is to outlast the listener, tell it.
 * `socket` NULL: nobody listens.  STATUS_CONFIGURATION: `socket` is no number of an open stream
 * socket, a name is no event, or the experiment has no events. */
enum status listener_begin(struct listener *listener, const char *socket,
                           struct experiment *experiment, struct diagnostic *diagnostic);

void listener_end(struct listener *listener);

C_LINKAGE_END
