/* Result folders: complete or absent, and never at the cost of somebody else's files. */
#include "tests/unit/data_fixture.h"

#include <gtest/gtest.h>

#include <functional>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

extern "C" {
#include "sim/results/result_folder.h"
}

/* What happens before the next lock is asked for. */
static std::function<void()> before_next_lock;

extern "C" int flock(int file, int operation) noexcept
{
    const auto first = std::exchange(before_next_lock, nullptr);
    if (first) {
        first();
    }
    return static_cast<int>(syscall(SYS_flock, file, operation));
}

namespace
{

bool exists(const std::string &path)
{
    struct stat info;
    return stat(path.c_str(), &info) == 0;
}

std::string text_of(const std::string &path)
{
    const byte_string bytes = read_file(path);
    return std::string(bytes.begin(), bytes.end());
}

byte_string bytes_of(const std::string &text)
{
    return byte_string(text.begin(), text.end());
}

void put(const struct result_folder &folder, const char *name, const char *text)
{
    FILE *stream = nullptr;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(result_folder_open(&folder, name, &stream, &diagnostic), STATUS_OK);
    (void)fputs(text, stream);
    ASSERT_EQ(result_folder_close(&folder, name, stream, &diagnostic), STATUS_OK);
}

enum status check(const std::string &path, struct diagnostic *diagnostic)
{
    return result_folder_check(path.c_str(), diagnostic);
}

TEST(ResultFolder, MayBeNewEmptyOrHoldResults)
{
    const temporary_folder here;
    struct diagnostic diagnostic = {};
    EXPECT_EQ(check(here.file("new"), &diagnostic), STATUS_OK);
    EXPECT_FALSE(exists(here.file("new"))) << "nothing is changed";
    EXPECT_EQ(check(here.path(), &diagnostic), STATUS_OK);
    (void)here.write("counters.csv", {});
    EXPECT_EQ(check(here.path(), &diagnostic), STATUS_OK) << "an unfinished one of ours";
    (void)here.write("notes.txt", {});
    EXPECT_EQ(check(here.path(), &diagnostic), STATUS_CONFIGURATION);
    EXPECT_EQ(diagnostic.file, here.path());
    EXPECT_STREQ(diagnostic.text, "the folder holds other files than results: notes.txt");
    EXPECT_TRUE(contains(diagnostic.hint, "--out"));
    (void)here.write("summary.json", {});
    EXPECT_EQ(check(here.path(), &diagnostic), STATUS_OK) << "somebody's notes beside results";
    EXPECT_EQ(check(here.file("notes.txt"), &diagnostic), STATUS_CONFIGURATION) << "a file";
}

TEST(ResultFolder, AppearsWithEverythingAtOnce)
{
    const temporary_folder here;
    const std::string path = here.file("a/b/run");
    struct result_folder folder;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(result_folder_begin(&folder, (path + "//").c_str(), &diagnostic), STATUS_OK)
        << said(diagnostic);
    put(folder, "counters.csv", "one");
    put(folder, "summary.json", "two");
    EXPECT_FALSE(exists(path)) << "not before all is written";
    ASSERT_EQ(result_folder_commit(&folder, &diagnostic), STATUS_OK) << said(diagnostic);
    EXPECT_EQ(text_of(path + "/counters.csv"), "one");
    EXPECT_EQ(text_of(path + "/summary.json"), "two");
    struct stat info;
    ASSERT_EQ(stat(here.file("a/b").c_str(), &info), 0);
    EXPECT_EQ(info.st_nlink, 3u) << "the folder in the making is gone";
}

TEST(ResultFolder, DiscardedLeavesNothing)
{
    const temporary_folder here;
    struct result_folder folder;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(result_folder_begin(&folder, here.file("run").c_str(), &diagnostic), STATUS_OK);
    put(folder, "counters.csv", "one");
    EXPECT_EQ(here.names().size(), 1u);
    result_folder_discard(&folder);
    EXPECT_TRUE(here.names().empty());
    result_folder_discard(&folder);
}

/* Files that the new run does not have go, too; what is not ours stays. */
TEST(ResultFolder, ReplacesOlderResults)
{
    const temporary_folder here;
    const std::string path = here.file("run");
    (void)here.write("run/summary.json", bytes_of("old"));
    (void)here.write("run/predictions.csv", bytes_of("old"));
    (void)here.write("run/notes.txt", bytes_of("mine"));
    struct result_folder folder;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(result_folder_begin(&folder, path.c_str(), &diagnostic), STATUS_OK);
    put(folder, "summary.json", "new");
    put(folder, "counters.csv", "new");
    EXPECT_EQ(text_of(path + "/summary.json"), "old") << "up to the end";
    ASSERT_EQ(result_folder_commit(&folder, &diagnostic), STATUS_OK) << said(diagnostic);
    EXPECT_EQ(text_of(path + "/summary.json"), "new");
    EXPECT_EQ(text_of(path + "/counters.csv"), "new");
    EXPECT_FALSE(exists(path + "/predictions.csv"));
    EXPECT_EQ(text_of(path + "/notes.txt"), "mine");
    EXPECT_EQ(here.names(), std::vector<std::string>{"run"});
}

/* A folder in the place of counters.csv is nobody's older results: the new ones are complete, and
 * the message says where it is. */
TEST(ResultFolder, LosesNothingThatIsInItsWay)
{
    const temporary_folder here;
    const std::string path = here.file("run");
    (void)here.write("run/summary.json", bytes_of("old"));
    (void)here.write("run/counters.csv/in_the_way", bytes_of("mine"));
    struct result_folder folder;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(result_folder_begin(&folder, path.c_str(), &diagnostic), STATUS_OK);
    const std::string beside = folder.staging;
    put(folder, "counters.csv", "new");
    put(folder, "summary.json", "new");
    EXPECT_EQ(result_folder_commit(&folder, &diagnostic), STATUS_CONFIGURATION);
    EXPECT_EQ(diagnostic.file, path);
    EXPECT_TRUE(contains(diagnostic.hint, beside)) << diagnostic.hint;
    EXPECT_EQ(text_of(path + "/counters.csv"), "new");
    EXPECT_EQ(text_of(path + "/summary.json"), "new");
    EXPECT_EQ(text_of(beside + "/counters.csv/in_the_way"), "mine");
}

/* Something stands where the folder is to be: what was written stays, and is named. */
TEST(ResultFolder, KeepsWhatCannotBePlaced)
{
    const temporary_folder here;
    struct result_folder folder;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(result_folder_begin(&folder, here.file("run").c_str(), &diagnostic), STATUS_OK);
    const std::string beside = folder.staging;
    put(folder, "counters.csv", "one");
    put(folder, "summary.json", "two");
    (void)here.write("run", bytes_of("a file"));
    EXPECT_EQ(result_folder_commit(&folder, &diagnostic), STATUS_CONFIGURATION);
    EXPECT_TRUE(contains(diagnostic.hint, beside)) << diagnostic.hint;
    EXPECT_EQ(text_of(beside + "/counters.csv"), "one");
    EXPECT_EQ(text_of(beside + "/summary.json"), "two");
    EXPECT_EQ(text_of(here.file("run")), "a file");

    ASSERT_EQ(unlink(here.file("run").c_str()), 0);
    ASSERT_EQ(result_folder_begin(&folder, here.file("run").c_str(), &diagnostic), STATUS_OK);
    result_folder_discard(&folder);
    EXPECT_EQ(text_of(beside + "/summary.json"), "two") << "a later run leaves them alone";
}

/* Somebody else's link, and a file, under the names that this process would take. */
TEST(ResultFolder, IsNeverWrittenThroughALink)
{
    const temporary_folder here;
    const std::string part = here.file("run") + ".part-" + std::to_string(getpid());
    (void)here.write("theirs/summary.json", bytes_of("theirs"));
    ASSERT_EQ(symlink(here.file("theirs").c_str(), part.c_str()), 0);
    (void)here.write("run.part-" + std::to_string(getpid()) + "-1", bytes_of("theirs"));
    struct result_folder folder;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(result_folder_begin(&folder, here.file("run").c_str(), &diagnostic), STATUS_OK);
    EXPECT_EQ(folder.staging, part + "-2");
    put(folder, "summary.json", "new");
    ASSERT_EQ(result_folder_commit(&folder, &diagnostic), STATUS_OK) << said(diagnostic);
    EXPECT_EQ(text_of(here.file("run/summary.json")), "new");
    EXPECT_EQ(text_of(here.file("theirs/summary.json")), "theirs");
    EXPECT_EQ(text_of(part + "-1"), "theirs");
}

/* What a killed run has left goes; what a run that lives writes into, and complete results, stay.
 */
TEST(ResultFolder, SweepsWhatDeadRunsHaveLeft)
{
    const temporary_folder here;
    (void)here.write("run.part-1/counters.csv", bytes_of("dead"));
    (void)here.write("run.part-2/summary.json", bytes_of("complete"));
    (void)here.write("run.part-2/manifest.csv", bytes_of("complete"));
    (void)here.write("run.part-3/notes.txt", bytes_of("mine"));
    (void)here.write("run.party/counters.csv", bytes_of("mine"));
    struct result_folder alive;
    struct result_folder folder;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(result_folder_begin(&alive, here.file("run").c_str(), &diagnostic), STATUS_OK);
    put(alive, "counters.csv", "alive");
    EXPECT_FALSE(exists(here.file("run.part-1")));
    ASSERT_EQ(result_folder_begin(&folder, here.file("run").c_str(), &diagnostic), STATUS_OK);
    EXPECT_STRNE(folder.staging, alive.staging);
    EXPECT_EQ(text_of(std::string(alive.staging) + "/counters.csv"), "alive");
    EXPECT_TRUE(exists(here.file("run.part-2/manifest.csv")));
    EXPECT_TRUE(exists(here.file("run.part-3/notes.txt")));
    EXPECT_TRUE(exists(here.file("run.party/counters.csv")));
    put(folder, "summary.json", "second");
    put(alive, "summary.json", "first");
    ASSERT_EQ(result_folder_commit(&alive, &diagnostic), STATUS_OK) << said(diagnostic);
    ASSERT_EQ(result_folder_commit(&folder, &diagnostic), STATUS_OK) << said(diagnostic);
    EXPECT_EQ(text_of(here.file("run/summary.json")), "second");
    EXPECT_FALSE(exists(here.file("run/counters.csv"))) << "of the other run";
}

/* Killed runs of other simulations, which may never be repeated, have left theirs beside. */
TEST(ResultFolder, SweepsWhatDeadRunsHaveLeftBeside)
{
    const temporary_folder here;
    struct result_folder alive;
    struct result_folder folder;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(result_folder_begin(&alive, here.file("a-00000001").c_str(), &diagnostic), STATUS_OK);
    put(alive, "counters.csv", "alive");
    /* a number that no living process has, and one of a process that lives but did not write it */
    (void)here.write("a-0123abcd.part-4194305/counters.csv", bytes_of("dead"));
    (void)here.write("a-0123abcd.part-" + std::to_string(getpid()) + "/counters.csv",
                     bytes_of("dead, and its number given again"));
    (void)here.write("a-00000002.part-1/manifest.csv", bytes_of("complete, and there is no other"));
    (void)here.write("a-00000003.part-1/manifest.csv", bytes_of("complete"));
    (void)here.write("a-00000003/manifest.csv", bytes_of("complete, too"));
    (void)here.write("a-00000004.part-1/notes.txt", bytes_of("mine"));
    (void)here.write("a-00000005.part-1-2", bytes_of("a file"));
    (void)here.write("book.part-1/config.yaml", bytes_of("mine"));
    (void)here.write("a-0000000g.part-1/config.yaml", bytes_of("mine"));
    ASSERT_EQ(symlink("book.part-1", here.file("a-00000006.part-1").c_str()), 0);
    const std::vector<std::string> stays = {"a-00000001.part-" + std::to_string(getpid()),
                                            "a-00000002.part-1",
                                            "a-00000003",
                                            "a-00000004.part-1",
                                            "a-00000005.part-1-2",
                                            "a-00000006.part-1",
                                            "a-0000000g.part-1",
                                            "book.part-1"};
    ASSERT_EQ(result_folder_begin(&folder, here.file("run").c_str(), &diagnostic), STATUS_OK);
    result_folder_discard(&folder);
    EXPECT_EQ(here.names(), stays);
    EXPECT_EQ(text_of(std::string(alive.staging) + "/counters.csv"), "alive");
    EXPECT_EQ(text_of(here.file("a-00000002.part-1/manifest.csv")),
              "complete, and there is no other");
    EXPECT_EQ(text_of(here.file("book.part-1/config.yaml")), "mine");

    (void)here.write("a-0123abcd.part-4194305/counters.csv", bytes_of("dead"));
    result_folder_clean(here.path().c_str());
    EXPECT_EQ(here.names(), stays);
    result_folder_discard(&alive);
    result_folder_clean(here.file("nowhere").c_str());
}

/* Another run opens the folder of a run that is about to give it its name, and gets its lock
 * afterwards. */
TEST(ResultFolder, IsNotSweptWhileItGetsItsName)
{
    const temporary_folder here;
    struct result_folder folder;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(result_folder_begin(&folder, here.file("a-00000001").c_str(), &diagnostic),
              STATUS_OK);
    put(folder, "summary.json", "new");
    before_next_lock = [&] {
        EXPECT_EQ(result_folder_commit(&folder, &diagnostic), STATUS_OK) << said(diagnostic);
    };
    result_folder_clean(here.path().c_str());
    EXPECT_FALSE(before_next_lock);
    EXPECT_EQ(text_of(here.file("a-00000001/summary.json")), "new");
}

/* Killed between the last file and the name: the same results stand there now.  Others stay. */
TEST(ResultFolder, SweepsTheSameResultsOnceTheyAreInPlace)
{
    const temporary_folder here;
    (void)here.write("run.part-1/manifest.csv", bytes_of("complete"));
    (void)here.write("run.part-1/config.yaml", bytes_of("seed: 1"));
    (void)here.write("run.part-2/manifest.csv", bytes_of("of another run"));
    (void)here.write("run.part-2/config.yaml", bytes_of("seed: 2"));
    (void)here.write("run.part-3/summary.json", bytes_of("older, half removed"));
    (void)here.write("run.part-4/weights.npz.part-4", bytes_of("in the making"));
    struct result_folder folder;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(result_folder_begin(&folder, here.file("run").c_str(), &diagnostic), STATUS_OK);
    EXPECT_FALSE(exists(here.file("run.part-4")));
    EXPECT_TRUE(exists(here.file("run.part-1/manifest.csv"))) << "until there are others";
    put(folder, "config.yaml", "seed: 1");
    put(folder, "summary.json", "complete");
    ASSERT_EQ(result_folder_commit(&folder, &diagnostic), STATUS_OK) << said(diagnostic);
    EXPECT_EQ(here.names(), (std::vector<std::string>{"run", "run.part-2"}));
    EXPECT_TRUE(exists(here.file("run.part-2/manifest.csv")));
}

/* The folder that the command runs in, and one behind a link. */
TEST(ResultFolder, IsFilledWhereNothingCanTakeItsPlace)
{
    const temporary_folder here;
    (void)here.write("run/summary.json", bytes_of("old"));
    (void)here.write("run/predictions.csv", bytes_of("old"));
    (void)here.write("run/checkpoint.npz", bytes_of("kept"));
    (void)here.write("run/notes.txt", bytes_of("mine"));
    ASSERT_EQ(symlink("run", here.file("link").c_str()), 0);
    char before[4096];
    ASSERT_NE(getcwd(before, sizeof before), nullptr);
    ASSERT_EQ(chdir(here.file("run").c_str()), 0);
    struct stat first;
    ASSERT_EQ(stat(".", &first), 0);
    struct result_folder folder;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(result_folder_begin(&folder, ".", &diagnostic), STATUS_OK) << said(diagnostic);
    put(folder, "summary.json", "new");
    result_folder_keep(&folder, "checkpoint.npz");
    EXPECT_EQ(result_folder_check(".", &diagnostic), STATUS_OK);
    ASSERT_EQ(result_folder_commit(&folder, &diagnostic), STATUS_OK) << said(diagnostic);
    struct stat second;
    ASSERT_EQ(stat(here.file("run").c_str(), &second), 0);
    EXPECT_EQ(first.st_ino, second.st_ino);
    ASSERT_EQ(chdir(before), 0);
    EXPECT_EQ(text_of(here.file("run/summary.json")), "new");
    EXPECT_EQ(text_of(here.file("run/checkpoint.npz")), "kept");
    EXPECT_FALSE(exists(here.file("run/predictions.csv")));

    ASSERT_EQ(result_folder_begin(&folder, here.file("link").c_str(), &diagnostic), STATUS_OK);
    put(folder, "summary.json", "through the link");
    result_folder_keep(&folder, "checkpoint.npz");
    ASSERT_EQ(result_folder_commit(&folder, &diagnostic), STATUS_OK) << said(diagnostic);
    EXPECT_EQ(text_of(here.file("run/summary.json")), "through the link");
    EXPECT_EQ(text_of(here.file("run/checkpoint.npz")), "kept");
    EXPECT_EQ(text_of(here.file("run/notes.txt")), "mine");
    EXPECT_EQ(lstat(here.file("link").c_str(), &second), 0);
    EXPECT_TRUE(S_ISLNK(second.st_mode));
    EXPECT_EQ(here.names(), (std::vector<std::string>{"link", "run"}));
}

TEST(ResultFolder, CannotBeMadeBelowAFile)
{
    const temporary_folder here;
    (void)here.write("file", {});
    struct result_folder folder;
    struct diagnostic diagnostic = {};
    EXPECT_EQ(result_folder_begin(&folder, here.file("file/run").c_str(), &diagnostic),
              STATUS_CONFIGURATION);
    EXPECT_TRUE(contains(diagnostic.file, here.file("file")));
    EXPECT_EQ(folder.path, nullptr);
}

/* A disk that is full. */
TEST(ResultFolder, NoticesWhatCouldNotBeWritten)
{
    FILE *stream = fopen("/dev/full", "w");
    if (stream == nullptr) {
        GTEST_SKIP() << "there is no /dev/full to write to";
    }
    const temporary_folder here;
    struct result_folder folder;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(result_folder_begin(&folder, here.file("run").c_str(), &diagnostic), STATUS_OK);
    (void)fputs("text", stream);
    EXPECT_EQ(result_folder_close(&folder, "energy.csv", stream, &diagnostic), STATUS_INTERNAL);
    EXPECT_EQ(diagnostic.file, here.file("run/energy.csv"));
    result_folder_discard(&folder);
}

} // namespace
