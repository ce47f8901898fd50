/* flat_arguments_test.cpp - a command line as newlib takes it apart. */
#include "sim/flat/guest_arguments.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <vector>

static std::string line_of(const char *program, const std::vector<const char *> &arguments)
{
    char *line = nullptr;
    diagnostic why = {};
    if (guest_command_line(program, arguments.data(), arguments.size(), &line, &why) != STATUS_OK) {
        EXPECT_EQ(line, nullptr);
        return std::string("refused: ") + why.text;
    }
    std::string text = line;
    free(line);
    return text;
}

TEST(GuestArguments, WordsStandBesideEachOther)
{
    EXPECT_EQ(line_of("p.elf", {}), "p.elf");
    EXPECT_EQ(line_of("/a folder/p.elf", {"a", "-b=c"}), "p.elf a -b=c");
}

TEST(GuestArguments, WhatNeedsMarksHasThem)
{
    EXPECT_EQ(line_of("p q.elf", {"a b", ""}), "\"p q.elf\" \"a b\" \"\"");
    EXPECT_EQ(line_of("p", {"say \"x\"", "\"x\"", "'x"}), "p 'say \"x\"' '\"x\"' \"'x\"");
}

TEST(GuestArguments, MarksInsideAWordAreOrdinary)
{
    EXPECT_EQ(line_of("p", {"it's", "6\"", "a'b\"c"}), "p it's 6\" a'b\"c");
}

TEST(GuestArguments, WhatCannotBeSaidIsRefused)
{
    EXPECT_EQ(line_of("p", {"x", "a 'b \"c"}),
              "refused: no program can be given the argument a 'b \"c");
    EXPECT_EQ(line_of("p", {"'\""}), "refused: no program can be given the argument '\"");
}
