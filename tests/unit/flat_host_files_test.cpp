/* flat_host_files_test.cpp - a folder that is lent to a guest: what is in it, and nothing else. */
#include "sim/flat/host_files.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

enum { READ = 0, UPDATE = 2, WRITE = 4, APPEND = 8 };

class HostFiles : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        char name[] = "/tmp/spinnsim_files_XXXXXX";
        ASSERT_NE(mkdtemp(name), nullptr);
        folder = name;
        lent = folder + "/lent";
        fs::create_directories(lent + "/below");
        std::ofstream(folder + "/secret") << "secret";
        std::ofstream(lent + "/file") << "0123456789";
        std::ofstream(lent + "/below/other") << "other";
        host_files_init(&files);
        ASSERT_EQ(host_files_lend(&files, lent.c_str()), 0);
    }
    void TearDown() override
    {
        host_files_deinit(&files);
        fs::remove_all(folder);
    }

    int open_it(const std::string &name, unsigned mode)
    {
        const int error = host_files_open(&files, name.c_str(), mode, &index);
        return error != 0 ? error : host_files_close(&files, index);
    }
    std::string text_of(const std::string &name) const
    {
        std::ifstream file(name, std::ios::binary);
        std::stringstream text;
        text << file.rdbuf();
        return text.str();
    }
    std::string read_it(size_t most)
    {
        std::string bytes(most, '\0');
        size_t got = 0;
        EXPECT_EQ(
            host_files_read(&files, index, reinterpret_cast<uint8_t *>(&bytes[0]), most, &got), 0);
        bytes.resize(got);
        return bytes;
    }
    int write_it(const std::string &text)
    {
        size_t put = 0;
        const int error = host_files_write(
            &files, index, reinterpret_cast<const uint8_t *>(text.data()), text.size(), &put);
        EXPECT_EQ(put, error == 0 ? text.size() : 0);
        return error;
    }

    host_files files;
    std::string folder, lent;
    unsigned index = 0;
};

TEST_F(HostFiles, WithoutAFolderNothingIsLent)
{
    host_files none;
    host_files_init(&none);
    EXPECT_EQ(host_files_open(&none, "file", READ, &index), HOST_FILE_REFUSED);
    EXPECT_EQ(host_files_remove(&none, "file"), HOST_FILE_REFUSED);
    EXPECT_EQ(host_files_rename(&none, "file", "new"), HOST_FILE_REFUSED);
    EXPECT_EQ(host_files_lend(&none, (lent + "/file").c_str()), ENOTDIR);
    EXPECT_EQ(host_files_lend(&none, (lent + "/missing").c_str()), ENOENT);
    host_files_deinit(&none);
}

TEST_F(HostFiles, FilesInsideAreOpenedByAnyNameTheyHave)
{
    for (const char *name : {"file", "./file", ".//file", "/tmp/file", "below/other",
                             "below/./other", "below//other"}) {
        EXPECT_EQ(open_it(name, READ), 0) << name;
    }
    EXPECT_EQ(open_it("missing", READ), ENOENT);
    EXPECT_EQ(open_it("missing/file", READ), ENOENT);
    EXPECT_EQ(open_it("file/file", READ), ENOTDIR);
    EXPECT_EQ(open_it(std::string(300, 'x'), READ), ENAMETOOLONG);
    EXPECT_EQ(open_it("file", HOST_FILE_MODES), EINVAL);
}

TEST_F(HostFiles, NoNameLeadsOut)
{
    for (const std::string &name :
         {std::string("../secret"), std::string("below/../../secret"), std::string("below/../file"),
          folder + "/secret", lent + "/file", std::string("/file"), std::string("/tmp/below/other"),
          std::string("/tmp//file"), std::string("/tmp/../secret"), std::string(".."),
          std::string("."), std::string("/"), std::string()}) {
        for (const unsigned mode : {READ, WRITE, APPEND}) {
            EXPECT_EQ(open_it(name, mode), HOST_FILE_REFUSED) << name;
        }
        EXPECT_EQ(host_files_remove(&files, name.c_str()), HOST_FILE_REFUSED) << name;
        EXPECT_EQ(host_files_rename(&files, name.c_str(), "x"), HOST_FILE_REFUSED) << name;
        EXPECT_EQ(host_files_rename(&files, "file", name.c_str()), HOST_FILE_REFUSED) << name;
    }
    EXPECT_EQ(text_of(folder + "/secret"), "secret");
    EXPECT_EQ(text_of(lent + "/file"), "0123456789");
}

TEST_F(HostFiles, LinksAreNotFollowed)
{
    fs::create_symlink(folder + "/secret", lent + "/link");
    fs::create_symlink("file", lent + "/inside");
    fs::create_symlink("new", lent + "/dangling");
    fs::create_directory_symlink(folder, lent + "/out");
    for (const unsigned mode : {READ, UPDATE, WRITE, APPEND}) {
        EXPECT_EQ(open_it("link", mode), HOST_FILE_REFUSED);
        EXPECT_EQ(open_it("inside", mode), HOST_FILE_REFUSED);
        EXPECT_EQ(open_it("dangling", mode), HOST_FILE_REFUSED);
        EXPECT_EQ(open_it("out/secret", mode), ENOTDIR);
        EXPECT_EQ(open_it("out/new", mode), ENOTDIR);
    }
    EXPECT_EQ(host_files_remove(&files, "link"), HOST_FILE_REFUSED);
    EXPECT_EQ(host_files_rename(&files, "link", "x"), HOST_FILE_REFUSED);
    EXPECT_EQ(host_files_rename(&files, "file", "link"), HOST_FILE_REFUSED);
    EXPECT_EQ(host_files_rename(&files, "file", "out/x"), ENOTDIR);
    EXPECT_EQ(text_of(folder + "/secret"), "secret");
    EXPECT_FALSE(fs::exists(lent + "/new"));
    EXPECT_FALSE(fs::exists(folder + "/new"));
}

