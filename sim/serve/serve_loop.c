/* serve_loop.c - see serve_state.h: the loop.  Datagrams come in, the machine runs for a slice of
 * board time, frames go out.
 *
 * What goes into the machine is ordered by board time, and its board time does not depend on where
 * slices end.  So a recording, which holds these times, makes the same run again. */
#include "sim/serve/serve_state.h"

#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

static bool replays(const struct serve *serve)
{
    return serve->options.replay != NULL;
}

/* ---- datagrams in ---- */

static void take_datagrams(struct serve *serve)
{
    while (!inbox_is_full(&serve->inbox)) {
        struct inbox_datagram *place = inbox_place(&serve->inbox);
        struct sockets_datagram datagram;
        const struct board_socket *socket = sockets_take(&serve->sockets, place->bytes, &datagram);
        if (socket == NULL) {
            return;
        }
        if (datagram.bytes > FRAME_PAYLOAD_BYTES_MAX) {
            serve->counts.too_long++;
            continue;
        }
        place->entry =
            (struct log_entry){.board = socket->board,
                               .port = socket->use == SOCKET_BMP ? LOG_PORT_BMP : socket->at.port,
                               .from = datagram.from,
                               .payload = place->bytes,
                               .bytes = datagram.bytes};
        /* The clock that may be set has no part in the order. */
        serve->arrival_ns =
            datagram.arrival_ns > serve->arrival_ns ? datagram.arrival_ns : serve->arrival_ns;
        place->wait = pace_arrival(&serve->pace, serve->arrival_ns);
        inbox_add(&serve->inbox);
    }
}

/* The next datagram with its board time; false: there is none. */
static bool next_datagram(const struct serve *serve, struct log_entry *entry)
{
    const struct serve_client *client = serve->options.client;
    if (replays(serve)) {
        if (serve->replayed == serve->replay.count) {
            return false;
        }
        *entry = serve->replay.entry[serve->replayed];
        return true;
    }
    if (client != NULL) {
        const bool has_one = client->next(client->context, entry);
        entry->time_ps = has_one ? later_of(entry->time_ps, serve->pace.wire_free_ps) : TIME_NEVER;
        return has_one;
    }
    const struct inbox_datagram *first = inbox_first(&serve->inbox);
    if (first == NULL) {
        return false;
    }
    *entry = first->entry;
    entry->time_ps = pace_due_ps(&serve->pace, &first->wait, serve->now_ps, serve_wall_ns());
    return true;
}

static void drop_datagram(struct serve *serve, const struct log_entry *entry)
{
    if (serve->records) {
        log_add(&serve->record, entry);
    }
    if (replays(serve)) {
        serve->replayed++;
    } else if (serve->options.client != NULL) {
        serve->options.client->sent(serve->options.client->context, entry->time_ps);
    } else {
        inbox_drop_first(&serve->inbox);
    }
}

/* ---- a slice ---- */

/* What boot ports and the BMP do is done between slices; frames have a time within them. */
static bool is_between_slices(const struct serve *serve, const struct log_entry *entry)
{
    return entry->port == LOG_PORT_BMP || serve_takes_boot(serve, entry);
}

/* Hands over what is due before end_ps, in order of time.  Returns the end of the slice, which is
 * earlier if something has to be done between slices before, or has found no room. */
static uint64_t hand_over(struct serve *serve, uint64_t end_ps)
{
    struct serve_answers *answers = &serve->answers;
    struct log_entry entry;
    while (serve->status == STATUS_OK) {
        const struct serve_frame *answer =
            answers->count == 0 ? NULL : &answers->of[answers->first];
        const bool has_datagram = next_datagram(serve, &entry);
        const uint64_t datagram_ps = has_datagram ? entry.time_ps : TIME_NEVER;
        if (answer != NULL && answer->time_ps <= datagram_ps) {
            if (answer->time_ps >= end_ps) {
                return end_ps;
            }
            if (!serve_answer(serve, answer)) {
                return earlier_of(end_ps, serve->now_ps + SERVE_SLICE_PS);
            }
            answers->first = (answers->first + 1) % SERVE_ANSWERS;
            answers->count--;
            continue;
        }
        if (datagram_ps >= end_ps) {
            return end_ps;
        }
        if (is_between_slices(serve, &entry) && datagram_ps > serve->now_ps) {
            return datagram_ps;
        }
        if (!serve_deliver(serve, &entry)) {
            return earlier_of(end_ps, serve->now_ps + SERVE_SLICE_PS);
        }
        drop_datagram(serve, &entry);
    }
    return end_ps;
}

