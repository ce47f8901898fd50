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
        {"seed", "no KEY=A,B,C"},        {"=1", "no KEY=A,B,C"},
        {"seed=", "no KEY=A,B,C"},       {"seed=1,,2", "a value is empty"},
        {"seed=1,", "a value is empty"}, {"clock.cpu=1 MHz,2 MHz", "clock.cpu stands in two axes"}};
    for (const auto &[text, why] : wrong) {
        const made axes(config, {text});
        EXPECT_EQ(axes.status, STATUS_CONFIGURATION) << text;
        EXPECT_NE(std::string(axes.diagnostic.text).find(why), std::string::npos)
            << axes.diagnostic.text;
    }
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
