/* trusted_folder_test.cpp - nothing is written or loaded where another user could have put it. */
#include "tests/unit/native_fixture.h"

#include <fcntl.h>
#include <functional>
#include <sys/wait.h>

namespace
{

namespace fs = std::filesystem;

constexpr uid_t VICTIM = 65501;
constexpr uid_t ATTACKER = 65502;

class TrustedFolder : public NativeObjects
{
  protected:
    bool is_trusted(const std::string &path, unsigned create = 0) const
    {
        const int folder = trusted_folder_open((base + path).c_str(), create);
        if (folder >= 0) {
            close(folder);
        }
        return folder >= 0;
    }
    void make(const std::string &path, mode_t mode) const
    {
        ASSERT_EQ(mkdir((base + path).c_str(), 0700), 0);
        ASSERT_EQ(chmod((base + path).c_str(), mode), 0);
    }
    /* Runs as another user in a process of its own; its exit status. */
    static int as(uid_t user, const std::function<int()> &act)
    {
        const pid_t child = fork();
        if (child == 0) {
            const bool changed =
                setresgid(user, user, user) == 0 && setresuid(user, user, user) == 0;
            _exit(changed ? act() : 127);
        }
        int status = -1;
        EXPECT_EQ(waitpid(child, &status, 0), child);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    static bool is_root()
    {
        return geteuid() == 0;
    }
};

TEST_F(TrustedFolder, IsOneThatNobodyElseMayWriteTo)
{
    make("/a", 0755);
    make("/a/b", 0700);
    EXPECT_TRUE(is_trusted(""));
    EXPECT_TRUE(is_trusted("/a/b"));
    EXPECT_TRUE(is_trusted("//a/./b/../b/"));
    for (const mode_t mode : {0775, 0757, 0777}) {
        ASSERT_EQ(chmod((base + "/a").c_str(), mode), 0);
        EXPECT_FALSE(is_trusted("/a/b")) << mode;
        EXPECT_FALSE(is_trusted("/a")) << mode;
        ASSERT_EQ(chmod((base + "/a").c_str(), mode | S_ISVTX), 0);
        EXPECT_TRUE(is_trusted("/a/b")) << mode;
    }
    EXPECT_FALSE(is_trusted("/none"));
    EXPECT_EQ(trusted_folder_open("relative", 0), -1);
    EXPECT_EQ(trusted_folder_open("", 0), -1);
}

TEST_F(TrustedFolder, IsCreatedAsFarAsItMayBe)
{
    EXPECT_FALSE(is_trusted("/a/b/c", 2));
    EXPECT_FALSE(fs::exists(base + "/a"));
    EXPECT_TRUE(is_trusted("/a/b/c", 3));
    struct stat about = {};
    ASSERT_EQ(stat((base + "/a/b").c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777u, 0700u);
}

TEST_F(TrustedFolder, MayBeReachedByALinkOfOnesOwn)
{
    make("/a", 0700);
    make("/a/b", 0700);
    make("/open", 0777);
    make("/open/b", 0700);
    make("/sticky", 01777);
    fs::create_symlink("a", base + "/relative");
    fs::create_symlink(base + "/a", base + "/absolute");
    fs::create_symlink("relative", base + "/twice");
    fs::create_symlink("open", base + "/to_open");
    fs::create_symlink("round", base + "/round");
    fs::create_symlink(base + "/a", base + "/sticky/a");
    for (const char *good : {"/relative/b", "/absolute/b", "/twice/b"}) {
        EXPECT_TRUE(is_trusted(good)) << good;
    }
    for (const char *bad : {"/to_open/b", "/round", "/sticky/a/b"}) {
        EXPECT_FALSE(is_trusted(bad)) << bad;
    }
}

TEST_F(TrustedFolder, IsOfThisUserOrOfRoot)
{
    if (!is_root()) {
        GTEST_SKIP() << "only root can act as two users";
    }
    ASSERT_EQ(chmod(base.c_str(), 01777), 0);
    make("/theirs", 0755);
    make("/theirs/mine", 0700);
    make("/mine", 0700);
    fs::create_symlink(base + "/mine", base + "/theirs/link");
    ASSERT_EQ(chown((base + "/theirs").c_str(), ATTACKER, ATTACKER), 0);
    ASSERT_EQ(chown((base + "/theirs/mine").c_str(), VICTIM, VICTIM), 0);
    ASSERT_EQ(chown((base + "/mine").c_str(), VICTIM, VICTIM), 0);
    const auto seen_by = [&](uid_t user, const char *path) {
        return as(user, [&] { return is_trusted(path) ? 1 : 0; });
    };
    EXPECT_EQ(seen_by(VICTIM, "/mine"), 1);
    EXPECT_EQ(seen_by(VICTIM, "/theirs"), 0);
    EXPECT_EQ(seen_by(VICTIM, "/theirs/mine"), 0);
    EXPECT_EQ(seen_by(VICTIM, "/theirs/link"), 0);
    EXPECT_EQ(seen_by(0, "/theirs"), 0);
    EXPECT_EQ(seen_by(0, "/mine"), 0);
    EXPECT_EQ(seen_by(ATTACKER, "/theirs"), 1);
}

/* HOME is below a folder that others may write to.  One of them has made `spinnsim` first, and puts
 * a link, with a request and a name for the object that lead elsewhere, in place of `native`. */
TEST_F(TrustedFolder, OfTheCacheCannotBeSwapped)
{
    if (!is_root()) {
        GTEST_SKIP() << "only root can act as two users";
    }
    const std::string cache = base + "/cache";
    const std::string target = base + "/target";
    ASSERT_EQ(chmod(base.c_str(), 0755), 0);
    make("/temporary", 0700);
    ASSERT_EQ(chown((base + "/temporary").c_str(), VICTIM, VICTIM), 0);
    make("/target", 0777);
    make("/cache", 0777);
    ASSERT_EQ(as(ATTACKER,
                 [&] {
                     (void)umask(0);
                     return mkdir((cache + "/spinnsim").c_str(), 0777);
                 }),
              0);
    use_script("exec cc \"$@\"\n");
    ASSERT_EQ(chmod(script.c_str(), 0755), 0);
    const variable old_cache("XDG_CACHE_HOME", cache.c_str());
    const variable old_place("TMPDIR", (base + "/temporary").c_str());
    const pid_t attacker = fork();
    ASSERT_GE(attacker, 0);
    if (attacker == 0) {
        const std::string native = cache + "/spinnsim/native";
        (void)umask(0);
        if (setresgid(ATTACKER, ATTACKER, ATTACKER) != 0 ||
            setresuid(ATTACKER, ATTACKER, ATTACKER) != 0) {
            _exit(127);
        }
        for (unsigned i = 0;; i++) { /* until it is killed */
            const std::string away = cache + "/spinnsim/away" + std::to_string(i);
            (void)rename(native.c_str(), away.c_str());
            (void)symlink(target.c_str(), native.c_str());
            usleep(1000);
            (void)unlink(native.c_str());
            usleep(1000);
        }
    }
    for (unsigned i = 0; i < 20; i++) {
        const std::string text = "int value = " + std::to_string(i) + ";\n";
        EXPECT_EQ(as(VICTIM,
                     [&] {
                         const struct compile_result result = compiled(text);
                         struct compile_request request = {};
                         struct object_key key;
                         request.compiler = compiler;
                         request.text = text.c_str();
                         request.size = text.size() - 1; /* another one */
                         const bool later = compile_later(&request, true, &key);
                         keeper_start();
                         return (result.handle != nullptr ? 1 : 0) + (later ? 2 : 0);
                     }),
                  1)
            << "compiled, but nothing is kept";
    }
    usleep(300000);
    ASSERT_EQ(kill(attacker, SIGKILL), 0);
    ASSERT_EQ(waitpid(attacker, nullptr, 0), attacker);
    EXPECT_TRUE(fs::is_empty(target));
    for (const auto &entry : fs::recursive_directory_iterator(cache)) {
        struct stat about = {};
        ASSERT_EQ(lstat(entry.path().c_str(), &about), 0);
        EXPECT_EQ(about.st_uid, ATTACKER) << entry.path() << " is of the victim";
    }
}

/* Nor is anything compiled, and loaded, where another user may put another object. */
TEST_F(TrustedFolder, IsNeededToCompile)
{
    make("/temporary", 0777);
    const variable old("TMPDIR", (base + "/temporary").c_str());
    EXPECT_EQ(compiled(SOURCE).handle, nullptr);
    EXPECT_TRUE(fs::is_empty(base + "/temporary"));
    ASSERT_EQ(chmod((base + "/temporary").c_str(), 01777), 0);
    const struct compile_result result = compiled(SOURCE);
    ASSERT_NE(result.handle, nullptr);
    dlclose(result.handle);
    EXPECT_TRUE(fs::is_empty(base + "/temporary"));
}

} // namespace
