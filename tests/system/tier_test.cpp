/* tier_test.cpp - --tier: the same results from the interpreter, from the translator, and from what
 * is translated in the background; on one core and on boards. */
#include "tests/system/program.h"

#include <cstdlib>
#include <filesystem>

class Tier : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }

    std::string counts_of(const std::string &name, const std::string &tier) const
    {
        const finished result =
            spinnsim({"elf", "--tier", tier, "--max-instructions", "200000000", program(name)});
        EXPECT_EQ(result.status, 114) << result.err; /* ended by the limit */
        const words said = lines(result.err);
        return said.empty() ? "" : said.back();
    }

    /* Native code has really been run, or has not; in the background it depends on the host. */
    void expect_native(const std::string &tier) const
    {
        if (tier == "everything") {
            EXPECT_GE(number(tier, "host.translations"), 1);
            EXPECT_GT(number(tier, "host.native_runs"), 100);
        } else if (tier == "interpreter") {
            EXPECT_EQ(number(tier, "host.translations"), 0);
            EXPECT_EQ(number(tier, "host.native_runs"), 0);
        }
    }

    void expect_one_hash(const std::string &name, const words &more)
    {
        std::string hash;
        for (const char *tier : {"interpreter", "everything", "auto"}) {
            words command = {"--tier", tier};
            command.insert(command.end(), more.begin(), more.end());
            run(experiment(name), tier, command);
            const std::string now = text(tier, "identity.stats_hash");
            EXPECT_EQ(text(tier, "host.tier"), tier);
            expect_native(tier);
            hash = hash.empty() ? now : hash;
            EXPECT_EQ(now, hash) << name << " " << tier;
        }
    }
};

TEST_F(Tier, ProgramsHaveTheSameCounts)
{
    for (const char *name : {"dense_int16", "branchy_thumb", "bytecode_thumb", "objects"}) {
        const std::string counts = counts_of(name, "interpreter");
        EXPECT_NE(counts, "");
        EXPECT_EQ(counts_of(name, "everything"), counts) << name;
        EXPECT_EQ(counts_of(name, "auto"), counts) << name;
    }
}

TEST_F(Tier, BoardsHaveTheSameResults)
{
    expect_one_hash("lenet1_synthetic", {});
    for (const char *name : {"lock_contention", "sdram_stream_all"}) {
        expect_one_hash(std::string("micro/") + name, {});
    }
}

TEST_F(Tier, ThreadsHaveTheSameResults)
{
    expect_one_hash("lenet1_synthetic", {"--threads", "3"});
}

/* 816 cores that each store vectors and a number of their own into the code memory. */
TEST_F(Tier, CoresThatStoreIntoTheirCodeShareWhatIsTranslated)
{
    for (const char *name : {"own_words", "own_words_late"}) {
        const std::string bench = std::string("bench/") + name;
        expect_one_hash(bench, {"--threads", "2"});
        /* one thread: two may ask for a part each, as they come by */
        run(experiment(bench), "alone", {"--tier", "everything", "--threads", "1"});
        EXPECT_EQ(number("alone", "host.translations"), 1) << name;
        /* what is busiest in a hurry, before and behind the stores, and the whole once */
        EXPECT_LE(number("auto", "host.translations"), 3) << name;
    }
}

/* Who asks for the translator gets it: optimised, and kept for the next run in whatever tier. */
TEST_F(Tier, TheTranslatorsObjectsAreGoodAndKept)
{
    write("cc", "#!/bin/sh\necho \"$1\" >>\"" + path("log") + "\"\nexec /usr/bin/env PATH=\"" +
                    getenv("PATH") + "\" cc \"$@\"\n");
    std::filesystem::permissions(path("cc"), std::filesystem::perms::owner_all);
    for (const char *tier : {"everything", "translator", "translator", "auto"}) {
        const finished result =
            run_command({"/usr/bin/env", "XDG_CACHE_HOME=" + folder,
                         "PATH=" + folder + ":" + getenv("PATH"), SPINN_PROGRAM, "elf", "--tier",
                         tier, "--max-instructions", "50000000", program("dense_int16")},
                        folder);
        EXPECT_EQ(result.status, 114) << result.err;
        if (tier == std::string("everything")) {
            EXPECT_EQ(lines(read("log")).at(0), "-O0");
            write("log", "");
        } else {
            EXPECT_EQ(read("log"), "-O2\n") << tier;
            EXPECT_EQ(files("spinnsim/native").size(), 2u) << tier; /* an object and a list */
        }
    }
}

