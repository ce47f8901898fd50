/* zip_format.h - the records of a zip archive as far as .npz files use them (PKWARE APPNOTE 6.3,
 * sections 4.3.7, 4.3.12 and 4.3.16).  All numbers are little-endian. */
#pragma once
#include <stdint.h>

#define ZIP_LOCAL_SIGNATURE         0x04034b50u
#define ZIP_CENTRAL_SIGNATURE       0x02014b50u
#define ZIP_END_SIGNATURE           0x06054b50u
#define ZIP64_END_LOCATOR_SIGNATURE 0x07064b50u

/* Before each entry's data. */
enum {
    ZIP_LOCAL_VERSION_AT = 4,
    ZIP_LOCAL_FLAGS_AT = 6,
    ZIP_LOCAL_METHOD_AT = 8,
    ZIP_LOCAL_DATE_AT = 12,
    ZIP_LOCAL_CRC_AT = 14,
    ZIP_LOCAL_PACKED_AT = 18,
    ZIP_LOCAL_UNPACKED_AT = 22,
    ZIP_LOCAL_NAME_LENGTH_AT = 26,
    ZIP_LOCAL_EXTRA_LENGTH_AT = 28,
    ZIP_LOCAL_BYTES = 30
};

/* The directory at the end, one for each entry. */
enum {
    ZIP_CENTRAL_MADE_BY_AT = 4,
    ZIP_CENTRAL_VERSION_AT = 6,
    ZIP_CENTRAL_FLAGS_AT = 8,
    ZIP_CENTRAL_METHOD_AT = 10,
    ZIP_CENTRAL_DATE_AT = 14,
    ZIP_CENTRAL_CRC_AT = 16,
    ZIP_CENTRAL_PACKED_AT = 20,
    ZIP_CENTRAL_UNPACKED_AT = 24,
    ZIP_CENTRAL_NAME_LENGTH_AT = 28,
    ZIP_CENTRAL_EXTRA_LENGTH_AT = 30,
    ZIP_CENTRAL_COMMENT_LENGTH_AT = 32,
    ZIP_CENTRAL_LOCAL_AT = 42,
    ZIP_CENTRAL_BYTES = 46
};

/* After the directory. */
enum {
    ZIP_END_DISK_AT = 4,
    ZIP_END_DIRECTORY_DISK_AT = 6,
    ZIP_END_COUNT_HERE_AT = 8,
    ZIP_END_COUNT_AT = 10,
    ZIP_END_DIRECTORY_BYTES_AT = 12,
    ZIP_END_DIRECTORY_AT = 16,
    ZIP_END_COMMENT_LENGTH_AT = 20,
    ZIP_END_BYTES = 22,
    ZIP64_END_LOCATOR_BYTES = 20
};

enum { ZIP_STORED = 0, ZIP_DEFLATED = 8 };

enum {
    ZIP_FLAG_ENCRYPTED = 1 << 0,
    ZIP_FLAG_DEFLATE_LEVEL = 1 << 1 | 1 << 2,
    ZIP_FLAG_SIZES_BEHIND = 1 << 3, /* the local header has no sizes; the directory has them */
    ZIP_FLAG_UTF8 = 1 << 11         /* the name is UTF-8 */
};

static inline uint16_t zip_load16(const uint8_t *bytes)
{
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

static inline uint32_t zip_load32(const uint8_t *bytes)
{
    return zip_load16(bytes) | (uint32_t)zip_load16(bytes + 2) << 16;
}

static inline void zip_store16(uint8_t *bytes, uint32_t value)
{
    bytes[0] = (uint8_t)value;
    bytes[1] = (uint8_t)(value >> 8);
}

static inline void zip_store32(uint8_t *bytes, uint32_t value)
{
    zip_store16(bytes, value);
    zip_store16(bytes + 2, value >> 16);
}
