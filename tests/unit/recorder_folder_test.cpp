/* Result folders: complete or absent, and never at the cost of somebody else's files. */
#include "tests/unit/data_fixture.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

extern "C" {
#include "sim/recorder/result_folder.h"
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

/* A folder in the place of counters.csv: the older results cannot be replaced.  Then there is no
 * summary.json, which would say that they are complete. */
TEST(ResultFolder, IsNotCompleteWhenAFileCannotBePlaced)
{
    const temporary_folder here;
    const std::string path = here.file("run");
    (void)here.write("run/summary.json", bytes_of("old"));
    (void)here.write("run/counters.csv/in_the_way", {});
    struct result_folder folder;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(result_folder_begin(&folder, path.c_str(), &diagnostic), STATUS_OK);
    put(folder, "counters.csv", "new");
    put(folder, "summary.json", "new");
    EXPECT_EQ(result_folder_commit(&folder, &diagnostic), STATUS_CONFIGURATION);
    EXPECT_EQ(diagnostic.file, path);
    EXPECT_FALSE(exists(path + "/summary.json"));
    EXPECT_EQ(here.names(), std::vector<std::string>{"run"}) << "the folder in the making is gone";
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
    EXPECT_EQ(result_folder_close(&folder, "energy.csv", stream, &diagnostic),
              STATUS_CONFIGURATION);
    EXPECT_EQ(diagnostic.file, here.file("run/energy.csv"));
    result_folder_discard(&folder);
}

} // namespace
