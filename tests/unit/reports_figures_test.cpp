/* What figures are made of: axes in multiples of units, tics that do not touch, Pareto fronts,
 * bars. */
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

extern "C" {
#include "sim/reports/axis.h"
#include "sim/reports/bars.h"
#include "sim/reports/front.h"
#include "sim/reports/label_places.h"
#include "sim/results/quantity.h"
}

namespace
{

struct shown {
    std::string label;
    double scale;
};

shown axis(const char *key, const char *unit, double greatest)
{
    const struct axis axis = axis_of(key, unit, greatest);
    return {axis.label, axis.scale};
}

void expect_axis(const char *key, const char *unit, double greatest, const char *label,
                 double scale)
{
    const shown is = axis(key, unit, greatest);
    EXPECT_EQ(is.label, label) << key << " " << greatest;
    EXPECT_DOUBLE_EQ(is.scale, scale) << key << " " << greatest;
}

} // namespace

TEST(Axis, ShowsMultiplesOfUnits)
{
    expect_axis("clock.cpu", "Hz", 2e8, "Core clock (MHz)", 1e-6);
    expect_axis("seconds", "s", 0.88, "Machine time (ms)", 1e3);
    expect_axis("seconds", "s", 1, "Machine time (s)", 1);
    expect_axis("seconds", "s", 0.999, "Machine time (ms)", 1e3);
    expect_axis("energy.joules_per_image", "J", 74e-6, "Energy per image (µJ)", 1e6);
    expect_axis("energy.joules", "", 0, "Energy (J)", 1);
    expect_axis("core_cycles", "", 999999, "Core cycles (cycles)", 1);
    expect_axis("core_cycles", "", 1e6, "Core cycles (10⁶ cycles)", 1e-6);
    expect_axis("instructions", "", 2.7e9, "Instructions (10⁹ instructions)", 1e-9);
    expect_axis("sdram_bytes", "", 1048576, "SDRAM traffic (MiB)", 1 / 1048576.0);
    expect_axis("accuracy", "", 0.98, "Accuracy (%)", 100);
    expect_axis("validation_accuracy", "", 0.98, "Validation accuracy (%)", 100);
    expect_axis("mapping.cores_per_chip", "", 16, "Cores per chip", 1);
    expect_axis("no.such.key", "", 5e6, "no.such.key (10⁶)", 1e-6);
}

TEST(Axis, BeginsAtZeroUnlessValuesLieCloseTogether)
{
    struct axis_range range = axis_range(1, 16, 0.05);
    EXPECT_DOUBLE_EQ(range.low, 0);
    EXPECT_DOUBLE_EQ(range.high, 16.75);
    range = axis_range(97, 99, 0.05);
    EXPECT_DOUBLE_EQ(range.low, 96.9);
    EXPECT_DOUBLE_EQ(range.high, 99.1);
    range = axis_range(-1, 1, 0.05);
    EXPECT_DOUBLE_EQ(range.low, -1.1);
    range = axis_range(5, 5, 0.2);
    EXPECT_DOUBLE_EQ(range.low, 4);
    EXPECT_DOUBLE_EQ(range.high, 6);
}

TEST(Axis, TicsDoNotTouch)
{
    EXPECT_DOUBLE_EQ(axis_step(0, 1.4, 112), 0.2);
    EXPECT_DOUBLE_EQ(axis_step(0, 1.4, 30), 0.5);
    EXPECT_DOUBLE_EQ(axis_step(0, 14000, 60), 5000);
    EXPECT_DOUBLE_EQ(axis_step(0, 14000, 112), 2000);
    EXPECT_DOUBLE_EQ(axis_step(1900, 2900, 60), 200);
}

TEST(Front, HasWhatNoneIsBetterThan)
{
    /* seconds, joules: the fastest, the most frugal, one between, one behind it, and its twin */
    struct front_point point[] = {
        {1, 9, false}, {9, 1, false}, {4, 4, false}, {5, 4, false}, {4, 4, false}};
    front_mark(point, 5, true, true);
    for (const int i : {0, 1, 2, 4}) {
        EXPECT_TRUE(point[i].is_front) << i;
    }
    EXPECT_FALSE(point[3].is_front);
    front_mark(point, 5, false, false);
    EXPECT_TRUE(point[0].is_front && point[1].is_front && point[3].is_front);
    EXPECT_FALSE(point[2].is_front || point[4].is_front);
    front_mark(point, 1, true, false);
    EXPECT_TRUE(point[0].is_front);
}

TEST(Front, KnowsWhichWayIsBetter)
{
    struct diagnostic diagnostic = {};
    bool low = false;
    ASSERT_EQ(front_is_low("energy.joules", PLOT_PARETO_KNOWN, true, &low, &diagnostic), STATUS_OK);
    EXPECT_TRUE(low);
    ASSERT_EQ(front_is_low("accuracy", PLOT_PARETO_KNOWN, false, &low, &diagnostic), STATUS_OK);
    EXPECT_FALSE(low);
    ASSERT_EQ(front_is_low("seed", PLOT_PARETO_LOW_HIGH, true, &low, &diagnostic), STATUS_OK);
    EXPECT_TRUE(low);
    ASSERT_EQ(front_is_low("seed", PLOT_PARETO_LOW_HIGH, false, &low, &diagnostic), STATUS_OK);
    EXPECT_FALSE(low);
    ASSERT_EQ(front_is_low("seed", PLOT_PARETO_HIGH_LOW, true, &low, &diagnostic), STATUS_OK);
    EXPECT_FALSE(low);
    ASSERT_EQ(front_is_low("seed", PLOT_PARETO_HIGH_LOW, false, &low, &diagnostic), STATUS_OK);
    EXPECT_TRUE(low);
    EXPECT_EQ(front_is_low("seed", PLOT_PARETO_KNOWN, true, &low, &diagnostic),
              STATUS_CONFIGURATION);
    EXPECT_EQ(front_is_low("no.such.key", PLOT_PARETO_KNOWN, true, &low, &diagnostic),
              STATUS_CONFIGURATION);
}

