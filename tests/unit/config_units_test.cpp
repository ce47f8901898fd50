/* Values as people write them: read exactly, written so that they read back. */
extern "C" {
#include "sim/config/suggestion.h"
#include "sim/config/units_text.h"
}

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

static uint64_t whole(enum units_kind kind, const char *text)
{
    uint64_t value = UINT64_MAX;
    EXPECT_EQ(units_read_whole(kind, text, &value), UNITS_OK) << text;
    return value;
}

static double real(enum units_kind kind, const char *text)
{
    double value = -1;
    EXPECT_EQ(units_read_real(kind, text, &value), UNITS_OK) << text;
    return value;
}

static enum units_error whole_error(enum units_kind kind, const char *text)
{
    uint64_t value = 0;
    return units_read_whole(kind, text, &value);
}

static enum units_error real_error(enum units_kind kind, const char *text)
{
    double value = 0;
    return units_read_real(kind, text, &value);
}

TEST(UnitsText, ReadsEachUnit)
{
    EXPECT_EQ(whole(UNITS_COUNT, "17"), 17u);
    EXPECT_EQ(whole(UNITS_CYCLES, "4 cycles"), 4u);
    EXPECT_EQ(whole(UNITS_FREQUENCY, "32768 Hz"), 32768u);
    EXPECT_EQ(whole(UNITS_FREQUENCY, "100 kHz"), 100000u);
    EXPECT_EQ(whole(UNITS_FREQUENCY, "200 MHz"), 200000000u);
    EXPECT_EQ(whole(UNITS_FREQUENCY, "0.2 GHz"), 200000000u);
    EXPECT_EQ(whole(UNITS_TIME, "7 ps"), 7u);
    EXPECT_EQ(whole(UNITS_TIME, "135 ns"), 135000u);
    EXPECT_EQ(whole(UNITS_TIME, "3 us"), 3000000u);
    EXPECT_EQ(whole(UNITS_TIME, "2 ms"), 2000000000u);
    EXPECT_EQ(whole(UNITS_TIME, "60 s"), 60000000000000u);
    EXPECT_EQ(whole(UNITS_RATE, "9600 bit/s"), 9600u);
    EXPECT_EQ(whole(UNITS_RATE, "64 kbit/s"), 64000u);
    EXPECT_EQ(whole(UNITS_RATE, "7.5 Mbit/s"), 7500000u);
    EXPECT_EQ(whole(UNITS_SIZE, "4 B"), 4u);
    EXPECT_EQ(whole(UNITS_SIZE, "64 KiB"), 65536u);
    EXPECT_EQ(whole(UNITS_SIZE, "128 MiB"), 134217728u);
    EXPECT_EQ(whole(UNITS_SHARE, "500 ppm"), 500u);
    EXPECT_EQ(whole(UNITS_SHARE, "3 %"), 30000u);
    EXPECT_EQ(whole(UNITS_SHARE, "0.05%"), 500u);
    EXPECT_EQ(real(UNITS_ENERGY, "145 pJ"), 145.0);
    EXPECT_EQ(real(UNITS_ENERGY, "0.20 nJ"), 200.0);
    EXPECT_EQ(real(UNITS_ENERGY, "2 uJ"), 2e6);
    EXPECT_EQ(real(UNITS_ENERGY, "2 mJ"), 2e9);
    EXPECT_EQ(real(UNITS_ENERGY, "2 J"), 2e12);
    EXPECT_EQ(real(UNITS_POWER, "6.2 W"), 6.2);
    EXPECT_EQ(real(UNITS_POWER, "18.75 mW"), 0.01875);
    EXPECT_EQ(real(UNITS_POWER, "5 uW"), 5e-6);
    EXPECT_EQ(real(UNITS_FRACTION, "0.00048828125"), std::ldexp(1.0, -11));
    EXPECT_EQ(real(UNITS_FRACTION, "1e-3"), 0.001);
    EXPECT_EQ(real(UNITS_FRACTION, "5E+2"), 500.0);
}

TEST(UnitsText, ReadsFractionsOfAUnitExactly)
{
    EXPECT_EQ(whole(UNITS_TIME, "14.7 ns"), 14700u);
    EXPECT_EQ(whole(UNITS_TIME, "7.8us"), 7800000u);
    EXPECT_EQ(whole(UNITS_TIME, "0.001 ns"), 1u);
    EXPECT_EQ(whole(UNITS_TIME, "0.000000000001 s"), 1u);
    EXPECT_EQ(whole(UNITS_TIME, "18446744.073709551615 s"), UINT64_MAX);
    EXPECT_EQ(whole(UNITS_FREQUENCY, "133.333333 MHz"), 133333333u);
    EXPECT_EQ(whole(UNITS_SIZE, "1.5 KiB"), 1536u);
    EXPECT_EQ(whole(UNITS_TIME, "1.500000000000000000000000000000000000 ns"), 1500u);
    /* 2.01 x 1000 is not 2010 in binary; the nearest double of 2.01 nJ in pJ is. */
    EXPECT_EQ(real(UNITS_ENERGY, "2.01 nJ"), 2010.0);
    EXPECT_NE(2.01 * 1000, 2010.0);
}

