/* state_write.c - see state_file.h: packs sections, and writes the file. */
#include "sim/state/state_format.h"

#include "sim/file.h"
#include "sim/steps.h"

#include <zlib.h>

#include <stdlib.h>
#include <string.h>

struct state_part {
    struct state_row row;
    uint8_t *stored; /* owned */
};

void state_writer_init(struct state_writer *writer)
{
    *writer = (struct state_writer){.part = calloc(STATE_SECTIONS_MAX, sizeof *writer->part)};
    writer->failed = writer->part == NULL;
}

void state_writer_deinit(struct state_writer *writer)
{
    for (size_t i = 0; i < writer->parts; i++) {
        free(writer->part[i].stored);
    }
    free(writer->part);
    *writer = (struct state_writer){.part = NULL};
}

/* ---- sections ---- */

/* The most bytes that a section can take when it is packed. */
static size_t packed_bound(size_t size)
{
    const size_t parts = size / STATE_PART_BYTES + 1;
    return parts * (sizeof(uint32_t) + compressBound(STATE_PART_BYTES));
}

/* Packs part by part; returns the bytes, 0 on failure. */
static size_t pack_parts(const uint8_t *bytes, size_t size, uint8_t *to, size_t room)
{
    size_t at = 0;
    for (size_t done = 0; done < size;) {
        const size_t left = size - done;
        const size_t part = left < STATE_PART_BYTES ? left : STATE_PART_BYTES;
        uLongf packed = room - at - sizeof(uint32_t);
        if (compress2(to + at + sizeof(uint32_t), &packed, bytes + done, part, Z_BEST_SPEED) !=
            Z_OK) {
            return 0;
        }
        const uint32_t length = (uint32_t)packed;
        memcpy(to + at, &length, sizeof length);
        at += sizeof length + packed;
        done += part;
    }
    return at;
}

void state_add(struct state_writer *writer, const char *name, uint32_t version, const void *bytes,
               size_t size)
{
    if (writer->failed || writer->parts == STATE_SECTIONS_MAX) {
        writer->failed = true;
        return;
    }
    const size_t room = packed_bound(size);
    struct state_part *part = &writer->part[writer->parts];
    *part = (struct state_part){.row = {.version = version, .packed = 1, .bytes = size},
                                .stored = malloc(room)};
    (void)snprintf(part->row.name, sizeof part->row.name, "%s", name);
    const size_t stored = part->stored == NULL ? 0 : pack_parts(bytes, size, part->stored, room);
    if (part->stored == NULL || (stored == 0 && size > 0)) {
        free(part->stored);
        writer->failed = true;
        return;
    }
    uint8_t *less = realloc(part->stored, stored + 1);
    part->stored = less == NULL ? part->stored : less;
    part->row.stored = stored;
    writer->parts++;
}

/* ---- pages ---- */

/* The pages that are stored, to be found by their content. */
struct page_index {
    const uint8_t **page;
    uint32_t pages;
    uint32_t *slot; /* 1 + a page's number; 0: none */
    size_t slots;   /* a power of two */
};

static uint64_t hash_page(const uint8_t *page)
{
    static const uint64_t FACTOR = 0x9e3779b97f4a7c15u; /* 2^64 by the golden ratio */
    uint64_t hash = 0;
    for (size_t at = 0; at < STATE_PAGE_BYTES; at += sizeof hash) {
        uint64_t word;
        memcpy(&word, page + at, sizeof word);
        hash = (hash ^ word) * FACTOR;
        hash ^= hash >> 32;
    }
    return hash;
}

static bool is_zero(const uint8_t *page)
{
    static const uint8_t ZERO[STATE_PAGE_BYTES];
    return page == NULL || memcmp(page, ZERO, sizeof ZERO) == 0;
}

/* 1 + the number of a page, which is added if it is new; 0: it is zeros. */
static uint32_t index_page(struct page_index *index, const uint8_t *page)
{
    if (is_zero(page)) {
        return 0;
    }
    size_t slot = hash_page(page) & (index->slots - 1);
    while (index->slot[slot] != 0) {
        const uint32_t number = index->slot[slot];
        if (memcmp(index->page[number - 1], page, STATE_PAGE_BYTES) == 0) {
            return number;
        }
        slot = (slot + 1) & (index->slots - 1);
    }
    index->page[index->pages++] = page;
    index->slot[slot] = index->pages;
    return index->pages;
}

static bool index_init(struct page_index *index, size_t pages)
{
    *index = (struct page_index){.slots = 2};
    while (index->slots < 2 * pages) {
        index->slots *= 2;
    }
    index->page = malloc((pages + 1) * sizeof *index->page);
    index->slot = calloc(index->slots, sizeof *index->slot);
    return index->page != NULL && index->slot != NULL;
}

