/* idx.h - reads IDX files, the format of MNIST: a big-endian header (0, 0, element type, rank, then
 * one 32-bit size per dimension) and the elements, here always unsigned bytes.  A file may be plain
 * or gzip, detected by content, not by name.  The whole file is checked before use, and memory is
 * allocated only after the sizes in the header have been compared with the file's size. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum { IDX_MAX_RANK = 3 };

struct idx {
    unsigned rank;
    uint32_t shape[IDX_MAX_RANK]; /* the first `rank` are used and not 0 */
    size_t size_bytes;            /* product of the shape */
    uint8_t *data;                /* owned */
};

/* The expected form: number of dimensions (1 or 3), and largest size of the elements in bytes. */
struct idx_form {
    unsigned rank;
    size_t most;
};

/* Reads the file at `path`.  STATUS_CONFIGURATION with file, offset and hint unless the file is
 * exactly one complete array of this form; *idx is empty then. */
enum status idx_read(struct idx *idx, const char *path, const struct idx_form *form,
                     struct diagnostic *diagnostic);

/* Reads only the first bytes of elements of a file that idx_read() has taken before: what stands
 * behind them is not looked at, and a checksum neither.  The shape is that of all elements.  False:
 * they cannot be had in this way. */
bool idx_read_first(struct idx *idx, const char *path, const struct idx_form *form, size_t bytes);

/* idx_read() of a file in memory; `path` only names it in messages. */
enum status idx_parse(struct idx *idx, const uint8_t *file, size_t file_size, const char *path,
                      const struct idx_form *form, struct diagnostic *diagnostic);

void idx_deinit(struct idx *idx);

C_LINKAGE_END
