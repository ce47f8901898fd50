/* state_read.c - see state_file.h: checks a file, and unpacks its sections. */
#include "sim/state/state_format.h"

#include "sim/file.h"
#include "sim/steps.h"

#include <zlib.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A stream of zlib gives at most so many times its own bytes (zlib's manual: 1032). */
enum { UNPACKED_MOST = 1032 };

static const char AGAIN[] = "save it again: run.save_at";

/* ---- checks before anything is used ---- */

static enum status check_head(const struct state_file *file, const struct state_head *head,
                              struct diagnostic *diagnostic)
{
    const uint64_t body = file->size - sizeof *head;
    if (head->version != STATE_VERSION) {
        return file_refuse(file->path, AGAIN, diagnostic,
                           "a saved state of version %" PRIu32 "; this spinnsim reads version %d",
                           head->version, STATE_VERSION);
    }
    if (head->body_bytes != body) {
        return file_refuse(file->path, AGAIN, diagnostic,
                           "the saved state is %s: %" PRIu64 " bytes are missing or too many",
                           head->body_bytes > body ? "cut off" : "damaged",
                           head->body_bytes > body ? head->body_bytes - body
                                                   : body - head->body_bytes);
    }
    return STATUS_OK;
}

static enum status check_digest(struct state_file *file, const struct state_head *head, bool sealed,
                                struct diagnostic *diagnostic)
{
    uint8_t digest[SHA256_BYTES];
    char own[SHA256_HEX_CHARS] = "";
    char its[SHA256_HEX_CHARS] = "";
    state_digest(head, file->bytes + sizeof *head, file->size - sizeof *head, digest);
    sha256_hex(digest, file->digest);
    if (memcmp(digest, head->digest, sizeof digest) != 0) {
        return file_refuse(file->path, AGAIN, diagnostic,
                           "the saved state is damaged: its SHA-256 is another one");
    }
    memcpy(its, head->seal, sizeof head->seal);
    if (sealed && (!state_seal(digest, own) || !seal_same(own, its))) {
        return file_refuse(file->path, AGAIN, diagnostic,
                           "the saved state lacks this user's seal: somebody else has written it, "
                           "or on another computer");
    }
    return STATUS_OK;
}

/* Whether a row's numbers can be true. */
static bool is_possible(const struct state_row *row, size_t left)
{
    const bool ends = memchr(row->name, '\0', sizeof row->name) != NULL;
    const bool fits = row->stored <= left && row->packed <= 1;
    return ends && fits &&
           (row->packed == 0 ? row->bytes == row->stored
                             : row->bytes / UNPACKED_MOST <= row->stored);
}

static enum status take_rows(struct state_file *file, size_t sections,
                             struct diagnostic *diagnostic)
{
    const uint8_t *at = file->bytes + sizeof(struct state_head);
    size_t left = file->size - sizeof(struct state_head);
    bool good = sections <= STATE_SECTIONS_MAX && left / sizeof(struct state_row) >= sections;
    const uint8_t *stored = at + (good ? sections * sizeof(struct state_row) : 0);
    left -= good ? sections * sizeof(struct state_row) : 0;
    for (size_t i = 0; i < sections && good; i++) {
        struct state_row row;
        memcpy(&row, at + i * sizeof row, sizeof row);
        good = is_possible(&row, left);
        if (good) {
            struct state_section *section = &file->section[file->sections++];
            *section = (struct state_section){.version = row.version,
                                              .packed = row.packed != 0,
                                              .bytes = row.bytes,
                                              .stored = stored,
                                              .stored_bytes = row.stored};
            memcpy(section->name, row.name, sizeof section->name);
            stored += row.stored;
            left -= row.stored;
        }
    }
    return good && left == 0
               ? STATUS_OK
               : file_refuse(file->path, AGAIN, diagnostic, "the saved state has no good table");
}

/* Checks file->bytes. */
static enum status check(struct state_file *file, bool sealed, struct diagnostic *diagnostic)
{
    struct state_head head;
    if (file->size < sizeof head ||
        memcmp(file->bytes, STATE_MAGIC, sizeof head.magic) != 0) {
        return file_refuse(file->path, "one that run.save_at has written", diagnostic,
                           "this is no saved state");
    }
    memcpy(&head, file->bytes, sizeof head);
    TRY(check_head(file, &head, diagnostic));
    TRY(check_digest(file, &head, sealed, diagnostic));
    return take_rows(file, head.sections, diagnostic);
}

static enum status begin(struct state_file *file, const char *path, struct diagnostic *diagnostic)
{
    *file = (struct state_file){.path = strdup(path)};
    return file->path == NULL ? no_memory(diagnostic) : STATUS_OK;
}

/* The file's content, if it begins as a state does: nothing else is read as a whole. */
static enum status read_bytes(struct state_file *file, struct diagnostic *diagnostic)
{
    uint8_t magic[STATE_MAGIC_BYTES];
    size_t size = 0;
    const size_t first = file_read_first(file->path, magic, sizeof magic, &size);
    if (first == sizeof magic && memcmp(magic, STATE_MAGIC, sizeof magic) != 0) {
        return file_refuse(file->path, "one that run.save_at has written", diagnostic,
                           "this is no saved state");
    }
    return file_read(file->path, size + 1, &file->bytes, &file->size, diagnostic);
}

