/* Seals: HMAC-SHA256 against RFC 4231, and the key, which is one user's alone. */
#include "tests/unit/data_fixture.h"

extern "C" {
#include "sim/data/seal.h"
}

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace
{

using key = std::array<uint8_t, SEAL_KEY_BYTES>;

std::string seal(const key &of, const std::vector<std::string> &texts)
{
    std::vector<struct seal_part> parts;
    char text[SHA256_HEX_CHARS];
    parts.reserve(texts.size());
    for (const std::string &part : texts) {
        parts.push_back({part.data(), part.size()});
    }
    seal_of(of.data(), parts.data(), parts.size(), text);
    return text;
}

/* A shorter key is one with zeros at its end. */
TEST(Seal, IsThatOfTheStandard)
{
    key first = {};
    std::fill_n(first.begin(), 20, 0x0b);
    EXPECT_EQ(seal(first, {"Hi There"}),
              "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    key second = {};
    memcpy(second.data(), "Jefe", 4);
    EXPECT_EQ(seal(second, {"what do ya want ", "", "for nothing?"}),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    key third = {};
    std::fill_n(third.begin(), 20, 0xaa);
    EXPECT_EQ(seal(third, {std::string(50, '\xdd')}),
              "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
}

TEST(Seal, DiffersInOneCharacter)
{
    char a[SHA256_HEX_CHARS] = {};
    char b[SHA256_HEX_CHARS] = {};
    EXPECT_TRUE(seal_same(a, b));
    b[SHA256_HEX_CHARS - 2] = '0';
    EXPECT_FALSE(seal_same(a, b));
}

TEST(Seal, HasOneKeyForAUser)
{
    const temporary_folder home;
    const environment_variable cache("XDG_CACHE_HOME", home.path().c_str());
    std::vector<pid_t> children;
    for (int i = 0; i < 8; i++) { /* all make it at the same time */
        children.push_back(fork());
        if (children.back() == 0) {
            key own;
            _exit(seal_key(own.data()) ? own[0] : 255);
        }
    }
    key own;
    ASSERT_TRUE(seal_key(own.data()));
    for (const pid_t child : children) {
        int ended = 0;
        ASSERT_EQ(waitpid(child, &ended, 0), child);
        EXPECT_EQ(WEXITSTATUS(ended), own[0]);
    }
    struct stat about;
    ASSERT_EQ(stat((home.path() + "/spinnsim/seal.key").c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777u, 0600u);
    EXPECT_EQ(about.st_nlink, 1u);
    const temporary_folder another;
    const environment_variable other("XDG_CACHE_HOME", another.path().c_str());
    key different;
    ASSERT_TRUE(seal_key(different.data()));
    EXPECT_NE(own, different);
}

TEST(Seal, UsesNoKeyThatOthersCouldKnow)
{
    const temporary_folder home;
    const environment_variable cache("XDG_CACHE_HOME", home.path().c_str());
    const std::string folder = home.path() + "/spinnsim";
    const std::string file = folder + "/seal.key";
    key own;
    ASSERT_TRUE(seal_key(own.data()));
    for (const mode_t mode : {0640u, 0604u, 0620u}) {
        ASSERT_EQ(chmod(file.c_str(), mode), 0);
        EXPECT_FALSE(seal_key(own.data())) << mode;
    }
    ASSERT_EQ(chmod(file.c_str(), 0600), 0);
    for (const mode_t mode : {0720u, 0702u}) {
        ASSERT_EQ(chmod(folder.c_str(), mode), 0);
        EXPECT_FALSE(seal_key(own.data())) << mode;
    }
    ASSERT_EQ(chmod(folder.c_str(), 0755), 0);
    EXPECT_TRUE(seal_key(own.data()));
    ASSERT_EQ(chmod(home.path().c_str(), 0777), 0);
    EXPECT_FALSE(seal_key(own.data())) << "others may put another folder in its place";
    ASSERT_EQ(chmod(home.path().c_str(), 0755), 0);
    EXPECT_TRUE(seal_key(own.data()));
    ASSERT_EQ(rename(file.c_str(), (home.path() + "/key").c_str()), 0);
    ASSERT_EQ(symlink((home.path() + "/key").c_str(), file.c_str()), 0);
    EXPECT_FALSE(seal_key(own.data())) << "a link";
    ASSERT_EQ(unlink(file.c_str()), 0);
    home.write("spinnsim/seal.key", byte_string(SEAL_KEY_BYTES - 1, 7));
    ASSERT_EQ(chmod(file.c_str(), 0600), 0);
    EXPECT_FALSE(seal_key(own.data())) << "too short";
    const environment_variable relative("XDG_CACHE_HOME", "cache");
    const environment_variable nobody("HOME", nullptr);
    EXPECT_FALSE(seal_key(own.data())) << "no folder";
}

} // namespace
