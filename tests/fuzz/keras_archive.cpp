/* keras_archive.cpp - a .keras archive, as it is and with its checksums made right. */
#include "tests/fuzz/models.h"
#include "tests/fuzz/zip.h"

extern "C" {
#include "sim/import/keras_files.h"
}

void fuzz_one(const uint8_t *bytes, size_t size)
{
    std::vector<uint8_t> file(bytes, bytes + size);
    fuzz_mend_zip(file.data(), file.size());
    fuzz_read_model("model.keras", keras_archive_read, file.data(), file.size());
    if (file != std::vector<uint8_t>(bytes, bytes + size)) {
        fuzz_read_model("model.keras", keras_archive_read, bytes, size);
    }
}
