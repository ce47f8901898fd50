/* staging.h - temporary names for files and folders while they are written.  Beside X stands
 * X.part-PID, or X.part-PID-1 and so on if that name is taken.
 *
 * Staging files and folders are newly created, never opened through a link, and locked (flock)
 * while they are open.  The kernel drops the lock with its holder, so an unlocked one was left by a
 * run that was killed, whatever process has its number now.  Where folders cannot be locked (NFS
 * refuses it), nothing is taken for left. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
C_LINKAGE_BEGIN

/* Creates and opens a file (for writing) or folder beside `path`.  Returns its malloc'ed name; NULL
 * on failure, with errno. */
char *staging_file(const char *path, int *file);
char *staging_folder(const char *path, int *folder);

/* Removes the staging files beside `path` that killed runs of this user have left. */
void staging_sweep(const char *path);

/* The same for staging folders: those of `path`, and those for whose final names is_swept() holds,
 * whatever their path (`path` ends in '/': only these).  empty() removes a folder's content, since
 * it knows it; what it leaves keeps the folder. */
struct staging_folders {
    bool (*is_swept)(const char *final_name);
    void (*empty)(int parent, const char *final_name, int folder);
};
void staging_sweep_folders(const char *path, const struct staging_folders *folders);

/* Whether `name` is a staging name of the final name `of`. */
bool staging_is_name(const char *name, const char *of);

/* Opens the folder that contains `path`; -1 on failure, with errno. */
int staging_open_parent(const char *path);

C_LINKAGE_END
