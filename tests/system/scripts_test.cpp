/* scripts_test.cpp - the scripts from anywhere, in a checkout of any path.  The checkout here is a
 * copy of the scripts, whose cmake and spinnsim only write down what they are asked. */
#include "tests/system/program.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace fs = std::filesystem;

class Scripts : public SystemTest
{
  protected:
    void SetUp() override
    {
        SystemTest::SetUp();
        fs::create_directories(path(CHECKOUT) + "/build");
        fs::copy(SPINN_SOURCE_DIR "/scripts", path(CHECKOUT) + "/scripts",
                 fs::copy_options::recursive);
        fs::create_directories(path("bin"));
        fs::create_directories(path("home"));
        fs::create_directories(path("decoy/scripts"));
        fs::create_directories(path("here/digits"));
        for (const char *name : {"t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte"}) {
            write(std::string("here/digits/") + name, "");
        }
        stub(CHECKOUT + "/scripts/setup.sh", "");
        stub(CHECKOUT + "/build/spinnsim", "echo 'results         out/lenet1-0'\n");
        stub("bin/cmake", "");
        write(CHECKOUT + "/build/build.ninja", "");
    }

    /* Writes its name and arguments, one a line, into "asked". */
    void stub(const std::string &name, const std::string &more) const
    {
        write(name,
              "#!/bin/sh\nprintf '%s\\n' \"${0##*/}\" \"$@\" >>'" + path("asked") + "'\n" + more);
        fs::permissions(path(name), fs::perms::owner_all);
    }

    /* In the folder `here`, by its relative name. */
    finished script(const std::string &name, const words &arguments,
                    const words &environment = {}) const
    {
        words command = {"/usr/bin/env",
                         "-u",
                         "SPINNSIM_DATA",
                         "-u",
                         "XDG_CACHE_HOME",
                         "HOME=" + path("home"),
                         "CDPATH=" + path("decoy"),
                         "PATH=" + path("bin") + ":/usr/bin:/bin"};
        command.insert(command.end(), environment.begin(), environment.end());
        command.push_back("../" + CHECKOUT + "/scripts/" + name);
        command.insert(command.end(), arguments.begin(), arguments.end());
        fs::remove(path("asked"));
        return run_command(command, path("here"));
    }

    bool asked(const std::string &lines) const
    {
        return read("asked").find(lines) != std::string::npos;
    }

    const std::string CHECKOUT = "o'brien's (code) & co/spinnsim";
};

/* Each of these characters has made CMake or Ninja fail. */
TEST_F(Scripts, RefuseACheckoutThatCMakeCannotBuild)
{
    for (const char *mark : {"\"", "$", "\\", ";", "#", "[", "]", "<", ">", "|", "\n"}) {
        const std::string moved = std::string("a") + mark + "b/spinnsim";
        fs::create_directories(path(moved));
        fs::copy(path(CHECKOUT) + "/scripts", path(moved) + "/scripts",
                 fs::copy_options::recursive);
        for (const char *name : {"quickstart.sh", "test.sh", "bench_machine.sh"}) {
            const finished refused =
                run_command({"sh", path(moved) + "/scripts/" + name, "--help"}, path("here"));
            EXPECT_EQ(refused.status, 2) << mark << name << refused.out;
            EXPECT_EQ(refused.out, "");
            EXPECT_EQ(
                refused.err,
                "The path of this checkout has a character with which CMake cannot build: one "
                "of \" $ \\ ; # [ ] < > | or a control character.\n"
                "    hint: move the checkout to another folder\n")
                << mark << name;
        }
    }
}

