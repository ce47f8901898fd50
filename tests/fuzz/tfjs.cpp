/* tfjs.cpp - the model.json of a TensorFlow.js model, whose shard w.bin lies beside it. */
#include "tests/fuzz/models.h"

extern "C" {
#include "sim/import/keras_files.h"
}

void fuzz_one(const uint8_t *bytes, size_t size)
{
    fuzz_read_model("model.json", tfjs_read, bytes, size);
}
