/* data_fixture.cpp - see data_fixture.h. */
#include "tests/unit/data_fixture.h"

extern "C" {
#include "sim/data/sha256.h"
}

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace
{

byte_string compress_with(const byte_string &content, int window_bits)
{
    z_stream stream = {};
    EXPECT_EQ(
        deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY),
        Z_OK);
    byte_string packed(deflateBound(&stream, content.size()) + 64);
    stream.next_in = const_cast<uint8_t *>(content.data());
    stream.avail_in = static_cast<unsigned>(content.size());
    stream.next_out = packed.data();
    stream.avail_out = static_cast<unsigned>(packed.size());
    EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

} // namespace

temporary_folder::temporary_folder()
{
    std::string name = (std::filesystem::temp_directory_path() / "spinnsim-test-XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    path_ = name;
}

temporary_folder::~temporary_folder()
{
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::string temporary_folder::write(const std::string &name, const byte_string &content) const
{
    const std::string path = file(name);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream stream(path, std::ios::binary);
    stream.write(reinterpret_cast<const char *>(content.data()),
                 static_cast<std::streamsize>(content.size()));
    EXPECT_TRUE(stream.good()) << path;
    return path;
}

std::vector<std::string> temporary_folder::names() const
{
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(path_)) {
        names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

environment_variable::environment_variable(const char *name, const char *value)
    : name_(name), was_set_(std::getenv(name) != nullptr)
{
    if (was_set_) {
        old_value_ = std::getenv(name);
    }
    if (value != nullptr) {
        setenv(name, value, 1);
    } else {
        unsetenv(name);
    }
}

environment_variable::~environment_variable()
{
    if (was_set_) {
        setenv(name_.c_str(), old_value_.c_str(), 1);
    } else {
        unsetenv(name_.c_str());
    }
}

byte_string read_file(const std::string &path)
{
    std::ifstream stream(path, std::ios::binary);
    EXPECT_TRUE(stream.good()) << path;
    return byte_string(std::istreambuf_iterator<char>(stream), {});
}

byte_string gzip_of(const byte_string &content)
{
    return compress_with(content, 15 + 16);
}

byte_string deflate_of(const byte_string &content)
{
    return compress_with(content, -15);
}

byte_string idx_of(const std::vector<uint32_t> &shape, const byte_string &elements)
{
    byte_string file = {0, 0, 8, static_cast<uint8_t>(shape.size())};
    for (const uint32_t size : shape) {
        for (int shift = 24; shift >= 0; shift -= 8) {
            file.push_back(static_cast<uint8_t>(size >> shift));
        }
    }
    file.insert(file.end(), elements.begin(), elements.end());
    return file;
}

std::string sha256_of(const void *bytes, size_t size)
{
    struct sha256 hash;
    uint8_t digest[SHA256_BYTES];
    char text[SHA256_HEX_CHARS];
    sha256_init(&hash);
    sha256_update(&hash, bytes, size);
    sha256_final(&hash, digest);
    sha256_hex(digest, text);
    return text;
}

std::string said(const struct diagnostic &diagnostic)
{
    return std::string(diagnostic.file) + " | " + diagnostic.key + " | " + diagnostic.text + " | " +
           diagnostic.hint;
}

bool contains(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

std::string mnist_folder()
{
    const char *folder = std::getenv("SPINNSIM_DATA");
    return folder != nullptr ? folder : "";
}
