/* serve.c - see serve.h: opening, closing, counts. */
#include "sim/serve/serve.h"

#include "sim/file.h"
#include "sim/serve/address.h"
#include "sim/serve/byte_order.h"
#include "sim/serve/serve_state.h"
#include "sim/steps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* ---- boards ---- */

/* Loopback reaches from one end of 127.0.0.0/8 to the other; elsewhere the board's neighbours are
 * those of a small network. */
static uint32_t netmask_of(uint32_t address)
{
    static const uint32_t LOOPBACK = 0xff000000;
    static const uint32_t SMALL = 0xffffff00;
    return address_is_loopback(address) ? LOOPBACK : SMALL;
}

static void set_board(struct serve *serve, size_t index, const struct topology_chip *chip)
{
    struct handover_board *board = &serve->board[index];
    const uint32_t address = serve->address[index];
    *board = (struct handover_board){.chip = {chip->x, chip->y},
                                     .mac = {0x02, 0x53, 0x50, 0, 0, (uint8_t)index}};
    big_put32(board->ip, address);
    big_put32(board->netmask, netmask_of(address));
}

static enum status find_boards(struct serve *serve, struct diagnostic *diagnostic)
{
    TRY(topology_make(&serve->topology, serve->options.topology, diagnostic));
    for (size_t i = 0; i < serve->topology.count; i++) {
        const struct topology_chip *chip = &serve->topology.chip[i];
        if (chip->x != chip->ethernet_x || chip->y != chip->ethernet_y) {
            continue;
        }
        if (serve->board_count == LOG_BOARDS_MAX) {
            return diagnose(diagnostic, STATUS_CONFIGURATION,
                            "more than %d boards cannot be served", LOG_BOARDS_MAX);
        }
        serve->address[serve->board_count] =
            serve->options.replay != NULL ? serve->replay.head.board[serve->board_count]
                                          : serve->options.address + (uint32_t)serve->board_count;
        set_board(serve, serve->board_count++, chip);
    }
    serve->bmp = (struct bmp){
        .boards = (uint32_t)serve->board_count < BMP_BOARDS_MAX ? (uint32_t)serve->board_count
                                                                : BMP_BOARDS_MAX,
        .address = serve->options.bmp_address,
        .board_address = serve->address[0],
        .hardware_version = handover_hardware_version(serve->options.topology->shape)};
    return STATUS_OK;
}

static enum status open_sockets(struct serve *serve, struct diagnostic *diagnostic)
{
    for (uint32_t i = 0; i < serve->board_count; i++) {
        const struct frame_endpoint scp = {serve->address[i], SOCKETS_SCP_PORT};
        const struct frame_endpoint boot = {serve->address[i], SOCKETS_BOOT_PORT};
        TRY(sockets_open(&serve->sockets, (struct board_socket){SOCKET_TO_BOARD, i, scp},
                         diagnostic));
        TRY(sockets_open(&serve->sockets, (struct board_socket){SOCKET_BOOT, i, boot}, diagnostic));
    }
    if (serve->options.bmp_address != 0) {
        const struct frame_endpoint bmp = {serve->options.bmp_address, SOCKETS_SCP_PORT};
        TRY(sockets_open(&serve->sockets, (struct board_socket){SOCKET_BMP, 0, bmp}, diagnostic));
    }
    return STATUS_OK;
}

/* ---- files ---- */

static void digest_image(const struct serve *serve, char hash[SHA256_HEX_CHARS])
{
    struct sha256 sha;
    uint8_t digest[SHA256_BYTES];
    if (serve->image == NULL) {
        (void)snprintf(hash, SHA256_HEX_CHARS, "none");
        return;
    }
    sha256_init(&sha);
    sha256_update(&sha, serve->image, serve->image_bytes);
    sha256_final(&sha, digest);
    sha256_hex(digest, hash);
}

/* Clients write these system variables into an image before they send it; the image itself has none
 * of them (spinnaker_tools, tools/boot/sark.struct; SpiNNMan, system_variable_boot_values.py).  The
 * time is 0: results must not depend on it. */
