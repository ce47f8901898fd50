/* keras_h5.cpp - a Keras model in HDF5. */
#include "tests/fuzz/models.h"

extern "C" {
#include "sim/import/keras_files.h"
}

void fuzz_one(const uint8_t *bytes, size_t size)
{
    fuzz_read_model("model.h5", keras_h5_read, bytes, size);
}
