/* result_folder.h - writes a result folder atomically: all its files appear, or none.
 *
 * Files are written into a staging folder beside the final one (sim/staging.h), which then takes
 * its place.  If several runs write to one folder, the last to finish wins.  An older result folder
 * of the same name is replaced, and its other files are moved to the new one; any other non-empty
 * folder is refused.  A folder that cannot be replaced (a mount point, the working folder of the
 * command) is filled file by file. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdbool.h>
#include <stdio.h>
C_LINKAGE_BEGIN

struct result_folder {
    char *path;       /* the final name, as given */
    char *place;      /* the final name with links resolved, if the folder exists */
    char *staging;    /* path of the staging folder */
    int file;         /* open descriptor of the staging folder */
    bool in_place;    /* the files are moved into the existing folder one by one */
    const char *kept; /* a file of older results that is not removed; NULL: none */
};

/* Checks that a run may write its results there: the folder does not exist, is empty, or holds
 * results.  Changes nothing.  STATUS_CONFIGURATION with the reason. */
enum status result_folder_check(const char *path, struct diagnostic *diagnostic);

/* Removes from `parent` what killed runs of this user have left of result folders with usual names,
 * NAME-HASH: NAME-HASH.part-PID, unless a process is writing it (sim/staging.h), it has other files
 * than results, or it is complete and NAME-HASH is not.  result_folder_begin() does the same in the
 * folder above. */
void result_folder_clean(const char *parent);

enum status result_folder_begin(struct result_folder *folder, const char *path,
                                struct diagnostic *diagnostic);

/* Opens or closes a file in the staging folder; `name` is one of RESULT_FILES (result_files.h). */
enum status result_folder_open(const struct result_folder *folder, const char *name, FILE **stream,
                               struct diagnostic *diagnostic);
enum status result_folder_close(const struct result_folder *folder, const char *name, FILE *stream,
                                struct diagnostic *diagnostic);

/* The malloc'ed path of a file in the staging folder; NULL when out of memory. */
char *result_folder_path(const struct result_folder *folder, const char *name);

/* Keeps the file `name` of older results in the final folder, if there is one. */
void result_folder_keep(struct result_folder *folder, const char *name);

/* Syncs all files to the disk, by one syncfs(), and puts them in their place.  Always closes the
 * folder.  On failure the staging folder remains, and the diagnostic names it.
 *
 * A program that is killed needs no sync: others see the folder before or after the rename.  After
 * a power failure the files must not be shorter than their names promise, so they are on the disk
 * before the rename.  The rename itself is not waited for: then the new results may be absent, but
 * not incomplete.  Older results are removed only when the new ones have their name on the disk. */
enum status result_folder_commit(struct result_folder *folder, struct diagnostic *diagnostic);
void result_folder_discard(struct result_folder *folder);

C_LINKAGE_END
