/* reads.c - see reads.h. */
#include "sim/serve/reads.h"

#include "sim/serve/byte_order.h"
#include "sim/serve/sockets.h"

#include <string.h>

enum {
    /* SpiNNaker Application Note 5: commands, and the type of a read. */
    SCP_VER = 0,
    SCP_READ = 2,
    BY_WORDS = 2,
    NO_TAG = 0xff,
    HOST = 0xff, /* port and core of a host */
    VERSION_Y = SCP_ARGUMENT1 + 2,
    UNPLACED = 0xff /* y and x of a chip that does not know its place yet */
};

/* An address of this computer; no datagram goes there. */
static const struct frame_endpoint CLIENT = {0x7f000001, 50000};

void reads_init(struct reads *reads, const struct reads_setup *setup)
{
    *reads = (struct reads){.setup = *setup};
    reads->request[0] = (struct reads_request){.is_open = true, .index = READS_VERSION};
}

static int32_t count_of(const struct reads *reads)
{
    return (int32_t)(reads->setup.bytes / SCP_DATA_BYTES_MAX);
}

bool reads_are_complete(const struct reads *reads)
{
    return reads->is_ready && reads->read == count_of(reads) && reads->refused == 0;
}

/* Sequence numbers repeat after 65,536 requests, of which few are under way. */
static uint16_t sequence_of(const struct reads_request *request)
{
    return (uint16_t)request->index;
}

static void begin_request(struct reads *reads, struct reads_request *request, uint64_t due_ps)
{
    *request = (struct reads_request){
        .is_open = reads->asked < count_of(reads), .index = reads->asked, .due_ps = due_ps};
    reads->asked += request->is_open;
}

/* ---- sending ---- */

static void write_request(struct reads *reads, const struct reads_request *request)
{
    uint8_t *payload = reads->payload;
    memset(payload, 0, sizeof reads->payload);
    payload[SDP_FLAGS] = SDP_REPLY_WANTED;
    payload[SDP_TAG] = NO_TAG;
    payload[SDP_FROM_PORT] = HOST;
    payload[SDP_TO_CHIP] = reads->setup.y;
    payload[SDP_TO_CHIP + 1] = reads->setup.x;
    little_put16(payload + SCP_SEQUENCE, sequence_of(request));
    if (request->index == READS_VERSION) {
        little_put16(payload + SCP_COMMAND, SCP_VER);
        return;
    }
    little_put16(payload + SCP_COMMAND, SCP_READ);
    little_put32(payload + SCP_ARGUMENT1,
                 reads->setup.address + (uint32_t)request->index * SCP_DATA_BYTES_MAX);
    little_put32(payload + SCP_ARGUMENT2, SCP_DATA_BYTES_MAX);
    little_put32(payload + SCP_ARGUMENT3, BY_WORDS);
}

static bool next(void *context, struct log_entry *entry)
{
    struct reads *reads = context;
    const struct reads_request *first = NULL;
    for (unsigned i = 0; i < reads->setup.window; i++) {
        const struct reads_request *request = &reads->request[i];
        if (request->is_open && (first == NULL || request->due_ps < first->due_ps)) {
            first = request;
            reads->chosen = i;
        }
    }
    if (first == NULL) {
        return false;
    }
    write_request(reads, first);
    *entry = (struct log_entry){.time_ps = first->due_ps,
                                .port = SOCKETS_SCP_PORT,
                                .from = CLIENT,
                                .payload = reads->payload,
                                .bytes = sizeof reads->payload};
    return true;
}

static void sent(void *context, uint64_t time_ps)
{
    struct reads *reads = context;
    struct reads_request *request = &reads->request[reads->chosen];
    const bool asks = request->index == READS_VERSION;
    reads->again += !asks && request->times > 0;
    if (!asks && reads->begin_ps == 0) {
        reads->begin_ps = time_ps;
    }
    request->times++;
    request->due_ps = time_ps + (asks ? READS_POLL_PS : READS_AGAIN_PS);
}

/* ---- answers ---- */

static void take_version(struct reads *reads, const struct frame_datagram *datagram,
                         uint64_t due_ps)
{
    const uint8_t *payload = datagram->payload;
    if (datagram->bytes < VERSION_Y + 2 || little_get16(payload + SCP_COMMAND) != SCP_OK ||
        (payload[VERSION_Y] == UNPLACED && payload[VERSION_Y + 1] == UNPLACED)) {
        return;
    }
    reads->is_ready = true;
    for (unsigned i = 0; i < reads->setup.window; i++) {
        begin_request(reads, &reads->request[i], due_ps);
    }
}

static void receive(void *context, uint64_t time_ps, const struct frame_datagram *datagram)
{
    struct reads *reads = context;
    const uint8_t *payload = datagram->payload;
    if (datagram->bytes < SCP_ARGUMENT1 || datagram->to.port != CLIENT.port) {
        return;
    }
    for (unsigned i = 0; i < reads->setup.window; i++) {
        struct reads_request *request = &reads->request[i];
        if (!request->is_open || request->times == 0 ||
            sequence_of(request) != little_get16(payload + SCP_SEQUENCE)) {
            continue;
        }
        if (request->index == READS_VERSION) {
            take_version(reads, datagram, time_ps + SERVE_CLIENT_PS);
            return;
        }
        reads->refused += little_get16(payload + SCP_COMMAND) != SCP_OK ||
                          datagram->bytes != SCP_ARGUMENT1 + SCP_DATA_BYTES_MAX;
        reads->read++;
        reads->end_ps = time_ps;
        begin_request(reads, request, time_ps + SERVE_CLIENT_PS);
        return;
    }
}

static bool has_ended(const void *context, uint64_t now_ps)
{
    const struct reads *reads = context;
    return (reads->is_ready && reads->read == count_of(reads)) || reads->refused > 0 ||
           now_ps >= reads->setup.limit_ps;
}

struct serve_client reads_client(struct reads *reads)
{
    return (struct serve_client){
        .context = reads, .next = next, .sent = sent, .receive = receive, .has_ended = has_ended};
}
