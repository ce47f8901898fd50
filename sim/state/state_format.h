/* state_format.h - the bytes of a saved run's file; see README.md.  Private to sim/state. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/data/seal.h"
#include "sim/state/state_file.h"
C_LINKAGE_BEGIN

/* Its first byte is no text, its last ones show what has been copied as text. */
#define STATE_MAGIC "\211SPINN\r\n"

enum { STATE_MAGIC_BYTES = 8, STATE_SEAL_CHARS = SHA256_HEX_CHARS - 1 };

struct state_head {
    char magic[STATE_MAGIC_BYTES];
    uint32_t version, sections;
    uint64_t body_bytes;          /* behind the head */
    uint8_t digest[SHA256_BYTES]; /* of the head up to here, and of the body */
    char seal[STATE_SEAL_CHARS];  /* of the digest */
};

struct state_row {
    char name[STATE_NAME_CHARS];
    uint32_t version;
    uint32_t packed; /* 1: in parts of STATE_PART_BYTES */
    uint64_t bytes, stored;
};

enum { STATE_PART_BYTES = 1 << 20 };

/* Sections of pages. */
#define STATE_PAGES     "pages"
#define STATE_PAGE_LIST "page_list"

/* The digest of a head and a body. */
void state_digest(const struct state_head *head, const uint8_t *body, size_t bytes,
                  uint8_t digest[SHA256_BYTES]);

/* The seal of a digest with this user's key; false: there is none. */
bool state_seal(const uint8_t digest[SHA256_BYTES], char text[SHA256_HEX_CHARS]);

C_LINKAGE_END
