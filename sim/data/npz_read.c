/* npz_read.c - see npz.h.  The central directory is what counts: numpy's own files carry zip64
 * fields in their local headers although they need none. */
#include "sim/data/npy.h"
#include "sim/data/npz.h"
#include "sim/data/packed.h"
#include "sim/data/zip_format.h"
#include "sim/steps.h"

#define ZLIB_CONST /* next_in is a pointer to const */
#include <zlib.h>

#include <stdlib.h>
#include <string.h>

enum {
    MAX_COMMENT_BYTES = 65535,
    RAW_DEFLATE_WINDOW = -15, /* zlib: no wrapper */
    HEADERS_BYTES = 2 << 20,  /* of a file beside the arrays: NPZ_MAX_ARRAYS have no more */
    FLAGS_KNOWN = ZIP_FLAG_DEFLATE_LEVEL | ZIP_FLAG_SIZES_BEHIND | ZIP_FLAG_UTF8
};

static const char SUFFIX[] = ".npy";
static const char NOT_NPZ_HINT[] = "expected a file written by numpy.savez or by this program";
static const char DAMAGED_HINT[] = "the file is damaged or cut short; write or fetch it again";

struct archive {
    const char *path;
    struct diagnostic *diagnostic;
    const uint8_t *file;
    size_t file_size;
    size_t directory_at;
    size_t directory_end;
    size_t packed_bytes; /* of the entries so far */
    size_t left_bytes;   /* that the others may unpack to */
    unsigned count;
};

struct entry {
    char name[NPZ_MAX_NAME_CHARS + sizeof SUFFIX]; /* the array's name once it is known */
    uint32_t flags;
    uint32_t method;
    uint32_t crc;
    size_t packed_bytes;
    size_t unpacked_bytes;
    size_t name_bytes;
    size_t local_at;
    size_t data_at;
};

/* Refuses the file for what stands at an offset; `entry` may be NULL. */
#define refuse(archive, entry, offset, hint, ...) /* NOLINT(readability-identifier-naming) */      \
    ((void)packed_refuse((archive)->path, offset, "", hint, (archive)->diagnostic, __VA_ARGS__),   \
     diagnostic_key((archive)->diagnostic, name_of(entry)), STATUS_CONFIGURATION)

static const char *name_of(const struct entry *entry)
{
    return entry != NULL ? entry->name : "";
}

static enum status refuse_zip64(const struct archive *archive, const struct entry *entry,
                                size_t offset)
{
    return refuse(archive, entry, offset, "keep the file below 4 GiB",
                  "zip64 archives are not supported");
}

/* ---- the directory ---- */

/* The offset of the end record: the last one whose comment ends exactly at the end of the file. */
static bool find_end(const struct archive *archive, size_t *end_at)
{
    if (archive->file_size < ZIP_END_BYTES) {
        return false;
    }
    const size_t last = archive->file_size - ZIP_END_BYTES;
    for (size_t back = 0; back <= last && back <= MAX_COMMENT_BYTES; back++) {
        const uint8_t *record = archive->file + last - back;
        if (zip_load32(record) == ZIP_END_SIGNATURE &&
            zip_load16(record + ZIP_END_COMMENT_LENGTH_AT) == back) {
            *end_at = last - back;
            return true;
        }
    }
    return false;
}

static enum status read_end(struct archive *archive)
{
    size_t end_at = 0;
    if (!find_end(archive, &end_at)) {
        const bool begun =
            archive->file_size >= 4 && zip_load32(archive->file) == ZIP_LOCAL_SIGNATURE;
        return refuse(archive, NULL, archive->file_size, begun ? DAMAGED_HINT : NOT_NPZ_HINT,
                      begun ? "the zip archive is cut short: no end record"
                            : "not an .npz file: no zip end record");
    }
    const uint8_t *end = archive->file + end_at;
    const uint32_t directory_bytes = zip_load32(end + ZIP_END_DIRECTORY_BYTES_AT);
    const uint32_t directory_at = zip_load32(end + ZIP_END_DIRECTORY_AT);
    archive->count = zip_load16(end + ZIP_END_COUNT_AT);
    if (archive->count == UINT16_MAX || directory_bytes == UINT32_MAX ||
        directory_at == UINT32_MAX ||
        (end_at >= ZIP64_END_LOCATOR_BYTES &&
         zip_load32(end - ZIP64_END_LOCATOR_BYTES) == ZIP64_END_LOCATOR_SIGNATURE)) {
        return refuse_zip64(archive, NULL, end_at);
    }
    if (zip_load16(end + ZIP_END_DISK_AT) != 0 ||
        zip_load16(end + ZIP_END_DIRECTORY_DISK_AT) != 0 ||
        zip_load16(end + ZIP_END_COUNT_HERE_AT) != archive->count) {
        return refuse(archive, NULL, end_at, NOT_NPZ_HINT, "the zip archive has several parts");
    }
    if (directory_at > end_at || directory_bytes != end_at - directory_at) {
        return refuse(archive, NULL, end_at, DAMAGED_HINT,
                      "the zip directory is not where the end record says");
    }
    if (archive->count > NPZ_MAX_ARRAYS) {
        return refuse(archive, NULL, end_at, NOT_NPZ_HINT, "%u arrays, at most %d are supported",
                      archive->count, NPZ_MAX_ARRAYS);
    }
    archive->directory_at = directory_at;
    archive->directory_end = end_at;
    return STATUS_OK;
}

