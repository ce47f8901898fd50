/* object_cache.h - compiled objects on disk, by what they were compiled from, and lists of them
 * (known.h).  Private to models/arm968.
 *
 * They lie in spinnsim/native under XDG_CACHE_HOME or ~/.cache, a folder of mode 0700: whatever
 * there is not this user's, is a link, or can be written by others is ignored, and so is a file
 * whose bytes are not those that were written.  Files appear by renaming, so any number of
 * processes may share the folder. */
#pragma once
#include "models/arm968/object_key.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

/* What a program is, by its name or path: where it lies, how long it is and from when.  False:
 * there is none. */
bool object_key_add_program(struct object_key *key, const char *program);

enum object_kind {
    OBJECT_CODE,
    OBJECT_LIST,
    OBJECT_MADE /* an object from a workshop, without a digest: OBJECT_CODE when it is first read */
};

/* The bytes of a key's object and, behind them, OBJECT_TAIL_BYTES of the folder's own; to be freed;
 * NULL when there is none.  The last bytes of an object may be anything to the host's loader. */
enum { OBJECT_TAIL_BYTES = sizeof(struct object_key) };
uint8_t *object_cache_read(struct object_key key, enum object_kind kind, size_t *size);

/* Keeps the bytes of an object; what fails leaves things as they were.  The files that have not
 * been read for the longest time go when there are too many. */
void object_cache_store(struct object_key key, enum object_kind kind, const uint8_t *bytes,
                        size_t size);

/* The same as storing with the bytes of a file. */
void object_cache_store_file(struct object_key key, enum object_kind kind, const char *path);

/* Makes a folder of mode 0700 for the one who is to make a key's object after the program has
 * ended, and tells its path.  He moves what he has made to the key's name for OBJECT_MADE, and
 * removes the folder; one that is left is removed after an hour.  False: somebody works on this
 * object already, too many are at work, or there is no place. */
enum { OBJECT_PATH_CHARS = 640 };
bool object_cache_workshop(struct object_key key, char workshop[OBJECT_PATH_CHARS]);

/* Removes a folder and the files in it; parent is an open folder or AT_FDCWD. */
void folder_remove(int parent, const char *name);

/* Whether an object is there, or somebody works on it. */
bool object_cache_awaits(struct object_key key);

C_LINKAGE_END