/* Runs the machine to a board time. */
static enum machine_stop run_machine(struct serve *serve, uint64_t end_ps)
{
    enum machine_stop stop = MACHINE_REACHED;
    if (!serve->is_off) {
        stop = machine_run_until(serve->machine, end_ps - serve->power_on_ps);
    }
    serve->now_ps = end_ps;
    return stop;
}

static uint64_t slice_end(const struct serve *serve)
{
    const bool busy = serve->now_ps < serve->busy_until_ps || serve->inbox.count > 0;
    return serve->now_ps + (busy ? SERVE_SLICE_PS : SERVE_IDLE_SLICE_PS);
}

/* ---- the wall clock ---- */

/* Sleeps until something comes, at most so long. */
static void sleep_up_to(struct serve *serve, int64_t ns)
{
    struct pollfd files[SOCKETS_MAX + 1];
    const struct timespec limit = {ns / NS_PER_S, ns % NS_PER_S};
    nfds_t count = 0;
    files[count++] = (struct pollfd){.fd = serve->signals, .events = POLLIN};
    for (size_t i = 0; i < serve->sockets.count && !inbox_is_full(&serve->inbox); i++) {
        files[count++] = serve->sockets.poll[i];
    }
    (void)ppoll(files, count, &limit, NULL);
}

/* Takes a signal, which would end the process as soon as it is no longer blocked. */
static void look_for_signals(struct serve *serve)
{
    struct signalfd_siginfo signal;
    if (read(serve->signals, &signal, sizeof signal) == (ssize_t)sizeof signal) {
        serve->stopped = true;
    }
}

static void tell(struct serve *serve)
{
    FILE *terminal = serve->options.terminal;
    const int64_t now_ns = serve_wall_ns();
    if (terminal == NULL || now_ns - serve->told_ns < NS_PER_S) {
        return;
    }
    const double behind_s =
        (double)pace_behind_ns(&serve->pace, serve->now_ps, now_ns) / (double)NS_PER_S;
    const double board_s = (double)(serve->now_ps - serve->told_ps) / (double)PS_PER_S;
    const double wall_s = (double)(now_ns - serve->told_ns) / (double)NS_PER_S;
    (void)fprintf(terminal, "\r\033[Kbehind by %.1f s, x %.2f", behind_s,
                  board_s > 0 ? wall_s / board_s : 0);
    (void)fflush(terminal);
    serve->told_ns = now_ns;
    serve->told_ps = serve->now_ps;
}

/* Waits for the wall clock, while datagrams come in.  True: the next slice may begin. */
static bool may_run(struct serve *serve)
{
    if (!serve_has_sockets(serve)) {
        return true;
    }
    take_datagrams(serve);
    tell(serve);
    const int64_t wait_ns = pace_wait_ns(&serve->pace, serve->now_ps, serve_wall_ns());
    if (wait_ns > 0) {
        sleep_up_to(serve, wait_ns);
    }
    return wait_ns == 0;
}

/* ---- the run ---- */

static void begin(struct serve *serve, struct machine *machine)
{
    const int64_t now_ns = serve_wall_ns();
    serve->machine = machine;
    serve->told_ns = now_ns;
    serve->arrival_ns = now_ns;
    pace_begin(&serve->pace, serve->options.pace, serve->options.slower, 0, now_ns);
    if (serve->options.hold_s != 0) {
        pace_hold(&serve->pace, (int64_t)serve->options.hold_s * NS_PER_S);
    }
    serve_start_image(serve);
}

static enum machine_stop slice(struct serve *serve, uint64_t until_ps)
{
    const uint64_t last_ps = replays(serve) ? earlier_of(until_ps, serve->replay.end_ps) : until_ps;
    const uint64_t end_ps = hand_over(serve, earlier_of(slice_end(serve), last_ps));
    const enum machine_stop stop = run_machine(serve, end_ps);
    serve_send_out(serve);
    return stop;
}

static bool is_over(struct serve *serve)
{
    const struct serve_client *client = serve->options.client;
    look_for_signals(serve);
    return serve->stopped || serve->status != STATUS_OK ||
           (replays(serve) && serve->now_ps >= serve->replay.end_ps) ||
           (client != NULL && client->has_ended(client->context, serve->now_ps));
}

enum machine_stop serve_run_until(void *context, struct machine *machine, uint64_t time_ps)
{
    struct serve *serve = context;
    if (serve->machine == NULL) {
        begin(serve, machine);
    }
    while (serve->now_ps - serve->power_on_ps < time_ps) {
        if (is_over(serve)) {
            return MACHINE_QUIESCENT;
        }
        if (may_run(serve) && slice(serve, serve->power_on_ps + time_ps) == MACHINE_STOPPED) {
            return MACHINE_STOPPED;
        }
    }
    return MACHINE_REACHED;
}
