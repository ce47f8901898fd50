/* data_zip_builder.h - builds .npz files field by field, so that any field can be wrong. */
#pragma once
#include "tests/unit/data_fixture.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/* One entry; fields that are not set are computed correctly. */
struct zip_entry {
    std::string name = "a.npy";
    byte_string content;
    bool deflate = false;
    uint32_t flags = 0;
    std::optional<byte_string> packed;
    std::optional<std::string> local_name;
    std::optional<uint32_t> method;
    std::optional<uint32_t> local_method;
    std::optional<uint32_t> crc;
    std::optional<uint32_t> packed_bytes;
    std::optional<uint32_t> unpacked_bytes;
    std::optional<uint32_t> local_at;
};

struct zip_end {
    std::optional<uint32_t> count;
    std::optional<uint32_t> count_here;
    std::optional<uint32_t> directory_bytes;
    std::optional<uint32_t> directory_at;
    uint32_t disk = 0;
    byte_string before; /* between directory and end record */
    std::string comment;
};

byte_string zip_of(const std::vector<zip_entry> &entries, const zip_end &end = {});

/* A .npy file: version 1.0, the dict as given, padded as numpy does, then the elements. */
byte_string npy_of(const std::string &dict, const byte_string &elements);

/* int16 {1, 2, 3} and the dict that goes with it. */
extern const char THREE_INT16_DICT[];
byte_string three_int16();
