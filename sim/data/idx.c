/* idx.c - see idx.h. */
#include "sim/data/idx.h"

#include "models/common/check.h"
#include "sim/data/packed.h"
#include "sim/steps.h"

#define ZLIB_CONST /* next_in is a pointer to const */
#include <zlib.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAGIC_BYTES = 4,
    TYPE_AT = 2,
    RANK_AT = 3,
    SIZE_BYTES = 4,
    TYPE_UBYTE = 0x08,
    GZIP_WINDOW = 15 + 16, /* zlib: the largest window, gzip wrapper */
    FILE_SLACK =
        1 << 20 /* largest overhead of a file over its elements: gzip of incompressible data */
};

static const char DAMAGED_HINT[] = "the file is damaged or cut short; fetch it again";
static const char FORMAT_HINT[] =
    "expected an MNIST file in IDX format, plain or gzip; a saved web page is a common mistake";

/* A sequential reader of the array file's bytes, from plain or compressed content. */
struct content {
    const char *path;
    struct diagnostic *diagnostic;
    const uint8_t *file;
    size_t file_size;
    size_t held; /* bytes of it in memory: all, or the first */
    size_t at;   /* in the content: decompressed bytes when `gzip` */
    bool gzip;
    bool ended; /* gzip: the end of the stream has been seen, and its checksum was right */
    z_stream stream;
};

/* Refuses the file for what stands at an offset. */
#define refuse(content, offset, hint, ...) /* NOLINT(readability-identifier-naming) */             \
    packed_refuse((content)->path, offset, (content)->gzip ? " of the decompressed content" : "",  \
                  hint, (content)->diagnostic, __VA_ARGS__)

static unsigned clip_to_unsigned(size_t size)
{
    const size_t most = 1u << 30;
    return (unsigned)(size < most ? size : most);
}

static enum status inflate_some(struct content *content, uint8_t *out, size_t wanted, size_t *got)
{
    z_stream *stream = &content->stream;
    *got = 0;
    while (*got < wanted && !content->ended) {
        const unsigned room = clip_to_unsigned(wanted - *got);
        const size_t consumed = (size_t)(stream->next_in - content->file);
        stream->avail_in = clip_to_unsigned(content->held - consumed);
        stream->next_out = out + *got;
        stream->avail_out = room;
        const int result = inflate(stream, Z_NO_FLUSH);
        *got += room - stream->avail_out;
        if (result == Z_STREAM_END) {
            content->ended = true;
        } else if (result == Z_MEM_ERROR) {
            return no_memory(content->diagnostic);
        } else if (result == Z_BUF_ERROR) {
            return refuse(content, content->at + *got, DAMAGED_HINT,
                          "the gzip file ends in the middle");
        } else if (result != Z_OK) {
            return refuse(content, content->at + *got, DAMAGED_HINT, "damaged gzip file: %s",
                          stream->msg != NULL ? stream->msg : "not decodable");
        }
    }
    return STATUS_OK;
}

/* Up to `wanted` bytes; fewer only where the content ends. */
static enum status take(struct content *content, uint8_t *out, size_t wanted, size_t *got)
{
    enum status status = STATUS_OK;
    if (content->gzip) {
        status = inflate_some(content, out, wanted, got);
    } else {
        const size_t left = content->held - content->at;
        *got = wanted < left ? wanted : left;
        if (*got > 0) { /* an empty file may have no address */
            memcpy(out, content->file + content->at, *got);
        }
    }
    content->at += *got;
    return status;
}

static uint32_t load_big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static const char *type_name(uint8_t type)
{
    static const char *const NAME[] = {[0x09] = "signed bytes",
                                       [0x0b] = "16-bit integers",
                                       [0x0c] = "32-bit integers",
                                       [0x0d] = "float32",
                                       [0x0e] = "float64"};
    const bool known = type < sizeof NAME / sizeof *NAME && NAME[type] != NULL;
    return known ? NAME[type] : "an unknown type";
}