/* CDPATH leads `cd scripts/..` to another folder that has scripts. */
TEST_F(Scripts, FindTheirCheckout)
{
    for (const char *name : {"bench_core.sh",
                             "bench_machine.sh",
                             "bench_training.sh",
                             "study/check_baselines.sh",
                             "coverage.sh",
                             "dhrystone.sh",
                             "study/kernel_table.sh",
                             "quickstart.sh",
                             "study/record_answer.sh",
                             "study/record_board_training.sh",
                             "study/record_exchange.sh",
                             "study/record_needed.sh",
                             "study/record_search.sh",
                             "study/record_batches.sh",
                             "study/reproduce.sh",
                             "study/make_pages.sh",
                             "soak.sh",
                             "test.sh",
                             "update_results.sh",
                             "validate.sh"}) {
        const finished away = script(name, {"--help"});
        EXPECT_EQ((away.out + away.err).compare(0, 6, "usage:"), 0)
            << name << ": " << away.out << away.err;
        const finished near = run_command({"/usr/bin/env", "CDPATH=" + path("decoy"), "sh",
                                           std::string("scripts/") + name, "--help"},
                                          path(CHECKOUT));
        EXPECT_EQ(near.out, away.out) << name << near.err;
        EXPECT_EQ(near.err, away.err) << name;
    }
}

TEST_F(Scripts, QuickstartTakesDataFromWhereTheUserStands)
{
    const std::string data = "--data\n" + path("here") + "/digits\n";
    for (const finished &done :
         {script("quickstart.sh", {"--data", "digits"}),
          script("quickstart.sh", {"--data", "digits"}, {"SPINNSIM_DATA=nowhere"}),
          script("quickstart.sh", {"--data", path("here/digits")}),
          script("quickstart.sh", {}, {"SPINNSIM_DATA=digits"})}) {
        EXPECT_EQ(done.status, 0) << done.err;
        EXPECT_EQ(done.err, "");
        EXPECT_TRUE(asked("run\nconfigs/experiments/lenet1_inference.yaml\n")) << read("asked");
        EXPECT_NE(
            done.out.find("Running LeNet-1 on the MNIST files in " + path("here") + "/digits ..."),
            std::string::npos)
            << done.out;
    }
    EXPECT_TRUE(asked(data)) << read("asked");
    EXPECT_TRUE(asked("plot\nout/lenet1-0\n--out\nout/lenet1-0/plots\n")) << read("asked");
}

TEST_F(Scripts, QuickstartRefusesANamedFolderWithoutMnist)
{
    fs::create_directories(path("here/empty"));
    fs::create_directories(path("home/.cache/spinnsim"));
    fs::copy(path("here/digits"), path("home/.cache/spinnsim/mnist"));
    const struct {
        words arguments, environment;
        std::string said;
    } cases[] = {
        {{"--data", "nowhere"},
         {},
         "quickstart.sh: --data: no MNIST files in " + path("here/nowhere")},
        {{"--data", "empty"}, {}, "quickstart.sh: --data: no MNIST files in " + path("here/empty")},
        {{"--data", ""}, {}, "quickstart.sh: --data: no MNIST files in " + path("here/")},
        {{"--data", "empty"},
         {"SPINNSIM_DATA=digits"},
         "quickstart.sh: --data: no MNIST files in " + path("here/empty")},
        {{},
         {"SPINNSIM_DATA=empty"},
         "quickstart.sh: SPINNSIM_DATA: no MNIST files in " + path("here/empty")},
    };
    for (const auto &at : cases) {
        const finished refused = script("quickstart.sh", at.arguments, at.environment);
        EXPECT_EQ(refused.status, 2) << at.said;
        EXPECT_EQ(refused.out, "");
        EXPECT_EQ(refused.err.find(at.said + "\n    hint: scripts/fetch_mnist.sh"), 0u)
            << refused.err;
        EXPECT_FALSE(exists("asked"));
    }
}

TEST_F(Scripts, QuickstartLooksAroundWhereNothingIsNamed)
{
    for (const words &environment : {words{}, words{"SPINNSIM_DATA="}}) {
        const finished done = script("quickstart.sh", {}, environment);
        EXPECT_EQ(done.status, 0) << done.err;
        EXPECT_NE(done.out.find("MNIST was not found"), std::string::npos) << done.out;
        EXPECT_TRUE(asked("run\nconfigs/experiments/lenet1_synthetic.yaml\n"));
    }
    fs::create_directories(path("home/.cache/spinnsim"));
    fs::copy(path("here/digits"), path("home/.cache/spinnsim/mnist"));
    EXPECT_EQ(script("quickstart.sh", {}).status, 0);
    EXPECT_TRUE(asked("--data\n" + path("home/.cache/spinnsim/mnist") + "\n"));
}

