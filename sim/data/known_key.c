/* known_key.c - see known_key.h. */
#include "sim/data/known_key.h"

#include "models/common/trusted_folder.h"
#include "models/common/user_cache.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the state of files ---- */

void files_state_begin(struct files_state *state)
{
    *state = (struct files_state){.latest = 0};
    sha256_init(&state->hash);
}

void files_state_add(struct files_state *state, const char *path)
{
    struct stat is;
    if (stat(path, &is) != 0) {
        state->missing = true;
        return;
    }
    const int64_t number[] = {(int64_t)is.st_dev,          (int64_t)is.st_ino,
                              (int64_t)is.st_size,         (int64_t)is.st_mtim.tv_sec,
                              (int64_t)is.st_mtim.tv_nsec, (int64_t)is.st_ctim.tv_sec,
                              (int64_t)is.st_ctim.tv_nsec};
    sha256_update(&state->hash, path, strlen(path) + 1);
    sha256_update(&state->hash, number, sizeof number);
    state->latest = is.st_mtim.tv_sec > state->latest ? is.st_mtim.tv_sec : state->latest;
    state->latest = is.st_ctim.tv_sec > state->latest ? is.st_ctim.tv_sec : state->latest;
}

static struct known_key key_of(struct sha256 *hash)
{
    struct known_key key;
    uint8_t digest[SHA256_BYTES];
    sha256_final(hash, digest);
    sha256_hex(digest, key.text);
    return key;
}

struct known_key files_state_end(struct files_state *state)
{
    return key_of(&state->hash);
}

/* ---- what is kept ---- */

/* A file is the state, the key, and a digest of both, by which a file that was cut is known. */
struct entry {
    struct known_key state, key, check;
};

static struct known_key check_of(const struct entry *entry)
{
    struct sha256 hash;
    sha256_init(&hash);
    sha256_update(&hash, &entry->state, sizeof entry->state);
    sha256_update(&hash, &entry->key, sizeof entry->key);
    return key_of(&hash);
}

struct file_name {
    char text[SHA256_HEX_CHARS + sizeof ".key"];
};

static struct file_name file_name_of(const char *of)
{
    struct file_name name;
    (void)snprintf(name.text, sizeof name.text, "%.*s.key", SHA256_HEX_CHARS - 1, of);
    return name;
}

static int open_kept(void)
{
    const int folder = user_cache_open("known");
    if (folder >= 0 && !private_folder_is(folder)) {
        (void)close(folder);
        return -1;
    }
    return folder;
}

bool known_key_find(const char *of, const struct known_key *state, struct known_key *key)
{
    struct entry entry = {0};
    const int folder = open_kept();
    if (folder < 0) {
        return false;
    }
    const int file = openat(folder, file_name_of(of).text, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    bool found = file >= 0 && read(file, &entry, sizeof entry) == (ssize_t)sizeof entry;
    if (file >= 0) {
        (void)close(file);
    }
    (void)close(folder);
    if (found) {
        const struct known_key check = check_of(&entry);
        found = memcmp(&check, &entry.check, sizeof check) == 0 &&
                memcmp(state, &entry.state, sizeof *state) == 0;
        *key = entry.key;
    }
    return found;
}

void known_key_keep(const char *of, const struct known_key *state, const struct known_key *key,
                    time_t latest, time_t began)
{
    enum { SETTLED_S = 2 }; /* longer than the tick of any file system's clock */
    struct entry entry = {*state, *key, {""}};
    if (latest + SETTLED_S > began) {
        return;
    }
    const int folder = open_kept();
    if (folder >= 0) {
        entry.check = check_of(&entry);
        const struct folder_part parts[] = {{&entry, sizeof entry}};
        (void)folder_write(folder, file_name_of(of).text, parts, 1);
        (void)close(folder);
    }
}
