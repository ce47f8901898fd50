/* Sums of counters: what adds up, and what comes back from counters.csv. */
#include "tests/unit/recorder_fixture.h"

namespace
{

/* ---- sums ---- */

TEST(Tally, AddsPartsOfOneKind)
{
    const two_cores cores;
    const tally_of t(cores.outcome);
    EXPECT_EQ(tally_value(&t->total, "core.active_cycles"), 6000u);
    EXPECT_EQ(tally_value(&t->total, "core.sleep_cycles"), 77u);
    EXPECT_EQ(tally_value(&t->total, "sdram.bytes_read"), 4096u);
    EXPECT_EQ(tally_value(&t->total, "core.active"), 0u) << "no such counter";
    ASSERT_EQ(t->phase_count, 2u) << "only those that occurred";
    EXPECT_EQ(t->phase[0].stage, STAGE_LOAD);
    EXPECT_EQ(tally_value(&t->phase[0].sums, "core.active_cycles"), 900u);
    EXPECT_EQ(t->phase[1].stage, STAGE_TEST);
    EXPECT_STREQ(t->phase[1].phase.layer, "conv1");
    EXPECT_EQ(tally_value(&t->phase[1].sums, "sdram.bytes_read"), 4000u);
    for (size_t i = 0; i < t->total.size; i++) {
        EXPECT_EQ(t->total.count[i].name, t->total.name[i]) << "names are where they end up";
    }
}

TEST(Tally, RefusesMoreCountersThanItHasRoomFor)
{
    std::vector<std::string> names;
    for (int i = 0; i <= TALLY_COUNTERS_MAX; i++) {
        names.push_back("c" + std::to_string(i));
    }
    std::vector<struct counter_info> infos;
    for (const std::string &name : names) {
        infos.push_back({name.c_str(), "", ""});
    }
    two_cores cores;
    cores.outcome.counter_count = 0;
    cores.outcome.stage_sum_count = 0;
    for (int i = 0; i < TALLY_COUNTERS_MAX; i++) {
        cores.add("x", -1, infos[static_cast<size_t>(i)], 1);
    }
    EXPECT_EQ(tally_of(cores.outcome)->total.size, size_t{TALLY_COUNTERS_MAX});
    cores.add("x", -1, infos.back(), 1);
    struct tally tally;
    struct diagnostic diagnostic = {};
    EXPECT_EQ(tally_of_outcome(&tally, &cores.outcome, &diagnostic), STATUS_INTERNAL);
    EXPECT_EQ(tally.phase, nullptr);
}

/* ---- counters.csv ---- */

TEST(Tally, WritesEveryCoreOrTheChip)
{
    const two_cores cores;
    const std::string by_core = table_of(cores.outcome, true);
    EXPECT_TRUE(contains(by_core, "phase,component,x,y,core_or_link,counter,unit,value\n"
                                  "run,machine,,,,time_ps,ps,3000000000000\n"
                                  "load,machine,,,,stage_ps,ps,1000000000000\n"));
    EXPECT_TRUE(contains(by_core, "run,core,0,0,1,active_cycles,cycle,1000\n"
                                  "run,core,0,0,2,active_cycles,cycle,5000\n"));
    EXPECT_TRUE(contains(by_core, "run,sdram,0,0,,bytes_read,byte,4096\n"));
    EXPECT_TRUE(contains(by_core, "test/conv1/forward,core,,,,active_cycles,cycle,5100\n"));
    const std::string by_chip = table_of(cores.outcome, false);
    EXPECT_TRUE(contains(by_chip, "run,core,0,0,,active_cycles,cycle,6000\n"));
    EXPECT_FALSE(contains(by_chip, "1000\n"));
}

/* What has no row is 0.  A phase without any count keeps its cycles, by which readers know it. */
TEST(Tally, WritesCountsOfZeroOnRequest)
{
    two_cores cores;
    cores.outcome.phase_sum[STAGE_TRAIN][0].times = 1;
    const std::string without = table_of(cores.outcome, true);
    EXPECT_TRUE(contains(without, "train//start,machine,,,,core_cycles_least,cycle,0\n"));
    EXPECT_FALSE(contains(without, "train//start,core,")) << without;
    const std::string with = table_of(cores.outcome, true, true);
    EXPECT_TRUE(contains(with, "\ntrain//start,core,,,,active_cycles,cycle,0\n"));
    EXPECT_TRUE(contains(with, "\ntest/conv1/forward,dma,,,,core_wait_ps,ps,0\n"));
    const temporary_folder one;
    const temporary_folder other;
    const tally_of read(one, without);
    const tally_of whole(other, with);
    ASSERT_EQ(read.status, STATUS_OK) << said(read.said_of);
    ASSERT_EQ(whole.status, STATUS_OK) << said(whole.said_of);
    EXPECT_EQ(read->phase_count, 3u);
    EXPECT_EQ(whole->phase_count, 3u);
    for (size_t i = 0; i < whole->total.size; i++) {
        EXPECT_EQ(tally_value(&read->total, whole->total.name[i]), whole->total.count[i].value);
    }
}

TEST(Tally, ComesBackFromItsTable)
{
    const two_cores cores;
    const tally_of made(cores.outcome);
    for (const bool by_core : {true, false}) {
        const temporary_folder folder;
        const tally_of read(folder, table_of(cores.outcome, by_core));
        ASSERT_EQ(read.status, STATUS_OK) << said(read.said_of);
        EXPECT_EQ(read->time_ps, made->time_ps);
        EXPECT_EQ(std::memcmp(read->stage_ps, made->stage_ps, sizeof made->stage_ps), 0);
        EXPECT_EQ(read->chips, 1u);
        EXPECT_EQ(read->boards, 1u);
        ASSERT_EQ(read->total.size, made->total.size);
        for (size_t i = 0; i < made->total.size; i++) {
            EXPECT_EQ(tally_value(&read->total, made->total.name[i]), made->total.count[i].value);
        }
        ASSERT_EQ(read->phase_count, 2u);
        for (size_t p = 0; p < 2; p++) {
            EXPECT_EQ(read->phase[p].stage, made->phase[p].stage);
            EXPECT_STREQ(read->phase[p].phase.layer, made->phase[p].phase.layer);
            EXPECT_STREQ(read->phase[p].phase.name, made->phase[p].phase.name);
            EXPECT_EQ(read->phase[p].least_cycles, made->phase[p].least_cycles);
            EXPECT_EQ(read->phase[p].most_cycles, made->phase[p].most_cycles);
            for (size_t i = 0; i < made->phase[p].sums.size; i++) {
                EXPECT_EQ(tally_value(&read->phase[p].sums, made->phase[p].sums.name[i]),
                          made->phase[p].sums.count[i].value);
            }
        }
    }
}

TEST(Tally, StagesAddUpToTheRun)
{
    const two_cores cores;
    const std::string table = table_of(cores.outcome, true);
    EXPECT_TRUE(contains(table, "\nload,core,,,,active_cycles,cycle,900\n"
                                "test,core,,,,active_cycles,cycle,5100\n"
                                "test,core,,,,sleep_cycles,cycle,77\n"
                                "test,sdram,,,,bytes_read,byte,4000\n"))
        << table;
    const temporary_folder folder;
    const tally_of read(folder, table);
    const tally_of made(cores.outcome);
    for (const tally_of *t : {&read, &made}) {
        const struct tally_sums *stage = (*t)->stage;
        EXPECT_EQ(tally_value(&stage[STAGE_LOAD], "core.active_cycles"), 900u);
        EXPECT_EQ(tally_value(&stage[STAGE_TEST], "core.active_cycles"), 5100u);
        EXPECT_EQ(tally_value(&stage[STAGE_RUN], "core.active_cycles"), 0u);
        EXPECT_EQ(tally_value(&stage[STAGE_RUN], "sdram.bytes_read"), 96u) << "in no stage";
        EXPECT_EQ((*t)->epoch.number, 0u);
    }
}

TEST(Tally, RefusesStagesWithMoreThanTheRun)
{
    const std::string head = "phase,component,x,y,core_or_link,counter,unit,value\n"
                             "run,core,0,0,1,active_cycles,cycle,10\n"
                             "load,core,,,,active_cycles,cycle,4\n";
    const temporary_folder folder;
    EXPECT_EQ(tally_of(folder, head + "test,core,,,,active_cycles,cycle,6\n").status, STATUS_OK);
    for (const char *row : {"test,core,,,,active_cycles,cycle,7\n", "test,core,,,,naps,cycle,1\n",
                            "epochs,machine,,,,epochs,epoch,0\n", "epochs,machine,,,,x,ps,1\n"}) {
        const tally_of t(folder, head + row);
        EXPECT_EQ(t.status, STATUS_CONFIGURATION) << row;
        EXPECT_EQ(t.said_of.file, folder.file("counters.csv"));
    }
}

/* Two epochs of 2 s together. */
TEST(Tally, AnEpochComesBack)
{
    two_cores cores;
    struct outcome_epoch epochs[2] = {{two_cores::s / 2, {}}, {3 * two_cores::s / 2, {}}};
    cores.outcome.epoch = epochs;
    cores.outcome.epoch_count = 2;
    cores.stage_sum[0].epochs = 3001;
    const std::string table = table_of(cores.outcome, true);
    EXPECT_TRUE(contains(table, "\nepochs,machine,,,,epochs,epoch,2\n"
                                "epochs,machine,,,,stage_ps,ps,2000000000000\n"
                                "epochs,core,,,,active_cycles,cycle,3001\n"))
        << table;
    const temporary_folder folder;
    const tally_of read(folder, table);
    const tally_of made(cores.outcome);
    for (const tally_of *t : {&read, &made}) {
        EXPECT_EQ((*t)->epoch.number, 2u);
        EXPECT_EQ((*t)->epoch.time_ps, 1e12);
        EXPECT_STREQ((*t)->epoch.count[0].name, "core.active_cycles");
        EXPECT_EQ((*t)->epoch.count[0].value, 1500.5);
    }
}

TEST(Tally, RefusesABrokenSample)
{
    const std::string good = "quantity,epoch\nseconds,0.5\ncore.active_cycles,7.5\n";
    const temporary_folder folder;
    const two_cores cores;
    const auto read_with = [&](const std::string &sampled) {
        (void)folder.write("sampled.csv", byte_string(sampled.begin(), sampled.end()));
        return std::make_unique<tally_of>(folder, table_of(cores.outcome, true));
    };
    const auto sample = read_with(good);
    EXPECT_EQ((*sample)->epoch.number, 1u);
    EXPECT_EQ((*sample)->epoch.time_ps, 5e11);
    EXPECT_EQ((*sample)->epoch.count[0].value, 7.5);
    for (const char *row : {"core.active_cycles,\n", "core.active_cycles,nan\n", "a\n"}) {
        const auto broken = read_with(good + row);
        EXPECT_EQ(broken->status, STATUS_CONFIGURATION) << row;
        EXPECT_EQ(broken->said_of.file, folder.file("sampled.csv"));
        EXPECT_EQ(broken->said_of.line, 4);
    }
    EXPECT_EQ(read_with("quantity,update\n")->status, STATUS_CONFIGURATION);
}

TEST(Tally, RefusesLinesThatItDidNotWrite)
{
    const std::string head = "phase,component,x,y,core_or_link,counter,unit,value\n";
    const char *const wrong[] = {"run,core,0,0,1,active_cycles,cycle\n",
                                 "run,core,0,0,1,active_cycles,cycle,1,2\n",
                                 "run,core,0,0,1,active_cycles,cycle,-1\n",
                                 "run,core,0,0,1,active_cycles,cycle,1.5\n",
                                 "run,core,0,0,1,active_cycles,cycle, 1\n",
                                 "run,core,0,0,1,active_cycles,cycle,\n",
                                 "run,core,0,0,1,active_cycles,cycle,18446744073709551616\n",
                                 "run,machine,,,,speed,ps,1\n",
                                 "dance,machine,,,,stage_ps,ps,1\n",
                                 "test,machine,,,,time_ps,ps,1\n",
                                 "dance/a/b,core,,,,active_cycles,cycle,1\n",
                                 "test/a,core,,,,active_cycles,cycle,1\n",
                                 "\nrun,machine,,,,time_ps,ps,1\n"};
    for (const char *line : wrong) {
        const temporary_folder folder;
        const tally_of t(folder, head + "run,machine,,,,time_ps,ps,1\n" + line);
        EXPECT_EQ(t.status, STATUS_CONFIGURATION) << line;
        EXPECT_EQ(t.said_of.file, folder.file("counters.csv"));
        EXPECT_EQ(t.said_of.line, 3) << line;
        EXPECT_EQ(t->phase, nullptr);
    }
    const temporary_folder folder;
    EXPECT_EQ(tally_of(folder, "x" + head).said_of.line, 1);
    EXPECT_EQ(tally_of(folder, head + "run,core,0,0,1,a,b,18446744073709551615\n").status,
              STATUS_OK);
}

TEST(Tally, RefusesMorePhasesThanARunCanHave)
{
    std::string text = "phase,component,x,y,core_or_link,counter,unit,value\n";
    const auto phase = [](unsigned number) {
        return "run/layer/p" + std::to_string(number) + ",core,,,,active_cycles,cycle,1\n";
    };
    const unsigned most = static_cast<unsigned>(STAGES) * PHASES_MAX;
    for (unsigned i = 0; i < most; i++) {
        text += phase(i);
    }
    const temporary_folder folder;
    EXPECT_EQ(tally_of(folder, text)->phase_count, most);
    const tally_of more(folder, text + phase(most));
    EXPECT_EQ(more.status, STATUS_CONFIGURATION);
    EXPECT_EQ(more.said_of.line, static_cast<int>(most) + 2);
}

/* The stage of programs that are no network has the whole run's name; that must not matter. */
TEST(Tally, AStageCalledRunIsNotTheWholeRun)
{
    two_cores cores;
    cores.outcome.stage_ps[STAGE_RUN] = 7;
    const temporary_folder folder;
    const tally_of read(folder, table_of(cores.outcome, true));
    EXPECT_EQ(read->stage_ps[STAGE_RUN], 7u);
    EXPECT_EQ(read->time_ps, 3 * two_cores::s);
}

} // namespace