static enum status read_magic(struct content *content, unsigned rank)
{
    uint8_t magic[MAGIC_BYTES] = {0};
    size_t got = 0;
    TRY(take(content, magic, MAGIC_BYTES, &got));
    if (got < MAGIC_BYTES) {
        return refuse(content, got, FORMAT_HINT, "not an IDX file: it holds %zu bytes", got);
    }
    if (magic[0] != 0 || magic[1] != 0) {
        return refuse(content, 0, FORMAT_HINT,
                      "not an IDX file%s: it begins with %02x %02x %02x %02x",
                      content->gzip ? "" : " and not gzip", magic[0], magic[1], magic[2], magic[3]);
    }
    if (magic[TYPE_AT] != TYPE_UBYTE) {
        return refuse(content, TYPE_AT, "only unsigned bytes (type 08) are read",
                      "the elements are %s (type %02x)", type_name(magic[TYPE_AT]), magic[TYPE_AT]);
    }
    if (magic[RANK_AT] != rank) {
        return refuse(content, RANK_AT, "have image and label files been exchanged?",
                      "the array has %u dimensions, expected %u", magic[RANK_AT], rank);
    }
    return STATUS_OK;
}

/* The most bytes of elements that this file can hold behind its header. */
static uint64_t capacity_bytes(const struct content *content)
{
    return content->gzip ? packed_capacity(content->file_size) : content->file_size - content->at;
}

static enum status read_shape(struct content *content, struct idx *idx, size_t most)
{
    uint8_t sizes[IDX_MAX_RANK * SIZE_BYTES] = {0};
    const size_t header_bytes = MAGIC_BYTES + (size_t)idx->rank * SIZE_BYTES;
    size_t got = 0;
    TRY(take(content, sizes, (size_t)idx->rank * SIZE_BYTES, &got));
    if (content->at < header_bytes) {
        return refuse(content, content->at, DAMAGED_HINT,
                      "cut short: the header needs %zu bytes, there are %zu", header_bytes,
                      content->at);
    }
    /* Each factor is below 2^32 and the running product is kept below 2^53: no overflow. */
    const uint64_t capacity = capacity_bytes(content);
    uint64_t total = 1;
    for (unsigned i = 0; i < idx->rank; i++) {
        const size_t offset = MAGIC_BYTES + (size_t)i * SIZE_BYTES;
        idx->shape[i] = load_big_endian(sizes + (size_t)i * SIZE_BYTES);
        if (idx->shape[i] == 0) {
            return refuse(content, offset, DAMAGED_HINT, "dimension %u is 0", i);
        }
        if (idx->shape[i] > (UINT64_MAX >> 11) / total) {
            return refuse(content, offset, DAMAGED_HINT, "dimension %u is absurd: %u", i,
                          idx->shape[i]);
        }
        total *= idx->shape[i];
    }
    if (total > most) {
        return refuse(content, MAGIC_BYTES, FORMAT_HINT,
                      "the header promises %llu bytes of elements, at most %zu are read",
                      (unsigned long long)total, most);
    }
    if (total > capacity && content->gzip) {
        return refuse(
            content, MAGIC_BYTES, DAMAGED_HINT,
            "the header promises %llu bytes of elements, more than %zu bytes of gzip hold",
            (unsigned long long)total, content->file_size);
    }
    if (total > capacity) {
        return refuse(content, content->file_size, DAMAGED_HINT,
                      "cut short: %llu bytes of elements, the header promises %llu",
                      (unsigned long long)capacity, (unsigned long long)total);
    }
    idx->size_bytes = (size_t)total;
    return STATUS_OK;
}

static enum status read_elements(struct content *content, struct idx *idx)
{
    const size_t first = content->at;
    size_t got = 0;
    idx->data = malloc(idx->size_bytes);
    if (idx->data == NULL) {
        return no_memory(content->diagnostic);
    }
    TRY(take(content, idx->data, idx->size_bytes, &got));
    if (got < idx->size_bytes) {
        return refuse(content, first + got, DAMAGED_HINT,
                      "cut short: %zu bytes of elements, the header promises %zu", got,
                      idx->size_bytes);
    }
    uint8_t extra = 0;
    TRY(take(content, &extra, 1, &got));
    if (got != 0) {
        return refuse(content, first + idx->size_bytes, DAMAGED_HINT,
                      "bytes follow after the %zu that the header promises", idx->size_bytes);
    }
    const size_t consumed =
        content->gzip ? (size_t)(content->stream.next_in - content->file) : content->file_size;
    return consumed == content->file_size
               ? STATUS_OK
               : refuse(content, content->at, DAMAGED_HINT,
                        "%zu bytes follow after the end of the gzip data",
                        content->file_size - consumed);
}

