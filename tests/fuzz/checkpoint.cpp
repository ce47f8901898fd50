/* checkpoint.cpp - a training's checkpoint, with its checksums made right. */
#include "tests/fuzz/small_training.h"
#include "tests/fuzz/zip.h"

#include <cmath>
#include <cstring>

void fuzz_one(const uint8_t *bytes, size_t size)
{
    static const small_training TRAINING;
    std::vector<uint8_t> file(bytes, bytes + size);
    struct checkpoint checkpoint = {};
    struct diagnostic diagnostic = {};
    fuzz_mend_zip(file.data(), file.size());
    (void)fuzz_file(CHECKPOINT_FILE, file.data(), file.size());
    const enum status status =
        checkpoint_read(&checkpoint, fuzz_folder().c_str(), &TRAINING.learning,
                        TRAINING.small.table, small_training::DIGEST, &diagnostic);
    if (!fuzz_is_good(status, diagnostic)) {
        return;
    }
    if (checkpoint.epochs == 0 || checkpoint.epochs >= TRAINING.learning.epochs) {
        fuzz_fail("a checkpoint without an epoch left");
    }
    if (checkpoint.run != nullptr &&
        (checkpoint.run_bytes != sizeof TRAINING.RUN ||
         memcmp(checkpoint.run, TRAINING.RUN, sizeof TRAINING.RUN) != 0)) {
        fuzz_fail("a run that nobody has sealed");
    }
    checkpoint_deinit(&checkpoint);
}
