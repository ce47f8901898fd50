/* Files: what is read, what is refused, and names of what is being written. */
#include "tests/unit/data_fixture.h"

extern "C" {
#include "sim/file.h"
#include "sim/staging.h"
}

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace
{

/* Reads a file of at most ten bytes. */
struct reading {
    explicit reading(const std::string &path, size_t most = 10)
        : status(file_read(path.c_str(), most, &bytes, &size, &diagnostic))
    {
    }
    ~reading()
    {
        free(bytes);
    }
    reading(const reading &) = delete;
    reading &operator=(const reading &) = delete;

    uint8_t *bytes = nullptr;
    size_t size = 0;
    struct diagnostic diagnostic = {};
    enum status status;
};

TEST(File, IsReadUpToItsBound)
{
    const temporary_folder here;
    const reading ten(here.write("ten", byte_string(10, 'x')));
    ASSERT_EQ(ten.status, STATUS_OK);
    EXPECT_EQ(ten.size, 10u);
    EXPECT_EQ(ten.bytes[10], 0);
    const reading eleven(here.write("eleven", byte_string(11, 'x')));
    EXPECT_EQ(eleven.status, STATUS_CONFIGURATION);
    EXPECT_STREQ(eleven.diagnostic.text, "the file has more than 10 bytes");
    EXPECT_EQ(eleven.diagnostic.file, here.file("eleven"));
    const reading empty(here.write("empty", {}));
    ASSERT_EQ(empty.status, STATUS_OK);
    EXPECT_EQ(empty.size, 0u);
    (void)here.write("sparse", {});
    ASSERT_EQ(truncate(here.file("sparse").c_str(), 1LL << 40), 0);
    EXPECT_EQ(reading(here.file("sparse"), 1u << 30).status, STATUS_CONFIGURATION);
}

TEST(File, IsNoDevice)
{
    for (const char *device : {"/dev/zero", "/dev/null", "/dev/full"}) {
        const reading read(device, 1u << 30);
        EXPECT_EQ(read.status, STATUS_CONFIGURATION) << device;
        EXPECT_STREQ(read.diagnostic.text, "cannot read: it is a device");
        EXPECT_EQ(read.bytes, nullptr);
    }
    const reading folder("/");
    EXPECT_STREQ(folder.diagnostic.text, "cannot read: Is a directory");
}

/* Nobody writes into it: it is empty, and nothing waits.  Somebody does: as a file. */
TEST(File, MayBeAPipe)
{
    const temporary_folder here;
    const std::string pipe = here.file("pipe");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const reading nothing(pipe);
    ASSERT_EQ(nothing.status, STATUS_OK);
    EXPECT_EQ(nothing.size, 0u);
    EXPECT_FALSE(file_begins_with(pipe.c_str(), "x", 1));

    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    std::thread writer([&] {
        for (int i = 0; i < 9; i++) {
            (void)!write(ends[1], "x", 1);
            usleep(1000);
        }
        close(ends[1]);
    });
    const reading nine("/dev/fd/" + std::to_string(ends[0]));
    writer.join();
    close(ends[0]);
    ASSERT_EQ(nine.status, STATUS_OK);
    EXPECT_EQ(nine.size, 9u);
}

TEST(File, IsWrittenUnderANameOfItsOwn)
{
    const temporary_folder here;
    const std::string part = here.file("new") + ".part-" + std::to_string(getpid());
    (void)here.write("theirs", {'t'});
    (void)here.write("new.part-1", {'d'}); /* of a run that is no more */
    ASSERT_EQ(symlink(here.file("theirs").c_str(), part.c_str()), 0);
    struct file_writer writer;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(file_create(&writer, here.file("new").c_str(), &diagnostic), STATUS_OK);
    EXPECT_EQ(writer.temporary, part + "-1");
    EXPECT_NE(access(here.file("new.part-1").c_str(), F_OK), 0);
    (void)fputc('n', writer.stream);
    (void)fflush(writer.stream);
    staging_sweep(here.file("new").c_str());
    ASSERT_EQ(file_commit(&writer, &diagnostic), STATUS_OK) << "nobody sweeps it away";
    EXPECT_EQ(read_file(here.file("new")), byte_string{'n'});
    EXPECT_EQ(read_file(here.file("theirs")), byte_string{'t'});
}

TEST(File, NamesOfAFolderComeInOrder)
{
    const temporary_folder here;
    struct file_names names = {};
    ASSERT_TRUE(file_names_take(&names, AT_FDCWD, here.path().c_str()));
    EXPECT_EQ(names.count, 0u);
    file_names_deinit(&names);
    for (const char *name : {"b", "a/x", ".c", "B"}) {
        (void)here.write(name, {'t'});
    }
    ASSERT_TRUE(file_names_take(&names, AT_FDCWD, here.path().c_str()));
    std::vector<std::string> found;
    for (size_t i = 0; i < names.count; i++) {
        found.emplace_back(names.entry[i]->d_name);
    }
    EXPECT_EQ(found, (std::vector<std::string>{".c", "B", "a", "b"}));
    file_names_deinit(&names);
    EXPECT_FALSE(file_names_take(&names, AT_FDCWD, here.file("none").c_str()));
    EXPECT_EQ(errno, ENOENT);
    EXPECT_FALSE(file_names_take(&names, AT_FDCWD, here.file("b").c_str()));
    EXPECT_EQ(errno, ENOTDIR);
    EXPECT_EQ(names.count, 0u);
}

TEST(File, HasANameAnEndingAndAFolder)
{
    const temporary_folder here;
    struct diagnostic diagnostic = {};
    EXPECT_STREQ(file_name_of("a/b.csv"), "b.csv");
    EXPECT_STREQ(file_name_of("b.csv"), "b.csv");
    EXPECT_STREQ(file_name_of("a/"), "");
    EXPECT_TRUE(file_ends_in("b.csv", ".csv"));
    EXPECT_FALSE(file_ends_in(".csv", ".csv"));
    EXPECT_FALSE(file_ends_in("b.csv.gz", ".csv"));
    EXPECT_EQ(file_make_folder_of("here", &diagnostic), STATUS_OK);
    EXPECT_EQ(file_make_folder_of("/here", &diagnostic), STATUS_OK);
    EXPECT_EQ(file_make_folder_of(here.file("x/y/z").c_str(), &diagnostic), STATUS_OK);
    EXPECT_TRUE(file_is_folder(here.file("x/y").c_str()));
    EXPECT_FALSE(file_is_folder(here.file("x/y/z").c_str()));
    EXPECT_FALSE(file_is_folder(here.write("f", {'t'}).c_str()));
    EXPECT_EQ(file_make_folder_of(here.file("f/z").c_str(), &diagnostic), STATUS_CONFIGURATION);
}

/* The hint stands behind \v, is kept when the text is cut, and never remains from before. */
TEST(File, ARefusalHasTextAndHint)
{
    struct diagnostic diagnostic = {};
    EXPECT_EQ(file_refuse("a.csv", nullptr, &diagnostic, "line %d\vnot %s", 3, "this"),
              STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.file, "a.csv");
    EXPECT_STREQ(diagnostic.text, "line 3");
    EXPECT_STREQ(diagnostic.hint, "not this");
    const std::string longest(DIAGNOSTIC_TEXT_CHARS - 1, 'x');
    (void)diagnose(&diagnostic, STATUS_LIMIT, "%sy\vhint", longest.c_str());
    EXPECT_EQ(diagnostic.text, longest);
    EXPECT_STREQ(diagnostic.hint, "hint");
    EXPECT_STREQ(diagnostic.file, "");
    EXPECT_EQ(file_refuse("a.csv", "other", &diagnostic, "text"), STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.hint, "other");
    (void)diagnose(&diagnostic, STATUS_LIMIT, "text");
    EXPECT_STREQ(diagnostic.hint, "");
}

TEST(File, FailuresOfTheHostAreNotTheUsers)
{
    struct diagnostic diagnostic = {};
    errno = ENOSPC;
    EXPECT_EQ(file_cannot("write", "x", &diagnostic), STATUS_INTERNAL);
    EXPECT_STREQ(diagnostic.text, "cannot write: No space left on device");
    errno = EACCES;
    EXPECT_EQ(file_cannot("write", "x", &diagnostic), STATUS_CONFIGURATION);
}

} // namespace
