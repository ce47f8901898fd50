/* serve_boards.c - see serve_state.h: datagrams to boards, frames of boards. */
#include "models/common/check.h"
#include "sim/grow.h"
#include "sim/load/boot_rom.h"
#include "sim/serve/address.h"
#include "sim/serve/byte_order.h"
#include "sim/serve/sdp.h"
#include "sim/serve/serve_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Locally administered addresses: "SP", then the board, or ff:fe for the host. */
static const uint8_t HOST_MAC[FRAME_MAC_BYTES] = {0x02, 0x53, 0x50, 0x00, 0xff, 0xfe};

int64_t serve_wall_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static void fail(struct serve *serve, enum status status, const char *what)
{
    serve->status = diagnose(&serve->diagnostic, status, "%s", what);
}

/* ---- power, boot ---- */

static struct handover_setup setup_of(const struct serve *serve, uint32_t root)
{
    return (struct handover_setup){.board = serve->board,
                                   .boards = serve->board_count,
                                   .root = root,
                                   .hardware_version = serve->bmp.hardware_version,
                                   .udp_port = HANDOVER_SDP_PORT};
}

static void start_roms(struct serve *serve)
{
    const struct handover_setup setup = setup_of(serve, 0);
    struct diagnostic why;
    if (serve->options.rom && boot_rom_start(serve->machine, &setup, &why) != STATUS_OK) {
        fail(serve, STATUS_INTERNAL, why.text);
    }
}

/* All boards together: they are one machine. */
static void switch_on(struct serve *serve)
{
    serve->counts.power_ons++;
    serve->is_off = false;
    serve->power_on_ps = serve->now_ps;
    serve->answers.count = 0;
    if (machine_power_on(serve->machine) != STATUS_OK) {
        fail(serve, STATUS_INTERNAL, "out of memory");
        return;
    }
    start_roms(serve);
}

static void start(struct serve *serve, uint32_t root, const uint8_t *image, uint32_t bytes)
{
    const struct handover_setup setup = setup_of(serve, root);
    struct diagnostic why;
    if (handover_start(serve->machine, &setup, image, bytes, &why) != STATUS_OK) {
        serve->counts.unstarted++;
    }
}

void serve_start_image(struct serve *serve)
{
    start_roms(serve);
    if (serve->image != NULL) {
        start(serve, 0, serve->image, (uint32_t)serve->image_bytes);
    }
}

static void take_boot(struct serve *serve, const struct log_entry *entry)
{
    struct boot_blocks *boot = &serve->boot[entry->board];
    serve->counts.boot++;
    if (serve->is_off) {
        serve->counts.off++;
        return;
    }
    switch (boot_blocks_take(boot, entry->payload, entry->bytes)) {
    case BOOT_RESET:
        switch_on(serve);
        break;
    case BOOT_START:
        start(serve, entry->board, boot->image, boot->image_bytes);
        break;
    case BOOT_NOTHING:
        break;
    }
}

/* ---- board management processor ---- */

static const struct board_socket *bmp_socket(const struct serve *serve)
{
    for (size_t i = 0; i < serve->sockets.count; i++) {
        if (serve->sockets.of[i].use == SOCKET_BMP) {
            return &serve->sockets.of[i];
        }
    }
    return NULL;
}

/* All boards together, again: started if one of them is, off if none of them runs. */
static void set_power(struct serve *serve, enum bmp_power power)
{
    switch (power) {
    case BMP_POWER_START:
        memset(serve->boot, 0, sizeof serve->boot);
        switch_on(serve);
        break;
    case BMP_POWER_STOP:
        serve->is_off = true;
        break;
    case BMP_POWER_AS_IT_IS:
        break;
    }
}

