/* Joules from counters and time: sums, ranges, and names that must agree. */
extern "C" {
#include "models/energy/energy_scopes.h"
}
#include "models/machine/machine.h"
#include "tests/unit/config_fixture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace
{

constexpr uint64_t SECOND = 1000000000000;

const char *const PER_CHIP[] = {"chip"};
const char *const PER_BOARD[] = {"board"};
const char *const PER_CYCLE[] = {"core.active_cycles"};
const char *const PER_BYTE[] = {"sdram.bytes_read", "sdram.bytes_written"};
const char *const FREE[] = {"ahb.*", "core.interrupts"};

energy_term power(const char *name, const char *const *per, double low, double value, double high)
{
    energy_term term = {};
    term.name = name;
    term.is_power = true;
    term.low = low;
    term.value = value;
    term.high = high;
    term.per = per;
    term.per_count = 1;
    return term;
}

energy_term event(const char *name, const char *const *per, size_t count, double low, double value,
                  double high)
{
    energy_term term = power(name, per, low, value, high);
    term.is_power = false;
    term.per_count = count;
    return term;
}

class Energy : public testing::Test
{
  protected:
    Energy()
    {
        table_.board_profile = "small";
        table_.term = terms_.data();
        table_.term_count = terms_.size();
        table_.free = FREE;
        table_.free_count = 2;
        activity_.count = counts_.data();
        activity_.count_count = counts_.size();
        activity_.time_ps = 2 * SECOND;
        activity_.chips = 3;
        activity_.boards = 2;
    }

    energy_joules of(size_t term)
    {
        return energy_of_term(&table_, &terms_[term], &activity_);
    }

    std::string check(const std::vector<const char *> &names)
    {
        diagnostic why = {};
        const status result = energy_check(&table_, names.data(), names.size(), &why);
        EXPECT_EQ(result, why.text[0] == '\0' ? STATUS_OK : STATUS_CONFIGURATION);
        return why.text[0] == '\0' ? "" : std::string(why.key) + ": " + why.text;
    }

    std::vector<energy_term> terms_ = {
        power("board_big", PER_BOARD, 6, 10, 10), power("board_small", PER_BOARD, 5, 6, 9),
        power("chip", PER_CHIP, 0.25, 0.5, 1.0),  event("cycle", PER_CYCLE, 1, 100, 145, 200),
        event("byte", PER_BYTE, 2, 50, 200, 400),
    };
    std::vector<energy_count> counts_ = {
        {"core.active_cycles", 1000000000},
        {"core.interrupts", 77},
        {"sdram.bytes_read", 3000000000},
        {"sdram.bytes_written", 1000000000},
        {"ahb.accesses", 5},
    };
    energy_table table_ = {};
    energy_activity activity_ = {};
    const std::vector<const char *> names_ = {"core.active_cycles", "core.interrupts",
                                              "sdram.bytes_read", "sdram.bytes_written",
                                              "ahb.accesses"};
};

void expect_joules(const energy_joules &joules, double low, double value, double high)
{
    EXPECT_DOUBLE_EQ(joules.low, low);
    EXPECT_DOUBLE_EQ(joules.value, value);
    EXPECT_DOUBLE_EQ(joules.high, high);
}

TEST_F(Energy, AnEventCostsItsPicojoules)
{
    expect_joules(of(3), 0.1, 0.145, 0.2);
}

TEST_F(Energy, ATermMayCountSeveralEvents)
{
    expect_joules(of(4), 0.2, 0.8, 1.6);
}

TEST_F(Energy, PowerIsChargedForEachPartAndSecond)
{
    expect_joules(of(2), 3 * 2 * 0.25, 3 * 2 * 0.5, 3 * 2 * 1.0);
}

/* A count is events, or the time of all parts; both cost 10^12 times less. */
TEST_F(Energy, CountsMakeTheSameJoules)
{
    EXPECT_EQ(energy_count_of(&terms_[2], &activity_), 3 * 2e12);
    EXPECT_EQ(energy_count_of(&terms_[4], &activity_), 4e9);
    for (size_t i = 1; i < terms_.size(); i++) {
        const energy_joules joules =
            energy_of_count(&terms_[i], energy_count_of(&terms_[i], &activity_));
        const energy_joules same = of(i);
        expect_joules(joules, same.low, same.value, same.high);
    }
}

/* 4 J of the board in 2 s on 3 boards. */
TEST_F(Energy, ScopesCoverMoreAndMore)
{
    energy_scopes scopes;
    table_.outside[ENERGY_OUTSIDE_WALL] = {0.8, 0.5, 1, ENERGY_DERIVED, "s"};
    table_.outside[ENERGY_OUTSIDE_RACK] = {10, 5, 20, ENERGY_DERIVED, "s"};
    energy_scopes_of(&scopes, &table_, {1, 2, 3}, {3, 4, 5}, 2, 3);
    expect_joules(scopes.joules[ENERGY_CHIPS], 1, 2, 3);
    expect_joules(scopes.joules[ENERGY_BOARD], 3, 4, 5);
    expect_joules(scopes.joules[ENERGY_WALL], 3, 5, 10);
    expect_joules(scopes.joules[ENERGY_RACK], 3 + 30, 5 + 60, 10 + 120);
    EXPECT_TRUE(std::isnan(scopes.joules[ENERGY_HOST].value)) << "not charged by default";
    table_.outside[ENERGY_OUTSIDE_HOST] = {0, 0, 50, ENERGY_ASSUMED, "s"};
    energy_scopes_of(&scopes, &table_, {1, 2, 3}, {3, 4, 5}, 2, 3);
    expect_joules(scopes.joules[ENERGY_HOST], 33, 65, 130 + 100);
}

TEST_F(Energy, NothingIsKnownBeyondWhatIsGiven)
{
    energy_scopes scopes;
    table_.outside[ENERGY_OUTSIDE_RACK] = {10, 5, 20, ENERGY_DERIVED, "s"};
    energy_scopes_of(&scopes, &table_, {1, 2, 3}, {3, 4, 5}, 2, 3);
    expect_joules(scopes.joules[ENERGY_BOARD], 3, 4, 5);
    EXPECT_TRUE(std::isnan(scopes.joules[ENERGY_WALL].value));
    EXPECT_TRUE(std::isnan(scopes.joules[ENERGY_RACK].value)) << "no figure of the supply";
    table_.board_profile = "none";
    energy_scopes_of(&scopes, &table_, {1, 2, 3}, {1, 2, 3}, 2, 3);
    expect_joules(scopes.joules[ENERGY_CHIPS], 1, 2, 3);
    EXPECT_TRUE(std::isnan(scopes.joules[ENERGY_BOARD].value));
}

TEST_F(Energy, OnlyTheChosenBoardIsCharged)
{
    expect_joules(of(0), 0, 0, 0);
    expect_joules(of(1), 2 * 2 * 5.0, 2 * 2 * 6.0, 2 * 2 * 9.0);
    table_.board_profile = "none";
    expect_joules(of(1), 0, 0, 0);
}

TEST_F(Energy, TheTotalIsTheSumOfTheTerms)
{
    energy_joules sum = {0, 0, 0};
    for (size_t i = 0; i < terms_.size(); i++) {
        const energy_joules term = of(i);
        sum.low += term.low;
        sum.value += term.value;
        sum.high += term.high;
    }
    const energy_joules total = energy_total(&table_, &activity_);
    expect_joules(total, sum.low, sum.value, sum.high);
    expect_joules(total, 20 + 1.5 + 0.1 + 0.2, 24 + 3 + 0.145 + 0.8, 36 + 6 + 0.2 + 1.6);
}

TEST_F(Energy, TheDynamicPartIsWhatCountersCause)
{
    expect_joules(energy_dynamic(&table_, &activity_), 0.3, 0.945, 1.8);
}

TEST_F(Energy, DoubleTheTimeIsDoubleTheStaticEnergyOnly)
{
    const energy_joules once = energy_total(&table_, &activity_);
    activity_.time_ps *= 2;
    const energy_joules twice = energy_total(&table_, &activity_);
    EXPECT_DOUBLE_EQ(twice.value - once.value, 27.0);
}

TEST_F(Energy, ACounterThatDidNotMoveCostsNothing)
{
    counts_[0].value = 0;
    expect_joules(of(3), 0, 0, 0);
}

/* ---- names ---- */

TEST_F(Energy, AcceptsNamesThatAgree)
{
    EXPECT_EQ(check(names_), "");
}

TEST_F(Energy, RefusesACoefficientWithoutACounter)
{
    EXPECT_EQ(check({"core.active_cycles", "core.interrupts", "sdram.bytes_read", "ahb.accesses"}),
              "energy.byte: there is no counter of that name: sdram.bytes_written");
}

TEST_F(Energy, RefusesAFreeEntryWithoutACounter)
{
    EXPECT_EQ(
        check({"core.active_cycles", "core.interrupts", "sdram.bytes_read", "sdram.bytes_written"}),
        "energy.free: there is no counter of that name: ahb.*");
}

TEST_F(Energy, RefusesACounterThatIsNeitherPricedNorFree)
{
    std::vector<const char *> names = names_;
    names.push_back("core.instructions");
    EXPECT_EQ(check(names),
              "energy: this counter has no coefficient and is not free: core.instructions");
}

TEST_F(Energy, AStarStandsForTheCountersOfOneComponent)
{
    std::vector<const char *> names = names_;
    names.push_back("ahb.busy_ps");
    EXPECT_EQ(check(names), "");
    names.push_back("ahb2.busy_ps");
    EXPECT_EQ(check(names),
              "energy: this counter has no coefficient and is not free: ahb2.busy_ps");
}

TEST_F(Energy, EveryKindHasItsWord)
{
    EXPECT_STREQ(energy_kind_text(ENERGY_MEASURED), "measured");
    EXPECT_STREQ(energy_kind_text(ENERGY_DATASHEET), "datasheet");
    EXPECT_STREQ(energy_kind_text(ENERGY_DERIVED), "derived");
    EXPECT_STREQ(energy_kind_text(ENERGY_ASSUMED), "assumed");
}

/* ---- the coefficients that are shipped ---- */

class ShippedEnergy : public testing::Test
{
  protected:
    ShippedEnergy()
        : config_("include: [boards/one_chip.yaml, energy/spinnaker1.yaml]\n" + network_run)
    {
        EXPECT_TRUE(is_good(config_));
    }

    energy_joules of_a_second(const std::vector<energy_count> &counts)
    {
        energy_activity activity = {};
        activity.count = counts.data();
        activity.count_count = counts.size();
        activity.time_ps = SECOND;
        activity.chips = 1;
        activity.boards = 1;
        return energy_total(&config_->energy, &activity);
    }

    loaded config_;
};

TEST_F(ShippedEnergy, NamesTheCountersThatAMachineHas)
{
    std::vector<std::string> text;
    machine_each_counter_name(
        [](void *context, const char *component, const counter_info *info) {
            static_cast<std::vector<std::string> *>(context)->push_back(std::string(component) +
                                                                        "." + info->name);
        },
        &text);
    std::vector<const char *> names;
    for (const std::string &name : text) {
        names.push_back(name.c_str());
    }
    diagnostic why = {};
    EXPECT_EQ(energy_check(&config_->energy, names.data(), names.size(), &why), STATUS_OK)
        << why.text;
}

TEST_F(ShippedEnergy, AnIdleChipDrawsItsStaticPower)
{
    EXPECT_DOUBLE_EQ(of_a_second({}).value, 0.332 + 0.01875);
    EXPECT_DOUBLE_EQ(of_a_second({}).low, 0.315 + 0.015);
    EXPECT_DOUBLE_EQ(of_a_second({}).high, 0.349 + 0.0225);
}

/* Measured: 1.0 W (Painkras et al., JSSC 2013), at 180 MHz. */
TEST_F(ShippedEnergy, EighteenBusyCoresComeNearTheMeasuredWatt)
{
    const energy_joules busy = of_a_second({{"core.active_cycles", 18 * UINT64_C(180000000)}});
    EXPECT_NEAR(busy.value, 0.35075 + 0.6318, 1e-12);
    EXPECT_NEAR(busy.high, 0.3715 + 0.7452, 1e-12);
    EXPECT_GT(busy.high, 1.0);
}

TEST_F(ShippedEnergy, EveryTermIsInOrderAndHasASource)
{
    for (size_t i = 0; i < config_->energy.term_count; i++) {
        const energy_term &term = config_->energy.term[i];
        EXPECT_LE(term.low, term.value) << term.name;
        EXPECT_LE(term.value, term.high) << term.name;
        EXPECT_GT(std::strlen(term.source), 20u) << term.name;
    }
}

} // namespace