/* A configuration that failed leaves a cache that says so for ever. */
TEST_F(Scripts, QuickstartConfiguresUntilItHasBeenDone)
{
    EXPECT_EQ(script("quickstart.sh", {}).status, 0);
    EXPECT_EQ(read("asked").find("setup.sh\ncmake\n--build\nbuild\n"), 0u) << read("asked");
    fs::remove(path(CHECKOUT + "/build/build.ninja"));
    write(CHECKOUT + "/build/CMakeCache.txt", "CMAKE_C_COMPILER:UNINITIALIZED=/bin/false\n");
    EXPECT_EQ(script("quickstart.sh", {}).status, 0);
    EXPECT_EQ(read("asked").find("setup.sh\ncmake\n--fresh\n-S\n.\n-B\nbuild\n"), 0u)
        << read("asked");
    stub("bin/cmake", "exit 1\n");
    EXPECT_EQ(script("quickstart.sh", {"--no-install"}).status, 1);
    EXPECT_EQ(read("asked").find("setup.sh\n--check\ncmake\n--fresh\n"), 0u) << read("asked");
    EXPECT_FALSE(asked("spinnsim"));
}

/* Whole lines of one character are headings elsewhere. */
TEST_F(Scripts, MarkersOfAnUnfinishedMergeAreFound)
{
    const std::string less(7, '<');
    const std::string same(7, '=');
    const std::string more(7, '>');
    write("here/good.md", "A\n" + same + "\n" + less + "<\n >" + more + "\n");
    write("here/bad.md", "a\n" + less + " HEAD\nb\n" + same + "\nc\n" + more + " x\n");
    const finished good = script("check_conflicts.sh", {"good.md"});
    EXPECT_EQ(good.status, 0) << good.out << good.err;
    EXPECT_EQ(good.out, "");
    const finished bad = script("check_conflicts.sh", {"good.md", "bad.md"});
    EXPECT_EQ(bad.status, 1);
    EXPECT_EQ(bad.out,
              "bad.md:2:" + less + " HEAD\nbad.md:4:" + same + "\nbad.md:6:" + more + " x\n");
}

/* N words, without a stop. */
static std::string some_words(int count)
{
    std::string text = "w";
    for (int i = 1; i < count; i++) {
        text += i % 10 == 0 ? "\nw" : " w";
    }
    return text;
}

/* Sentences of 40 words and an average of 20 pass; one word more does not. */
TEST_F(Scripts, LongSentencesAreFound)
{
    const std::string short_ones = ". One.\n\n- Two, in an item\n- Three\n\n";
    write("here/most.md", some_words(40) + short_ones);
    write("here/long.md", "One.\n" + some_words(41) + short_ones);
    write("here/average.md", some_words(20) + ".\n\n" + some_words(20) + "\n");
    write("here/above.md", some_words(20) + ".\n\n" + some_words(21) + "\n");
    const finished good = script("check_words.sh", {"most.md", "average.md"});
    EXPECT_EQ(good.status, 0) << good.out << good.err;
    EXPECT_EQ(good.out, "");
    const finished bad = script("check_words.sh", {"long.md", "above.md"});
    EXPECT_EQ(bad.status, 1);
    EXPECT_EQ(bad.out, "long.md:2: 41 words in a sentence, at most 40: " +
                           std::string("w w w w w w w w w w w w w w w w w w w w w w w w w w w w "
                                       "w w ...\nabove.md: 20.50 words a sentence on average, at "
                                       "most 20\n"));
    const finished counted = script("check_words.sh", {"--counts", "above.md"});
    EXPECT_EQ(counted.status, 0);
    EXPECT_NE(counted.out.find("2 sentences, 20.5 words on average, 21 at most\n"),
              std::string::npos)
        << counted.out;
    EXPECT_EQ(script("check_words.sh", {"none.md"}).status, 2);
}

