/* zip.h - makes the checksums of a mutated .npz right again, so that what stands behind them is
 * reached. */
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <zlib.h>

/* Of each stored entry that lies inside the file, in its own header and in the directory's. */
inline void fuzz_mend_zip(uint8_t *file, size_t size)
{
    const auto number = [file](size_t at, unsigned bytes) {
        uint32_t value = 0;
        memcpy(&value, file + at, bytes);
        return value;
    };
    enum : uint32_t { LOCAL = 0x04034b50, ENTRY = 0x02014b50 };
    enum : size_t { LOCAL_BYTES = 30, ENTRY_BYTES = 46 };
    for (size_t at = 0; at + ENTRY_BYTES <= size; at++) {
        if (file[at] != 'P' || number(at, 4) != ENTRY) {
            continue;
        }
        const size_t local = number(at + 42, 4);
        if (local + LOCAL_BYTES > size || number(local, 4) != LOCAL || number(at + 10, 2) != 0) {
            continue;
        }
        const size_t data = local + LOCAL_BYTES + number(local + 26, 2) + number(local + 28, 2);
        const size_t bytes = number(at + 20, 4);
        if (data > size || bytes > size - data) {
            continue;
        }
        const auto sum = static_cast<uint32_t>(crc32(0, file + data, static_cast<uInt>(bytes)));
        memcpy(file + at + 16, &sum, sizeof sum);
        memcpy(file + local + 14, &sum, sizeof sum);
    }
}
