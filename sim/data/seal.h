/* seal.h - tells whether bytes were written by this user's own programs: HMAC-SHA256 (RFC 2104)
 * with a secret key of the user, which is made at the first need.
 *
 * The key is in spinnsim/seal.key under XDG_CACHE_HOME or ~/.cache, beside the compiled code that
 * spinnsim loads from there: whoever can write in that folder could run code anyway.  A folder or a
 * key that is not this user's alone is not used. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/data/sha256.h"
C_LINKAGE_BEGIN

enum { SEAL_KEY_BYTES = 32 };

/* Reads the user's key, or makes one.  False: there is no folder for it that can be trusted. */
bool seal_key(uint8_t key[SEAL_KEY_BYTES]);

struct seal_part {
    const void *bytes;
    size_t size;
};

/* The seal of the parts, one after the other, as text. */
void seal_of(const uint8_t key[SEAL_KEY_BYTES], const struct seal_part *part, size_t parts,
             char text[SHA256_HEX_CHARS]);

/* Compares two seals in a time that does not tell where they differ. */
bool seal_same(const char a[SHA256_HEX_CHARS], const char b[SHA256_HEX_CHARS]);

C_LINKAGE_END