TEST_F(Scripts, OnlySentencesAreCounted)
{
    const std::string long_one = some_words(41) + "\n\n";
    std::string line = some_words(41);
    std::replace(line.begin(), line.end(), '\n', ' ');
    write("here/left_out.md", "# " + line + "\n| " + line + " |\n\n    " + line + "\n\n    " +
                                  line + "\n```sh\n" + long_one + "```\n<!-- " + long_one +
                                  "-->\n![" + line + "](figure.svg)\n");
    const finished left_out = script("check_words.sh", {"left_out.md"});
    EXPECT_EQ(left_out.status, 0) << left_out.out;
    for (const std::string &counted :
         words{"    " + line, "- Item\n\n    " + line, "> " + line, "1. " + line,
               "[" + line + "](page.md)", "`" + line + "`", "*" + line + ".*"}) {
        write("here/counted.md", "One.\n" + counted + "\n");
        EXPECT_EQ(script("check_words.sh", {"counted.md"}).status, 1) << counted;
    }
    write("here/stops.md", "Is it (\"so.\") *Yes.* [No!](a.md) e.g. `a b.c` one.\n");
    EXPECT_NE(script("check_words.sh", {"--counts", "stops.md"})
                  .out.find("4 sentences,  2.2 words on average,  4 at most"),
              std::string::npos)
        << script("check_words.sh", {"--counts", "stops.md"}).out;
}

TEST_F(Scripts, RiddlingWordsAreFound)
{
    for (const std::string &word : words{"of it", "Whoever", "nobody"}) {
        write("here/riddle.md", "Good.\n\nBad: " + word + ".\n");
        EXPECT_EQ(script("check_words.sh", {"riddle.md"}).status, 1) << word;
    }
    write("here/plain.md", "Some of its busybodys, of items.\n");
    EXPECT_EQ(script("check_words.sh", {"plain.md"}).status, 0);
}

/* 1,000 instructions are the difference of two runs. */
TEST_F(Scripts, DivideHostInstructionsByPart)
{
    const auto object = [](const std::string &name, const words &functions) {
        std::string text = "File: build/models/" + name + "\n";
        for (const std::string &function : functions) {
            text += "  7: 0000000000000000   16 FUNC    LOCAL  DEFAULT    1 " + function + "\n";
        }
        return text + "  8: 0000000000000000    8 OBJECT  LOCAL  DEFAULT    1 memcpy\n";
    };
    write("symbols", object("arm968/CMakeFiles/arm968.dir/interpreter.c.o", {"interpret", "look"}) +
                         object("machine/CMakeFiles/m.dir/core/run.c.o", {"core_run", "look"}) +
                         object("machine/CMakeFiles/m.dir/fabric.c.o", {"pass"}) +
                         object("common/CMakeFiles/c.dir/grow.c.o", {"run"}) +
                         object("chip/CMakeFiles/c.dir/vic.c.o", {"vic_raise"}) +
                         object("network/CMakeFiles/n.dir/link.c.o", {"link_send"}));
    write("longer", "events: Ir\nfl=???\nfn=interpret.part.0\n1 300\n2 150\nfn=core_run\n0 200\n"
                    "fn=???\n0 60\nfn=f12\n0 40\nfn=vic_raise\n0 60\nfn=pass\n0 20\nfn=link_send\n"
                    "0 20\nfn=look\n0 50\nfn=run\n0 70\nfn=memcpy\n0 80\nsummary: 1050\n");
    write("shorter", "events: Ir\nfn=interpret\n7 50\nsummary: 50\n");
    const finished divided =
        run_command({"awk", "-f", std::string(SPINN_SOURCE_DIR) + "/scripts/parts.awk", "symbols",
                     "longer", "shorter"},
                    path("."));
    EXPECT_EQ(divided.out, "40.0 20.0 10.0 6.0 4.0 20.0\n") << divided.err;
}