TEST(UnitsText, RefusesWhatIsNoWholeNumberOfTheBaseUnit)
{
    EXPECT_EQ(whole_error(UNITS_TIME, "14.7003 ns"), UNITS_NOT_WHOLE);
    EXPECT_EQ(whole_error(UNITS_TIME, "0.5 ps"), UNITS_NOT_WHOLE);
    EXPECT_EQ(whole_error(UNITS_SIZE, "0.1 KiB"), UNITS_NOT_WHOLE);
    EXPECT_EQ(whole_error(UNITS_FREQUENCY, "0.5 Hz"), UNITS_NOT_WHOLE);
    EXPECT_EQ(whole_error(UNITS_SHARE, "0.00001 %"), UNITS_NOT_WHOLE);
    EXPECT_EQ(whole_error(UNITS_COUNT, "1.5"), UNITS_NOT_WHOLE);
    EXPECT_EQ(whole_error(UNITS_COUNT, "2.0"), UNITS_NOT_WHOLE);
    EXPECT_EQ(whole_error(UNITS_CYCLES, "2.0 cycles"), UNITS_NOT_WHOLE);
    EXPECT_EQ(whole_error(UNITS_TIME, "0.0000000000000000000000000000000000001 s"),
              UNITS_NOT_WHOLE);
}

TEST(UnitsText, RefusesWhatIsNoDecimalNumber)
{
    for (const char *text :
         {"",     " ",     "ns",  "-1",    "+1",  ".5",  "5.",    "1..2", "010",  "00",
          "0x10", "1e3",   "1E3", "1_000", "yes", "no",  "on",    "off",  "true", "inf",
          "nan",  "1,000", "12 ", " 12",   "0b1", "0o7", "1'000", "٣"}) {
        EXPECT_EQ(whole_error(UNITS_COUNT, text), UNITS_NO_NUMBER) << text;
    }
    for (const char *text :
         {"", "-0.5", ".5", "5.", "00.5", "0x1p3", "inf", "nan", "1e", "1e+", "e5", "1e5.5"}) {
        EXPECT_EQ(real_error(UNITS_FRACTION, text), UNITS_NO_NUMBER) << text;
    }
    EXPECT_EQ(whole_error(UNITS_TIME, "010 ns"), UNITS_NO_NUMBER);
    EXPECT_EQ(whole_error(UNITS_TIME, "-5 ns"), UNITS_NO_NUMBER);
    EXPECT_EQ(real_error(UNITS_ENERGY, std::string(60, '1').append(" pJ").c_str()),
              UNITS_NO_NUMBER);
}

TEST(UnitsText, RefusesMissingWrongAndUnwantedUnits)
{
    EXPECT_EQ(whole_error(UNITS_TIME, "135"), UNITS_NO_UNIT);
    EXPECT_EQ(whole_error(UNITS_CYCLES, "4"), UNITS_NO_UNIT);
    EXPECT_EQ(real_error(UNITS_POWER, "1.5"), UNITS_NO_UNIT);
    EXPECT_EQ(whole_error(UNITS_TIME, "200 MHz"), UNITS_OTHER_KIND);
    EXPECT_EQ(whole_error(UNITS_CYCLES, "4 ns"), UNITS_OTHER_KIND);
    EXPECT_EQ(real_error(UNITS_ENERGY, "1 W"), UNITS_OTHER_KIND);
    EXPECT_EQ(whole_error(UNITS_TIME, "135 NS"), UNITS_UNKNOWN_UNIT);
    EXPECT_EQ(whole_error(UNITS_TIME, "1e3 ns"), UNITS_UNKNOWN_UNIT);
    EXPECT_EQ(real_error(UNITS_ENERGY, "1e3 pJ"), UNITS_UNKNOWN_UNIT);
    EXPECT_EQ(whole_error(UNITS_SIZE, "64 kB"), UNITS_UNKNOWN_UNIT);
    EXPECT_EQ(whole_error(UNITS_COUNT, "3 ns"), UNITS_UNWANTED_UNIT);
    EXPECT_EQ(whole_error(UNITS_COUNT, "3ns"), UNITS_UNWANTED_UNIT);
    EXPECT_EQ(whole_error(UNITS_COUNT, "3 apples"), UNITS_UNWANTED_UNIT);
    EXPECT_EQ(real_error(UNITS_FRACTION, "0.5 W"), UNITS_UNWANTED_UNIT);
    EXPECT_EQ(real_error(UNITS_FRACTION, "50%"), UNITS_UNWANTED_UNIT);
    EXPECT_STREQ(units_nearest(UNITS_FREQUENCY, "200 mhz"), "MHz");
    EXPECT_STREQ(units_nearest(UNITS_SIZE, "64 KB"), "KiB");
    EXPECT_EQ(units_nearest(UNITS_TIME, "3 parsec"), nullptr);
}