/* The entry's name with its ending, which stays in place until the local header is compared. */
static enum status read_name(const struct archive *archive, struct entry *entry,
                             const uint8_t *name, size_t offset)
{
    const size_t suffix_chars = sizeof SUFFIX - 1;
    const size_t length = entry->name_bytes;
    if (length >= sizeof entry->name) {
        return refuse(archive, NULL, offset, NOT_NPZ_HINT, "a name is longer than %d characters",
                      NPZ_MAX_NAME_CHARS);
    }
    memcpy(entry->name, name, length);
    entry->name[length] = '\0';
    for (size_t i = 0; i < length; i++) {
        if (name[i] < ' ') {
            return refuse(archive, NULL, offset, NOT_NPZ_HINT, "a name has control characters");
        }
    }
    if (length <= suffix_chars || memcmp(name + length - suffix_chars, SUFFIX, suffix_chars) != 0) {
        return refuse(archive, entry, offset, NOT_NPZ_HINT, "an entry is not a .npy array");
    }
    return STATUS_OK;
}

/* Reads the directory record at *at and advances *at to the next. */
static enum status read_directory(struct archive *archive, struct entry *entry, size_t *at)
{
    const uint8_t *record = archive->file + *at;
    const size_t room = archive->directory_end - *at;
    *entry = (struct entry){0};
    if (room < ZIP_CENTRAL_BYTES || zip_load32(record) != ZIP_CENTRAL_SIGNATURE) {
        return refuse(archive, NULL, *at, DAMAGED_HINT, "the zip directory is damaged");
    }
    entry->flags = zip_load16(record + ZIP_CENTRAL_FLAGS_AT);
    entry->method = zip_load16(record + ZIP_CENTRAL_METHOD_AT);
    entry->crc = zip_load32(record + ZIP_CENTRAL_CRC_AT);
    entry->packed_bytes = zip_load32(record + ZIP_CENTRAL_PACKED_AT);
    entry->unpacked_bytes = zip_load32(record + ZIP_CENTRAL_UNPACKED_AT);
    entry->name_bytes = zip_load16(record + ZIP_CENTRAL_NAME_LENGTH_AT);
    entry->local_at = zip_load32(record + ZIP_CENTRAL_LOCAL_AT);
    const size_t record_bytes = (size_t)ZIP_CENTRAL_BYTES + entry->name_bytes +
                                zip_load16(record + ZIP_CENTRAL_EXTRA_LENGTH_AT) +
                                zip_load16(record + ZIP_CENTRAL_COMMENT_LENGTH_AT);
    if (room < record_bytes) {
        return refuse(archive, NULL, *at, DAMAGED_HINT, "the zip directory is damaged");
    }
    TRY(read_name(archive, entry, record + ZIP_CENTRAL_BYTES, *at));
    if (entry->packed_bytes == UINT32_MAX || entry->unpacked_bytes == UINT32_MAX ||
        entry->local_at == UINT32_MAX) {
        return refuse_zip64(archive, entry, *at);
    }
    *at += record_bytes;
    return STATUS_OK;
}

/* ---- one entry ---- */

static enum status check_method(const struct archive *archive, const struct entry *entry)
{
    if ((entry->flags & ZIP_FLAG_ENCRYPTED) != 0) {
        return refuse(archive, entry, entry->local_at, NOT_NPZ_HINT, "the entry is encrypted");
    }
    if ((entry->flags & ~(uint32_t)FLAGS_KNOWN) != 0) {
        return refuse(archive, entry, entry->local_at, NOT_NPZ_HINT, "unknown zip flags %04x",
                      entry->flags);
    }
    if (entry->method != ZIP_STORED && entry->method != ZIP_DEFLATED) {
        return refuse(archive, entry, entry->local_at,
                      "numpy.savez and numpy.savez_compressed write methods 0 and 8",
                      "zip compression method %u is not supported", entry->method);
    }
    return STATUS_OK;
}

