/* data_zip_builder.cpp - see data_zip_builder.h. */
#include "tests/unit/data_zip_builder.h"

#include <zlib.h>

namespace
{

void put16(byte_string *bytes, uint32_t value)
{
    bytes->push_back(static_cast<uint8_t>(value));
    bytes->push_back(static_cast<uint8_t>(value >> 8));
}

void put32(byte_string *bytes, uint32_t value)
{
    put16(bytes, value & 0xffff);
    put16(bytes, value >> 16);
}

template <typename container> void append(byte_string *bytes, const container &more)
{
    bytes->insert(bytes->end(), more.begin(), more.end());
}

} // namespace

byte_string zip_of(const std::vector<zip_entry> &entries, const zip_end &end)
{
    byte_string file;
    byte_string directory;
    for (const zip_entry &entry : entries) {
        const byte_string packed =
            entry.packed.value_or(entry.deflate ? deflate_of(entry.content) : entry.content);
        const uint32_t method = entry.method.value_or(entry.deflate ? 8 : 0);
        const uint32_t crc = entry.crc.value_or(static_cast<uint32_t>(
            crc32(0, entry.content.data(), static_cast<unsigned>(entry.content.size()))));
        const uint32_t packed_bytes =
            entry.packed_bytes.value_or(static_cast<uint32_t>(packed.size()));
        const uint32_t unpacked_bytes =
            entry.unpacked_bytes.value_or(static_cast<uint32_t>(entry.content.size()));
        const std::string local_name = entry.local_name.value_or(entry.name);
        const uint32_t local_at = entry.local_at.value_or(static_cast<uint32_t>(file.size()));

        put32(&file, 0x04034b50);
        put16(&file, 20);
        put16(&file, entry.flags);
        put16(&file, entry.local_method.value_or(method));
        put32(&file, 0);
        put32(&file, crc);
        put32(&file, packed_bytes);
        put32(&file, unpacked_bytes);
        put16(&file, static_cast<uint32_t>(local_name.size()));
        put16(&file, 0);
        append(&file, local_name);
        append(&file, packed);

        put32(&directory, 0x02014b50);
        put16(&directory, 20);
        put16(&directory, 20);
        put16(&directory, entry.flags);
        put16(&directory, method);
        put32(&directory, 0);
        put32(&directory, crc);
        put32(&directory, packed_bytes);
        put32(&directory, unpacked_bytes);
        put16(&directory, static_cast<uint32_t>(entry.name.size()));
        put32(&directory, 0); /* extra field, comment */
        put16(&directory, 0);
        put16(&directory, 0);
        put32(&directory, 0);
        put32(&directory, local_at);
        append(&directory, entry.name);
    }
    const uint32_t directory_at = static_cast<uint32_t>(file.size());
    const uint32_t count = static_cast<uint32_t>(entries.size());
    append(&file, directory);
    append(&file, end.before);
    put32(&file, 0x06054b50);
    put16(&file, end.disk);
    put16(&file, end.disk);
    put16(&file, end.count_here.value_or(end.count.value_or(count)));
    put16(&file, end.count.value_or(count));
    put32(&file, end.directory_bytes.value_or(static_cast<uint32_t>(directory.size())));
    put32(&file, end.directory_at.value_or(directory_at));
    put16(&file, static_cast<uint32_t>(end.comment.size()));
    append(&file, end.comment);
    return file;
}

byte_string npy_of(const std::string &dict, const byte_string &elements)
{
    byte_string file = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
    size_t header_bytes = (10 + dict.size() + 1 + 63) / 64 * 64;
    put16(&file, static_cast<uint32_t>(header_bytes - 10));
    append(&file, dict);
    file.resize(header_bytes - 1, ' ');
    file.push_back('\n');
    append(&file, elements);
    return file;
}

const char THREE_INT16_DICT[] = "{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }";

byte_string three_int16()
{
    return npy_of(THREE_INT16_DICT, {1, 0, 2, 0, 3, 0});
}
