/* file.h - reads and writes whole files.  A written file appears complete under its name or not at
 * all. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
C_LINKAGE_BEGIN

/* Rejects a file or its content: fills the diagnostic with the text (printf format), the path and
 * the hint (NULL: none) and returns STATUS_CONFIGURATION. */
enum status file_refuse(const char *path, const char *hint, struct diagnostic *diagnostic,
                        const char *format, ...) PRINTF_LIKE(4, 5);

/* Reports "cannot WHAT: " and the text of errno for a file or folder.  STATUS_INTERNAL for failures
 * of the host (a full disk, no memory, too many open files), else STATUS_CONFIGURATION. */
enum status file_cannot(const char *what, const char *path, struct diagnostic *diagnostic);

/* Size limits of files without a more specific bound: tables and JSON of results; programs. */
enum { FILE_TABLE_BYTES = 1 << 28, FILE_PROGRAM_BYTES = 1 << 28 };

/* Reads a file into malloc'ed memory, with a zero byte after the content.  STATUS_CONFIGURATION
 * with the file's name when it cannot be read, has more than `most` bytes, or is neither a regular
 * file nor a pipe. */
enum status file_read(const char *path, size_t most, uint8_t **bytes, size_t *size,
                      struct diagnostic *diagnostic);

/* Reads the first bytes of a regular file; returns how many there were, up to `most`, and sets
 * *size to the file's.  0: none can be read. */
size_t file_read_first(const char *path, uint8_t *bytes, size_t most, size_t *size);

/* Whether a regular file begins with these bytes. */
bool file_begins_with(const char *path, const void *bytes, size_t size);

/* A file that is being written under a temporary name in the same folder (staging.h); file_commit()
 * renames it. */
struct file_writer {
    FILE *stream;
    char *path;
    char *temporary;
};

enum status file_create(struct file_writer *writer, const char *path,
                        struct diagnostic *diagnostic);

/* Syncs the file to the disk and renames it; on failure removes it.  Always closes the writer. */
enum status file_commit(struct file_writer *writer, struct diagnostic *diagnostic);

/* The end of a file whose content has this status: file_commit() of STATUS_OK, else file_discard()
 * and the status. */
enum status file_finish(struct file_writer *writer, enum status status,
                        struct diagnostic *diagnostic);

/* Closes and removes the temporary file; harmless on a closed writer. */
void file_discard(struct file_writer *writer);

/* fsync() of an open file or folder.  Also returns true where the file system does not support
 * it. */
bool file_sync(int file);

/* The same of all files of the file system in which an open file or folder lies, by one wait for
 * the disk instead of one for each file. */
bool file_sync_all(int file);

/* Makes a folder and those above it. */
enum status file_make_folder(const char *path, struct diagnostic *diagnostic);

/* The same of the folder that a file is to lie in. */
enum status file_make_folder_of(const char *path, struct diagnostic *diagnostic);

bool file_is_folder(const char *path);

/* Whether a folder has something of that name. */
bool file_is_in(const char *folder, const char *name);

/* The path behind its last slash. */
static inline const char *file_name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* Whether the path has this ending, and something before it. */
bool file_ends_in(const char *path, const char *ending);

/* folder/name, or a text in printf format, in malloc'ed memory; NULL when out of memory. */
char *file_join(const char *folder, const char *name);
char *file_print(const char *format, ...) PRINTF_LIKE(1, 2);

/* file_names.c: the names in a folder but "." and "..", in order.  They are taken at once, so that
 * the folder may change while they are looked at. */
struct file_names {
    struct dirent **entry; /* owned, and each of them */
    size_t count;
};

/* `folder` is relative to the open folder `parent`, or to the working folder (AT_FDCWD).  False,
 * with errno and without names, when it cannot be read. */
bool file_names_take(struct file_names *names, int parent, const char *folder);
void file_names_deinit(struct file_names *names);

C_LINKAGE_END
