/* keras_archive.cpp - a .keras archive, as it is and with its checksums made right.  Its HDF5 file
 * is read by a reader of this harness, which finds the same weights in each: so no input needs a
 * process of its own.  fuzz_hdf5_walk and fuzz_keras_h5 read HDF5. */
#include "tests/fuzz/models.h"
#include "tests/fuzz/zip.h"

extern "C" {
#include "sim/config/config_arena.h"
#include "sim/import/hdf5_read.h"
#include "sim/import/keras_files.h"
}

/* In place of hdf5_child.c, which is not linked then.  The arrays are those of the seeds. */
enum status hdf5_read(struct model *model, const uint8_t *bytes, size_t size,
                      const struct hdf5_wanted *wanted, struct hdf5_content *content,
                      struct diagnostic *diagnostic)
{
    static const double VALUES[32] = {1, -2, 3};
    static const struct {
        const char *path;
        std::vector<int64_t> shape;
    } ARRAYS[] = {{"layers/conv2d/vars/0", {3, 3, 1, 2}},
                  {"layers/conv2d/vars/1", {2}},
                  {"layers/dense/vars/0", {8, 2}},
                  {"layers/dense/vars/1", {2}}};
    (void)wanted;
    (void)diagnostic;
    fuzz_touch(bytes, size);
    *content = {};
    content->array = static_cast<struct hdf5_array *>(
        config_arena_take(model->arena, 4 * sizeof *content->array));
    for (const auto &each : ARRAYS) {
        struct hdf5_array *array = &content->array[content->array_count++];
        *array = {};
        array->path = each.path;
        array->value = VALUES;
        array->count = 1;
        for (const int64_t side : each.shape) {
            array->shape[array->rank++] = side;
            array->count *= static_cast<size_t>(side);
        }
    }
    return STATUS_OK;
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
