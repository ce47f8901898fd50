/* staging.h - the names under which files and folders are written before they get their own: beside
 * X stands X.part-PID, or X.part-PID-1 and so on where that is taken.
 *
 * They are made anew, never reached through a link, and locked (flock) as long as they are open:
 * one that nobody holds is what a run that was killed has left. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
C_LINKAGE_BEGIN

/* A new file (to be written) or folder beside `path`, open.  Its name in malloc'ed memory; NULL:
 * errno says why. */
char *staging_file(const char *path, int *file);
char *staging_folder(const char *path, int *folder);

/* Removes the files (or, with `remove`, the folders) beside `path` that runs of this user have left
 * which are no more.  `remove` empties a folder, of which it knows the content. */
void staging_sweep(const char *path, void (*remove)(int folder));

/* Whether a name is that of something in the making; `of` is the name that it will have. */
bool staging_is_name(const char *name, const char *of);

/* The folder in which a path lies, open; -1: errno says why. */
int staging_open_parent(const char *path);

C_LINKAGE_END
