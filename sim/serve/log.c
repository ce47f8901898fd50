/* log.c - see log.h. */
#include "sim/serve/log.h"

#include "sim/grow.h"
#include "sim/serve/address.h"
#include "sim/steps.h"

#include <inttypes.h>

static const char FIRST_LINE[] = "spinnsim datagrams 1";
static const char NO_IMAGE[] = "none";
static const char DIGITS[] = "0123456789abcdef";
static const char BMP_PORT[] = "bmp";
#define LOG_BYTES_MAX ((size_t)1 << 34)

/* ---- writing ---- */

enum status log_create(struct file_writer *file, const char *path, const struct log_head *head,
                       struct diagnostic *diagnostic)
{
    TRY(file_create(file, path, diagnostic));
    (void)fprintf(file->stream, "%s\nsimulation %s\nimage %s\n", FIRST_LINE, head->simulation,
                  head->image);
    for (uint32_t i = 0; i < head->board_count; i++) {
        char text[ADDRESS_CHARS];
        address_print(head->board[i], text);
        (void)fprintf(file->stream, "board %" PRIu32 " %s\n", i, text);
    }
    return STATUS_OK;
}

void log_add(struct file_writer *file, const struct log_entry *entry)
{
    char from[ADDRESS_CHARS];
    address_print_endpoint(entry->from, from);
    (void)fprintf(file->stream, "in %" PRIu64 " %" PRIu32 " ", entry->time_ps, entry->board);
    if (entry->port == LOG_PORT_BMP) {
        (void)fputs(BMP_PORT, file->stream);
    } else {
        (void)fprintf(file->stream, "%u", entry->port);
    }
    (void)fprintf(file->stream, " %s %s", from, entry->bytes == 0 ? "-" : "");
    for (uint32_t i = 0; i < entry->bytes; i++) {
        (void)fputc(DIGITS[entry->payload[i] >> 4], file->stream);
        (void)fputc(DIGITS[entry->payload[i] & 0xf], file->stream);
    }
    (void)fputc('\n', file->stream);
}

enum status log_end(struct file_writer *file, uint64_t time_ps, struct diagnostic *diagnostic)
{
    (void)fprintf(file->stream, "end %" PRIu64 "\n", time_ps);
    return file_commit(file, diagnostic);
}

/* ---- reading ---- */

/* The file's lines, one after the other; words are ended by a zero in place. */
struct reader {
    const char *path;
    char *at, *end; /* the rest of the file */
    char *word;     /* the rest of the line; NULL: it has been read */
    int line;
    struct diagnostic *diagnostic;
};

static enum status refuse(const struct reader *reader, const char *what)
{
    const enum status status = file_refuse(
        reader->path, "spinnsim serve --record writes such files; sim/serve/log.h describes them",
        reader->diagnostic, "%s", what);
    diagnostic_at(reader->diagnostic, reader->path, reader->line, 0);
    return status;
}

static bool next_line(struct reader *reader)
{
    char *newline = reader->at < reader->end
                        ? memchr(reader->at, '\n', (size_t)(reader->end - reader->at))
                        : NULL;
    reader->line++;
    if (newline == NULL) {
        return false;
    }
    *newline = '\0';
    reader->word = reader->at;
    reader->at = newline + 1;
    return true;
}

/* The next word of the line, "" if there is none. */
static char *next_word(struct reader *reader)
{
    char *word = reader->word;
    if (word == NULL) {
        return reader->end; /* file_read() leaves a zero there */
    }
    char *space = strchr(word, ' ');
    reader->word = space == NULL ? NULL : space + 1;
    if (space != NULL) {
        *space = '\0';
    }
    return word;
}

