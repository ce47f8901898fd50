/* seal.c - see seal.h. */
#include "sim/data/seal.h"

#include "models/common/user_cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OTHERS = 077 /* mode bits of group and others */ };

static const char KEY_NAME[] = "seal.key";

/* ---- the key ---- */

static bool read_key(int folder, uint8_t key[SEAL_KEY_BYTES])
{
    struct stat about;
    const int file = openat(folder, KEY_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    const bool own = fstat(file, &about) == 0 && S_ISREG(about.st_mode) &&
                     about.st_uid == geteuid() && (about.st_mode & OTHERS) == 0 &&
                     about.st_size == SEAL_KEY_BYTES;
    const bool good = own && read(file, key, SEAL_KEY_BYTES) == SEAL_KEY_BYTES;
    (void)close(file);
    return good;
}

/* The key appears as a whole, and the first of several processes makes it. */
static void make_key(int folder)
{
    uint8_t key[SEAL_KEY_BYTES];
    char name[sizeof KEY_NAME + 32];
    (void)snprintf(name, sizeof name, "%s.part-%ld", KEY_NAME, (long)getpid());
    if (getrandom(key, sizeof key, 0) != (ssize_t)sizeof key) {
        return;
    }
    (void)unlinkat(folder, name, 0); /* of a process of this number that was killed */
    const int file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                            S_IRUSR | S_IWUSR);
    if (file < 0) {
        return;
    }
    const bool written = write(file, key, sizeof key) == (ssize_t)sizeof key && fsync(file) == 0;
    if (close(file) == 0 && written) {
        (void)linkat(folder, name, folder, KEY_NAME, 0);
    }
    (void)unlinkat(folder, name, 0);
}

bool seal_key(uint8_t key[SEAL_KEY_BYTES])
{
    const int folder = user_cache_open("");
    if (folder < 0) {
        return false;
    }
    bool good = read_key(folder, key);
    if (!good) {
        make_key(folder);
        good = read_key(folder, key);
    }
    (void)close(folder);
    return good;
}

/* ---- the seal ---- */

static void begin(struct sha256 *hash, const uint8_t key[SEAL_KEY_BYTES], uint8_t pad)
{
    uint8_t block[SHA256_BLOCK_BYTES];
    for (size_t i = 0; i < sizeof block; i++) {
        block[i] = (uint8_t)((i < SEAL_KEY_BYTES ? key[i] : 0) ^ pad);
    }
    sha256_init(hash);
    sha256_update(hash, block, sizeof block);
}

void seal_of(const uint8_t key[SEAL_KEY_BYTES], const struct seal_part *part, size_t parts,
             char text[SHA256_HEX_CHARS])
{
    enum { INNER_PAD = 0x36, OUTER_PAD = 0x5c }; /* RFC 2104 */
    struct sha256 hash;
    uint8_t digest[SHA256_BYTES];
    begin(&hash, key, INNER_PAD);
    for (size_t i = 0; i < parts; i++) {
        sha256_update(&hash, part[i].bytes, part[i].size);
    }
    sha256_final(&hash, digest);
    begin(&hash, key, OUTER_PAD);
    sha256_update(&hash, digest, sizeof digest);
    sha256_final(&hash, digest);
    sha256_hex(digest, text);
}

bool seal_same(const char a[SHA256_HEX_CHARS], const char b[SHA256_HEX_CHARS])
{
    unsigned differs = 0;
    for (size_t i = 0; i < SHA256_HEX_CHARS; i++) {
        differs |= (unsigned char)(a[i] ^ b[i]);
    }
    return differs == 0;
}
