/* npz.cpp - an .npz file, as it is and with its checksums made right, as arrays, as the weights of
 * a small network and as images of one's own. */
#include "tests/fuzz/harness.h"
#include "tests/fuzz/small_network.h"
#include "tests/fuzz/zip.h"

#include <cstdlib>

extern "C" {
#include "sim/data/image_file.h"
#include "sim/data/npz.h"
#include "sim/networks/weights.h"
}

namespace
{

constexpr size_t MOST_BYTES = 1u << 24;
constexpr uint32_t CLASSES = 5;

void read_arrays(const std::vector<uint8_t> &file)
{
    struct npz npz = {};
    struct diagnostic diagnostic = {};
    const enum status status =
        npz_parse(&npz, file.data(), file.size(), "weights.npz", MOST_BYTES, &diagnostic);
    if (!fuzz_is_good(status, diagnostic)) {
        return;
    }
    size_t bytes = 0;
    for (size_t i = 0; i < npz.count; i++) {
        const struct npz_array &array = npz.array[i];
        bytes += array.count * array.item_bytes;
        const auto *data = static_cast<const uint8_t *>(array.data);
        fuzz_touch(data, array.count * array.item_bytes);
        if (npz_find(&npz, array.name) != &array || data[array.count * array.item_bytes] != 0) {
            fuzz_fail("an array that cannot be found by its name, or has no end");
        }
    }
    if (bytes > MOST_BYTES) {
        fuzz_fail("more bytes than are wanted");
    }
    npz_close(&npz);
}

void read_weights(const std::vector<uint8_t> &file)
{
    static const small_network SMALL;
    struct weights weights = {};
    struct diagnostic diagnostic = {};
    const std::string path = fuzz_file("weights.npz", file.data(), file.size());
    if (fuzz_is_good(weights_read(&weights, path.c_str(), &SMALL.network, SMALL.table, &diagnostic),
                     diagnostic)) {
        weights_deinit(&weights);
    }
}

void read_images(const std::vector<uint8_t> &file)
{
    struct image_file images = {};
    struct diagnostic diagnostic = {};
    const std::string path = fuzz_file("images.npz", file.data(), file.size());
    if (!fuzz_is_good(image_file_read(&images, path.c_str(), CLASSES, &diagnostic), diagnostic)) {
        return;
    }
    const size_t pixels = size_t{images.channels} * images.height * images.width;
    fuzz_touch(images.images, images.count * pixels);
    for (uint32_t i = 0; i < images.count; i++) {
        if (images.labels[i] >= CLASSES) {
            fuzz_fail("a label of no class");
        }
    }
    image_file_deinit(&images);
}

} // namespace

void fuzz_one(const uint8_t *bytes, size_t size)
{
    std::vector<uint8_t> file(bytes, bytes + size);
    read_arrays(file);
    fuzz_mend_zip(file.data(), file.size());
    read_arrays(file);
    read_weights(file);
    read_images(file);
}
