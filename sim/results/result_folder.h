/* result_folder.h - a folder of result files that appear complete or not at all.
 *
 * Files are written into a folder of another name beside it (sim/staging.h), which then takes its
 * place; of several runs into one folder, the last one's files are there.  An older result folder
 * of the same name is replaced, and what else lies in it is moved over; any other folder that is
 * not empty is refused.  A folder that cannot be replaced (a mount point, the folder that the
 * command runs in) is filled file by file. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdbool.h>
#include <stdio.h>
C_LINKAGE_BEGIN

struct result_folder {
    char *path;       /* the final name, as given */
    char *place;      /* and without links, where it exists */
    char *staging;    /* while it is written */
    int file;         /* of that folder, open */
    bool in_place;    /* the files are moved into the folder that is there */
    const char *kept; /* a file of older results that stays; NULL: none */
};

/* Whether a run may write its results there: it does not exist, is empty, or holds results. Nothing
 * is changed.  STATUS_CONFIGURATION with the reason. */
enum status result_folder_check(const char *path, struct diagnostic *diagnostic);

enum status result_folder_begin(struct result_folder *folder, const char *path,
                                struct diagnostic *diagnostic);

/* A file in the making; the name is one of RESULT_FILES (result_files.h). */
enum status result_folder_open(const struct result_folder *folder, const char *name, FILE **stream,
                               struct diagnostic *diagnostic);
enum status result_folder_close(const struct result_folder *folder, const char *name, FILE *stream,
                                struct diagnostic *diagnostic);

/* The path of a file in the making, in malloc'ed memory; NULL when out of memory. */
char *result_folder_path(const struct result_folder *folder, const char *name);

/* A file of the older results under the final name, if there is one, is to stay. */
void result_folder_keep(struct result_folder *folder, const char *name);

/* Puts all files in their place, when they are on the disk.  The folder is closed either way; where
 * that fails, everything that was written stays, and the diagnostic says where. */
enum status result_folder_commit(struct result_folder *folder, struct diagnostic *diagnostic);
void result_folder_discard(struct result_folder *folder);

C_LINKAGE_END