static enum status parse(struct content *content, struct idx *idx, size_t most)
{
    TRY(read_magic(content, idx->rank));
    TRY(read_shape(content, idx, most));
    return read_elements(content, idx);
}

/* Only the first bytes of elements. */
static enum status parse_first(struct content *content, struct idx *idx, size_t most, size_t bytes)
{
    size_t got = 0;
    TRY(read_magic(content, idx->rank));
    TRY(read_shape(content, idx, most));
    idx->data = bytes > idx->size_bytes ? NULL : malloc(bytes);
    if (idx->data == NULL) {
        return no_memory(content->diagnostic);
    }
    idx->size_bytes = bytes;
    TRY(take(content, idx->data, bytes, &got));
    return got == bytes
               ? STATUS_OK
               : refuse(content, content->at, DAMAGED_HINT, "the content is not in memory");
}

/* first: the bytes of elements to read; 0: all, and the file is checked to its end. */
static enum status parse_content(struct content *content, struct idx *idx,
                                 const struct idx_form *form, size_t first)
{
    const uint8_t *file = content->file;
    CHECK(form->rank == 1 || form->rank == IDX_MAX_RANK, "idx_parse: rank is 1 or 3");
    *idx = (struct idx){.rank = form->rank};
    content->gzip = content->held >= 2 && file[0] == 0x1f && file[1] == 0x8b;
    if (content->gzip) {
        content->stream.next_in = file;
        if (inflateInit2(&content->stream, GZIP_WINDOW) != Z_OK) {
            return no_memory(content->diagnostic);
        }
    }
    const enum status status =
        first == 0 ? parse(content, idx, form->most) : parse_first(content, idx, form->most, first);
    if (content->gzip) {
        (void)inflateEnd(&content->stream);
    }
    if (status != STATUS_OK) {
        idx_deinit(idx);
    }
    return status;
}

enum status idx_parse(struct idx *idx, const uint8_t *file, size_t file_size, const char *path,
                      const struct idx_form *form, struct diagnostic *diagnostic)
{
    struct content content = {.path = path,
                              .diagnostic = diagnostic,
                              .file = file,
                              .file_size = file_size,
                              .held = file_size};
    return parse_content(&content, idx, form, 0);
}

bool idx_read_first(struct idx *idx, const char *path, const struct idx_form *form, size_t bytes)
{
    enum { HEADERS = 4096 };
    struct diagnostic unused = {0};
    struct content content = {.path = path, .diagnostic = &unused};
    /* Packed bytes may be more than the elements, but by a little. */
    const size_t most = bytes + bytes / HEADERS * 8 + HEADERS;
    uint8_t *file = malloc(most);
    *idx = (struct idx){0};
    content.file = file;
    content.held = file == NULL ? 0 : file_read_first(path, file, most, &content.file_size);
    const bool read = content.held > 0 && parse_content(&content, idx, form, bytes) == STATUS_OK;
    free(file);
    return read;
}

enum status idx_read(struct idx *idx, const char *path, const struct idx_form *form,
                     struct diagnostic *diagnostic)
{
    uint8_t *file = NULL;
    size_t file_size = 0;
    *idx = (struct idx){0};
    enum status status = file_read(path, form->most + FILE_SLACK, &file, &file_size, diagnostic);
    if (status == STATUS_OK) {
        status = idx_parse(idx, file, file_size, path, form, diagnostic);
    }
    free(file);
    return status;
}

void idx_deinit(struct idx *idx)
{
    free(idx->data);
    *idx = (struct idx){0};
}