TEST(UnitsText, RefusesNumbersThatDoNotFit)
{
    EXPECT_EQ(whole(UNITS_COUNT, "18446744073709551615"), UINT64_MAX);
    EXPECT_EQ(whole_error(UNITS_COUNT, "18446744073709551616"), UNITS_TOO_LARGE);
    EXPECT_EQ(whole_error(UNITS_COUNT, "99999999999999999999999999"), UNITS_TOO_LARGE);
    EXPECT_EQ(whole(UNITS_TIME, "18446744 s"), UINT64_C(18446744000000000000));
    EXPECT_EQ(whole_error(UNITS_TIME, "18446745 s"), UNITS_TOO_LARGE);
    EXPECT_EQ(whole_error(UNITS_SIZE, "17592186044416 MiB"), UNITS_TOO_LARGE);
    EXPECT_EQ(real_error(UNITS_FRACTION, "1e309"), UNITS_TOO_LARGE);
}

TEST(UnitsText, WritesTheLargestUnitThatLeavesAtLeastOne)
{
    EXPECT_STREQ(units_write_whole(UNITS_COUNT, 17).text, "17");
    EXPECT_STREQ(units_write_whole(UNITS_CYCLES, 20).text, "20 cycles");
    EXPECT_STREQ(units_write_whole(UNITS_CYCLES, 0).text, "0 cycles");
    EXPECT_STREQ(units_write_whole(UNITS_TIME, 0).text, "0 ps");
    EXPECT_STREQ(units_write_whole(UNITS_TIME, 999).text, "999 ps");
    EXPECT_STREQ(units_write_whole(UNITS_FREQUENCY, 999000000).text, "999 MHz");
    EXPECT_STREQ(units_write_whole(UNITS_FREQUENCY, 1500000000).text, "1.5 GHz");
    EXPECT_STREQ(units_write_whole(UNITS_TIME, 14700).text, "14.7 ns");
    EXPECT_STREQ(units_write_whole(UNITS_TIME, 1000001).text, "1.000001 us");
    EXPECT_STREQ(units_write_whole(UNITS_TIME, 60000000000000).text, "60 s");
    EXPECT_STREQ(units_write_whole(UNITS_FREQUENCY, 133333333).text, "133.333333 MHz");
    EXPECT_STREQ(units_write_whole(UNITS_RATE, 8000000).text, "8 Mbit/s");
    EXPECT_STREQ(units_write_whole(UNITS_SHARE, 0).text, "0 ppm");
    EXPECT_STREQ(units_write_whole(UNITS_SHARE, 9999).text, "9999 ppm");
    EXPECT_STREQ(units_write_whole(UNITS_SHARE, 12500).text, "1.25 %");
    EXPECT_STREQ(units_write_whole(UNITS_SIZE, 1536).text, "1536 B");
    EXPECT_STREQ(units_write_whole(UNITS_SIZE, 65536).text, "64 KiB");
    EXPECT_STREQ(units_write_whole(UNITS_SIZE, 134217728).text, "128 MiB");
    EXPECT_STREQ(units_write_real(UNITS_ENERGY, 145).text, "145 pJ");
    EXPECT_STREQ(units_write_real(UNITS_ENERGY, 0.25).text, "0.25 pJ");
    EXPECT_STREQ(units_write_real(UNITS_ENERGY, 1e12).text, "1 J");
    EXPECT_STREQ(units_write_real(UNITS_POWER, 0.01875).text, "18.75 mW");
    EXPECT_STREQ(units_write_real(UNITS_POWER, 6.2).text, "6.2 W");
    EXPECT_STREQ(units_write_real(UNITS_POWER, 1200).text, "1200 W");
    EXPECT_STREQ(units_write_real(UNITS_POWER, 0).text, "0 W");
    EXPECT_STREQ(units_write_real(UNITS_FRACTION, 0).text, "0");
    EXPECT_STREQ(units_write_real(UNITS_FRACTION, 0.9).text, "0.9");
    EXPECT_STREQ(units_write_real(UNITS_FRACTION, 0.00048828125).text, "0.00048828125");
    EXPECT_STREQ(units_write_real(UNITS_FRACTION, 1e18).text, "1e+18");
    EXPECT_STREQ(units_write_real(UNITS_FRACTION, 1e-9).text, "1e-09");
}