namespace
{

struct bars bars_of(const std::vector<double> &values)
{
    struct bars bars = {};
    for (const double value : values) {
        struct bar *bar = bars_add(&bars, "%.0f", value);
        bar->value = value;
        bar->low = value / 2;
        bar->high = 2 * value;
        bar->part[0] = value;
    }
    return bars;
}

} // namespace

TEST(Bars, ThoseOfLittleWeightBecomeOne)
{
    std::vector<double> values(11, 100);
    values.insert(values.begin() + 3, 2, 5);
    struct bars bars = bars_of(values);
    bars.parts = 1;
    bars_merge(&bars);
    ASSERT_EQ(bars.count, 12u);
    EXPECT_STREQ(bars.bar[2].label, "100");
    EXPECT_STREQ(bars.bar[11].label, "2 others, each below 1 %");
    EXPECT_DOUBLE_EQ(bars.bar[11].value, 10);
    EXPECT_DOUBLE_EQ(bars.bar[11].part[0], 10);
    EXPECT_DOUBLE_EQ(bars.bar[11].low, 5) << "coefficients move together";
    EXPECT_DOUBLE_EQ(bars.bar[11].high, 20);
    bars_deinit(&bars);

    bars = bars_of(values);
    bars_merge(&bars);
    EXPECT_DOUBLE_EQ(bars.bar[11].high, 10) << "least and most are of different cores";
    bars_deinit(&bars);

    bars = bars_of(std::vector<double>(values.begin(), values.begin() + 12));
    bars_merge(&bars);
    EXPECT_EQ(bars.count, 12u) << "a dozen stay";
    bars_deinit(&bars);

    values[4] = 100;
    bars = bars_of(values);
    bars_merge(&bars);
    EXPECT_EQ(bars.count, 13u) << "one alone stays";
    bars_deinit(&bars);
}

TEST(Bars, LabelsAreCutInWholeCharacters)
{
    struct bars bars = {};
    std::string label;
    for (int i = 0; i < 44; i++) {
        label += "ü";
    }
    EXPECT_STREQ(bars_add(&bars, "%s", label.c_str())->label, label.c_str());
    EXPECT_STREQ(bars_add(&bars, "%sx", label.c_str())->label, (label + "…").c_str());
    EXPECT_STREQ(bars_add(&bars, "a\nb")->label, "a\xef\xbf\xbd"
                                                 "b");
    bars_deinit(&bars);
}

/* ---- texts beside points ---- */

/* A dozen points within 12 mm, and some in the corners: no text over another, over a point or
 * outside. */
TEST(LabelPlaces, DoNotCoverEachOther)
{
    std::vector<struct label_place> labels;
    for (unsigned i = 0; i < 12; i++) {
        const unsigned row = i / 4;
        labels.push_back({40 + 4.0 * (i % 4), 30 + 4.0 * row, 0, 0, 8, 0, 0, false, false});
        labels.back().low_mm = labels.back().high_mm = labels.back().y_mm;
    }
    labels.push_back({110, 70, 70, 70, 12, 0, 0, false, false});
    labels.push_back({1, 1, 1, 1, 12, 0, 0, false, false});
    label_places(labels.data(), labels.size(), 112, 72);
    const auto left = [](const struct label_place &l) {
        const double width = LABEL_CHARACTER_MM * static_cast<double>(l.characters);
        return l.x_mm + l.dx_mm - (l.from_right ? width : 0);
    };
    for (size_t i = 0; i < labels.size(); i++) {
        const struct label_place &a = labels[i];
        const double width = LABEL_CHARACTER_MM * static_cast<double>(a.characters);
        const double y = a.y_mm + a.dy_mm;
        EXPECT_GE(left(a), 0);
        EXPECT_LE(left(a) + width, 112);
        EXPECT_GE(y - LABEL_LINE_MM / 2, 0);
        EXPECT_LE(y + LABEL_LINE_MM / 2, 72);
        for (size_t k = 0; k < labels.size(); k++) {
            const struct label_place &b = labels[k];
            const double other = LABEL_CHARACTER_MM * static_cast<double>(b.characters);
            EXPECT_TRUE(i == k || left(a) >= left(b) + other || left(b) >= left(a) + width ||
                        std::fabs(y - b.y_mm - b.dy_mm) > LABEL_LINE_MM - 1e-9)
                << i << " over " << k;
            EXPECT_FALSE(b.x_mm > left(a) && b.x_mm < left(a) + width &&
                         std::fabs(b.y_mm - y) < LABEL_LINE_MM / 2)
                << i << " over the point " << k;
        }
    }
    EXPECT_TRUE(labels[12].from_right) << "no room at the right";
    EXPECT_FALSE(labels[0].is_far);
}
