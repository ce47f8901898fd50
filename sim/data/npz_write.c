/* npz_write.c - see npz.h. */
#include "models/common/check.h"
#include "sim/data/npy.h"
#include "sim/data/npz.h"
#include "sim/data/zip_format.h"
#include "sim/steps.h"

#include <zlib.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    VERSION_NEEDED = 20,     /* 2.0; made by the same on FAT, so no file modes are stated */
    FIXED_DATE = 1 << 5 | 1, /* 1980-01-01, the first that the format knows */
    SUFFIX_BYTES = 4
};

static const char SUFFIX[] = ".npy";

static void put(struct npz_writer *writer, const void *bytes, size_t size)
{
    if (size > 0) {
        /* A failed write is seen by file_commit. */
        (void)fwrite(bytes, 1, size, writer->file.stream);
    }
    writer->size_bytes += size;
}

/* Whether the directory has an entry of this name. */
static bool has_name(const struct npz_writer *writer, const char *name, size_t name_bytes)
{
    for (size_t at = 0; at < writer->directory_bytes;) {
        const uint8_t *record = writer->directory + at;
        const size_t length = zip_load16(record + ZIP_CENTRAL_NAME_LENGTH_AT);
        if (length == name_bytes && memcmp(record + ZIP_CENTRAL_BYTES, name, name_bytes) == 0) {
            return true;
        }
        at += ZIP_CENTRAL_BYTES + length;
    }
    return false;
}

static enum status check_entry(const struct npz_writer *writer, const char *array_name,
                               const char *name, size_t name_bytes, uint64_t entry_bytes,
                               struct diagnostic *diagnostic)
{
    enum status status = STATUS_OK;
    /* Bytes still to be written: this entry, its two headers, the directory and the end record. */
    const uint64_t headers_bytes = ZIP_LOCAL_BYTES + ZIP_CENTRAL_BYTES + ZIP_END_BYTES +
                                   2 * (uint64_t)name_bytes + writer->directory_bytes;
    if (has_name(writer, name, name_bytes)) {
        status = diagnose(diagnostic, STATUS_CONFIGURATION, "two arrays of one name");
    } else if (writer->entry_count == NPZ_MAX_ARRAYS) {
        status = diagnose(diagnostic, STATUS_LIMIT, "more than %d arrays", NPZ_MAX_ARRAYS);
    } else if (entry_bytes > UINT32_MAX - 1 ||
               writer->size_bytes + headers_bytes + entry_bytes > UINT32_MAX - 1) {
        status = diagnose(diagnostic, STATUS_LIMIT, "the file would exceed 4 GiB");
    } else {
        return STATUS_OK;
    }
    diagnostic_at(diagnostic, writer->file.path, 0, 0);
    diagnostic_key(diagnostic, array_name);
    return status;
}

enum status npz_create(struct npz_writer *writer, const char *path, struct diagnostic *diagnostic)
{
    *writer = (struct npz_writer){0};
    return file_create(&writer->file, path, diagnostic);
}

static bool is_ascii(const char *name, size_t name_bytes)
{
    for (size_t i = 0; i < name_bytes; i++) {
        if ((unsigned char)name[i] >= 0x80) {
            return false;
        }
    }
    return true;
}

static enum status write_entry(struct npz_writer *writer, const char *name, size_t name_bytes,
                               const void *const part[2], const size_t part_bytes[2],
                               struct diagnostic *diagnostic)
{
    const size_t record_bytes = ZIP_CENTRAL_BYTES + name_bytes;
    uint8_t *directory = realloc(writer->directory, writer->directory_bytes + record_bytes);
    if (directory == NULL) {
        return no_memory(diagnostic);
    }
    writer->directory = directory;
    uint8_t *record = directory + writer->directory_bytes;
    writer->directory_bytes += record_bytes;
    writer->entry_count++;

    const uint32_t local_at = (uint32_t)writer->size_bytes;
    const uint32_t entry_bytes = (uint32_t)(part_bytes[0] + part_bytes[1]);
    uint32_t crc = (uint32_t)crc32_z(0, part[0], part_bytes[0]);
    if (part_bytes[1] > 0) { /* zlib starts anew when there is no data pointer */
        crc = (uint32_t)crc32_z(crc, part[1], part_bytes[1]);
    }

    const uint32_t flags = is_ascii(name, name_bytes) ? 0 : ZIP_FLAG_UTF8;

