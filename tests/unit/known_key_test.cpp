/* known_key_test.cpp - keys of programs that are remembered as long as their parts do not change.
 */
#include "tests/unit/data_fixture.h"

extern "C" {
#include "sim/data/known_key.h"
}

#include <gtest/gtest.h>

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

namespace
{

const std::string OF(64, 'a');

/* The user's cache is in the test's folder, as are two parts. */
class KnownKey : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        put("one", "1");
        put("two", "22");
        (void)snprintf(key_.text, sizeof key_.text, "%s", std::string(64, '5').c_str());
    }

    void put(const std::string &name, const std::string &text) const
    {
        std::ofstream(folder_.file(name), std::ios::binary) << text;
    }

    struct known_key state() const
    {
        struct files_state parts;
        files_state_begin(&parts);
        files_state_add(&parts, folder_.file("one").c_str());
        files_state_add(&parts, folder_.file("two").c_str());
        EXPECT_FALSE(parts.missing);
        return files_state_end(&parts);
    }

    void keep() const
    {
        const struct known_key now = state();
        known_key_keep(OF.c_str(), &now, &key_, 1000, 1002);
    }

    std::string found() const
    {
        const struct known_key now = state();
        struct known_key key;
        return known_key_find(OF.c_str(), &now, &key) ? key.text : "";
    }

    std::string kept() const
    {
        return folder_.file("spinnsim/known/" + OF + ".key");
    }

    const temporary_folder folder_;
    const environment_variable cache_{"XDG_CACHE_HOME", folder_.path().c_str()};
    struct known_key key_ = {};
};

TEST_F(KnownKey, IsFoundUntilAPartChanges)
{
    EXPECT_EQ(found(), "");
    keep();
    EXPECT_EQ(found(), key_.text);
    put("two", "21"); /* of the same size */
    EXPECT_EQ(found(), "");
    keep();
    EXPECT_EQ(found(), key_.text);
}

TEST_F(KnownKey, IsNotFoundForAnotherFileOfTheSameTimeAndSize)
{
    keep();
    put("other", "22");
    struct stat is = {};
    ASSERT_EQ(stat(folder_.file("two").c_str(), &is), 0);
    const struct timespec times[] = {is.st_atim, is.st_mtim};
    ASSERT_EQ(utimensat(AT_FDCWD, folder_.file("other").c_str(), times, 0), 0);
    std::filesystem::rename(folder_.file("other"), folder_.file("two"));
    EXPECT_EQ(found(), "");
}

/* A file that changes twice within a tick of the clock may look the same. */
TEST_F(KnownKey, OfPartsThatHaveJustChangedIsNotKept)
{
    const struct known_key now = state();
    known_key_keep(OF.c_str(), &now, &key_, 1001, 1002);
    EXPECT_EQ(found(), "");
    known_key_keep(OF.c_str(), &now, &key_, 1000, 1002);
    EXPECT_EQ(found(), key_.text);
}

TEST_F(KnownKey, ThatIsDamagedIsNone)
{
    keep();
    const byte_string whole = read_file(kept());
    for (size_t at = 0; at < whole.size(); at += 16) {
        byte_string changed = whole;
        changed[at] ^= 1;
        std::ofstream(kept(), std::ios::binary)
            .write(reinterpret_cast<const char *>(changed.data()),
                   static_cast<std::streamsize>(changed.size()));
        EXPECT_EQ(found(), "") << at;
    }
    std::ofstream(kept(), std::ios::binary).write("", 0);
    EXPECT_EQ(found(), "");
}

TEST_F(KnownKey, NeedsAllParts)
{
    struct files_state parts;
    files_state_begin(&parts);
    files_state_add(&parts, folder_.file("three").c_str());
    EXPECT_TRUE(parts.missing);
}

} // namespace
