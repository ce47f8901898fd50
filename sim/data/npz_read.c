/* npz_read.c - see npz.h.  numpy's own files carry zip64 fields in their local headers although
 * they need none; zip_read.h reads the directory. */
#include "sim/data/npy.h"
#include "sim/data/npz.h"
#include "sim/data/packed.h"
#include "sim/data/zip_read.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

enum { HEADERS_BYTES = 2 << 20 /* of a file beside the arrays: NPZ_MAX_ARRAYS have no more */ };

static const struct zip_kind NPZ = {
    .not_it = "not an .npz file: no zip end record",
    .hint = "expected a file written by numpy.savez or by this program",
    .entries = "arrays",
    .suffix = ".npy",
    .no_suffix = "an entry is not a .npy array",
    .methods = "numpy.savez and numpy.savez_compressed write methods 0 and 8",
    .most_entries = NPZ_MAX_ARRAYS,
    .most_name_chars = NPZ_MAX_NAME_CHARS,
};

/* Adds the array of an unpacked entry. */
static enum status add_array(const struct zip_archive *archive, const struct zip_entry *entry,
                             const uint8_t *bytes, struct npz *npz)
{
    struct npy_header header;
    struct npy_fault fault = {0};
    if (!npy_parse(&header, bytes, entry->unpacked_bytes, &fault)) {
        return zip_refuse(archive, entry, entry->data_at, fault.hint, "%s, byte %zu of the array",
                          fault.text, fault.offset);
    }
    if (npz_find(npz, entry->name) != NULL) {
        return zip_refuse(archive, entry, entry->local_at, NPZ.hint, "two arrays of this name");
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

static enum status read_arrays(struct zip_archive *archive, struct npz *npz)
{
    enum status status = STATUS_OK;
    size_t at = archive->directory_at;
    for (unsigned i = 0; i < archive->count && status == STATUS_OK; i++) {
        struct zip_entry entry;
        uint8_t *bytes = NULL;
        status = zip_next(archive, &entry, &at);
        if (status == STATUS_OK) {
            status = zip_unpack(archive, &entry, &bytes);
        }
        if (status == STATUS_OK) {
            status = add_array(archive, &entry, bytes, npz);
        }
        free(bytes);
    }
    return status == STATUS_OK ? zip_finish(archive, at) : status;
}

enum status npz_parse(struct npz *npz, const uint8_t *file, size_t file_size, const char *path,
                      size_t most, struct diagnostic *diagnostic)
{
    struct zip_archive archive = {.kind = &NPZ,
                                  .path = path,
                                  .diagnostic = diagnostic,
                                  .file = file,
                                  .file_size = file_size,
                                  .left_bytes = most};
    *npz = (struct npz){0};
    TRY(zip_open(&archive));
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
