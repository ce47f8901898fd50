/* quantity_test.cpp - every number of a run has a title, a unit and a meaning, from one place. */
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

extern "C" {
#include "sim/results/quantity.h"
}

namespace
{

std::string label(const char *name, const char *unit = nullptr)
{
    return quantity_label(name, unit).text;
}

} // namespace

TEST(Quantity, IsFoundWhereverItIsDeclared)
{
    struct quantity found;
    ASSERT_TRUE(quantity_find("images_per_second", &found));
    EXPECT_STREQ(found.title, "Image rate");
    EXPECT_STREQ(found.unit, "image/s");
    EXPECT_STREQ(found.meaning, "tested, validation included");
    EXPECT_EQ(found.better, QUANTITY_MORE);
    ASSERT_TRUE(quantity_find("energy.joules.high", &found));
    EXPECT_STREQ(found.title, "Energy, high coefficients");
    EXPECT_STREQ(found.unit, "J");
    EXPECT_EQ(found.better, QUANTITY_LESS);
    ASSERT_TRUE(quantity_find("core.words_loaded", &found));
    EXPECT_STREQ(found.title, "Core words loaded");
    EXPECT_STREQ(found.unit, "access");
    EXPECT_STREQ(found.meaning, "data words, halves and bytes read, wherever they lie");
    EXPECT_EQ(found.better, QUANTITY_NEITHER);
    ASSERT_TRUE(quantity_find("clock.cpu", &found));
    EXPECT_STREQ(found.title, "Core clock");
    EXPECT_STREQ(found.unit, "Hz");
    ASSERT_TRUE(quantity_find("seed", &found));
    EXPECT_STREQ(found.unit, "");
    ASSERT_TRUE(quantity_find("phases.core_cycles", &found));
    EXPECT_STREQ(found.title, "Phases core cycles");
    EXPECT_STREQ(found.unit, "cycle");
    EXPECT_STREQ(found.meaning, "awake and asleep, of all cores together");
}

TEST(Quantity, OfAnotherNameIsNone)
{
    struct quantity found;
    for (const char *name :
         {"", "images", "images_per_secon", "images_per_seconds", "energy", "energy.joules.",
          "core.", "core.word", "learning", "learning.", "console.x", "clock"}) {
        EXPECT_FALSE(quantity_find(name, &found)) << name;
    }
}

TEST(Quantity, WithATitleExists)
{
    static const char *const NAMES[] = {
#define QUANTITY(name, title, better) name,
#include "sim/results/quantities.def"
#undef QUANTITY
    };
    for (const char *name : NAMES) {
        struct quantity found;
        EXPECT_TRUE(quantity_find(name, &found)) << name;
        EXPECT_STRNE(found.meaning, "") << name;
    }
}

/* Axes of the sweeps that are delivered have words, not a key with blanks. */
TEST(Quantity, OfADeliveredFigureHasATitle)
{
    static const char *const TITLED[] = {
#define QUANTITY(name, title, better) name,
#include "sim/results/quantities.def"
#undef QUANTITY
    };
    size_t keys = 0;
    for (const auto &file : std::filesystem::recursive_directory_iterator(SPINN_CONFIGS_FOLDER)) {
        std::ifstream stream(file.path());
        for (std::string line; std::getline(stream, line);) {
            if (line.rfind("plot:", 0) != 0) {
                continue;
            }
            for (const char *axis : {"{x: ", " y: ", " by: "}) {
                const size_t at = line.find(axis);
                if (at == std::string::npos) {
                    continue;
                }
                const size_t from = at + std::string(axis).size();
                std::string key = line.substr(from, line.find_first_of(",}", from) - from);
                const size_t range = key.rfind(".default");
                key = range == std::string::npos ? key : key.substr(0, range);
                keys++;
                EXPECT_NE(std::find(std::begin(TITLED), std::end(TITLED), key), std::end(TITLED))
                    << file.path() << ": " << key;
            }
        }
    }
    EXPECT_GE(keys, 30u);
    EXPECT_EQ(label("router.wait1"), "Router's wait for a blocked link (as in its register)");
    EXPECT_EQ(label("chip.dtcm", "KiB"), "Data memory of a core (KiB)");
}

TEST(Quantity, IsLabelledWithItsUnit)
{
    EXPECT_EQ(label("images_per_second"), "Image rate (images/s)");
    EXPECT_EQ(label("seconds"), "Machine time (s)");
    EXPECT_EQ(label("seconds", "ms"), "Machine time (ms)");
    EXPECT_EQ(label("sdram_bytes"), "SDRAM traffic (bytes)");
    EXPECT_EQ(label("core.bus_reads"), "Core bus reads (accesses)");
    EXPECT_EQ(label("core.branches_taken"), "Core branches taken (branches)");
    EXPECT_EQ(label("host.mips"), "Simulation speed (10^6 instructions/s)");
    EXPECT_EQ(label("data.input_rate"), "Data input rate (bit/s)");
    EXPECT_EQ(label("accuracy"), "Accuracy");
    EXPECT_EQ(label("energy.joules.low"), "Energy, low coefficients (J)");
    EXPECT_EQ(label("no such quantity"), "no such quantity");
}
