/* checkpoint.cpp - a training's checkpoint, with its checksums made right. */
#include "tests/fuzz/small_training.h"
#include "tests/fuzz/zip.h"

#include <cmath>
#include <cstring>

static void read(const small_training &training, bool continues)
{
    struct checkpoint checkpoint = {};
    struct diagnostic diagnostic = {};
    const enum status status =
        checkpoint_read(&checkpoint, fuzz_folder().c_str(), &training.learning,
                        training.small.table, small_training::DIGEST, continues, &diagnostic);
    if (!fuzz_is_good(status, diagnostic)) {
        return;
    }
    if (checkpoint.epochs == 0 || checkpoint.epochs >= training.learning.epochs) {
        fuzz_fail("a checkpoint without an epoch left");
    }
    if (checkpoint.run != nullptr &&
        (checkpoint.run_bytes != sizeof training.RUN ||
         memcmp(checkpoint.run, training.RUN, sizeof training.RUN) != 0)) {
        fuzz_fail("a run that nobody has sealed");
    }
    checkpoint_deinit(&checkpoint);
}

void fuzz_one(const uint8_t *bytes, size_t size)
{
    static const small_training TRAINING;
    std::vector<uint8_t> file(bytes, bytes + size);
    fuzz_mend_zip(file.data(), file.size());
    (void)fuzz_file(CHECKPOINT_FILE, file.data(), file.size());
    for (const bool continues : {false, true}) {
        read(TRAINING, continues);
    }
}