static void complete_image(uint8_t *image, enum topology_shape shape)
{
    enum { VARIABLES = 384, HW_VER = 0x0a, LED0 = 0x30, ROOT_CHIP = 0x40, SDRAM_HEAP = 0x4c };
    static const uint32_t LEDS_OF_SPIN3 = 0x00000502; /* pins 0 and 5 */
    static const uint32_t LEDS_OF_SPIN5 = 0x00000001;
    uint8_t *variables = image + VARIABLES;
    variables[HW_VER] = handover_hardware_version(shape);
    variables[ROOT_CHIP] = 1;
    little_put32(variables + LED0, shape == TOPOLOGY_SPIN3 ? LEDS_OF_SPIN3 : LEDS_OF_SPIN5);
    little_put32(variables + SDRAM_HEAP, 0); /* no user heap of its own */
}

static enum status read_image(struct serve *serve, struct diagnostic *diagnostic)
{
    enum { VARIABLES_END = 512 };
    const char *path = serve->options.image;
    if (path == NULL) {
        return STATUS_OK;
    }
    TRY(file_read(path, BOOT_IMAGE_BYTES, &serve->image, &serve->image_bytes, diagnostic));
    return serve->image_bytes >= VARIABLES_END && serve->image_bytes % 4 == 0
               ? STATUS_OK
               : file_refuse(
                     path, "scamp.boot of spinnaker_tools or SpiNNMan is one", diagnostic,
                     "this is no boot image: it has %zu bytes, not a multiple of 4 from %d to %d",
                     serve->image_bytes, VARIABLES_END, BOOT_IMAGE_BYTES);
}

static enum status read_replay(struct serve *serve, struct diagnostic *diagnostic)
{
    char image[SHA256_HEX_CHARS];
    const char *path = serve->options.replay;
    const struct log_head *head = &serve->replay.head;
    if (path == NULL) {
        return STATUS_OK;
    }
    TRY(log_read(&serve->replay, path, diagnostic));
    digest_image(serve, image);
    if (strcmp(head->image, image) != 0) {
        return file_refuse(
            path, "give the same --scamp as to the run that was recorded", diagnostic,
            "the recording was made with another boot image (%.8s, here %.8s)", head->image, image);
    }
    return strcmp(head->simulation, serve->options.simulation) == 0
               ? STATUS_OK
               : file_refuse(
                     path, "give the same configuration", diagnostic,
                     "the recording was made with another configuration (sim_hash %.8s, here %.8s)",
                     head->simulation, serve->options.simulation);
}

static enum status check_boards(const struct serve *serve, struct diagnostic *diagnostic)
{
    return serve->options.replay == NULL || serve->replay.head.board_count == serve->board_count
               ? STATUS_OK
               : file_refuse(serve->options.replay, NULL, diagnostic,
                             "the recording has %" PRIu32 " boards, the configuration %zu",
                             serve->replay.head.board_count, serve->board_count);
}

static enum status begin_record(struct serve *serve, struct diagnostic *diagnostic)
{
    struct log_head head = {.board_count = (uint32_t)serve->board_count};
    if (serve->options.record == NULL) {
        return STATUS_OK;
    }
    (void)snprintf(head.simulation, sizeof head.simulation, "%s", serve->options.simulation);
    digest_image(serve, head.image);
    memcpy(head.board, serve->address, sizeof head.board);
    TRY(log_create(&serve->record, serve->options.record, &head, diagnostic));
    serve->records = true;
    return STATUS_OK;
}

/* ---- the whole ---- */

static enum status block_signals(struct serve *serve, struct diagnostic *diagnostic)
{
    sigset_t ends;
    (void)sigemptyset(&ends);
    (void)sigaddset(&ends, SIGINT);
    (void)sigaddset(&ends, SIGTERM);
    (void)sigprocmask(SIG_BLOCK, &ends, &serve->signals_before);
    serve->signals = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
    return serve->signals >= 0 ? STATUS_OK
                               : diagnose(diagnostic, STATUS_INTERNAL,
                                          "cannot wait for signals: %s", strerror(errno));
}