/* What scripts/make_native.sh leaves: a user's first run begins with it, without a compiler. */
TEST_F(Tier, AFirstRunBeginsWithTheBuildsObjects)
{
    write("cc", "#!/bin/sh\necho run >>\"" + path("log") + "\"\nexec /usr/bin/env PATH=\"" +
                    getenv("PATH") + "\" cc \"$@\"\n");
    std::filesystem::permissions(path("cc"), std::filesystem::perms::owner_all);
    const std::string made = path("maker/spinnsim/native");
    const struct {
        std::string cache, native, log;
    } runs[] = {{"maker", "", "run\n"}, {"user", made, "run\n"}, {"other", "", "run\nrun\n"}};
    for (const auto &of : runs) {
        const finished result = run_command(
            {"/usr/bin/env", "XDG_CACHE_HOME=" + path(of.cache), "SPINNSIM_NATIVE=" + of.native,
             "PATH=" + folder + ":" + getenv("PATH"), SPINN_PROGRAM, "elf", "--tier", "translator",
             "--max-instructions", "50000000", program("dense_int16")},
            folder);
        EXPECT_EQ(result.status, 114) << result.err;
        EXPECT_EQ(read("log"), of.log) << of.cache;
    }
}

/* make_native.sh replaces its folder as a whole, so it must be one of its own. */
TEST_F(Tier, BuiltObjectsReplaceNothingElse)
{
    std::filesystem::create_directory(path("mine"));
    write("mine/thesis.txt", "words");
    write("file", "words");
    const std::string build = std::filesystem::path(SPINN_PROGRAM).parent_path();
    const std::string script = SPINN_SOURCE_DIR "/scripts/make_native.sh";
    for (const char *out : {"mine", "file"}) {
        const finished result = run_command(
            {"env", "BUILD=" + build, script, "--out", path(out), "lenet1_train"}, folder);
        EXPECT_EQ(result.status, 2) << result.out;
        EXPECT_NE(result.err.find(path(out)), std::string::npos) << result.err;
    }
    EXPECT_EQ(read("mine/thesis.txt"), "words");
    EXPECT_EQ(read("file"), "words");
}

/* What is known belongs to the contents of programs, not to their places: another copy of spinnsim,
 * or a new build of the same sources, begins with it. */
TEST_F(Tier, ACopyOfTheProgramBeginsWarm)
{
    write("cc", "#!/bin/sh\necho run >>\"" + path("log") + "\"\nexec /usr/bin/env PATH=\"" +
                    getenv("PATH") + "\" cc \"$@\"\n");
    std::filesystem::permissions(path("cc"), std::filesystem::perms::owner_all);
    std::filesystem::create_directory(path("elsewhere"));
    std::filesystem::copy_file(SPINN_PROGRAM, path("elsewhere/spinnsim"));
    std::filesystem::copy_file(program("dense_int16"), path("elsewhere/guest.elf"));
    const auto translate = [&](const std::string &spinnsim, const std::string &guest) {
        const finished result = run_command(
            {"/usr/bin/env", "XDG_CACHE_HOME=" + folder, "PATH=" + folder + ":" + getenv("PATH"),
             spinnsim, "elf", "--tier", "translator", "--max-instructions", "50000000", guest},
            folder);
        EXPECT_EQ(result.status, 114) << result.err;
    };
    translate(SPINN_PROGRAM, program("dense_int16"));
    EXPECT_EQ(read("log"), "run\n");
    translate(path("elsewhere/spinnsim"), path("elsewhere/guest.elf"));
    EXPECT_EQ(read("log"), "run\n");
    EXPECT_EQ(files("spinnsim/native").size(), 2u); /* one object, one list */
}

/* More programs than keepers, beside others that keep the processors busy: none of the second runs
 * needs a compiler. */