TEST(UnitsText, WhatIsWrittenReadsBackAsTheSameWholeNumber)
{
    std::mt19937_64 random(1);
    for (int i = 0; i < 100000; i++) {
        const uint64_t value = random() >> (random() % 64);
        for (enum units_kind kind : {UNITS_COUNT, UNITS_CYCLES, UNITS_FREQUENCY, UNITS_TIME,
                                     UNITS_RATE, UNITS_SIZE, UNITS_SHARE}) {
            const struct units_text text = units_write_whole(kind, value);
            uint64_t back = ~value;
            ASSERT_EQ(units_read_whole(kind, text.text, &back), UNITS_OK) << text.text;
            ASSERT_EQ(back, value) << text.text;
        }
    }
}

TEST(UnitsText, WhatIsWrittenReadsBackAsTheSameDouble)
{
    std::mt19937_64 random(2);
    for (int i = 0; i < 50000; i++) {
        const double mantissa = static_cast<double>(random()) / 18446744073709551616.0;
        const double value = std::ldexp(mantissa, static_cast<int>(random() % 64) - 24);
        for (enum units_kind kind : {UNITS_FRACTION, UNITS_ENERGY, UNITS_POWER}) {
            const struct units_text text = units_write_real(kind, value);
            double back = -1;
            ASSERT_EQ(units_read_real(kind, text.text, &back), UNITS_OK) << text.text;
            ASSERT_EQ(back, value) << text.text;
        }
    }
}

/* The same text as digits and a point is the same number whatever unit it carries. */
TEST(UnitsText, AgreesWithIndependentArithmeticOnDecimalFractions)
{
    std::mt19937_64 random(3);
    for (int i = 0; i < 20000; i++) {
        const uint64_t ns = random() % 1000000;
        const uint64_t ps = random() % 1000;
        char text[64];
        (void)snprintf(text, sizeof text, "%llu.%03llu ns", static_cast<unsigned long long>(ns),
                       static_cast<unsigned long long>(ps));
        ASSERT_EQ(whole(UNITS_TIME, text), ns * 1000 + ps) << text;
    }
}

TEST(UnitsText, TheProgramsLocaleChangesNothing)
{
    const char *comma = nullptr;
    for (const char *name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"}) {
        comma = comma != nullptr ? comma : setlocale(LC_NUMERIC, name);
    }
    if (comma == nullptr) {
        GTEST_SKIP() << "no locale with a decimal comma is installed";
    }
    EXPECT_EQ(real(UNITS_FRACTION, "0.5"), 0.5);
    EXPECT_STREQ(units_write_real(UNITS_FRACTION, 0.5).text, "0.5");
    EXPECT_STREQ(units_write_real(UNITS_FRACTION, 1.5e-9).text, "1.5e-09");
    (void)setlocale(LC_NUMERIC, "C");
}

TEST(Suggestion, CountsTypingErrors)
{
    EXPECT_EQ(suggestion_distance("width", "width"), 0u);
    EXPECT_EQ(suggestion_distance("widht", "width"), 1u);
    EXPECT_EQ(suggestion_distance("wdth", "width"), 1u);
    EXPECT_EQ(suggestion_distance("wwidth", "width"), 1u);
    EXPECT_EQ(suggestion_distance("weight", "height"), 1u);
    EXPECT_EQ(suggestion_distance("", "abc"), 3u);
    EXPECT_EQ(suggestion_distance("abc", ""), 3u);
    EXPECT_EQ(suggestion_distance(std::string(65, 'a').c_str(), "a"), SIZE_MAX);
}

TEST(Suggestion, OffersTheNearestWordOrNone)
{
    struct suggestion suggestion = suggestion_begin("hight");
    suggestion_offer(&suggestion, "width");
    suggestion_offer(&suggestion, "height");
    suggestion_offer(&suggestion, "weight");
    EXPECT_STREQ(suggestion.best, "height");
    suggestion = suggestion_begin("banana");
    suggestion_offer(&suggestion, "width");
    EXPECT_EQ(suggestion.best, nullptr);
}
