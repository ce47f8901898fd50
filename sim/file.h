/* file.h - whole files in and out.  A file that is written appears complete under its name or not
 * at all. */
#ifndef SIM_FILE_H
#define SIM_FILE_H
#include "models/common/status.h"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Reads a file into malloc'ed memory (one zero byte follows the content).  STATUS_CONFIGURATION
 * with the file's name when it cannot be read. */
enum status file_read(const char *path, uint8_t **bytes, size_t *size,
                      struct diagnostic *diagnostic);

/* A file in the making: written under a temporary name in the same folder, renamed by
 * file_commit(). */
struct file_writer {
    FILE *stream;
    char *path;
    char *temporary;
};

enum status file_create(struct file_writer *writer, const char *path,
                        struct diagnostic *diagnostic);

/* Flushes and renames; on any failure nothing stays behind.  The writer is closed either way. */
enum status file_commit(struct file_writer *writer, struct diagnostic *diagnostic);

/* Closes and removes what has been written; harmless on a writer that is closed. */
void file_discard(struct file_writer *writer);

/* Makes a folder and those above it. */
enum status file_make_folder(const char *path, struct diagnostic *diagnostic);

/* folder/name in malloc'ed memory; NULL when out of memory. */
char *file_join(const char *folder, const char *name);

#ifdef __cplusplus
}
#endif
#endif
