/* keeper_test.cpp - what is left to a keeper is made once, by two of them at most, whatever becomes
 * of them. */
#include "tests/unit/native_fixture.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>

namespace
{

class Kept : public NativeObjects
{
  protected:
    /* A keeper ends a moment after its last request, and makes a file before: in a folder that is
     * being removed, if nobody waits. */
    void TearDown() override
    {
        EXPECT_TRUE(comes_true([&] { return !keepers_live(); }));
        NativeObjects::TearDown();
    }
    bool keepers_live() const
    {
        bool live = false;
        for (const char *keeper : {"keeper-0", "keeper-1"}) {
            const std::string lock = base + "/spinnsim/native/" + keeper + "/.lock";
            const int file = open(lock.c_str(), O_RDWR | O_CLOEXEC);
            live = live || (file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0);
            if (file >= 0) {
                close(file);
            }
        }
        return live;
    }
    /* Puts a text among those that wait; false: it is not accepted. */
    bool ask(const std::string &text, bool hurry = true)
    {
        struct compile_request request = {};
        request.compiler = compiler;
        request.text = text.c_str();
        request.size = text.size();
        struct object_key key;
        return compile_later(&request, hurry, &key);
    }
    bool leave(const std::string &text, bool hurry = true)
    {
        const bool accepted = ask(text, hurry);
        keeper_start();
        return accepted;
    }
    /* Files of an extension beside the objects, or in a folder there. */
    size_t count(const std::string &extension, const std::string &folder = ".") const
    {
        size_t found = 0;
        std::error_code none;
        for (const auto &entry :
             std::filesystem::directory_iterator(base + "/spinnsim/native/" + folder, none)) {
            found += entry.path().extension() == extension;
        }
        return found;
    }
    /* Requests that wait or are being worked on. */
    size_t requests() const
    {
        return count(".c", "waiting") + count(".c", "keeper-0") + count(".c", "keeper-1");
    }
    bool end() const
    {
        return comes_true([&] { return requests() == 0; });
    }
    std::string read(const std::string &name) const
    {
        std::ifstream file(base + "/" + name);
        return std::string(std::istreambuf_iterator<char>(file), {});
    }
    static std::string text_of(unsigned number)
    {
        return "int value = " + std::to_string(number) + ";\n";
    }
};

TEST_F(Kept, BecomesAnObjectWhenItIsWanted)
{
    ASSERT_TRUE(leave(SOURCE));
    ASSERT_TRUE(end());
    EXPECT_EQ(count(".made"), 1u);
    EXPECT_TRUE(leave(SOURCE)); /* it is there: nobody works on it again */
    EXPECT_EQ(requests(), 0u);
    const struct compile_result kept = compiled(SOURCE);
    ASSERT_NE(kept.handle, nullptr);
    EXPECT_TRUE(kept.from_cache);
    EXPECT_EQ(value_of(kept.handle), 968);
    dlclose(kept.handle);
    EXPECT_EQ(count(".made"), 0u);
    EXPECT_EQ(count(".so"), 1u);
}

TEST_F(Kept, IsNotWhatOthersCouldHaveMade)
{
    ASSERT_TRUE(leave(SOURCE));
    ASSERT_TRUE(end());
    ASSERT_EQ(chmod(only().c_str(), 0770), 0);
    const struct compile_result again = compiled(SOURCE);
    ASSERT_NE(again.handle, nullptr);
    EXPECT_FALSE(again.from_cache);
    dlclose(again.handle);
}

TEST_F(Kept, IsNothingWithoutACompilerOrAFolder)
{
    compiler = "no_such_compiler";
    EXPECT_FALSE(leave(SOURCE));
    compiler = "cc";
    const variable old_cache("XDG_CACHE_HOME", "");
    const variable old_home("HOME", nullptr);
    EXPECT_FALSE(leave(SOURCE));
}

/* Whoever could not make it does not begin again for nothing, but a day later.  Ages are counted
 * from the moment of the request, so that it does not matter how long the test has taken. */
TEST_F(Kept, IsNotTriedAgainOnTheSameDay)
{
    use_script("echo run >>" + base + "/calls\nexit 1\n");
    EXPECT_TRUE(leave(SOURCE));
    EXPECT_TRUE(end());
    EXPECT_EQ(count(".made"), 0u);
    EXPECT_EQ(count(".tried"), 1u);
    EXPECT_FALSE(leave(SOURCE));
    EXPECT_EQ(read("calls"), "run\n");
    const std::filesystem::path tried = only();
    using file_clock = std::filesystem::file_time_type::clock;
    std::filesystem::last_write_time(tried, file_clock::now() - std::chrono::hours(23));
    EXPECT_FALSE(leave(SOURCE));
    std::filesystem::last_write_time(tried, file_clock::now() - std::chrono::hours(25));
    EXPECT_TRUE(leave(SOURCE));
    EXPECT_TRUE(end());
    EXPECT_EQ(read("calls"), "run\nrun\n");
}

/* A limit on time would throw away what a busy host has slowed down. */
TEST_F(Kept, HasALimitOnProcessorTimeAndNormalPriority)
{
    use_script("echo $(ulimit -t) $(nice) >" + base + "/calls\nexec cc \"$@\"\n");
    EXPECT_TRUE(leave(SOURCE));
    EXPECT_TRUE(end());
    EXPECT_EQ(read("calls"), "60 " + std::to_string(getpriority(PRIO_PROCESS, 0)) + "\n");
}

/* Nobody who reads what this program says waits for the keeper, and nobody inherits a zombie. */
TEST_F(Kept, HoldsNothingOfThisProgram)
{
    use_script("sleep 1\nexec cc \"$@\"\n");
    int ends[2];
    ASSERT_EQ(pipe(ends), 0); /* inherited by who is not careful */
    EXPECT_TRUE(leave(SOURCE));
    close(ends[1]);
    char byte;
    EXPECT_EQ(::read(ends[0], &byte, 1),
              0);              /* would block while the keeper has the other end ... */
    EXPECT_EQ(requests(), 1u); /* ... which is still at work */
    close(ends[0]);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
    EXPECT_TRUE(end());
    EXPECT_EQ(count(".made"), 1u);
}

/* ---- two of them at most ---- */

TEST_F(Kept, IsMadeByTwoAtMost)
{
    const std::string log = base + "/log";
    use_script("echo + >>" + log + "\nsleep 0.2\necho - >>" + log + "\nexec cc \"$@\"\n");
    for (unsigned i = 0; i < 6; i++) {
        EXPECT_TRUE(leave(text_of(i)));
    }
    ASSERT_TRUE(end());
    EXPECT_EQ(count(".made"), 6u);
    int now = 0;
    int most = 0;
    for (const char sign : read("log")) {
        now += sign == '+' ? 1 : sign == '-' ? -1 : 0;
        most = std::max(most, now);
    }
    EXPECT_EQ(now, 0);
    EXPECT_EQ(most, 2);
}

/* None is lost, although some ask when a keeper is about to end. */
TEST_F(Kept, OfManyProgramsThatEndTogetherIsAllMade)
{
    constexpr unsigned PROGRAMS = 12;
    use_script("exec cc \"$@\"\n");
    for (unsigned i = 0; i < PROGRAMS; i++) {
        const pid_t program = fork();
        ASSERT_GE(program, 0);
        if (program == 0) {
            usleep(100000 * (i % 4 + 10 * (i / 8)));
            _exit(leave(text_of(i)) ? 0 : 1);
        }
    }
    for (unsigned i = 0; i < PROGRAMS; i++) {
        int status = -1;
        ASSERT_GT(wait(&status), 0);
        EXPECT_EQ(status, 0);
    }
    EXPECT_TRUE(end());
    EXPECT_EQ(count(".made"), PROGRAMS);
}

/* A run that is shorter than the compilation: only when there is another one. */
TEST_F(Kept, IsMadeWhenTwoShortRunsHaveAsked)
{
    EXPECT_TRUE(leave(SOURCE, false));
    EXPECT_EQ(requests(), 0u);
    EXPECT_EQ(count(".later", "waiting"), 1u);
    EXPECT_FALSE(std::filesystem::exists(base + "/spinnsim/native/keeper-0"));
    EXPECT_TRUE(leave(SOURCE, false));
    EXPECT_EQ(count(".later", "waiting"), 0u);
    EXPECT_TRUE(end());
    EXPECT_EQ(count(".made"), 1u);
}

TEST_F(Kept, AreTheNewestRequests)
{
    for (unsigned i = 0; i < KEEPER_REQUESTS_MOST; i++) {
        ASSERT_TRUE(ask(text_of(i)));
    }
    EXPECT_EQ(requests(), static_cast<size_t>(KEEPER_REQUESTS_MOST));
    const auto oldest =
        std::filesystem::directory_iterator(base + "/spinnsim/native/waiting")->path();
    std::filesystem::last_write_time(oldest, std::filesystem::last_write_time(oldest) -
                                                 std::chrono::hours(1));
    ASSERT_TRUE(ask(SOURCE));
    EXPECT_EQ(requests(), static_cast<size_t>(KEEPER_REQUESTS_MOST));
    EXPECT_FALSE(std::filesystem::exists(oldest));
}

/* ---- what becomes of keepers ---- */

/* The fields of /proc/PID/stat: parent and group. */
struct kin {
    pid_t parent = 0, group = 0;
};
kin kin_of(const std::string &pid)
{
    std::ifstream about("/proc/" + pid + "/stat");
    std::string number;
    std::string name;
    std::string state;
    kin found;
    about >> number >> name >> state >> found.parent >> found.group;
    return found;
}

/* Its compiler ends with it, and the next run has it made at once. */
TEST_F(Kept, IsMadeAgainWhenAKeeperWasKilled)
{
    const std::string pid_file = base + "/pid";
    use_script("if [ -e " + base + "/quick ]; then exec cc \"$@\"; fi\necho $$ >" + pid_file +
               "\nsleep 100\n");
    ASSERT_TRUE(leave(SOURCE));
    std::string pid;
    ASSERT_TRUE(comes_true([&] { return static_cast<bool>(std::ifstream(pid_file) >> pid); }));
    const pid_t keeper = kin_of(std::to_string(kin_of(pid).parent)).parent; /* of timeout */
    ASSERT_GT(keeper, 1);
    ASSERT_NE(keeper, getpid());
    const pid_t group = kin_of(pid).group;
    ASSERT_GT(group, 1);
    ASSERT_EQ(kill(keeper, SIGKILL), 0);
    EXPECT_TRUE(comes_true([&] { return kill(-group, 0) != 0; }));
    EXPECT_FALSE(lives(pid));
    EXPECT_EQ(count(".c", "keeper-0"), 1u);
    std::ofstream(base + "/quick") << "";
    EXPECT_TRUE(leave(SOURCE));
    EXPECT_TRUE(end());
    EXPECT_EQ(count(".made"), 1u);
}

/* All of it at once, as a batch system does; the next run of another program takes over. */
TEST_F(Kept, IsMadeByTheNextRunWhenAllOfAKeeperWasKilled)
{
    const std::string pid_file = base + "/pid";
    use_script("if [ -e " + base + "/quick ]; then exec cc \"$@\"; fi\necho $$ >" + pid_file +
               "\nsleep 100\n");
    ASSERT_TRUE(leave(SOURCE));
    std::string pid;
    ASSERT_TRUE(comes_true([&] { return static_cast<bool>(std::ifstream(pid_file) >> pid); }));
    const pid_t group = kin_of(pid).group;
    ASSERT_GT(group, 1);
    ASSERT_NE(group, getpgrp());
    ASSERT_EQ(kill(-group, SIGKILL), 0);
    ASSERT_TRUE(comes_true([&] { return kill(-group, 0) != 0; }));
    std::ofstream(base + "/quick") << "";
    keeper_start();
    EXPECT_TRUE(end());
    EXPECT_EQ(count(".made"), 1u);
}

/* Only the open folder counts: who renames it, or puts a link in its place, changes nothing. */
TEST_F(Kept, IsMadeInTheFolderThatWasOpened)
{
    const std::string native = base + "/spinnsim/native";
    const std::string target = base + "/target";
    const std::string moved = base + "/moved";
    const std::string pid_file = base + "/pid";
    use_script("echo $$ >" + pid_file + "\nwhile ! [ -e " + base +
               "/go ]; do sleep 0.01; done\nexec cc \"$@\"\n");
    ASSERT_TRUE(leave(SOURCE));
    ASSERT_TRUE(comes_true([&] { return std::filesystem::exists(pid_file); }));
    ASSERT_EQ(mkdir(target.c_str(), 0777), 0);
    std::filesystem::rename(native, moved);
    std::filesystem::create_directory_symlink(target, native);
    std::ofstream(base + "/go") << "";
    EXPECT_TRUE(comes_true([&] { return std::filesystem::exists(moved + "/keeper-0/closed"); }));
    EXPECT_TRUE(std::filesystem::is_empty(target));
    std::filesystem::remove(native);
    std::filesystem::rename(moved, native);
    EXPECT_EQ(count(".made"), 1u);
}

} // namespace