enum status state_open(struct state_file *file, const char *path, struct diagnostic *diagnostic)
{
    TRY(begin(file, path, diagnostic));
    enum status status = read_bytes(file, diagnostic);
    if (status == STATUS_OK) {
        status = check(file, true, diagnostic);
    }
    if (status != STATUS_OK) {
        state_close(file);
    }
    return status;
}

enum status state_take(struct state_file *file, const char *name, bool sealed,
                       const uint8_t *bytes, size_t size, struct diagnostic *diagnostic)
{
    TRY(begin(file, name, diagnostic));
    file->bytes = malloc(size + 1);
    if (file->bytes == NULL) {
        state_close(file);
        return no_memory(diagnostic);
    }
    memcpy(file->bytes, bytes, size);
    file->size = size;
    const enum status status = check(file, sealed, diagnostic);
    if (status != STATUS_OK) {
        state_close(file);
    }
    return status;
}

void state_close(struct state_file *file)
{
    free(file->path);
    free(file->bytes);
    *file = (struct state_file){.path = NULL};
}

/* ---- sections ---- */

const struct state_section *state_find(const struct state_file *file, const char *name)
{
    for (size_t i = 0; i < file->sections; i++) {
        if (strcmp(file->section[i].name, name) == 0) {
            return &file->section[i];
        }
    }
    return NULL;
}

static bool unpack(const struct state_section *section, uint8_t *to)
{
    size_t at = 0;
    for (size_t done = 0; done < section->bytes;) {
        const size_t left = section->bytes - done;
        const size_t part = left < STATE_PART_BYTES ? left : STATE_PART_BYTES;
        uLongf unpacked = part;
        uint32_t length = 0;
        if (section->stored_bytes - at < sizeof length) {
            return false;
        }
        memcpy(&length, section->stored + at, sizeof length);
        at += sizeof length;
        if (section->stored_bytes - at < length ||
            uncompress(to + done, &unpacked, section->stored + at, length) != Z_OK ||
            unpacked != part) {
            return false;
        }
        at += length;
        done += part;
    }
    return at == section->stored_bytes;
}

static enum status damaged(const struct state_file *file, const char *name,
                           struct diagnostic *diagnostic)
{
    return file_refuse(file->path, AGAIN, diagnostic, "the saved state's section %s is no good one",
                       name);
}

enum status state_section(const struct state_file *file, const char *name, uint32_t version,
                          uint8_t **bytes, size_t *size, struct diagnostic *diagnostic)
{
    const struct state_section *section = state_find(file, name);
    *bytes = NULL;
    *size = 0;
    if (section == NULL || section->version != version) {
        return damaged(file, name, diagnostic);
    }
    uint8_t *to = malloc(section->bytes + 1);
    if (to == NULL) {
        return no_memory(diagnostic);
    }
    bool good = true;
    if (section->packed) {
        good = unpack(section, to);
    } else {
        memcpy(to, section->stored, section->bytes);
    }
    if (!good) {
        free(to);
        return damaged(file, name, diagnostic);
    }
    to[section->bytes] = 0;
    *bytes = to;
    *size = section->bytes;
    return STATUS_OK;
}

/* ---- pages ---- */

enum status state_read_pages(const struct state_file *file, struct state_pages *pages,
                             struct diagnostic *diagnostic)
{
    FREED uint8_t *list = NULL;
    size_t bytes = 0;
    size_t list_bytes = 0;
    *pages = (struct state_pages){.memory = NULL};
    TRY(state_section(file, STATE_PAGE_LIST, STATE_VERSION, &list, &list_bytes, diagnostic));
    TRY(state_section(file, STATE_PAGES, STATE_VERSION, &pages->memory, &bytes, diagnostic));
    const size_t stored = bytes / STATE_PAGE_BYTES;
    bool good = bytes % STATE_PAGE_BYTES == 0 && list_bytes % sizeof(uint32_t) == 0;
    pages->pages = list_bytes / sizeof(uint32_t);
    pages->page = calloc(pages->pages + 1, sizeof *pages->page);
    if (pages->page == NULL) {
        state_pages_free(pages);
        return no_memory(diagnostic);
    }
    for (size_t i = 0; i < pages->pages && good; i++) {
        uint32_t number;
        memcpy(&number, list + i * sizeof number, sizeof number);
        good = number <= stored;
        if (good && number > 0) {
            pages->page[i] = pages->memory + (size_t)(number - 1) * STATE_PAGE_BYTES;
        }
    }
    if (!good) {
        state_pages_free(pages);
        return damaged(file, STATE_PAGE_LIST, diagnostic);
    }
    return STATUS_OK;
}

void state_pages_free(struct state_pages *pages)
{
    free(pages->memory);
    free((void *)pages->page);
    *pages = (struct state_pages){.memory = NULL};
}
