/* tfjs.cpp - the model.json of a TensorFlow.js model, whose one shard lies beside it. */
#include "tests/fuzz/models.h"

extern "C" {
#include "sim/import/keras_files.h"
}

void fuzz_one(const uint8_t *bytes, size_t size)
{
    static const std::string SHARD = fuzz_shard();
    fuzz_read_model("model.json", tfjs_read, bytes, size);
}
