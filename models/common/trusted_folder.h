/* trusted_folder.h - folders into which no other user can put anything.
 *
 * A path is opened folder by folder from the root, and only the open folder counts: who renames one
 * later changes nothing.  Trusted are folders of this user or of root which nobody else may write
 * to; a folder that others may write to only if it is sticky (/tmp), since there they cannot
 * replace what is not theirs.  Links are followed if this user or root has made them, and not in a
 * sticky folder, where somebody else may have put such a link by a second name. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stddef.h>
C_LINKAGE_BEGIN

/* Opens an absolute path and creates up to `create` of its last folders, with mode 0700, if they
 * are missing.  Returns a descriptor, which the caller closes; -1: it does not exist or is not
 * trusted. */
int trusted_folder_open(const char *path, unsigned create);

/* Opens, or creates with mode 0700 and opens, a folder in an open one; `name` has no '/'.  It must
 * be a folder of this user that nobody else may read or write, and no link.  -1: it is not. */
int private_folder_open(int parent, const char *name, bool create);

/* Whether an open folder is of this user, and nobody else may read or write it. */
bool private_folder_is(int folder);

/* Removes a folder and the files in it; `parent` is an open folder. */
void folder_remove(int parent, const char *name);

/* Removes the files of an open folder, those with a name that begins with '.' apart. */
void folder_clear(int folder);

/* Creates a file of mode 0600 which nobody sees before it is whole; replaces an older one. */
struct folder_part {
    const void *bytes;
    size_t size;
};
bool folder_write(int folder, const char *name, const struct folder_part *parts, unsigned count);

C_LINKAGE_END
