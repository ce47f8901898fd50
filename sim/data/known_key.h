/* known_key.h - remembers what was found out about files, so that they are not read and hashed, or
 * unpacked, at every start: the key of the parts that a program is linked from (libgcc.a alone has
 * 9 MB), and that a file of MNIST is whole.
 *
 * It is remembered together with the state of the files: of each its path, device, inode, size
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
struct files_state {
    struct sha256 hash;
    time_t latest; /* change of one */
    bool missing;  /* one cannot be looked at */
};

void files_state_begin(struct files_state *state);
void files_state_add(struct files_state *state, const char *path);

/* What is remembered, and the digest of a state: hexadecimal digits, or another text with zeros
 * behind it. */
struct known_key {
    char text[SHA256_HEX_CHARS];
};

/* Ends the state: its digest. */
struct known_key files_state_end(struct files_state *state);

/* In the folder "known" of the user's cache, under the name `of`: the key that was kept with this
 * state. False: none is known, or the entry is damaged. */
bool known_key_find(const char *of, const struct known_key *state, struct known_key *key);

/* Keeps it, in place of an older one; where that is not possible, nothing is kept.  `latest`: of
 * the files' state; `began`: when the key was begun to be made. */
void known_key_keep(const char *of, const struct known_key *state, const struct known_key *key,
                    time_t latest, time_t began);

C_LINKAGE_END
