/* scripts/fetch_mnist.sh against mirrors that are folders of this machine. */
#include "tests/support/shell_word.h"
#include "tests/unit/data_fixture.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>

namespace
{

const char *const NAMES[] = {"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz",
                             "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"};

struct outcome {
    int exit_status;
    std::string output;
};

class FetchMnist : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        /* One by one: Debian's sh looks at the first name only. */
        for (const char *tool : {"bash", "curl", "md5sum"}) {
            if (std::system((std::string("command -v ") + tool + " >/dev/null").c_str()) != 0) {
                GTEST_SKIP() << tool << " is not installed";
            }
        }
    }

    outcome fetch(const std::string &arguments) const
    {
        const std::string log = scratch.file("log");
        const std::string script = shell_word(SPINN_SOURCE_DIR "/scripts/fetch_mnist.sh");
        const std::string command =
            "bash " + script + " " + arguments + " >" + shell_word(log) + " 2>&1";
        const int status = std::system(command.c_str());
        const byte_string output = read_file(log);
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1,
                std::string(output.begin(), output.end())};
    }

    std::string mirror_of(const std::string &folder) const
    {
        return "--mirror " + shell_word("file://" + folder) + " ";
    }

    temporary_folder scratch;
    temporary_folder target;
};

TEST_F(FetchMnist, ExplainsItself)
{
    const outcome help = fetch("--help");
    EXPECT_EQ(help.exit_status, 0);
    EXPECT_TRUE(contains(help.output, "usage: fetch_mnist.sh")) << help.output;
}

TEST_F(FetchMnist, RefusesWrongUsage)
{
    for (const char *arguments : {"--folder x", "--mirror", "--mirror ''", "a b", "''"}) {
        const outcome wrong = fetch(arguments);
        EXPECT_EQ(wrong.exit_status, 2) << arguments << wrong.output;
        EXPECT_TRUE(contains(wrong.output, "--help")) << wrong.output;
    }
}

TEST_F(FetchMnist, LeavesNothingWhenTheMirrorHasNothing)
{
    const outcome none = fetch(mirror_of(scratch.file("nothing")) + target.path());
    EXPECT_EQ(none.exit_status, 1);
    EXPECT_TRUE(contains(none.output, "could not fetch train-images-idx3-ubyte.gz")) << none.output;
    EXPECT_TRUE(target.names().empty());
}

TEST_F(FetchMnist, RefusesFilesThatAreNotThePublishedOnes)
{
    for (const char *name : NAMES) {
        scratch.write(std::string("mirror/") + name, {'<', 'h', 't', 'm', 'l', '>'});
    }
    const outcome wrong = fetch(mirror_of(scratch.file("mirror")) + target.path());
    EXPECT_EQ(wrong.exit_status, 1);
    EXPECT_TRUE(contains(wrong.output, "expected f68b3c2dcbeaaa9fbdd348bbdeb94873"))
        << wrong.output;
    EXPECT_TRUE(target.names().empty());
}

TEST_F(FetchMnist, SaysWhenTheFolderCannotBeMade)
{
    const std::string file = scratch.write("file", {1});
    const outcome wrong = fetch(mirror_of(scratch.path()) + file + "/below");
    EXPECT_EQ(wrong.exit_status, 1);
    EXPECT_TRUE(contains(wrong.output, "cannot make the folder")) << wrong.output;
}

TEST_F(FetchMnist, FetchesIntoTheCacheAndKeepsWhatIsRight)
{
    SKIP_WITHOUT_MNIST();
    for (const char *name : NAMES) {
        if (!std::ifstream(mnist_folder() + "/" + name).good()) {
            GTEST_SKIP() << "SPINNSIM_DATA holds no " << name;
        }
    }
    const environment_variable cache("XDG_CACHE_HOME", target.path().c_str());
    const std::string mirrors = mirror_of(scratch.file("nothing")) + mirror_of(mnist_folder());
    const outcome first = fetch(mirrors);
    EXPECT_EQ(first.exit_status, 0) << first.output;
    EXPECT_TRUE(contains(first.output, "fetched from")) << first.output;

    target.write("spinnsim/mnist/t10k-labels-idx1-ubyte.gz", {1, 2, 3});
    const outcome second = fetch(mirrors);
    EXPECT_EQ(second.exit_status, 0) << second.output;
    EXPECT_TRUE(contains(second.output, "train-images-idx3-ubyte.gz: there already"))
        << second.output;
    EXPECT_TRUE(contains(second.output, "is not the published file")) << second.output;
    EXPECT_TRUE(contains(second.output, "t10k-labels-idx1-ubyte.gz: fetched")) << second.output;
    for (const char *name : NAMES) {
        EXPECT_EQ(read_file(target.file(std::string("spinnsim/mnist/") + name)),
                  read_file(mnist_folder() + "/" + name));
    }
}

} // namespace
