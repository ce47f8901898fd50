/* idx.h - reads IDX files, the format of MNIST: a big-endian header (0, 0, element type, rank, then
 * one 32-bit size per dimension) and the elements, here always unsigned bytes.  A file may be plain
 * or gzip; its content decides, not its name.  Everything is checked before anything is used, and
 * memory is asked for only after the header's claim has been compared with the file's own size. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum { IDX_MAX_RANK = 3 };

struct idx {
    unsigned rank;
    uint32_t shape[IDX_MAX_RANK]; /* the first `rank` are used, none is 0 */
    size_t size_bytes;            /* product of the shape */
    uint8_t *data;                /* owned */
};

/* What is expected: dimensions (1 or 3), and the most bytes of elements. */
struct idx_form {
    unsigned rank;
    size_t most;
};

/* Reads the file at `path`.  STATUS_CONFIGURATION with file, offset and advice when it is anything
 * else than one whole array of this form; *idx is empty then. */
enum status idx_read(struct idx *idx, const char *path, const struct idx_form *form,
                     struct diagnostic *diagnostic);

/* The same for a file in memory; `path` only names it in messages. */
enum status idx_parse(struct idx *idx, const uint8_t *file, size_t file_size, const char *path,
                      const struct idx_form *form, struct diagnostic *diagnostic);

void idx_deinit(struct idx *idx);

C_LINKAGE_END
