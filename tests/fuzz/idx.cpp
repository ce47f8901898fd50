/* idx.cpp - a file of images or labels: plain, as a damaged gzip file, and packed by gzip. */
#include "tests/fuzz/harness.h"

#include <zlib.h>

extern "C" {
#include "sim/data/idx.h"
}

namespace
{

void read(const std::vector<uint8_t> &file)
{
    for (const unsigned rank : {1u, 3u}) {
        const struct idx_form form = {rank, 1u << 24};
        struct idx idx = {};
        struct diagnostic diagnostic = {};
        const enum status status =
            idx_parse(&idx, file.data(), file.size(), "images", &form, &diagnostic);
        if (!fuzz_is_good(status, diagnostic)) {
            continue;
        }
        size_t items = 1;
        for (unsigned i = 0; i < rank; i++) {
            items *= idx.shape[i];
        }
        if (items != idx.size_bytes || items == 0 || items > form.most) {
            fuzz_fail("not the number of items that the shape has");
        }
        fuzz_touch(idx.data, idx.size_bytes);
        idx_deinit(&idx);
    }
}

std::vector<uint8_t> packed(const uint8_t *bytes, size_t size)
{
    enum : int { FASTEST = 1, GZIP_WINDOW = 15 + 16, MEMORY = 4 };
    z_stream stream = {};
    (void)deflateInit2(&stream, FASTEST, Z_DEFLATED, GZIP_WINDOW, MEMORY, Z_DEFAULT_STRATEGY);
    std::vector<uint8_t> file(deflateBound(&stream, static_cast<uLong>(size)));
    stream.next_in = const_cast<uint8_t *>(bytes);
    stream.avail_in = static_cast<uInt>(size);
    stream.next_out = file.data();
    stream.avail_out = static_cast<uInt>(file.size());
    (void)deflate(&stream, Z_FINISH);
    file.resize(stream.total_out);
    (void)deflateEnd(&stream);
    return file;
}

} // namespace

void fuzz_one(const uint8_t *bytes, size_t size)
{
    read(std::vector<uint8_t>(bytes, bytes + size));
    if (size != 0 && size < 4096) {
        read(packed(bytes, size));
    }
}
