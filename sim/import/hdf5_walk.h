/* hdf5_walk.h - what the process that reads an HDF5 file sends: records, each with a name and bytes
 * behind it, up to HDF5_END or HDF5_REFUSAL. */
#pragma once
#include "sim/import/hdf5_read.h"
C_LINKAGE_BEGIN

enum hdf5_kind { HDF5_END, HDF5_TEXT, HDF5_ARRAY, HDF5_REFUSAL };

struct hdf5_record {
    uint32_t kind;
    uint32_t name_bytes; /* of an attribute or a path */
    uint32_t rank;
    uint32_t unused;
    uint64_t shape[MODEL_MOST_RANK];
    uint64_t bytes; /* of a text, of doubles */
};

/* Reads the file and writes records to the pipe.  For a process of its own: it may crash, hang, and
 * leaves what it holds to the process's end. */
void hdf5_walk(const uint8_t *bytes, size_t size, const struct hdf5_wanted *wanted, int pipe);

C_LINKAGE_END
