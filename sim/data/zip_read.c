/* zip_read.c - see zip_read.h. */
#include "sim/data/zip_read.h"

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
    FLAGS_KNOWN = ZIP_FLAG_DEFLATE_LEVEL | ZIP_FLAG_SIZES_BEHIND | ZIP_FLAG_UTF8
};

static const char DAMAGED_HINT[] = "the file is damaged or cut short; write or fetch it again";

static enum status refuse_zip64(const struct zip_archive *archive, const struct zip_entry *entry,
                                size_t offset)
{
    return zip_refuse(archive, entry, offset, "keep the file below 4 GiB",
                      "zip64 archives are not supported");
}

/* ---- the directory ---- */

/* The offset of the end record: the last one whose comment ends exactly at the end of the file. */
static bool find_end(const struct zip_archive *archive, size_t *end_at)
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

enum status zip_open(struct zip_archive *archive)
{
    size_t end_at = 0;
    archive->packed_bytes = 0;
    if (!find_end(archive, &end_at)) {
        const bool begun =
            archive->file_size >= 4 && zip_load32(archive->file) == ZIP_LOCAL_SIGNATURE;
        return zip_refuse(
            archive, NULL, archive->file_size, begun ? DAMAGED_HINT : archive->kind->hint, "%s",
            begun ? "the zip archive is cut short: no end record" : archive->kind->not_it);
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
        return zip_refuse(archive, NULL, end_at, archive->kind->hint,
                          "the zip archive has several parts");
    }
    if (directory_at > end_at || directory_bytes != end_at - directory_at) {
        return zip_refuse(archive, NULL, end_at, DAMAGED_HINT,
                          "the zip directory is not where the end record says");
    }
    if (archive->count > archive->kind->most_entries) {
        return zip_refuse(archive, NULL, end_at, archive->kind->hint,
                          "%u %s, at most %u are supported", archive->count, archive->kind->entries,
                          archive->kind->most_entries);
    }
    archive->directory_at = directory_at;
    archive->directory_end = end_at;
    return STATUS_OK;
}

/* The entry's name with its ending, which stays in place until the local header is compared. */
static enum status read_name(const struct zip_archive *archive, struct zip_entry *entry,
                             const uint8_t *name, size_t offset)
{
    const size_t suffix_chars = strlen(archive->kind->suffix);
    const size_t length = entry->name_bytes;
    if (length >= sizeof entry->name || length > archive->kind->most_name_chars + suffix_chars) {
        return zip_refuse(archive, NULL, offset, archive->kind->hint,
                          "a name is longer than %u characters", archive->kind->most_name_chars);
    }
    memcpy(entry->name, name, length);
    entry->name[length] = '\0';
    for (size_t i = 0; i < length; i++) {
        if (name[i] < ' ') {
            return zip_refuse(archive, NULL, offset, archive->kind->hint,
                              "a name has control characters");
        }
    }
    if (length <= suffix_chars ||
        memcmp(name + length - suffix_chars, archive->kind->suffix, suffix_chars) != 0) {
        return zip_refuse(archive, entry, offset, archive->kind->hint, "%s",
                          archive->kind->no_suffix);
    }
    return STATUS_OK;
}