/* The pages of an index, one behind the other; NULL: out of memory. */
static uint8_t *join_pages(const struct page_index *index)
{
    uint8_t *all = malloc((size_t)index->pages * STATE_PAGE_BYTES + 1);
    for (uint32_t i = 0; all != NULL && i < index->pages; i++) {
        memcpy(all + (size_t)i * STATE_PAGE_BYTES, index->page[i], STATE_PAGE_BYTES);
    }
    return all;
}

void state_add_pages(struct state_writer *writer, const uint8_t *const *page, size_t pages)
{
    struct page_index index;
    uint32_t *list = malloc((pages + 1) * sizeof *list);
    const bool good = index_init(&index, pages) && list != NULL && pages < UINT32_MAX;
    for (size_t i = 0; good && i < pages; i++) {
        list[i] = index_page(&index, page[i]);
    }
    uint8_t *all = good ? join_pages(&index) : NULL;
    writer->failed = writer->failed || all == NULL;
    if (all != NULL) {
        state_add(writer, STATE_PAGES, STATE_VERSION, all, (size_t)index.pages * STATE_PAGE_BYTES);
        state_add(writer, STATE_PAGE_LIST, STATE_VERSION, list, pages * sizeof *list);
    }
    free(all);
    free(list);
    free((void *)index.page);
    free(index.slot);
}

/* ---- the whole ---- */

void state_digest(const struct state_head *head, const uint8_t *body, size_t bytes,
                  uint8_t digest[SHA256_BYTES])
{
    struct sha256 hash;
    sha256_init(&hash);
    sha256_update(&hash, head, offsetof(struct state_head, digest));
    sha256_update(&hash, body, bytes);
    sha256_final(&hash, digest);
}

bool state_seal(const uint8_t digest[SHA256_BYTES], char text[SHA256_HEX_CHARS])
{
    uint8_t key[SEAL_KEY_BYTES];
    const struct seal_part part = {digest, SHA256_BYTES};
    if (!seal_key(key)) {
        return false;
    }
    seal_of(key, &part, 1, text);
    return true;
}

bool state_can_seal(void)
{
    uint8_t key[SEAL_KEY_BYTES];
    return seal_key(key);
}

/* The table and what it tells of, behind the head. */
static void fill_body(const struct state_writer *writer, uint8_t *body)
{
    uint8_t *row = body;
    uint8_t *stored = body + writer->parts * sizeof(struct state_row);
    for (size_t i = 0; i < writer->parts; i++) {
        const struct state_part *part = &writer->part[i];
        memcpy(row, &part->row, sizeof part->row);
        memcpy(stored, part->stored, part->row.stored);
        row += sizeof part->row;
        stored += part->row.stored;
    }
}

enum status state_pack(const struct state_writer *writer, bool sealed, uint8_t **bytes,
                       size_t *size, struct diagnostic *diagnostic)
{
    struct state_head head = {.version = STATE_VERSION, .sections = (uint32_t)writer->parts};
    char text[SHA256_HEX_CHARS] = "";
    size_t body = 0;
    *bytes = NULL;
    for (size_t i = 0; !writer->failed && i < writer->parts; i++) {
        body += sizeof writer->part[i].row + writer->part[i].row.stored;
    }
    uint8_t *all = writer->failed ? NULL : malloc(sizeof head + body + 1);
    if (all == NULL) {
        return no_memory(diagnostic);
    }
    memcpy(head.magic, STATE_MAGIC, sizeof head.magic);
    head.body_bytes = body;
    fill_body(writer, all + sizeof head);
    state_digest(&head, all + sizeof head, body, head.digest);
    if (sealed && !state_seal(head.digest, text)) {
        free(all);
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "there is no folder for the key that seals a state\v~/.cache, or "
                        "XDG_CACHE_HOME, must be this user's alone");
    }
    memcpy(head.seal, text, sealed ? sizeof head.seal : 0);
    memcpy(all, &head, sizeof head);
    *bytes = all;
    *size = sizeof head + body;
    return STATUS_OK;
}

enum status state_write(const struct state_writer *writer, const char *path,
                        struct diagnostic *diagnostic)
{
    FREED uint8_t *bytes = NULL;
    size_t size = 0;
    struct file_writer file;
    TRY(state_pack(writer, true, &bytes, &size, diagnostic));
    TRY(file_make_folder_of(path, diagnostic));
    TRY(file_create(&file, path, diagnostic));
    (void)fwrite(bytes, 1, size, file.stream);
    return file_commit(&file, diagnostic);
}
