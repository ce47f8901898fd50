/* known_key.h - remembers by which key a program is kept, so that the parts that it is linked from
 * are not read and hashed at every start (libgcc.a alone has 9 MB).
 *
 * A key is remembered together with the state of the parts: of each its path, device, inode, size
 * and times of change.  Whoever writes to a file changes its state.  Only files that have not been
 * changed for a while are remembered, since a second change within one tick of the file system's
 * clock could leave the state as it is. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/data/sha256.h"

#include <stdbool.h>
#include <time.h>
C_LINKAGE_BEGIN

/* The state of some files, file by file. */
struct parts_state {
    struct sha256 hash;
    time_t latest; /* change of one */
    bool missing;  /* one cannot be looked at */
};

void parts_state_begin(struct parts_state *state);
void parts_state_add(struct parts_state *state, const char *path);

/* A digest in hexadecimal digits. */
struct known_key {
    char text[SHA256_HEX_CHARS];
};

/* Ends the state: its digest. */
struct known_key parts_state_end(struct parts_state *state);

/* In program_keys of the user's cache, under the name `of`: the key that was kept with this state.
 * False: none is known, or the entry is damaged. */
bool known_key_find(const char *of, const struct known_key *state, struct known_key *key);

/* Keeps it, in place of an older one; where that is not possible, nothing is kept.  `latest`: of
 * the files' state; `began`: when the key was begun to be made. */
void known_key_keep(const char *of, const struct known_key *state, const struct known_key *key,
                    time_t latest, time_t began);

C_LINKAGE_END