TEST_F(HostFiles, OnlyRegularFilesAreOpenedAndNobodyWaits)
{
    ASSERT_EQ(mkfifo((lent + "/fifo").c_str(), 0600), 0);
    for (const unsigned mode : {READ, UPDATE, WRITE, APPEND}) {
        EXPECT_EQ(open_it("fifo", mode), HOST_FILE_REFUSED);
        EXPECT_EQ(open_it("below", mode), HOST_FILE_REFUSED);
    }
    EXPECT_EQ(host_files_remove(&files, "fifo"), HOST_FILE_REFUSED);
    EXPECT_EQ(host_files_remove(&files, "below"), HOST_FILE_REFUSED);
    EXPECT_EQ(host_files_rename(&files, "below", "x"), HOST_FILE_REFUSED);
    host_files devices;
    host_files_init(&devices);
    ASSERT_EQ(host_files_lend(&devices, "/dev"), 0);
    EXPECT_EQ(host_files_open(&devices, "zero", READ, &index), HOST_FILE_REFUSED);
    EXPECT_EQ(host_files_open(&devices, "null", WRITE, &index), HOST_FILE_REFUSED);
    host_files_deinit(&devices);
}

TEST_F(HostFiles, ModesAreThoseOfFopen)
{
    ASSERT_EQ(host_files_open(&files, "file", READ, &index), 0);
    EXPECT_EQ(write_it("x"), EBADF);
    EXPECT_EQ(read_it(4), "0123");
    EXPECT_EQ(host_files_seek(&files, index, 8), 0);
    EXPECT_EQ(read_it(100), "89");
    EXPECT_EQ(read_it(100), "");
    EXPECT_EQ(host_files_close(&files, index), 0);

    ASSERT_EQ(host_files_open(&files, "file", UPDATE, &index), 0);
    EXPECT_EQ(host_files_seek(&files, index, 3), 0);
    EXPECT_EQ(write_it("abc"), 0);
    EXPECT_EQ(host_files_seek(&files, index, 0), 0);
    EXPECT_EQ(read_it(100), "012abc6789");
    EXPECT_EQ(host_files_close(&files, index), 0);

    ASSERT_EQ(host_files_open(&files, "file", APPEND, &index), 0);
    EXPECT_EQ(host_files_seek(&files, index, 0), 0);
    EXPECT_EQ(write_it("!"), 0);
    uint64_t length = 0;
    EXPECT_EQ(host_files_length(&files, index, &length), 0);
    EXPECT_EQ(length, 11u);
    EXPECT_EQ(host_files_close(&files, index), 0);
    EXPECT_EQ(text_of(lent + "/file"), "012abc6789!");

    ASSERT_EQ(host_files_open(&files, "file", WRITE + UPDATE, &index), 0);
    EXPECT_EQ(read_it(1), "");
    EXPECT_EQ(write_it(std::string("\0\n\r", 3)), 0);
    EXPECT_EQ(host_files_close(&files, index), 0);
    EXPECT_EQ(text_of(lent + "/file"), std::string("\0\n\r", 3));
}

TEST_F(HostFiles, FilesAreRemovedAndRenamed)
{
    EXPECT_EQ(host_files_rename(&files, "file", "below/new"), 0);
    EXPECT_EQ(text_of(lent + "/below/new"), "0123456789");
    EXPECT_EQ(host_files_rename(&files, "file", "x"), ENOENT);
    EXPECT_EQ(host_files_rename(&files, "below/new", "below/other"), 0);
    EXPECT_EQ(text_of(lent + "/below/other"), "0123456789");
    EXPECT_EQ(host_files_remove(&files, "below/other"), 0);
    EXPECT_EQ(host_files_remove(&files, "below/other"), ENOENT);
    EXPECT_TRUE(fs::is_empty(lent + "/below"));
}

TEST_F(HostFiles, SoManyAreOpenAndAllAreClosedAtTheEnd)
{
    for (unsigned i = 0; i < HOST_FILES_MOST; i++) {
        ASSERT_EQ(host_files_open(&files, "file", READ, &index), 0);
        EXPECT_EQ(index, i);
    }
    unsigned none;
    EXPECT_EQ(host_files_open(&files, "file", READ, &none), EMFILE);
    EXPECT_EQ(host_files_open(&files, "new", WRITE, &none), EMFILE);
    EXPECT_FALSE(fs::exists(lent + "/new"));
    EXPECT_EQ(host_files_close(&files, 7), 0);
    EXPECT_EQ(host_files_close(&files, 7), EBADF);
    ASSERT_EQ(host_files_open(&files, "file", READ, &index), 0);
    EXPECT_EQ(index, 7u);
}

TEST_F(HostFiles, AnIndexOfNothingIsABadHandle)
{
    size_t count;
    uint64_t length;
    uint8_t byte = 0;
    for (const unsigned bad : {0u, 63u, 64u, 0xfffffffcu}) {
        EXPECT_EQ(host_files_close(&files, bad), EBADF);
        EXPECT_EQ(host_files_read(&files, bad, &byte, 1, &count), EBADF);
        EXPECT_EQ(host_files_write(&files, bad, &byte, 1, &count), EBADF);
        EXPECT_EQ(host_files_seek(&files, bad, 0), EBADF);
        EXPECT_EQ(host_files_length(&files, bad, &length), EBADF);
    }
}
