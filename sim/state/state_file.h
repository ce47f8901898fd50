/* state_file.h - the file of a saved run: sections by name, and the pages of a machine's memories,
 * of which equal ones are stored once.  Packed, with a digest and this user's seal.
 *
 * What is read comes from the same user and has not been changed since; by which build of the
 * program, and what it means, is for the caller to check. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "sim/data/sha256.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum {
    STATE_VERSION = 1,
    STATE_NAME_CHARS = 16, /* the zero at the end included */
    STATE_PAGE_BYTES = 4096,
    STATE_SECTIONS_MAX = 32
};

#define STATE_ENDING ".spinn" /* of a state file's name */

/* ---- writing ---- */

struct state_part; /* a section to be written */

struct state_writer {
    struct state_part *part; /* owned */
    size_t parts;
    bool failed; /* out of memory; nothing is added then */
};

void state_writer_init(struct state_writer *writer);
void state_writer_deinit(struct state_writer *writer);

/* Adds a section, whose bytes are packed now. */
void state_add(struct state_writer *writer, const char *name, uint32_t version, const void *bytes,
               size_t size);

/* Adds all pages, STATE_PAGE_BYTES each; NULL: a page of zeros.  Once for a file. */
void state_add_pages(struct state_writer *writer, const uint8_t *const *page, size_t pages);

/* The whole as bytes in malloc'ed memory.  `sealed`: with this user's seal.  STATUS_CONFIGURATION:
 * there is no folder for the key; STATUS_INTERNAL: out of memory. */
enum status state_pack(const struct state_writer *writer, bool sealed, uint8_t **bytes,
                       size_t *size, struct diagnostic *diagnostic);

/* Whether this user has a key to seal states with. */
bool state_can_seal(void);

/* Writes the sealed file, which appears when it is complete; makes its folder. */
enum status state_write(const struct state_writer *writer, const char *path,
                        struct diagnostic *diagnostic);

/* ---- reading ---- */

struct state_section {
    char name[STATE_NAME_CHARS];
    uint32_t version;
    bool packed;
    size_t bytes;
    const uint8_t *stored;
    size_t stored_bytes;
};

struct state_file {
    char *path;     /* owned; for messages */
    uint8_t *bytes; /* of the file; owned */
    size_t size;
    struct state_section section[STATE_SECTIONS_MAX];
    size_t sections;
    char digest[SHA256_HEX_CHARS];
};

/* Reads a file and checks it.  STATUS_CONFIGURATION naming the file: it is none, is cut off, has
 * been damaged or changed, is of another version, or somebody else's.  state_close() after
 * success. */
enum status state_open(struct state_file *file, const char *path, struct diagnostic *diagnostic);

/* The same of bytes, which are copied.  `sealed`: without this user's seal they are refused. */
enum status state_take(struct state_file *file, const char *name, bool sealed,
                       const uint8_t *bytes, size_t size, struct diagnostic *diagnostic);

/* A closed file may be closed. */
void state_close(struct state_file *file);

/* NULL: there is no such section. */
const struct state_section *state_find(const struct state_file *file, const char *name);

/* A section's bytes in malloc'ed memory, with a zero behind them.  STATUS_CONFIGURATION: there is
 * no such section of this version, or it does not unpack. */
enum status state_section(const struct state_file *file, const char *name, uint32_t version,
                          uint8_t **bytes, size_t *size, struct diagnostic *diagnostic);

/* The pages of state_add_pages(): page[i] points into `memory`, or is NULL.  Both are malloc'ed. */
struct state_pages {
    uint8_t *memory;
    const uint8_t **page;
    size_t pages;
};
enum status state_read_pages(const struct state_file *file, struct state_pages *pages,
                             struct diagnostic *diagnostic);
void state_pages_free(struct state_pages *pages);

C_LINKAGE_END