static void take_bmp(struct serve *serve, const struct log_entry *entry)
{
    uint8_t reply[BMP_REPLY_BYTES_MAX];
    enum bmp_power power;
    const uint32_t bytes = bmp_answer(&serve->bmp, entry->payload, entry->bytes, reply, &power);
    const struct board_socket *socket = bmp_socket(serve);
    serve->counts.bmp++;
    set_power(serve, power);
    if (bytes > 0 && socket != NULL) {
        const struct frame_datagram datagram = {socket->at, entry->from, reply, bytes};
        const int64_t wall_ns = serve_wall_ns();
        serve->counts.unsent += !sockets_reply(&serve->sockets, socket, &datagram);
        pace_departure(&serve->pace, serve->now_ps, wall_ns);
    }
}

/* ---- to a board ---- */

static bool send_frame(struct serve *serve, uint32_t board, const uint8_t *frame, uint32_t bytes,
                       uint64_t time_ps)
{
    const struct machine_chip chip = serve->board[board].chip;
    const uint64_t at_ps = later_of(time_ps, serve->power_on_ps) - serve->power_on_ps;
    if (serve->is_off) {
        serve->counts.off++;
        return true;
    }
    if (machine_frame_room(serve->machine, chip) == 0) {
        return false;
    }
    (void)machine_send_frame(serve->machine, chip, frame, bytes, at_ps);
    return true;
}

bool serve_answer(struct serve *serve, const struct serve_frame *answer)
{
    return send_frame(serve, answer->board, answer->frame, answer->bytes, answer->time_ps);
}

static void keep_unopened(struct serve *serve, const struct diagnostic *why)
{
    FILE *terminal = serve->options.terminal;
    if (serve->counts.unopened++ == 0) {
        (void)snprintf(serve->unopened_text, sizeof serve->unopened_text, "%s", why->text);
    }
    if (terminal != NULL) {
        (void)fprintf(terminal, "\r\033[Ka reverse IPTag hears nothing: %s\n", why->text);
    }
}

/* A client sets a reverse IPTag: the board then also takes datagrams at another port, which is
 * opened here.  SpiNNaker Application Note 4: argument 1 has flags in 31:28 (bit 29: reverse) and
 * the operation in 19:16, argument 2 the port. */
static void open_reverse(struct serve *serve, const struct log_entry *entry)
{
    enum { SET = 1, REVERSE = 29 };
    struct diagnostic why;
    const uint8_t *payload = entry->payload;
    if (!serve_has_sockets(serve) || entry->port != SOCKETS_SCP_PORT || entry->bytes < SCP_DATA ||
        little_get16(payload + SCP_COMMAND) != SCP_IPTAG) {
        return;
    }
    const uint32_t argument = little_get32(payload + SCP_ARGUMENT1);
    const uint16_t port = little_get16(payload + SCP_ARGUMENT2);
    uint32_t board = entry->board;
    for (uint32_t i = 0; i < serve->board_count; i++) {
        const struct machine_chip chip = serve->board[i].chip;
        board = payload[SDP_TO_CHIP] == chip.y && payload[SDP_TO_CHIP + 1] == chip.x ? i : board;
    }
    if ((argument >> 16 & 0xf) <= SET && (argument >> REVERSE & 1) != 0 && port != 0 &&
        sockets_find(&serve->sockets, board, port) == NULL) {
        const struct board_socket what = {SOCKET_TO_BOARD, board, {serve->address[board], port}};
        if (sockets_open(&serve->sockets, what, &why) != STATUS_OK) {
            keep_unopened(serve, &why);
        }
    }
}

static bool deliver_frame(struct serve *serve, const struct log_entry *entry)
{
    uint8_t frame[FRAME_BYTES_MAX];
    const struct frame_datagram datagram = {
        entry->from, {serve->address[entry->board], entry->port}, entry->payload, entry->bytes};
    const uint32_t bytes = frame_make(frame, serve->board[entry->board].mac, HOST_MAC, &datagram);
    if (!send_frame(serve, entry->board, frame, bytes, entry->time_ps)) {
        return false;
    }
    serve->counts.in++;
    pace_sent(&serve->pace, entry->time_ps, machine_frame_time_ps(bytes));
    open_reverse(serve, entry);
    return true;
}

