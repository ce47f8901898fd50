/* The group `sweep`, and the points that its axes span (sim/sweep/axes.h). */
#include "tests/unit/config_fixture.h"

extern "C" {
#include "sim/sweep/axes.h"
}

namespace
{

const std::string HEAD = "name: test\napp: []\n";
const std::string TWO = HEAD + "sweep:\n"
                               "  - {seed: [1, 2, 3]}\n"
                               "  - {clock.cpu: [100 MHz, 200 MHz], name: [a, 'it''s']}\n";

struct made {
    made(const loaded &config, const std::vector<const char *> &texts)
        : status(axes_make(&axes, &config.config, texts.data(), texts.size(), &diagnostic))
    {
    }
    ~made()
    {
        if (status == STATUS_OK) {
            axes_deinit(&axes);
        }
    }
    made(const made &) = delete;
    made &operator=(const made &) = delete;

    std::string value(size_t point, size_t key) const
    {
        return axes_value(&axes, point, key);
    }

    struct axes axes = {};
    struct diagnostic diagnostic = {};
    enum status status;
};

TEST(ConfigSweep, ReadsAxes)
{
    const loaded config(TWO);
    ASSERT_TRUE(is_good(config));
    ASSERT_EQ(config->axis_count, 2u);
    EXPECT_EQ(config->axis[0].keys, 1u);
    EXPECT_EQ(config->axis[0].values, 3u);
    EXPECT_STREQ(config->axis[0].key[0], "seed");
    EXPECT_EQ(config->axis[1].keys, 2u);
    EXPECT_EQ(config->axis[1].values, 2u);
    EXPECT_STREQ(config->axis[1].value[3], "'it''s'") << "as behind --set";
}

TEST(ConfigSweep, AValueMayBeAListOrAGroup)
{
    const loaded config(HEAD + "sweep:\n"
                               "  - app:\n"
                               "      - []\n"
                               "      - [{file: 'it''s', cores: 1-16}, {file: b, chips: null}]\n");
    ASSERT_TRUE(is_good(config));
    ASSERT_EQ(config->axis[0].values, 2u);
    EXPECT_STREQ(config->axis[0].value[0], "[]");
    EXPECT_STREQ(config->axis[0].value[1],
                 "[{file: 'it''s', cores: 1-16}, {file: b, chips: null}]");
}

TEST(ConfigSweep, TheLastAxisAdvancesFirst)
{
    const loaded config(TWO);
    ASSERT_TRUE(is_good(config));
    const made axes(config, {});
    ASSERT_EQ(axes.status, STATUS_OK);
    ASSERT_EQ(axes.axes.points, 6u);
    ASSERT_EQ(axes.axes.keys, 3u);
    EXPECT_STREQ(axes_key(&axes.axes, 2), "name");
    std::string all;
    for (size_t point = 0; point < 6; point++) {
        all +=
            axes.value(point, 0) + axes.value(point, 1).substr(0, 1) + axes.value(point, 2) + " ";
    }
    EXPECT_EQ(all, "11a 12'it''s' 21a 22'it''s' 31a 32'it''s' ");
}

TEST(ConfigSweep, AnAxisOfTheCommandLineReplacesTheFiles)
{
    const loaded config(TWO);
    ASSERT_TRUE(is_good(config));
    const made axes(config, {"seed=7,8", "app=[{file: a, cores: 1}],[]"});
    ASSERT_EQ(axes.status, STATUS_OK);
    EXPECT_EQ(axes.axes.points, 8u);
    EXPECT_EQ(axes.value(0, 0), "7");
    EXPECT_EQ(axes.value(7, 0), "8");
    EXPECT_EQ(axes.value(0, 3), "[{file: a, cores: 1}]")
        << "commas in brackets belong to the value";
    EXPECT_EQ(axes.value(1, 3), "[]");
}

TEST(ConfigSweep, RefusesWhatIsNoAxis)
{
    const loaded config(TWO);
    ASSERT_TRUE(is_good(config));
    const std::vector<std::pair<const char *, const char *>> wrong = {
        {"seed", "no KEY=A,B,C"},
        {"=1", "no KEY=A,B,C"},
        {"seed=", "no KEY=A,B,C"},
        {"seed=1,,2", "a value is empty"},
        {"seed=1,", "a value is empty"},
        {"clock.cpu=1 MHz,2 MHz", "two axes give it; the other is clock.cpu, test.yaml:5"}};
    for (const auto &[text, why] : wrong) {
        const made axes(config, {text});
        EXPECT_EQ(axes.status, STATUS_CONFIGURATION) << text;
        EXPECT_NE(std::string(axes.diagnostic.text).find(why), std::string::npos)
            << axes.diagnostic.text;
    }
}

std::string values_of(const struct config_axis &axis, size_t key = 0)
{
    std::string all;
    for (size_t v = 0; v < axis.values; v++) {
        all += (v == 0 ? "" : ", ") + std::string(axis.value[v * axis.keys + key]);
    }
    return all;
}

TEST(ConfigSweep, ARangeStandsForItsValues)
{
    const std::vector<std::pair<std::string, std::string>> ranges = {
        {"1..4", "1, 2, 3, 4"},
        {"7..7", "7"},
        {"1..16..4", "1, 5, 9, 13"},
        {"-2..1", "-2, -1, 0, 1"},
        {"0.1..0.5..0.2", "0.1, 0.3, 0.5"},
        {"0.5..1..0.25", "0.5, 0.75, 1"},
        {"-0.5..0.5..0.5", "-0.5, 0, 0.5"},
        {"100..400..100 MHz", "100 MHz, 200 MHz, 300 MHz, 400 MHz"},
        {"1..3ns", "1 ns, 2 ns, 3 ns"},
        {"log:1..64", "1, 2, 4, 8, 16, 32, 64"},
        {"log:3..23", "3, 6, 12"},
        {"log:0.25..1 ms", "0.25 ms, 0.5 ms, 1 ms"},
        {"999999999999999998..999999999999999999", "999999999999999998, 999999999999999999"},
        {"log:1..576460752303423488",
         "1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, "
         "131072, 262144, 524288, 1048576, 2097152, 4194304, 8388608, 16777216, 33554432, "
         "67108864, 134217728, 268435456, 536870912, 1073741824, 2147483648, 4294967296, "
         "8589934592, 17179869184, 34359738368, 68719476736, 137438953472, 274877906944, "
         "549755813888, 1099511627776, 2199023255552, 4398046511104, 8796093022208, "
         "17592186044416, 35184372088832, 70368744177664, 140737488355328, 281474976710656, "
         "562949953421312, 1125899906842624, 2251799813685248, 4503599627370496, "
         "9007199254740992, 18014398509481984, 36028797018963968, 72057594037927936, "
         "144115188075855872, 288230376151711744, 576460752303423488"}};
    for (const auto &[range, values] : ranges) {
        SCOPED_TRACE(range);
        const loaded file(HEAD + "sweep: [{seed: " + range + "}]\n");
        ASSERT_TRUE(is_good(file));
        EXPECT_EQ(values_of(file->axis[0]), values);
        const loaded none(HEAD);
        const std::string text = "seed=" + range;
        const made axes(none, {text.c_str()});
        ASSERT_EQ(axes.status, STATUS_OK) << axes.diagnostic.text;
        EXPECT_EQ(values_of(axes.axes.axis[0]), values);
    }
}

TEST(ConfigSweep, RangesStandBesideValues)
{
    const loaded file(HEAD +
                      "sweep:\n  - {seed: [1..3, 10, '1..3'], clock.cpu: 100..500..100 MHz}\n");
    ASSERT_TRUE(is_good(file));
    EXPECT_EQ(values_of(file->axis[0], 0), "1, 2, 3, 10, '1..3'") << "a quoted text is no range";
    EXPECT_EQ(values_of(file->axis[0], 1), "100 MHz, 200 MHz, 300 MHz, 400 MHz, 500 MHz");
    const loaded none(HEAD);
    const made axes(none, {"seed=1..3, 10,log:16..32,\"1..3\""});
    ASSERT_EQ(axes.status, STATUS_OK) << axes.diagnostic.text;
    EXPECT_EQ(values_of(axes.axes.axis[0]), "1, 2, 3, 10, 16, 32, \"1..3\"");
    const made paths(none, {"name=1998/../a.npz,../b.npz,log:a"});
    ASSERT_EQ(paths.status, STATUS_OK) << paths.diagnostic.text;
    EXPECT_EQ(values_of(paths.axes.axis[0]), "1998/../a.npz, ../b.npz, log:a");
}

TEST(ConfigSweep, RefusesRangesWithoutValues)
{
    const std::vector<std::pair<std::string, std::string>> wrong = {
        {"1..x", "\"1..x\" is no range"},
        {"1..", "\"1..\" is no range"},
        {"1..4..", "\"1..4..\" is no range"},
        {"1..4..1..1", "is no range"},
        {"1...4", "is no range"},
        {"1..4 MHz 5", "is no range"},
        {"2..1", "it ends below its begin"},
        {"1..4..0", "the step is not above 0"},
        {"4..1..-1", "the step is not above 0"},
        {"log:0..4", "log: begins above 0"},
        {"log:1..8..2", "log: takes no step"},
        {"1..10001", "has 10001 values; 10000 at most"},
        {"-999999999999999999..999999999999999999", "has 1999999999999999999 values"},
        {"1..1000000000000000000", "numbers of more than 18 digits"},
        {"0.5..100000000000000000..0.25", "numbers of more than 18 digits"}};
    for (const auto &[range, why] : wrong) {
        SCOPED_TRACE(range);
        const loaded file(HEAD + "sweep: [{clock.cpu: [" + range + "]}]\n");
        EXPECT_TRUE(is_refused(file, "test.yaml:3:22 sweep[0].clock.cpu[0]", why));
        const loaded none(HEAD);
        const std::string text = "clock.cpu=" + range;
        const made axes(none, {text.c_str()});
        EXPECT_EQ(axes.status, STATUS_CONFIGURATION);
        EXPECT_STREQ(axes.diagnostic.file, "--axis");
        EXPECT_STREQ(axes.diagnostic.key, "clock.cpu");
        EXPECT_NE(std::string(axes.diagnostic.text).find(why), std::string::npos)
            << axes.diagnostic.text;
    }
    const loaded both(HEAD + "sweep: [{seed: [1..9999, 1, 2]}]\n");
    EXPECT_TRUE(is_refused(both, "test.yaml:3:16 sweep[0].seed", "more than 10000 values"));
    const loaded uneven(HEAD + "sweep: [{seed: 1..3, name: [a, b]}]\n");
    EXPECT_TRUE(is_refused(uneven, "test.yaml:3:28 sweep[0].name", "2 values beside 3"));
}

TEST(ConfigSweep, AnUnknownKeyIsRefusedAtItsPlace)
{
    const loaded file(HEAD + "sweep:\n  - {seed: [1, 2]}\n  - {clock.cpuu: [1 MHz]}\n");
    ASSERT_TRUE(is_good(file));
    const made axes(file, {});
    EXPECT_EQ(axes.status, STATUS_CONFIGURATION);
    EXPECT_STREQ(axes.diagnostic.file, "test.yaml");
    EXPECT_EQ(axes.diagnostic.line, 5);
    EXPECT_EQ(axes.diagnostic.column, 6);
    EXPECT_STREQ(axes.diagnostic.key, "clock.cpuu");
    EXPECT_STREQ(axes.diagnostic.text, "unknown key");
    EXPECT_STREQ(axes.diagnostic.hint, "did you mean \"cpu\"?");
    const loaded none(HEAD);
    const made typed(none, {"sed=1,2"});
    EXPECT_EQ(typed.status, STATUS_CONFIGURATION);
    EXPECT_STREQ(typed.diagnostic.file, "--axis");
    EXPECT_STREQ(typed.diagnostic.key, "sed");
    EXPECT_STREQ(typed.diagnostic.hint, "did you mean \"seed\"?");
}

/* Of two texts that give one key, one would have no effect. */
TEST(ConfigSweep, RefusesAxesThatContradict)
{
    const loaded none(HEAD);
    const std::vector<std::pair<const char *, const char *>> pairs = {
        {"seed=4,8", "seed=1,2"}, {"clock.cpu=1 MHz", "clock={cpu: 2 MHz}"}};
    for (const auto &[first, second] : pairs) {
        const made axes(none, {first, second});
        EXPECT_EQ(axes.status, STATUS_CONFIGURATION) << first;
        EXPECT_STREQ(axes.diagnostic.file, "--axis");
        EXPECT_EQ(std::string(axes.diagnostic.text).find("two axes give it"), 0u)
            << axes.diagnostic.text;
    }
    const loaded file(HEAD + "sweep: [{seed: [1, 2]}]\n");
    const made replaced(file, {"seed=3,4"});
    EXPECT_EQ(replaced.status, STATUS_OK) << "the command line replaces an axis of the file";
    const made twice(file, {"seed=3,4", "seed=5,6"});
    EXPECT_EQ(twice.status, STATUS_CONFIGURATION) << "but not its own";
}

TEST(ConfigSweep, RefusesAnAxisThatIsAlsoSet)
{
    loaded::options set;
    set.sets = {"seed=4", "clock={cpu: 100 MHz}"};
    const loaded plain(HEAD, set);
    ASSERT_TRUE(is_good(plain));
    const made axes(plain, {"seed=1,2"});
    EXPECT_EQ(axes.status, STATUS_CONFIGURATION);
    EXPECT_STREQ(axes.diagnostic.key, "seed");
    EXPECT_STREQ(axes.diagnostic.text, "an axis, and --set seed=4 gives it one value");
    const made group(plain, {"clock.cpu=100 MHz,200 MHz"});
    EXPECT_EQ(group.status, STATUS_OK) << "--set may give the group of an axis";
    const loaded file(HEAD + "sweep: [{seed: [1, 2]}]\n", set);
    ASSERT_TRUE(is_good(file));
    const made own(file, {});
    EXPECT_EQ(own.status, STATUS_CONFIGURATION);
    EXPECT_STREQ(own.diagnostic.file, "test.yaml");
    EXPECT_EQ(own.diagnostic.line, 3);
}

TEST(ConfigSweep, HasTenThousandPointsAtMost)
{
    const loaded config(HEAD);
    ASSERT_TRUE(is_good(config));
    std::string hundred = "=0";
    for (unsigned i = 1; i < 100; i++) {
        hundred += "," + std::to_string(i);
    }
    const std::string a = "seed" + hundred;
    const std::string b = "name" + hundred;
    const made most(config, {a.c_str(), b.c_str()});
    ASSERT_EQ(most.status, STATUS_OK);
    EXPECT_EQ(most.axes.points, 10000u);
    const std::string more = b + ",100";
    const made over(config, {a.c_str(), more.c_str()});
    EXPECT_EQ(over.status, STATUS_CONFIGURATION);
    EXPECT_STREQ(over.diagnostic.text, "sweep: more than 10000 points");
}

TEST(ConfigSweep, RefusesWhatIsNoList)
{
    const std::vector<std::pair<const char *, const char *>> wrong = {
        {"sweep: {seed: [1]}\n", "a list"},
        {"sweep: [seed]\n", "a group of keys"},
        {"sweep: [{}]\n", "no key"},
        {"sweep: [{seed: []}]\n", "no value"},
        {"sweep: [{seed: 1}]\n", "a list"},
        {"sweep: [{seed: [1, 2], name: [a]}]\n", "1 values beside 2"},
        {"plot: {x: a}\n", "no effect without sweep"}};
    for (const auto &[text, why] : wrong) {
        const loaded config(HEAD + text);
        EXPECT_EQ(config.status, STATUS_CONFIGURATION) << text;
        EXPECT_NE(std::string(config.diagnostic.text).find(why), std::string::npos)
            << text << std::string(config.diagnostic.text);
    }
}

} // namespace
