/* listener.c - see listener.h. */
#include "sim/experiment/listener.h"

#include "sim/steps.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LINE_CHARS = 512 };
static const uint32_t ALL = (UINT32_C(1) << JOB_EVENTS) - 1;

/* ---- lines ---- */

/* Without its end; false: the listener has gone. */
static bool read_line(struct listener *listener, char line[LINE_CHARS])
{
    if (fgets(line, LINE_CHARS, listener->from) == NULL) {
        return false;
    }
    line[strcspn(line, "\n")] = '\0';
    return true;
}

static void put_known(FILE *to, const char *name, double value)
{
    enum { DIGITS = 17 };
    if (isfinite(value)) {
        (void)fprintf(to, ", \"%s\": %.*g", name, DIGITS, value);
    } else {
        (void)fprintf(to, ", \"%s\": null", name);
    }
}

static bool write_event(struct listener *listener, const struct job_event *event)
{
    FILE *to = listener->to;
    (void)fprintf(to,
                  "{\"event\": \"%s\", \"epoch\": %" PRIu64 ", \"update\": %" PRIu64
                  ", \"time_ps\": %" PRIu64,
                  job_event_name(event->kind), event->epoch, event->update, event->time_ps);
    put_known(to, "loss", event->loss);
    put_known(to, "accuracy", event->accuracy);
    (void)fputs("}\n", to);
    return fflush(to) == 0;
}

/* ---- hearing ---- */

static void obey(struct listener *listener, const char *answer)
{
    static const uint32_t CHECKS =
        (UINT32_C(1) << JOB_STEP_CHECK) | (UINT32_C(1) << JOB_EPOCH_CHECK);
    if (strcmp(answer, "go") != 0) {
        listener->stops = listener->stops || strcmp(answer, "stop_epoch") != 0;
        listener->stops_epoch = true;
        listener->options->hook_events |= CHECKS; /* where a run can end */
    }
}

static bool hear(void *context, const struct job_event *event)
{
    struct listener *listener = context;
    char answer[LINE_CHARS];
    if ((listener->wanted >> event->kind & 1u) != 0) {
        const bool answered = write_event(listener, event) && read_line(listener, answer);
        obey(listener, answered ? answer : "stop");
    }
    return !(event->kind == JOB_EPOCH_CHECK ? listener->stops_epoch : listener->stops);
}

/* ---- beginning ---- */

static bool want(struct listener *listener, const char *name)
{
    if (strcmp(name, "all") == 0) {
        listener->wanted = ALL;
        return true;
    }
    for (int kind = 0; kind < JOB_EVENTS; kind++) {
        if (strcmp(name, job_event_name((enum job_event_kind)kind)) == 0) {
            listener->wanted |= UINT32_C(1) << kind;
            return true;
        }
    }
    return false;
}

static enum status read_wanted(struct listener *listener, struct diagnostic *diagnostic)
{
    char line[LINE_CHARS];
    char *rest = NULL;
    if (!read_line(listener, line)) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "--events: the listener has not said which events it wants");
    }
    for (char *name = strtok_r(line, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
        if (!want(listener, name)) {
            return diagnose(diagnostic, STATUS_CONFIGURATION,
                            "--events: there is no event '%s'\vsim/run_control/events.def lists "
                            "them; or all",
                            name);
        }
    }
    return STATUS_OK;
}

/* The descriptor that the text names, if it is a stream socket; otherwise -1. */
static int socket_of(const char *text)
{
    enum { DECIMAL = 10, MOST = 1 << 20 };
    char *end = NULL;
    int type = 0;
    socklen_t size = sizeof type;
    const long number = strtol(text, &end, DECIMAL);
    const bool is_socket = end != text && *end == '\0' && number >= 0 && number < MOST &&
                           getsockopt((int)number, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
    return is_socket && type == SOCK_STREAM ? (int)number : -1;
}

enum status listener_begin(struct listener *listener, const char *socket,
                           struct experiment *experiment, struct diagnostic *diagnostic)
{
    *listener = (struct listener){.options = &experiment->job.options};
    if (socket == NULL) {
        return STATUS_OK;
    }
    if (!experiment_has_events(experiment)) {
        return config_refuse(&experiment->config, "run", "run it without --events", diagnostic,
                             "a training that is sampled or in stages has no events");
    }
    const int descriptor = socket_of(socket);
    if (descriptor < 0) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "--events: '%s' is no open stream socket\vit is the number of a descriptor "
                        "that the caller has left open, see docs/library.md",
                        socket);
    }
    (void)signal(SIGPIPE, SIG_IGN); /* a listener may go: its end is then an answer */
    const int second = dup(descriptor);
    listener->from = fdopen(descriptor, "r");
    listener->to = second < 0 ? NULL : fdopen(second, "w");
    if (listener->from == NULL || listener->to == NULL) {
        return no_memory(diagnostic);
    }
    TRY(read_wanted(listener, diagnostic));
    listener->options->hook = hear;
    listener->options->hook_context = listener;
    listener->options->hook_events = listener->wanted;
    return STATUS_OK;
}

void listener_end(struct listener *listener)
{
    if (listener->from != NULL) {
        (void)fclose(listener->from);
    }
    if (listener->to != NULL) {
        (void)fclose(listener->to);
    }
    *listener = (struct listener){0};
}