enum status zip_next(struct zip_archive *archive, struct zip_entry *entry, size_t *at)
{
    const uint8_t *record = archive->file + *at;
    const size_t room = archive->directory_end - *at;
    *entry = (struct zip_entry){0};
    if (room < ZIP_CENTRAL_BYTES || zip_load32(record) != ZIP_CENTRAL_SIGNATURE) {
        return zip_refuse(archive, NULL, *at, DAMAGED_HINT, "the zip directory is damaged");
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
        return zip_refuse(archive, NULL, *at, DAMAGED_HINT, "the zip directory is damaged");
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

static enum status check_method(const struct zip_archive *archive, const struct zip_entry *entry)
{
    if ((entry->flags & ZIP_FLAG_ENCRYPTED) != 0) {
        return zip_refuse(archive, entry, entry->local_at, archive->kind->hint,
                          "the entry is encrypted");
    }
    if ((entry->flags & ~(uint32_t)FLAGS_KNOWN) != 0) {
        return zip_refuse(archive, entry, entry->local_at, archive->kind->hint,
                          "unknown zip flags %04x", entry->flags);
    }
    if (entry->method != ZIP_STORED && entry->method != ZIP_DEFLATED) {
        return zip_refuse(archive, entry, entry->local_at, archive->kind->methods,
                          "zip compression method %u is not supported", entry->method);
    }
    return STATUS_OK;
}

/* Finds the data and checks that they lie in the file and can hold what the directory promises. */
static enum status locate_data(struct zip_archive *archive, struct zip_entry *entry)
{
    const size_t data_end = archive->directory_at;
    const uint8_t *local = archive->file + entry->local_at;
    if (entry->local_at > data_end || data_end - entry->local_at < ZIP_LOCAL_BYTES ||
        zip_load32(local) != ZIP_LOCAL_SIGNATURE) {
        return zip_refuse(archive, entry, entry->local_at, DAMAGED_HINT,
                          "the directory points at no entry");
    }
    const size_t header_bytes = (size_t)ZIP_LOCAL_BYTES +
                                zip_load16(local + ZIP_LOCAL_NAME_LENGTH_AT) +
                                zip_load16(local + ZIP_LOCAL_EXTRA_LENGTH_AT);
    if (data_end - entry->local_at < header_bytes ||
        data_end - entry->local_at - header_bytes < entry->packed_bytes) {
        return zip_refuse(archive, entry, entry->local_at, DAMAGED_HINT,
                          "the entry lies outside the file");
    }
    if (zip_load16(local + ZIP_LOCAL_METHOD_AT) != entry->method ||
        zip_load16(local + ZIP_LOCAL_NAME_LENGTH_AT) != entry->name_bytes ||
        memcmp(local + ZIP_LOCAL_BYTES, entry->name, entry->name_bytes) != 0) {
        return zip_refuse(archive, entry, entry->local_at, DAMAGED_HINT,
                          "the entry and its directory record differ");
    }
    /* Entries that share their data could unpack to any size, so the sum over all entries is
     * bounded. */
    archive->packed_bytes += entry->packed_bytes;
    const uint64_t capacity =
        entry->method == ZIP_STORED ? entry->packed_bytes : packed_capacity(entry->packed_bytes);
    if (archive->packed_bytes > archive->file_size || entry->unpacked_bytes > capacity ||
        (entry->method == ZIP_STORED && entry->unpacked_bytes != entry->packed_bytes)) {
        return zip_refuse(archive, entry, entry->local_at, DAMAGED_HINT,
                          "%zu bytes cannot hold the %zu that the directory promises",
                          entry->packed_bytes, entry->unpacked_bytes);
    }
    entry->data_at = entry->local_at + header_bytes;
    return STATUS_OK;
}

static enum status inflate_entry(const struct zip_archive *archive, const struct zip_entry *entry,
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
                 : zip_refuse(archive, entry, entry->data_at, DAMAGED_HINT,
                              "the compressed data do not give the promised %zu bytes",
                              entry->unpacked_bytes);
}

enum status zip_unpack(struct zip_archive *archive, struct zip_entry *entry, uint8_t **bytes)
{
    TRY(check_method(archive, entry));
    TRY(locate_data(archive, entry));
    entry->name[entry->name_bytes - strlen(archive->kind->suffix)] = '\0';
    if (entry->unpacked_bytes > archive->left_bytes) {
        return zip_refuse(archive, entry, entry->local_at, "is it the right file?",
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
               : zip_refuse(archive, entry, entry->data_at, DAMAGED_HINT, "the checksum is wrong");
}

enum status zip_finish(const struct zip_archive *archive, size_t at)
{
    return at == archive->directory_end
               ? STATUS_OK
               : zip_refuse(archive, NULL, at, DAMAGED_HINT, "the zip directory is damaged");
}
