/* object_cache.h - compiled objects on disk, identified by their inputs, and lists of them
 * (known.h).  Private to models/arm968.
 *
 * They are in spinnsim/native under XDG_CACHE_HOME or ~/.cache, a folder of mode 0700.  A file
 * there is ignored if it is not this user's, is a link, can be written by others, or does not hold
 * the bytes that were written.  Files are created by renaming, so any number of processes may share
 * the folder. */
#pragma once
#include "models/arm968/object_key.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

/* Adds to the key what identifies a program, given by name or path: its location, length and time.
 * False: there is no such program. */
bool object_key_add_program(struct object_key *key, const char *program);

enum object_kind {
    OBJECT_CODE,
    OBJECT_LIST,
    OBJECT_MADE /* an object from a work folder, without a digest: becomes OBJECT_CODE when first
                   read */
};

/* The bytes of a key's object followed by OBJECT_TAIL_BYTES for the folder's own use; to be freed;
 * NULL: there is none.  The host's loader ignores bytes at the end of an object. */
enum { OBJECT_TAIL_BYTES = sizeof(struct object_key) };
uint8_t *object_cache_read(struct object_key key, enum object_kind kind, size_t *size);

/* Stores the bytes of an object; a failure has no effect.  If there are too many files, those that
 * have not been read for the longest time are removed. */
void object_cache_store(struct object_key key, enum object_kind kind, const uint8_t *bytes,
                        size_t size);

/* As object_cache_store(), with the bytes of a file. */
void object_cache_store_file(struct object_key key, enum object_kind kind, const char *path);

/* Creates a folder of mode 0700 for the process that will make a key's object after this program
 * has ended, and returns the folder's path.  That process moves the object to the key's name for
 * OBJECT_MADE and removes the folder; a folder left behind is removed after an hour.  False: the
 * object is already being made, too many are being made, or there is no place. */
enum { OBJECT_PATH_CHARS = 640 };
bool object_cache_workshop(struct object_key key, char workshop[OBJECT_PATH_CHARS]);

/* Removes a folder and the files in it; parent is an open folder or AT_FDCWD. */
void folder_remove(int parent, const char *name);

/* Whether an object exists or is being made. */
bool object_cache_awaits(struct object_key key);

C_LINKAGE_END
