/* npy.h - the header of a .npy array, the content of one entry of an .npz file: six magic bytes, a
 * version, a length, and a Python dict literal with type, order and shape. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/data/npz.h"
#include <stdbool.h>
C_LINKAGE_BEGIN

enum { NPY_FAULT_CHARS = 160, NPY_MAX_HEADER_BYTES = 256 };

struct npy_header {
    enum npz_type type;
    unsigned rank;
    size_t shape[NPZ_MAX_RANK];
    size_t item_bytes;
    size_t count;
    size_t header_bytes; /* where the elements begin */
};

/* An error in an array file, and its byte offset there. */
struct npy_fault {
    size_t offset;
    char text[NPY_FAULT_CHARS];
    const char *hint;
};

/* Reads the header of an array file of `size` bytes and checks that the elements fill the rest
 * exactly.  False with *fault when the file is invalid or not supported. */
bool npy_parse(struct npy_header *header, const uint8_t *bytes, size_t size,
               struct npy_fault *fault);

/* Writes the header for an array from its name, type, rank, shape and item_bytes; returns its size
 * (at most NPY_MAX_HEADER_BYTES, a multiple of 64 as with numpy). */
size_t npy_format(const struct npz_array *array, uint8_t *bytes);

/* Bytes of an element; 0 for NPZ_TEXT, whose size is a property of the array. */
size_t npy_item_bytes(enum npz_type type);

C_LINKAGE_END
