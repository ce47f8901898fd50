/* aplx_test.cpp - SpiNNaker's file format for programs: each command, and tables that are wrong. */
extern "C" {
#include "sim/load/aplx.h"
}

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>
#include <vector>

namespace
{

using words = std::vector<uint32_t>;

class Aplx : public testing::Test
{
  protected:
    ~Aplx() override
    {
        elf_image_deinit(&image);
        std::filesystem::remove(path);
    }

    /* Reads a file of these commands, and 64 bytes 0, 1, 2, ... behind them. */
    status read(const words &commands, size_t cut = 0)
    {
        std::string file(reinterpret_cast<const char *>(commands.data()), 4 * commands.size());
        for (char i = 0; i < 64; i++) {
            file += i;
        }
        file.resize(file.size() - cut);
        std::ofstream(path, std::ios::binary) << file;
        elf_image_deinit(&image);
        said = {};
        return elf_image_read(&image, path.c_str(), &said);
    }

    /* The bytes of a segment as a core's memory gets them. */
    std::string content(size_t i) const
    {
        const elf_segment &segment = image.segment[i];
        std::string bytes(reinterpret_cast<const char *>(segment.bytes), segment.file_bytes);
        while (bytes.size() < segment.memory_bytes) {
            bytes.append(reinterpret_cast<const char *>(&segment.fill), 4);
        }
        return bytes;
    }

    std::string path =
        std::filesystem::temp_directory_path() / ("aplx_test_" + std::to_string(getpid()));
    elf_image image = {};
    diagnostic said = {};
};

std::string run_of(char first, size_t count)
{
    std::string bytes;
    for (size_t i = 0; i < count; i++) {
        bytes += static_cast<char>(first + static_cast<char>(i));
    }
    return bytes;
}

/* As mkaplx of spinnaker_tools writes a program: code, data, zeros, start. */
TEST_F(Aplx, AProgramOfCodeDataAndZeros)
{
    ASSERT_EQ(read({2, 0, 64, 32, 2, 0x00400000, 80, 20, 3, 0x00400020, 40, 0, 4, 0x20, 0, 0}),
              STATUS_OK)
        << said.text;
    EXPECT_TRUE(image.is_aplx);
    EXPECT_EQ(image.entry, 0x20u);
    EXPECT_EQ(image.symbol_count, 0u);
    ASSERT_EQ(image.segment_count, 3u);
    EXPECT_EQ(image.segment[0].address, 0u);
    EXPECT_EQ(content(0), run_of(0, 32));
    EXPECT_EQ(image.segment[1].address, 0x00400000u);
    EXPECT_EQ(content(1), run_of(32, 32)) << "lengths are rounded up to 32 bytes";
    EXPECT_EQ(image.segment[2].address, 0x00400020u);
    EXPECT_EQ(content(2), std::string(64, '\0'));
}

TEST_F(Aplx, FillsWithWordsAndCopiesWhatItHasFilled)
{
    ASSERT_EQ(read({2,     0,  80, 64,    3,  0x400, 32, 0x44332211, 1, 0x800,
                    0x404, 20, 1,  0x900, 16, 32,    4,  0,          0, 0}),
              STATUS_CONFIGURATION);
    EXPECT_STREQ(said.text, "APLX command 1 (offset 32): it copies from memory that no command "
                            "before has filled as a whole");
    ASSERT_EQ(read({2,     0,  80, 64,    3,  0x400, 64, 0x44332211, 1, 0x800,
                    0x404, 20, 1,  0x900, 16, 32,    4,  0,          0, 0}),
              STATUS_OK)
        << said.text;
    ASSERT_EQ(image.segment_count, 4u);
    std::string filled;
    while (filled.size() < 64) {
        filled += "\x11\x22\x33\x44";
    }
    EXPECT_EQ(content(1), filled);
    EXPECT_EQ(content(2), filled.substr(0, 32));
    EXPECT_EQ(image.segment[3].address, 0x900u);
    EXPECT_EQ(content(3), run_of(16, 32));
}

TEST_F(Aplx, ALastStepMayReachBeyondTheFile)
{
    ASSERT_EQ(read({2, 0, 32, 60, 4, 0, 0, 0}), STATUS_OK) << said.text;
    EXPECT_EQ(content(0), run_of(0, 64));
    ASSERT_EQ(read({2, 0, 32, 60, 4, 0, 0, 0}, 4), STATUS_OK) << said.text;
    EXPECT_EQ(content(0), run_of(0, 60) + std::string(4, '\0'));
    ASSERT_EQ(read({2, 0, 32, 60, 4, 0, 0, 0}, 5), STATUS_CONFIGURATION);
    EXPECT_STREQ(said.text, "APLX command 2 (offset 0): it copies from beyond the file");
}

TEST_F(Aplx, RefusesTablesThatAreWrong)
{
    words endless;
    while (endless.size() < 4 * 64) {
        endless.insert(endless.end(), {2, 0, 16, 0});
    }
    const struct {
        words commands;
        const char *text;
    } rows[] = {
        {{2, 0, 16, 4, 9, 0, 0, 0},
         "APLX command 9 (offset 16): the table ends, and nothing has been executed"},
        {{2, 0, 16, 0x100001}, "APLX command 2 (offset 0): more bytes than a core's memories have"},
        {{2, 0xfffffff0, 32, 32, 4, 0, 0, 0}, "APLX command 2 (offset 0): it ends above 4 GiB"},
        {{2, 0, 0xffffffff, 4, 4, 0, 0, 0},
         "APLX command 2 (offset 0): it copies from beyond the file"},
        {{2, 0, 64, 32, 4, 0, 0, 0, 2, 0, 32, 32, 4, 0, 0, 0},
         "APLX command 4 (offset 16): it goes on behind code that it executes, as boot images do"},
        {endless, "APLX command 2 (offset 1008): the table has no end"},
    };
    for (const auto &row : rows) {
        EXPECT_EQ(read(row.commands), STATUS_CONFIGURATION) << row.text;
        EXPECT_STREQ(said.text, row.text);
        EXPECT_EQ(image.segment, nullptr);
    }
    EXPECT_EQ(read({2, 0, 16, 4}, 64), STATUS_CONFIGURATION);
    EXPECT_EQ(read({2, 0, 16, 0}, 64), STATUS_CONFIGURATION);
    EXPECT_STREQ(said.text, "APLX command 2 (offset 0): the file ends behind it");
}

/* What is no APLX is looked at as an ELF file. */
TEST_F(Aplx, BeginsWithACopyFromTheFile)
{
    EXPECT_EQ(read({1, 0, 0, 32, 4, 0, 0, 0}), STATUS_CONFIGURATION);
    EXPECT_NE(strstr(said.text, "not an ELF file"), nullptr) << said.text;
}

/* The digest is of what is loaded: the words of a fill, too. */
TEST_F(Aplx, DigestsDifferByFilledWords)
{
    char first[65];
    char second[65];
    ASSERT_EQ(read({2, 0, 64, 32, 3, 0x400, 32, 1, 4, 0, 0, 0}), STATUS_OK);
    elf_image_digest(&image, first);
    ASSERT_EQ(read({2, 0, 64, 32, 3, 0x400, 32, 2, 4, 0, 0, 0}), STATUS_OK);
    elf_image_digest(&image, second);
    EXPECT_STRNE(first, second);
}

} // namespace