    uint8_t local[ZIP_LOCAL_BYTES] = {0};
    zip_store32(local, ZIP_LOCAL_SIGNATURE);
    zip_store16(local + ZIP_LOCAL_VERSION_AT, VERSION_NEEDED);
    zip_store16(local + ZIP_LOCAL_FLAGS_AT, flags);
    zip_store16(local + ZIP_LOCAL_METHOD_AT, ZIP_STORED);
    zip_store16(local + ZIP_LOCAL_DATE_AT, FIXED_DATE);
    zip_store32(local + ZIP_LOCAL_CRC_AT, crc);
    zip_store32(local + ZIP_LOCAL_PACKED_AT, entry_bytes);
    zip_store32(local + ZIP_LOCAL_UNPACKED_AT, entry_bytes);
    zip_store16(local + ZIP_LOCAL_NAME_LENGTH_AT, (uint32_t)name_bytes);
    put(writer, local, sizeof local);
    put(writer, name, name_bytes);
    put(writer, part[0], part_bytes[0]);
    put(writer, part[1], part_bytes[1]);

    memset(record, 0, ZIP_CENTRAL_BYTES);
    zip_store32(record, ZIP_CENTRAL_SIGNATURE);
    zip_store16(record + ZIP_CENTRAL_MADE_BY_AT, VERSION_NEEDED);
    memcpy(record + ZIP_CENTRAL_VERSION_AT, local + ZIP_LOCAL_VERSION_AT, /* the same fields */
           ZIP_LOCAL_BYTES - ZIP_LOCAL_VERSION_AT);
    zip_store32(record + ZIP_CENTRAL_LOCAL_AT, local_at);
    memcpy(record + ZIP_CENTRAL_BYTES, name, name_bytes);
    return STATUS_OK;
}

enum status npz_add(struct npz_writer *writer, const struct npz_array *array,
                    struct diagnostic *diagnostic)
{
    char name[NPZ_MAX_NAME_CHARS + sizeof SUFFIX];
    uint8_t header[NPY_MAX_HEADER_BYTES];
    const size_t array_name_bytes = strlen(array->name);
    CHECK(array_name_bytes > 0 && array_name_bytes <= NPZ_MAX_NAME_CHARS,
          "npz: an array needs a name of at most NPZ_MAX_NAME_CHARS");
    const size_t name_bytes = array_name_bytes + SUFFIX_BYTES;
    memcpy(name, array->name, array_name_bytes);
    memcpy(name + array_name_bytes, SUFFIX, sizeof SUFFIX);
    const size_t header_bytes = npy_format(array, header);

    uint64_t data_bytes = array->type == NPZ_TEXT ? array->item_bytes : npy_item_bytes(array->type);
    CHECK(data_bytes > 0, "npz: text of 0 bytes cannot be stored");
    for (unsigned i = 0; i < array->rank; i++) {
        /* One factor beyond 4 GiB is enough for check_entry; never let the product wrap. */
        const uint64_t dimension = array->shape[i] < UINT32_MAX ? array->shape[i] : UINT32_MAX;
        data_bytes *= dimension;
        data_bytes = data_bytes < UINT32_MAX ? data_bytes : UINT32_MAX;
    }
    TRY(check_entry(writer, array->name, name, name_bytes, header_bytes + data_bytes, diagnostic));
    const void *const part[2] = {header, array->data};
    const size_t part_bytes[2] = {header_bytes, (size_t)data_bytes};
    return write_entry(writer, name, name_bytes, part, part_bytes, diagnostic);
}

enum status npz_add_text(struct npz_writer *writer, const char *name, const char *text,
                         struct diagnostic *diagnostic)
{
    const size_t length = strlen(text);
    const struct npz_array array = {
        .name = name, .type = NPZ_TEXT, .item_bytes = length > 0 ? length : 1, .data = text};
    return npz_add(writer, &array, diagnostic);
}

enum status npz_commit(struct npz_writer *writer, struct diagnostic *diagnostic)
{
    uint8_t end[ZIP_END_BYTES] = {0};
    zip_store32(end, ZIP_END_SIGNATURE);
    zip_store16(end + ZIP_END_COUNT_HERE_AT, writer->entry_count);
    zip_store16(end + ZIP_END_COUNT_AT, writer->entry_count);
    zip_store32(end + ZIP_END_DIRECTORY_BYTES_AT, (uint32_t)writer->directory_bytes);
    zip_store32(end + ZIP_END_DIRECTORY_AT, (uint32_t)writer->size_bytes);
    put(writer, writer->directory, writer->directory_bytes);
    put(writer, end, sizeof end);
    const enum status status = file_commit(&writer->file, diagnostic);
    free(writer->directory);
    *writer = (struct npz_writer){0};
    return status;
}

void npz_discard(struct npz_writer *writer)
{
    file_discard(&writer->file);
    free(writer->directory);
    *writer = (struct npz_writer){0};
}