/* Finds the data and checks that they lie in the file and can hold what the directory promises. */
static enum status locate_data(struct archive *archive, struct entry *entry)
{
    const size_t data_end = archive->directory_at;
    const uint8_t *local = archive->file + entry->local_at;
    if (entry->local_at > data_end || data_end - entry->local_at < ZIP_LOCAL_BYTES ||
        zip_load32(local) != ZIP_LOCAL_SIGNATURE) {
        return refuse(archive, entry, entry->local_at, DAMAGED_HINT,
                      "the directory points at no entry");
    }
    const size_t header_bytes = (size_t)ZIP_LOCAL_BYTES +
                                zip_load16(local + ZIP_LOCAL_NAME_LENGTH_AT) +
                                zip_load16(local + ZIP_LOCAL_EXTRA_LENGTH_AT);
    if (data_end - entry->local_at < header_bytes ||
        data_end - entry->local_at - header_bytes < entry->packed_bytes) {
        return refuse(archive, entry, entry->local_at, DAMAGED_HINT,
                      "the entry lies outside the file");
    }
    if (zip_load16(local + ZIP_LOCAL_METHOD_AT) != entry->method ||
        zip_load16(local + ZIP_LOCAL_NAME_LENGTH_AT) != entry->name_bytes ||
        memcmp(local + ZIP_LOCAL_BYTES, entry->name, entry->name_bytes) != 0) {
        return refuse(archive, entry, entry->local_at, DAMAGED_HINT,
                      "the entry and its directory record differ");
    }
    /* Entries that share their data could unpack to any size, so the sum over all entries is
     * bounded. */
    archive->packed_bytes += entry->packed_bytes;
    const uint64_t capacity =
        entry->method == ZIP_STORED ? entry->packed_bytes : packed_capacity(entry->packed_bytes);
    if (archive->packed_bytes > archive->file_size || entry->unpacked_bytes > capacity ||
        (entry->method == ZIP_STORED && entry->unpacked_bytes != entry->packed_bytes)) {
        return refuse(archive, entry, entry->local_at, DAMAGED_HINT,
                      "%zu bytes cannot hold the %zu that the directory promises",
                      entry->packed_bytes, entry->unpacked_bytes);
    }
    entry->data_at = entry->local_at + header_bytes;
    return STATUS_OK;
}

static enum status inflate_entry(const struct archive *archive, const struct entry *entry,
                                 uint8_t *bytes)
{
    z_stream stream = {.next_in = archive->file + entry->data_at,
                       .avail_in = (unsigned)entry->packed_bytes,
                       .next_out = bytes,
                       .avail_out = (unsigned)entry->unpacked_bytes};
    if (inflateInit2(&stream, RAW_DEFLATE_WINDOW) != Z_OK) {
        return no_memory(archive->diagnostic);
    }
    const int result = inflate(&stream, Z_FINISH);
    const bool whole = result == Z_STREAM_END && stream.avail_in == 0 && stream.avail_out == 0;
    (void)inflateEnd(&stream);
    return whole ? STATUS_OK
                 : refuse(archive, entry, entry->data_at, DAMAGED_HINT,
                          "the compressed data do not give the promised %zu bytes",
                          entry->unpacked_bytes);
}

/* The entry's bytes, malloc'ed. */
static enum status unpack(struct archive *archive, struct entry *entry, uint8_t **bytes)
{
    TRY(check_method(archive, entry));
    TRY(locate_data(archive, entry));
    entry->name[entry->name_bytes - (sizeof SUFFIX - 1)] = '\0';
    if (entry->unpacked_bytes > archive->left_bytes) {
        return refuse(archive, entry, entry->local_at, "is it the right file?",
                      "%zu bytes are more than there can be", entry->unpacked_bytes);
    }
    archive->left_bytes -= entry->unpacked_bytes;
    *bytes = malloc(entry->unpacked_bytes + 1);
    if (*bytes == NULL) {
        return no_memory(archive->diagnostic);
    }
    if (entry->method == ZIP_STORED) {
        memcpy(*bytes, archive->file + entry->data_at, entry->unpacked_bytes);
    } else {
        TRY(inflate_entry(archive, entry, *bytes));
    }
    return (uint32_t)crc32_z(0, *bytes, entry->unpacked_bytes) == entry->crc
               ? STATUS_OK
               : refuse(archive, entry, entry->data_at, DAMAGED_HINT, "the checksum is wrong");
}

