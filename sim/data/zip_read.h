/* zip_read.h - the entries of a zip archive in memory, stored or deflated: .npz files, and models
 * of Keras.  The central directory is what counts. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum { ZIP_NAME_CHARS = 256 };

/* What the archives of a format have, and how they are refused. */
struct zip_kind {
    const char *not_it;  /* "not an .npz file: no zip end record" */
    const char *hint;    /* for what no such file has */
    const char *entries; /* "arrays" */
    const char *suffix;  /* that each name must have, "": none */
    const char *no_suffix;
    const char *methods; /* the hint for another compression */
    unsigned most_entries, most_name_chars;
};

struct zip_archive {
    const struct zip_kind *kind;
    const char *path;
    struct diagnostic *diagnostic;
    const uint8_t *file;
    size_t file_size;
    size_t left_bytes; /* that entries may still unpack to; set by the caller */
    /* set by zip_open() */
    size_t directory_at;
    size_t directory_end;
    size_t packed_bytes; /* of the entries so far */
    unsigned count;      /* of entries */
};

struct zip_entry {
    char name[ZIP_NAME_CHARS]; /* zip_unpack() takes the suffix off */
    uint32_t flags;
    uint32_t method;
    uint32_t crc;
    size_t packed_bytes;
    size_t unpacked_bytes;
    size_t name_bytes;
    size_t local_at;
    size_t data_at;
};

/* Finds the directory; the archive's kind, path, diagnostic, file, file_size and left_bytes are
 * set. STATUS_CONFIGURATION with file, offset, the entry's name as key, and a hint, here and below.
 */
enum status zip_open(struct zip_archive *archive);

/* Reads the directory record at *at, at first directory_at, and advances *at to the next. */
enum status zip_next(struct zip_archive *archive, struct zip_entry *entry, size_t *at);

/* The same behind the last record: the directory must end there. */
enum status zip_finish(const struct zip_archive *archive, size_t at);

/* The entry's bytes, malloc'ed, with room for a zero behind them. */
enum status zip_unpack(struct zip_archive *archive, struct zip_entry *entry, uint8_t **bytes);

/* Refuses the archive for what stands at an offset; `entry` may be NULL. */
#define zip_refuse(archive, entry, offset, hint, ...) /* NOLINT(readability-identifier-naming) */  \
    ((void)packed_refuse((archive)->path, offset, "", hint, (archive)->diagnostic, __VA_ARGS__),   \
     diagnostic_key((archive)->diagnostic, zip_name_of(entry)), STATUS_CONFIGURATION)

static inline const char *zip_name_of(const struct zip_entry *entry)
{
    return entry != NULL ? entry->name : "";
}

C_LINKAGE_END