static enum status open_all(struct serve *serve, struct diagnostic *diagnostic)
{
    TRY(read_image(serve, diagnostic));
    TRY(read_replay(serve, diagnostic));
    TRY(find_boards(serve, diagnostic));
    TRY(check_boards(serve, diagnostic));
    if (serve_has_sockets(serve)) {
        TRY(open_sockets(serve, diagnostic));
    }
    TRY(begin_record(serve, diagnostic));
    if (serve->image != NULL) {
        complete_image(serve->image, serve->options.topology->shape);
    }
    return block_signals(serve, diagnostic);
}

struct serve *serve_create(void)
{
    struct serve *serve = calloc(1, sizeof *serve);
    if (serve != NULL) {
        serve->signals = -1;
    }
    return serve;
}

enum status serve_open(struct serve *serve, const struct serve_options *options,
                       struct diagnostic *diagnostic)
{
    serve->options = *options;
    return open_all(serve, diagnostic);
}

void serve_follow(struct serve *serve, struct job_options *options)
{
    options->run_until = serve_run_until;
    options->run_context = serve;
    options->frame = serve_keep_frame;
    options->frame_context = serve;
}

enum status serve_end(struct serve *serve, struct diagnostic *diagnostic)
{
    if (serve->options.terminal != NULL) {
        (void)fputs("\r\033[K", serve->options.terminal);
    }
    if (serve->status != STATUS_OK) {
        *diagnostic = serve->diagnostic;
        return serve->status;
    }
    if (!serve->records) {
        return STATUS_OK;
    }
    serve->records = false;
    return log_end(&serve->record, serve->now_ps, diagnostic);
}

void serve_print_counts(const struct serve *serve, FILE *stream)
{
    enum { WIDTH = 12 };
#define COUNT(name, text)                                                                          \
    if (serve->counts.name != 0) {                                                                 \
        (void)fprintf(stream, "%*" PRIu64 "  %s\n", WIDTH, serve->counts.name, text);              \
    }
#include "sim/serve/serve_counts.def"
    if (serve->counts.unopened != 0) {
        (void)fprintf(stream, "%*s  the first: %s\n", WIDTH, "", serve->unopened_text);
    }
    for (unsigned i = 0; i < BOOT_REFUSALS; i++) {
        uint64_t refused = 0;
        for (size_t b = 0; b < serve->board_count; b++) {
            refused += serve->boot[b].refused[i];
        }
        if (refused != 0) {
            (void)fprintf(stream, "%*" PRIu64 "  boot datagrams refused: %s\n", WIDTH, refused,
                          boot_refusal_text((enum boot_refusal)i));
        }
    }
}

void serve_print_boards(const struct serve *serve, FILE *stream)
{
    char text[ADDRESS_CHARS];
    for (size_t i = 0; i < serve->board_count; i++) {
        address_print(serve->address[i], text);
        (void)fprintf(stream, "board %zu at %s: UDP ports %d and %d\n", i, text, SOCKETS_SCP_PORT,
                      SOCKETS_BOOT_PORT);
    }
    if (serve->options.bmp_address != 0) {
        address_print(serve->options.bmp_address, text);
        (void)fprintf(stream, "board management processor at %s: UDP port %d\n", text,
                      SOCKETS_SCP_PORT);
    }
    (void)fflush(stream);
}

void serve_destroy(struct serve **serve)
{
    struct serve *old = *serve;
    if (old == NULL) {
        return;
    }
    if (old->signals >= 0) {
        (void)close(old->signals);
        (void)sigprocmask(SIG_SETMASK, &old->signals_before, NULL);
    }
    if (old->records) {
        file_discard(&old->record);
    }
    sockets_close(&old->sockets);
    topology_deinit(&old->topology);
    log_deinit(&old->replay);
    free(old->image);
    free(old->out);
    free(old);
    *serve = NULL;
}