/* Adds the array of an unpacked entry. */
static enum status add_array(const struct archive *archive, const struct entry *entry,
                             const uint8_t *bytes, struct npz *npz)
{
    struct npy_header header;
    struct npy_fault fault = {0};
    if (!npy_parse(&header, bytes, entry->unpacked_bytes, &fault)) {
        return refuse(archive, entry, entry->data_at, fault.hint, "%s, byte %zu of the array",
                      fault.text, fault.offset);
    }
    if (npz_find(npz, entry->name) != NULL) {
        return refuse(archive, entry, entry->local_at, NOT_NPZ_HINT, "two arrays of this name");
    }
    const size_t size_bytes = header.count * header.item_bytes;
    char *name = strdup(entry->name);
    uint8_t *data = malloc(size_bytes + 1);
    if (name == NULL || data == NULL) {
        free(name);
        free(data);
        return no_memory(archive->diagnostic);
    }
    memcpy(data, bytes + header.header_bytes, size_bytes);
    data[size_bytes] = 0;
    struct npz_array *array = &npz->array[npz->count++];
    *array = (struct npz_array){.name = name,
                                .type = header.type,
                                .rank = header.rank,
                                .item_bytes = header.item_bytes,
                                .count = header.count,
                                .data = data};
    memcpy(array->shape, header.shape, sizeof array->shape);
    return STATUS_OK;
}

static enum status read_arrays(struct archive *archive, struct npz *npz)
{
    enum status status = STATUS_OK;
    size_t at = archive->directory_at;
    for (unsigned i = 0; i < archive->count && status == STATUS_OK; i++) {
        struct entry entry;
        uint8_t *bytes = NULL;
        status = read_directory(archive, &entry, &at);
        if (status == STATUS_OK) {
            status = unpack(archive, &entry, &bytes);
        }
        if (status == STATUS_OK) {
            status = add_array(archive, &entry, bytes, npz);
        }
        free(bytes);
    }
    if (status == STATUS_OK && at != archive->directory_end) {
        return refuse(archive, NULL, at, DAMAGED_HINT, "the zip directory is damaged");
    }
    return status;
}

/* ---- */

enum status npz_parse(struct npz *npz, const uint8_t *file, size_t file_size, const char *path,
                      size_t most, struct diagnostic *diagnostic)
{
    struct archive archive = {.path = path,
                              .diagnostic = diagnostic,
                              .file = file,
                              .file_size = file_size,
                              .left_bytes = most};
    *npz = (struct npz){0};
    TRY(read_end(&archive));
    npz->path = strdup(path);
    npz->array = calloc(archive.count + 1, sizeof *npz->array);
    const enum status status = npz->path == NULL || npz->array == NULL ? no_memory(diagnostic)
                                                                       : read_arrays(&archive, npz);
    if (status != STATUS_OK) {
        npz_close(npz);
    }
    return status;
}

enum status npz_open(struct npz *npz, const char *path, size_t most, struct diagnostic *diagnostic)
{
    uint8_t *file = NULL;
    size_t file_size = 0;
    *npz = (struct npz){0};
    enum status status = file_read(path, most + HEADERS_BYTES, &file, &file_size, diagnostic);
    if (status == STATUS_OK) {
        status = npz_parse(npz, file, file_size, path, most, diagnostic);
    }
    free(file);
    return status;
}

void npz_close(struct npz *npz)
{
    for (size_t i = 0; npz->array != NULL && i < npz->count; i++) {
        free((void *)npz->array[i].name);
        free((void *)npz->array[i].data);
    }
    free(npz->array);
    free(npz->path);
    *npz = (struct npz){0};
}

const struct npz_array *npz_find(const struct npz *npz, const char *name)
{
    for (size_t i = 0; i < npz->count; i++) {
        if (strcmp(npz->array[i].name, name) == 0) {
            return &npz->array[i];
        }
    }
    return NULL;
}

enum status npz_require(const struct npz *npz, const char *name, enum npz_type type, unsigned rank,
                        const struct npz_array **array, struct diagnostic *diagnostic)
{
    *array = npz_find(npz, name);
    if (*array != NULL && (*array)->type == type && (*array)->rank == rank) {
        return STATUS_OK;
    }
    const struct npz_array *found = *array;
    *array = NULL;
    return found == NULL
               ? npz_refuse(npz, name, NULL, diagnostic, "there is no array of this name")
               : npz_refuse(npz, name, NULL, diagnostic,
                            "the array is %s with %u dimensions, expected %s with %u",
                            npz_type_name(found->type), found->rank, npz_type_name(type), rank);
}
