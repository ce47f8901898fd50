/* checkout_fixture.h - a small checkout: a git repository with a copy of the scripts and pages,
 * whose cmake, ctest, clang-format and clang-tidy only write down what they are asked. */
#pragma once
#include "tests/system/program.h"

#include <filesystem>

class Checkout : public SystemTest
{
  protected:
    void SetUp() override
    {
        namespace fs = std::filesystem;
        SystemTest::SetUp();
        const std::string source = SPINN_SOURCE_DIR;
        fs::create_directories(path("bin"));
        fs::create_directories(path("checkout"));
        for (const char *name : {"cmake", "ctest", "clang-format", "clang-tidy"}) {
            stub(name, "");
        }
        for (const char *name : {"scripts", "docs"}) {
            fs::copy(source + "/" + name, path("checkout/") + name, fs::copy_options::recursive);
        }
        for (const char *name : {"sim/data/idx.c", "models/README.md"}) {
            fs::create_directories(fs::path(path("checkout/") + name).parent_path());
            write(std::string("checkout/") + name, "/* */\n");
        }
        fs::create_directories(path("checkout/build"));
        write("checkout/build/compile_commands.json", "[]\n");
        write("checkout/.gitignore", "/build/\n");
        for (const char *command :
             {"init -q", "config user.name tester", "config user.email tester@localhost",
              "config commit.gpgsign false", "add -A", "commit -q -m start"}) {
            const finished done = git(command);
            ASSERT_EQ(done.status, 0) << command << done.err;
        }
    }

    /* A program that writes its name and arguments, one a line, into "asked". */
    void stub(const std::string &name, const std::string &more) const
    {
        write("bin/" + name,
              "#!/bin/sh\nprintf '%s\\n' \"${0##*/}\" \"$@\" >>'" + path("asked") + "'\n" + more);
        std::filesystem::permissions(path("bin/" + name), std::filesystem::perms::owner_all);
    }

    /* A line of shell, in the checkout. */
    finished shell(const std::string &line) const
    {
        return run_command({"/usr/bin/env", "-u", "SPINNSIM_DATA", "HOME=" + path("."),
                            "PATH=" + path("bin") + ":/usr/bin:/bin", "sh", "-c", line},
                           path("checkout"));
    }

    finished git(const std::string &arguments) const
    {
        return shell("git " + arguments);
    }
};