static bool read_whole(const char *word, uint64_t most, uint64_t *number)
{
    uint64_t value = 0;
    for (const char *at = word; *at != '\0'; at++) {
        const unsigned digit = (unsigned)(unsigned char)*at - '0';
        if (digit > 9 || value > (most - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    *number = value;
    return word[0] != '\0';
}

static bool read_hash(const char *word, char *hash)
{
    if (strlen(word) != SHA256_HEX_CHARS - 1 || strspn(word, DIGITS) != SHA256_HEX_CHARS - 1) {
        return false;
    }
    memcpy(hash, word, SHA256_HEX_CHARS);
    return true;
}

static enum status read_hash_line(struct reader *reader, const char *name, bool may_be_none,
                                  char *hash)
{
    if (!next_line(reader) || strcmp(next_word(reader), name) != 0) {
        return refuse(reader, "the lines \"simulation HASH\" and \"image HASH\" come first");
    }
    const char *word = next_word(reader);
    if (may_be_none && strcmp(word, NO_IMAGE) == 0) {
        memcpy(hash, NO_IMAGE, sizeof NO_IMAGE);
        return STATUS_OK;
    }
    return read_hash(word, hash) ? STATUS_OK : refuse(reader, "a hash has 64 digits from 0 to f");
}

/* Turns digits into bytes in place; false: they are no bytes, or too many. */
static bool read_payload(char *word, struct log_entry *entry)
{
    uint8_t *bytes = (uint8_t *)word;
    const size_t digits = strcmp(word, "-") == 0 ? 0 : strlen(word);
    if (word[0] == '\0' || digits % 2 != 0 || digits / 2 > FRAME_PAYLOAD_BYTES_MAX ||
        strspn(word, DIGITS) < digits) {
        return false;
    }
    for (size_t i = 0; i < digits; i += 2) {
        bytes[i / 2] = (uint8_t)((strchr(DIGITS, word[i]) - DIGITS) << 4 |
                                 (strchr(DIGITS, word[i + 1]) - DIGITS));
    }
    entry->payload = bytes;
    entry->bytes = (uint32_t)(digits / 2);
    return true;
}

static enum status read_entry(struct reader *reader, struct log *log)
{
    struct log_entry entry = {.time_ps = 0};
    uint64_t number;
    const char *port;
    const uint64_t before_ps = log->count == 0 ? 0 : log->entry[log->count - 1].time_ps;
    if (!read_whole(next_word(reader), UINT64_MAX, &entry.time_ps) || entry.time_ps < before_ps) {
        return refuse(
            reader,
            "the time in picoseconds is no number, or earlier than that of the line before");
    }
    if (!read_whole(next_word(reader), UINT32_MAX, &number) || number >= log->head.board_count) {
        return refuse(reader, "there is no such board among the \"board\" lines");
    }
    entry.board = (uint32_t)number;
    port = next_word(reader);
    if (strcmp(port, BMP_PORT) == 0) {
        number = LOG_PORT_BMP;
    } else if (!read_whole(port, UINT16_MAX, &number) || number == LOG_PORT_BMP) {
        return refuse(reader, "the port is neither a number from 1 to 65535 nor \"bmp\"");
    }
    entry.port = (uint16_t)number;
    if (!address_read_endpoint(next_word(reader), &entry.from)) {
        return refuse(reader, "the client is no address with a port, like 127.0.0.1:40000");
    }
    if (!read_payload(next_word(reader), &entry) || reader->word != NULL) {
        return refuse(reader,
                      "the payload is not an even number of at most 2944 digits from 0 to f");
    }
    struct log_entry *grown = grow(log->entry, &log->room, log->count, sizeof *grown);
    if (grown == NULL) {
        return no_memory(reader->diagnostic);
    }
    log->entry = grown;
    grown[log->count++] = entry;
    return STATUS_OK;
}

static enum status read_board(struct reader *reader, struct log *log)
{
    uint64_t number;
    if (!read_whole(next_word(reader), UINT32_MAX, &number) || number != log->head.board_count ||
        number >= LOG_BOARDS_MAX || !address_read(next_word(reader), &log->head.board[number])) {
        return refuse(reader, "boards are numbered from 0, and have an address like 127.0.0.2");
    }
    log->head.board_count++;
    return STATUS_OK;
}

static enum status read_end(struct reader *reader, struct log *log)
{
    if (!read_whole(next_word(reader), UINT64_MAX, &log->end_ps) ||
        (log->count > 0 && log->end_ps < log->entry[log->count - 1].time_ps)) {
        return refuse(reader, "the end is no number, or earlier than the line before");
    }
    return reader->at == reader->end ? STATUS_OK
                                     : refuse(reader, "there is more behind the line \"end\"");
}

static enum status read_lines(struct reader *reader, struct log *log)
{
    while (next_line(reader)) {
        const char *word = next_word(reader);
        if (strcmp(word, "end") == 0) {
            return read_end(reader, log);
        }
        if (strcmp(word, "board") == 0 && log->count == 0) {
            TRY(read_board(reader, log));
        } else if (strcmp(word, "in") == 0) {
            TRY(read_entry(reader, log));
        } else {
            return refuse(reader,
                          "a line begins with \"in\" or \"end\", those before them with \"board\"");
        }
    }
    return refuse(reader, "the recording was cut short: its last line is not \"end\"");
}

static enum status read_all(struct reader *reader, struct log *log)
{
    if (!next_line(reader) || strcmp(reader->word, FIRST_LINE) != 0) {
        return refuse(
            reader,
            "this is no recording of datagrams: its first line is not \"spinnsim datagrams 1\"");
    }
    TRY(read_hash_line(reader, "simulation", false, log->head.simulation));
    TRY(read_hash_line(reader, "image", true, log->head.image));
    return read_lines(reader, log);
}

enum status log_read(struct log *log, const char *path, struct diagnostic *diagnostic)
{
    size_t size;
    *log = (struct log){.count = 0};
    TRY(file_read(path, LOG_BYTES_MAX, &log->text, &size, diagnostic));
    struct reader reader = {.path = path,
                            .at = (char *)log->text,
                            .end = (char *)log->text + size,
                            .diagnostic = diagnostic};
    const enum status status = read_all(&reader, log);
    if (status != STATUS_OK) {
        log_deinit(log);
    }
    return status;
}

void log_deinit(struct log *log)
{
    free(log->entry);
    free(log->text);
    *log = (struct log){.count = 0};
}