bool serve_takes_boot(const struct serve *serve, const struct log_entry *entry)
{
    return entry->port == SOCKETS_BOOT_PORT && !serve->options.rom;
}

bool serve_deliver(struct serve *serve, const struct log_entry *entry)
{
    if (entry->port == LOG_PORT_BMP) {
        take_bmp(serve, entry);
    } else if (serve_takes_boot(serve, entry)) {
        take_boot(serve, entry);
        pace_sent(&serve->pace, entry->time_ps,
                  machine_frame_time_ps(FRAME_UDP_HEADER_BYTES + entry->bytes));
    } else if (!deliver_frame(serve, entry)) {
        return false;
    }
    serve->busy_until_ps = serve->now_ps + SERVE_BUSY_PS;
    return true;
}

/* ---- from a board ---- */

void serve_keep_frame(void *context, struct machine_chip chip, const uint8_t *bytes, uint32_t count,
                      uint64_t time_ps)
{
    struct serve *serve = context;
    struct serve_frame *grown = grow(serve->out, &serve->out_room, serve->out_count, sizeof *grown);
    CHECK(count <= FRAME_BYTES_MAX, "a frame of a board is too long");
    if (grown == NULL) {
        fail(serve, STATUS_INTERNAL, "out of memory");
        return;
    }
    serve->out = grown;
    struct serve_frame *frame = &grown[serve->out_count++];
    frame->board = 0;
    for (uint32_t i = 0; i < serve->board_count; i++) {
        const struct machine_chip first = serve->board[i].chip;
        frame->board = first.x == chip.x && first.y == chip.y ? i : frame->board;
    }
    frame->time_ps = serve->power_on_ps + time_ps;
    frame->bytes = count;
    memcpy(frame->frame, bytes, count);
}

static void send_datagram(struct serve *serve, const struct serve_frame *frame,
                          const struct frame_datagram *datagram)
{
    const struct serve_client *client = serve->options.client;
    const int64_t wall_ns = serve_wall_ns(); /* a client may answer before this goes on */
    if (serve->options.replay != NULL) {
        serve->counts.out++;
    } else if (client != NULL) {
        client->receive(client->context, frame->time_ps, datagram);
        serve->counts.out++;
    } else if (!serve->options.leaves_computer && !address_is_loopback(datagram->to.address)) {
        serve->counts.elsewhere++;
    } else if (!sockets_send(&serve->sockets, frame->board, datagram)) {
        serve->counts.unsent++;
    } else {
        serve->counts.out++;
        pace_departure(&serve->pace, frame->time_ps, wall_ns);
    }
    serve->busy_until_ps = serve->now_ps + SERVE_BUSY_PS;
}

static void prepare_answer(struct serve *serve, const struct serve_frame *frame)
{
    struct serve_answers *answers = &serve->answers;
    struct serve_frame *answer = &answers->of[(answers->first + answers->count) % SERVE_ANSWERS];
    if (answers->count == SERVE_ANSWERS) {
        serve->counts.unanswered++;
        return;
    }
    answer->board = frame->board;
    answer->time_ps = frame->time_ps + SERVE_ANSWER_PS;
    answer->bytes = frame_answer(answer->frame, HOST_MAC, frame->frame, frame->bytes);
    answers->count++;
    serve->counts.answered++;
}

void serve_send_out(struct serve *serve)
{
    for (size_t i = 0; i < serve->out_count; i++) {
        const struct serve_frame *frame = &serve->out[i];
        struct frame_datagram datagram;
        switch (frame_read(frame->frame, frame->bytes, &datagram)) {
        case FRAME_UDP:
            send_datagram(serve, frame, &datagram);
            break;
        case FRAME_ARP_REQUEST:
        case FRAME_ECHO_REQUEST:
            prepare_answer(serve, frame);
            break;
        case FRAME_FRAGMENT:
            serve->counts.fragments++;
            break;
        case FRAME_OTHER:
        case FRAME_BAD:
        case FRAME_KINDS:
            serve->counts.unknown++;
            break;
        }
    }
    serve->out_count = 0;
}
