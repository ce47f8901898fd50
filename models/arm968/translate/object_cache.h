/* object_cache.h - compiled objects on disk, identified by their inputs, and lists of them
 * (known.h).  Private to models/arm968.
 *
 * They are in spinnsim/native under XDG_CACHE_HOME or ~/.cache, a folder of mode 0700 that no other
 * user can replace (trusted_folder.h).  A file there is ignored if it is not this user's, is a
 * link, can be written by others, or does not hold the bytes that were written.  Files are created
 * by renaming, so any number of processes may share the folder.
 *
 * What is not there is looked for in a second folder, $SPINNSIM_NATIVE, which nobody writes to: the
 * objects and lists made when spinnsim was built.  The way to it is trusted in the same way, and
 * its files are root's or this user's, writable by nobody else.  Unset or no absolute path: no such
 * folder. */
#pragma once
#include "models/arm968/object_key.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

/* Adds to the key what identifies a program, given by its path: the path, its length and time.
 * False: there is no such program. */
bool object_key_add_program(struct object_key *key, const char *path);

enum object_kind {
    OBJECT_CODE,
    OBJECT_LIST,
    OBJECT_MADE, /* an object of a keeper, without a digest: becomes OBJECT_CODE when first read */
    OBJECT_TRIED /* an empty file: a keeper has not been able to make the object */
};

/* The bytes of a key's object followed by OBJECT_TAIL_BYTES for the folder's own use; to be freed;
 * NULL: there is none.  The host's loader ignores bytes at the end of an object. */
enum { OBJECT_TAIL_BYTES = sizeof(struct object_key) };
uint8_t *object_cache_read(struct object_key key, enum object_kind kind, size_t *size);

/* Stores the bytes of an object; a failure has no effect.  If there are too many files, those that
 * have not been read for the longest time are removed. */
void object_cache_store(struct object_key key, enum object_kind kind, const uint8_t *bytes,
                        size_t size);

/* Opens the folder, which is created if necessary.  The caller closes it. -1: there is none that
 * can be trusted. */
int object_cache_open(void);

/* Opens the second folder.  The caller closes it. -1: there is none that can be trusted. */
int object_cache_open_built(void);

/* The name of a key's file in the folder. */
enum { OBJECT_NAME_CHARS = 64 };
void object_name(char name[OBJECT_NAME_CHARS], struct object_key key, enum object_kind kind);

/* Whether an open folder has an object with this key, and its age: seconds since it was written or
 * read. */
bool object_cache_has(int folder, struct object_key key, enum object_kind kind, int64_t *seconds);

/* The bytes of an open file, to be freed; NULL: it is no normal one, empty, or too large. */
uint8_t *object_file_read(int file, size_t *size);

/* Removes the oldest file of an open folder if it has `most` or more. */
void object_folder_make_room(int folder, unsigned most);

C_LINKAGE_END
