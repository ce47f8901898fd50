/* A result folder is what its run wrote, or it is refused with the name of the file. */
#include "tests/unit/data_fixture.h"
#include "tests/unit/results_fixture.h"

#include <sys/stat.h>

extern "C" {
#include "sim/results/result_folder.h"
#include "sim/results/results.h"
}

namespace
{

/* SHA-256 of "abc" (FIPS 180-4, B.1), and of "" */
constexpr char ABC[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr char NOTHING[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

class Manifest : public testing::Test
{
  protected:
    void put(const std::string &name, const std::string &text) const
    {
        (void)here.write(name, byte_string(text.begin(), text.end()));
    }

    std::string text(const std::string &name) const
    {
        const byte_string bytes = read_file(here.file(name));
        return std::string(bytes.begin(), bytes.end());
    }

    /* A folder with two results, "abc" and nothing. */
    void SetUp() override
    {
        put("run/config.yaml", "abc");
        put("run/summary.json", "");
        sign_results(here.file("run"));
    }

    enum status check()
    {
        diagnostic = {};
        return manifest_check(here.file("run").c_str(), &diagnostic);
    }

    /* Refused, and it says which file, line and why. */
    void refused(const std::string &file, const std::string &why, int line = 0)
    {
        EXPECT_EQ(check(), STATUS_CONFIGURATION) << why;
        EXPECT_EQ(diagnostic.file, here.file("run/" + file)) << why;
        EXPECT_EQ(std::string(diagnostic.text), why);
        EXPECT_EQ(diagnostic.line, line) << why;
        EXPECT_STRNE(diagnostic.hint, "");
    }

    static std::string row(const std::string &file, const std::string &bytes,
                           const std::string &digest)
    {
        return file + "," + bytes + "," + digest + "\n";
    }

    const temporary_folder here;
    struct diagnostic diagnostic = {};
    const std::string head = "file,bytes,sha256\n";
    const std::string good =
        head + row("config.yaml", "3", ABC) + row("summary.json", "0", NOTHING);
};

TEST_F(Manifest, HasSizeAndDigestOfEachFile)
{
    EXPECT_EQ(text("run/manifest.csv"), good);
    EXPECT_EQ(check(), STATUS_OK) << said(diagnostic);
}

/* Written with the folder, after all other files; the checkpoint of a run is not of its results. */
TEST_F(Manifest, IsWrittenWithTheFolder)
{
    struct result_folder folder;
    ASSERT_EQ(result_folder_begin(&folder, here.file("new").c_str(), &diagnostic), STATUS_OK);
    for (const char *name : {"config.yaml", "checkpoint.npz", "summary.json"}) {
        FILE *stream = nullptr;
        ASSERT_EQ(result_folder_open(&folder, name, &stream, &diagnostic), STATUS_OK);
        (void)fputs(name[1] == 'o' ? "abc" : "", stream);
        ASSERT_EQ(result_folder_close(&folder, name, stream, &diagnostic), STATUS_OK);
    }
    ASSERT_EQ(result_folder_commit(&folder, &diagnostic), STATUS_OK) << said(diagnostic);
    EXPECT_EQ(text("new/manifest.csv"), good);
}

TEST_F(Manifest, NamesTheFileThatWasChanged)
{
    put("run/config.yaml", "abd");
    refused("config.yaml", "the file was changed after the run: its SHA-256 is not that of "
                           "manifest.csv");
    put("run/config.yaml", "abcd");
    refused("config.yaml", "the file was changed after the run: it has 4 bytes, in manifest.csv 3");
    ASSERT_EQ(unlink(here.file("run/config.yaml").c_str()), 0);
    refused("config.yaml", "the file is missing: manifest.csv lists it");
    ASSERT_EQ(symlink("summary.json", here.file("run/config.yaml").c_str()), 0);
    refused("config.yaml", "not a file, but a link or something else");
    ASSERT_EQ(unlink(here.file("run/config.yaml").c_str()), 0);
    ASSERT_EQ(mkfifo(here.file("run/config.yaml").c_str(), 0600), 0);
    refused("config.yaml", "not a file, but a link or something else");
}

TEST_F(Manifest, AllowsFilesBesideResultsAndNoOtherResults)
{
    put("run/notes.txt", "mine");
    put("run/checkpoint.npz", "to go on from");
    put("run/figures/energy.csv", "a figure's table");
    EXPECT_EQ(check(), STATUS_OK) << said(diagnostic);
    put("run/drops.csv", "");
    refused("drops.csv", "the run did not write this file: manifest.csv does not list it");
}

TEST_F(Manifest, IsMissed)
{
    ASSERT_EQ(unlink(here.file("run/manifest.csv").c_str()), 0);
    refused("manifest.csv", "the results have no manifest: they are incomplete, or an older "
                            "version of spinnsim wrote them");
    struct results results;
    EXPECT_EQ(results_open(&results, here.file("run").c_str(), &diagnostic), STATUS_CONFIGURATION);
    EXPECT_EQ(results_open_unchecked(&results, here.file("run").c_str(), &diagnostic),
              STATUS_CONFIGURATION)
        << "abc is no configuration: it was read";
    EXPECT_EQ(diagnostic.file, here.file("run/config.yaml"));
    ASSERT_EQ(unlink(here.file("run/summary.json").c_str()), 0);
    refused("summary.json", "cannot read: No such file or directory");
    EXPECT_TRUE(contains(diagnostic.hint, "name a result folder"));
}

TEST_F(Manifest, OfAStrangerDoesNoHarm)
{
    const std::string config = row("config.yaml", "3", ABC);
    const std::string summary = row("summary.json", "0", NOTHING);
    const struct {
        std::string rows;
        int line;
    } cases[] = {
        {row("../run/config.yaml", "3", ABC), 2},
        {row("/etc/passwd", "3", ABC), 2},
        {row("", "3", ABC), 2},
        {row("manifest.csv", "3", ABC), 2},
        {row("checkpoint.npz", "3", ABC), 2},
        {row("notes.txt", "3", ABC), 2},
        {row("CONFIG.YAML", "3", ABC), 2},
        {config + config, 3},
        {config + row("summary.json", "-1", NOTHING), 3},
        {config + row("summary.json", "18446744073709551616", NOTHING), 3},
        {config + row("summary.json", "0x0", NOTHING), 3},
        {config + row("summary.json", "", NOTHING), 3},
        {config + row("summary.json", "0", std::string(NOTHING) + "0"), 3},
        {config + row("summary.json", "0", std::string(NOTHING).substr(1)), 3},
        {config + row("summary.json", "0", "E" + std::string(NOTHING).substr(1)), 3},
        {config + "summary.json,0\n", 3},
        {config + summary + "\n", 4},
    };
    for (const auto &at : cases) {
        put("run/manifest.csv", head + at.rows);
        refused("manifest.csv", "not a line of a manifest", at.line);
    }
    for (const char *other :
         {"", "\n", "file,bytes\n", "file,bytes,sha256,more\n", "name,value\n"}) {
        put("run/manifest.csv", other);
        refused("manifest.csv", "not a line of a manifest", 1);
    }
    /* the largest size is no file's */
    put("run/manifest.csv", head + config + row("summary.json", "18446744073709551615", NOTHING));
    refused("summary.json", "the file was changed after the run: it has 0 bytes, in manifest.csv "
                            "18446744073709551615");
    put("run/manifest.csv", good + std::string(MANIFEST_BYTES_MAX, 'a'));
    EXPECT_EQ(check(), STATUS_CONFIGURATION) << "too long";
    EXPECT_EQ(diagnostic.file, here.file("run/manifest.csv"));
    put("good.csv", good);
    ASSERT_EQ(unlink(here.file("run/manifest.csv").c_str()), 0);
    ASSERT_EQ(symlink("../good.csv", here.file("run/manifest.csv").c_str()), 0);
    refused("manifest.csv", "not a file, but a link or something else");
    ASSERT_EQ(unlink(here.file("run/manifest.csv").c_str()), 0);
    put("run/manifest.csv", good);
    EXPECT_EQ(check(), STATUS_OK);
}

} // namespace