TEST_F(Tier, ProgramsThatEndTogetherBeginWarmTheNextTime)
{
    const std::string commands =
        "export XDG_CACHE_HOME=\"$PWD\" TMPDIR=\"$PWD\"\n"
        "for i in 1 2 3 4; do while :; do :; done & busy=\"$busy $!\"; done\n"
        "trap 'kill $busy' EXIT\n"
        "for guest; do \"$0\" elf --max-instructions 60000000 \"$guest\" 2>/dev/null &\n"
        "guests=\"$guests $!\"; done\n"
        "wait $guests\n"
        "while [ -n \"$(ls spinnsim/native/waiting/*.c spinnsim/native/keeper-?/*.c 2>/dev/null)\" "
        "]\n"
        "do sleep 0.1; done\n"
        "mkdir none; TMPDIR=\"$PWD/none\"\n"
        "for guest; do env PATH=none \"$0\" elf --max-instructions 60000000 \"$guest\" "
        "2>/dev/null; done\n"
        "ls spinnsim/native | sed -n 's/.*[.]//p' | sort | uniq -c\n";
    words command = {"timeout", "-s", "KILL", "200", "sh", "-c", commands, SPINN_PROGRAM};
    for (const char *name : {"branchy", "bytecode", "objects", "objects_thumb"}) {
        command.push_back(program(name));
    }
    const finished result = run_command(command, folder);
    EXPECT_EQ(result.status, 0) << result.err;
    words kinds; /* "      4 so" */
    for (const std::string &line : lines(result.out)) {
        kinds.push_back(line.substr(line.find_first_not_of(' ')));
    }
    EXPECT_EQ(kinds, (words{"4 list", "4 so"})) << result.out;
}

TEST_F(Tier, WithoutACompilerProgramsAreInterpreted)
{
    const finished result =
        run_command({"/usr/bin/env", "PATH=" + path("nothing"), "HOME=" + folder,
                     "XDG_CACHE_HOME=" + folder, SPINN_PROGRAM, "elf", "--tier", "translator",
                     "--max-instructions", "200000000", program("dense_int16")},
                    folder);
    EXPECT_EQ(result.status, 114) << result.err;
    EXPECT_EQ(lines(result.err).back(), counts_of("dense_int16", "interpreter"));
}

/* The first signal waits for the compiler, the second does not, and takes the compiler along. */
TEST_F(Tier, ASecondSignalEndsTheWaitForACompiler)
{
    ASSERT_EQ(run_command({"mkdir", path("bin")}).status, 0);
    write("bin/cc", "#!/bin/sh\necho $$ >" + path("compiler") + "\nexec sleep 100\n");
    ASSERT_EQ(run_command({"chmod", "700", path("bin/cc")}).status, 0);
    const std::string commands =
        "export PATH=\"$PWD/bin:$PATH\" XDG_CACHE_HOME=\"$PWD\" TMPDIR=\"$PWD\"\n"
        "\"$0\" elf --tier translator \"$1\" 2>err &\n"
        "while [ ! -s compiler ]; do sleep 0.05; done\n"
        "for i in 1 2; do kill -TERM $!; sleep 0.2; done\n"
        "wait $!; echo $?\n"
        /* In a container nobody may take notice of the end of a process: it stays as a zombie. */
        "while grep -q '^State:[^Z]*$' /proc/$(cat compiler)/status 2>/dev/null || [ -n \"$(ls -d "
        "spinnsim-*)\" ]; do\n"
        "sleep 0.05; done\n";
    const finished result = run_command({"timeout", "-s", "KILL", "30", "sh", "-c", commands,
                                         SPINN_PROGRAM, program("dense_int16")},
                                        folder);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.out, "143\n");
}

TEST_F(Tier, AnotherNameIsRefused)
{
    const finished result = spinnsim({"run", "--tier", "fast", experiment("idle_chip")});
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find("--tier: fast is none of auto, interpreter, translator"),
              std::string::npos)
        << result.err;
}

/* A compiler that makes something else is tried for a translation and a hurried one, not again and
 * again. */
TEST_F(Tier, AnObjectThatIsNoneIsNotTriedForEver)
{
    write("empty.c", "int nothing;\n");
    ASSERT_EQ(run_command({"mkdir", path("bin")}).status, 0);
    write("bin/cc", "#!/bin/sh\necho run >>" + path("calls") +
                        "\nwhile [ \"$1\" != -o ]; do shift; done\n"
                        "exec gcc -shared -fPIC -o \"$2\" " +
                        path("empty.c") + "\n");
    ASSERT_EQ(run_command({"chmod", "700", path("bin/cc")}).status, 0);
    const std::string search = "PATH=" + path("bin") + ":" + std::getenv("PATH");
    const finished result =
        run_command({"env", search, "XDG_CACHE_HOME=" + folder, SPINN_PROGRAM, "run",
                     experiment("lenet1_synthetic"), "--force", "--out", "out"},
                    folder);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(number("out", "host.translations"), 0);
    EXPECT_LE(lines(read("calls")).size(), 3u); /* one more may be under way at the end */
}
