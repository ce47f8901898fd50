/* From counters to joules and summary.json, and the bounds of `accept`. */
#include "tests/unit/recorder_fixture.h"

namespace
{

/* ---- joules ---- */

/* 0.332 + 0.01875 W for 3 s, 195 pJ a cycle awake, 0.22 nJ a byte. */
TEST(EnergyAccount, RowsAddUpToTheTotal)
{
    const config_of config;
    const two_cores cores;
    const tally_of t(cores.outcome);
    struct energy_account account;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(energy_account_of(&account, &config.config.energy, &t.tally, &diagnostic), STATUS_OK);
    const double dynamic = 6000 * 195e-12 + 4096 * 0.22e-9;
    EXPECT_NEAR(account.dynamic.value, dynamic, 1e-12 * dynamic);
    EXPECT_NEAR(account.total.value, 3 * 0.35075 + dynamic, 1e-12);
    EXPECT_NEAR(account.total.low, 3 * 0.330 + 6000 * 145e-12 + 4096 * 0.15e-9, 1e-12);
    EXPECT_NEAR(account.total.high, 3 * 0.3715 + 6000 * 230e-12 + 4096 * 0.37e-9, 1e-12);

    struct energy_joules sum = {0, 0, 0};
    std::string rows;
    for (size_t i = 0; i < account.row_count; i++) {
        const struct energy_row &row = account.row[i];
        rows += std::string(row.stage) + "/" + row.layer + "/" + row.phase + " ";
        sum.low += row.joules.low;
        sum.value += row.joules.value;
        sum.high += row.joules.high;
    }
    EXPECT_EQ(rows, "load//static load//start test//static test/conv1/forward run//other ");
    EXPECT_NEAR(sum.low, account.total.low, 1e-12);
    EXPECT_NEAR(sum.value, account.total.value, 1e-12);
    EXPECT_NEAR(sum.high, account.total.high, 1e-12);
    const double rest = 96 * 0.22e-9; /* read by nobody in a phase */
    EXPECT_NEAR(account.row[4].joules.value, rest, 1e-9 * rest);
    EXPECT_NEAR(account.stage[STAGE_TEST].value, 2 * 0.35075 + 5100 * 195e-12 + 4000 * 0.22e-9,
                1e-12);
    EXPECT_EQ(account.row[3].core_cycles, 5177u);
    EXPECT_EQ(account.row[3].sdram_bytes, 4000u);
    energy_account_deinit(&account);
}

TEST(EnergyAccount, TermsAddUpToTheTotal)
{
    const config_of config;
    const two_cores cores;
    const tally_of t(cores.outcome);
    struct record record = {};
    struct diagnostic diagnostic = {};
    ASSERT_EQ(energy_account_of(&record.energy, &config.config.energy, &t.tally, &diagnostic),
              STATUS_OK);
    const std::string table = written([&](FILE *stream) {
        (void)result_file_write(result_file_find("energy.csv"), stream, &record);
    });
    energy_account_deinit(&record.energy);
    double sum = 0;
    size_t lines = 0;
    for (size_t at = table.find('\n'); at + 1 < table.size(); at = table.find('\n', at + 1)) {
        char term[64];
        double low;
        double value;
        double high;
        ASSERT_EQ(sscanf(&table[at + 1], "%*[^,],%63[^,],%*[^,],%*[^,],%*[^,],%lf,%lf,%lf,", term,
                         &low, &value, &high),
                  4);
        EXPECT_LE(low, value);
        EXPECT_LE(value, high);
        sum += value;
        lines++;
    }
    EXPECT_EQ(lines, 18u) << "load, test and what is in none; no board: " << table;
    EXPECT_NEAR(sum, 3 * 0.35075 + 6000 * 195e-12 + 4096 * 0.22e-9, 1e-12);
    for (const char *row :
         {"\nload,chip,chip,1000000000000,ps,0.315,0.332,0.349,derived,\"Stromatias et al., IJCNN",
          "\nload,core,core_cycle,900,event,1.305e-07,1.755e-07,2.07e-07,derived,",
          "\ntest,sdram,sdram_byte,4000,event,6.000000000000001e-07,8.8e-07,",
          "\nrun,sdram,sdram_byte,96,event,", "\nrun,chip,chip,0,ps,0,0,0,derived,"}) {
        EXPECT_TRUE(contains(table, row)) << row << table;
    }
}

struct energy_joules sum_of(const struct energy_account &account, const std::string &stage)
{
    struct energy_joules sum = {0, 0, 0};
    for (size_t i = 0; i < account.stage_term_count; i++) {
        const struct energy_term_row &row = account.stage_term[i];
        if (row.stage == stage) {
            sum.low += row.joules.low;
            sum.value += row.joules.value;
            sum.high += row.joules.high;
        }
    }
    return sum;
}

/* Two epochs of 1 s and 1500 cycles each; rows for one are no part of the sum. */
TEST(EnergyAccount, AnEpochIsTheMeanOfThoseTrained)
{
    const config_of config;
    two_cores cores;
    struct outcome_epoch epochs[2] = {{two_cores::s, {}}, {two_cores::s, {}}};
    cores.outcome.epoch = epochs;
    cores.outcome.epoch_count = 2;
    struct outcome_stage_sum *active = &cores.stage_sum[0];
    active->of[STAGE_TRAIN] = 0;
    active->epochs = 3000;
    const tally_of t(cores.outcome);
    struct energy_account account;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(energy_account_of(&account, &config.config.energy, &t.tally, &diagnostic), STATUS_OK);
    EXPECT_NEAR(account.epoch.value, 0.35075 + 1500 * 195e-12, 1e-15);
    EXPECT_NEAR(account.epoch.low, 0.330 + 1500 * 145e-12, 1e-15);
    EXPECT_NEAR(sum_of(account, "epoch").high, account.epoch.high, 1e-15);
    EXPECT_NEAR(account.epoch.high, 0.3715 + 1500 * 230e-12, 1e-15);
    const double stages = sum_of(account, "load").value + sum_of(account, "test").value +
                          sum_of(account, "run").value;
    EXPECT_NEAR(stages, account.total.value, 1e-12);
    const std::string text = written([&account](FILE *stream) { energy_print(stream, &account); });
    EXPECT_TRUE(contains(text, "\nan epoch                     0.33      0.35075       0.3715\n"))
        << text;
    energy_account_deinit(&account);
}

/* The estimate of a sample of updates is taken as it stands. */
TEST(EnergyAccount, AnEpochIsTheEstimateOfASample)
{
    const config_of config;
    two_cores cores;
    struct outcome_epoch epoch = {two_cores::s, {}};
    struct outcome_sampled rows[2] = {};
    (void)snprintf(rows[0].quantity, sizeof rows[0].quantity, "seconds");
    rows[0].epoch = 0.5;
    (void)snprintf(rows[1].quantity, sizeof rows[1].quantity, "core.active_cycles");
    rows[1].epoch = 1000.5;
    cores.outcome.epoch = &epoch;
    cores.outcome.epoch_count = 1;
    cores.outcome.sample.row = rows;
    cores.outcome.sample.rows = 2;
    const tally_of t(cores.outcome);
    struct record record = {};
    struct diagnostic diagnostic = {};
    ASSERT_EQ(energy_account_of(&record.energy, &config.config.energy, &t.tally, &diagnostic),
              STATUS_OK);
    EXPECT_NEAR(record.energy.epoch.value, 0.5 * 0.35075 + 1000.5 * 195e-12, 1e-15);
    const std::string table = written([&](FILE *stream) {
        (void)result_file_write(result_file_find("energy.csv"), stream, &record);
    });
    EXPECT_TRUE(contains(table, "\nepoch,core,core_cycle,1000.5,event,")) << table;
    energy_account_deinit(&record.energy);
}

/* Same time, more traffic: more joules. */
TEST(EnergyAccount, TrafficCosts)
{
    const config_of config;
    two_cores cores;
    struct diagnostic diagnostic = {};
    double total[2];
    for (double &joules : total) {
        const tally_of t(cores.outcome);
        struct energy_account account;
        ASSERT_EQ(energy_account_of(&account, &config.config.energy, &t.tally, &diagnostic),
                  STATUS_OK);
        joules = account.total.value;
        energy_account_deinit(&account);
        cores.outcome.counter[4].value += 1000000;
    }
    EXPECT_NEAR(total[1] - total[0], 1e6 * 0.22e-9, 1e-12);
}

/* ---- accept ---- */

struct judged {
    judged(const std::string &accept, const struct outcome &outcome,
           const struct energy_account &energy = {}, const std::string &mode = "infer")
        : config("network: {name: lenet1}\ndata: {set: synthetic}\naccept: {" + accept +
                 "}\nmode: " + mode + "\n"),
          verdict(verdict_of(&config.config, &outcome, &energy)),
          status(verdict_explain(&verdict, &config.config, &said_of))
    {
        EXPECT_EQ(verdict.good, status == STATUS_OK) << accept;
    }

    config_of config;
    struct verdict verdict;
    struct diagnostic said_of = {};
    enum status status;
};

TEST(Verdict, BoundsHoldFromBothSides)
{
    two_cores cores;
    cores.outcome.result_count = 10000;
    const struct {
        const char *accept;
        uint32_t right;
        bool good;
    } cases[] = {{"accuracy: {min: 0.98}", 9800, true},
                 {"accuracy: {min: 0.98}", 9799, false},
                 {"accuracy: {max: 0.98}", 9800, true},
                 {"accuracy: {max: 0.98}", 9801, false},
                 {"accuracy: {min: 0.98, max: 0.99}", 9900, true},
                 {"accuracy: {min: 0.98, max: 0.99}", 9901, false}};
    for (const auto &c : cases) {
        cores.outcome.right = c.right;
        const judged j(c.accept, cores.outcome);
        EXPECT_EQ(j.verdict.good, c.good) << c.accept << " " << c.right;
        EXPECT_EQ(j.status, c.good ? STATUS_OK : STATUS_REJECTED);
    }
}

TEST(Verdict, NamesTheBoundThatDoesNotHold)
{
    two_cores cores;
    cores.outcome.result_count = 100;
    cores.outcome.right = 97;
    cores.outcome.guest_errors = 3;
    const judged low("accuracy: {min: 0.98}", cores.outcome);
    EXPECT_STREQ(low.said_of.text, "accuracy is 0.97, at least 0.98 is accepted");
    EXPECT_STREQ(low.said_of.key, "accept.accuracy");
    EXPECT_STREQ(low.said_of.file, "test.yaml");
    EXPECT_EQ(low.said_of.line, 5);
    const judged high("accuracy: {min: 0.9}, guest_errors: {max: 2}", cores.outcome);
    EXPECT_STREQ(high.said_of.text, "guest_errors is 3, at most 2 is accepted");
    EXPECT_STREQ(high.said_of.key, "accept.guest_errors");
    EXPECT_TRUE(judged("guest_errors: {max: 3}", cores.outcome).verdict.good);
}

/* Nothing was tested: a bound on accuracy cannot hold. */
TEST(Verdict, WhatIsNotKnownIsNotAccepted)
{
    const two_cores cores;
    EXPECT_EQ(judged("accuracy: {min: 0}", cores.outcome).status, STATUS_REJECTED);
    EXPECT_EQ(judged("accuracy: {max: 1}", cores.outcome).status, STATUS_REJECTED);
    EXPECT_STREQ(judged("accuracy: {max: 1}", cores.outcome).said_of.text,
                 "this run has no accuracy, at most 1 is accepted");
}

/* The host has no epochs of the machine: 0 s over 0 epochs is no number. */
TEST(Verdict, WithoutEpochsThereAreNoSecondsOfOne)
{
    const two_cores cores;
    ASSERT_EQ(cores.outcome.epoch_count, 0u);
    const judged none("seconds_per_epoch: {max: 1}", cores.outcome, {},
                      "train\ntrain: {global_batch: 24}");
    EXPECT_EQ(none.status, STATUS_REJECTED);
    EXPECT_STREQ(none.said_of.text, "this run has no seconds_per_epoch, at most 1 is accepted");
    EXPECT_STREQ(none.said_of.key, "accept.seconds_per_epoch");
}

TEST(Verdict, OtherMetrics)
{
    two_cores cores;
    struct machine_unmodelled unmodelled[2] = {};
    unmodelled[0].count = 4;
    unmodelled[1].count = 1;
    cores.outcome.unmodelled = unmodelled;
    cores.outcome.unmodelled_count = 2;
    cores.outcome.late_interrupts = 1;
    const struct {
        const char *accept;
        bool good;
    } cases[] = {{"unmodelled: {max: 5}", true},      {"unmodelled: {max: 4}", false},
                 {"late_interrupts: {max: 1}", true}, {"late_interrupts: {max: 0}", false},
                 {"seconds: {max: 3}", true},         {"seconds: {max: 2.999999}", false},
                 {"seconds: {min: 3}", true},         {"seconds: {min: 3.000001}", false},
                 {"dropped_packets: {max: 0}", true}};
    for (const auto &c : cases) {
        EXPECT_EQ(judged(c.accept, cores.outcome).verdict.good, c.good) << c.accept;
    }
}

/* The two cores test for 2 s. */
TEST(Verdict, JoulesAndImagesPerSecondAreTheMachines)
{
    two_cores cores;
    cores.outcome.result_count = 100;
    cores.outcome.validation_count = 50;
    cores.outcome.tests = 2;
    struct energy_account energy = {};
    energy.total.value = 0.5;
    energy.total.high = 9;
    const struct {
        const char *accept;
        bool good;
    } cases[] = {{"joules: {max: 0.5}", true},
                 {"joules: {max: 0.499}", false},
                 {"joules: {min: 0.5}", true},
                 {"joules: {min: 0.501}", false},
                 {"images_per_second: {min: 150}", true},
                 {"images_per_second: {min: 150.1}", false},
                 {"images_per_second: {max: 149.9}", false}};
    for (const auto &c : cases) {
        EXPECT_EQ(judged(c.accept, cores.outcome, energy).verdict.good, c.good) << c.accept;
    }
    cores.outcome.chips = 0; /* on the host */
    EXPECT_FALSE(judged("joules: {min: 0}", cores.outcome, energy).verdict.good);
    EXPECT_FALSE(judged("images_per_second: {min: 0}", cores.outcome, energy).verdict.good);
}

/* ---- what limits ---- */

struct printed_record {
    printed_record(struct job &job, const struct outcome &outcome)
    {
        struct diagnostic diagnostic = {};
        EXPECT_EQ(record_make(&record, &job, &outcome, &diagnostic), STATUS_OK);
        json = written([this](FILE *stream) { summary_write(stream, &record); });
        lines = written([this](FILE *stream) { summary_print(stream, &record); });
        record_deinit(&record);
    }

    struct record record = {};
    std::string json, lines;
};

/* Set-up waits for the bus, the test computes: what was asked for counts.  A run that did not come
 * so far is limited by what it did. */
TEST(Summary, SetUpIsNoLimit)
{
    const config_of config("network: {name: lenet1}\ndata: {set: synthetic}\n");
    two_cores cores;
    struct job job = {};
    job.config = &config.config;
    job.has_network = true;
    cores.outcome.core_hz = 200000000;
    cores.outcome.core_time.compute = 6000;
    cores.outcome.core_time.bus_stall = 90000;
    struct phase_sum *load = &cores.outcome.phase_sum[STAGE_LOAD][0];
    load->share[share_of("core", "active_cycles")] = 90100;
    load->share[share_of("core", "bus_wait_cycles")] = 90000;
    EXPECT_TRUE(contains(printed_record(job, cores.outcome).json, "\"limited_by\": \"compute\""));
    struct phase_sum *test = &cores.outcome.phase_sum[STAGE_TEST][1];
    test->share[share_of("core", "sleep_cycles")] = 6000;
    EXPECT_TRUE(contains(printed_record(job, cores.outcome).json, "\"limited_by\": \"idle\""));
    test->share[share_of("dma", "core_wait_ps")] = 5500 * 5000; /* 5,500 cycles */
    EXPECT_TRUE(contains(printed_record(job, cores.outcome).json, "\"limited_by\": \"dma_wait\""));
    *test = {};
    EXPECT_TRUE(contains(printed_record(job, cores.outcome).json, "\"limited_by\": \"bus_stall\""));
}

/* A figure beside the accuracy says of which images it is: those of the run, or those of the file
 * that has the weights. */
TEST(Summary, SaysOfWhichImagesTheReferenceIs)
{
    const config_of config("network: {name: lenet1}\ndata: {set: synthetic}\n");
    two_cores cores;
    struct job job = {};
    job.config = &config.config;
    job.has_network = true;
    (void)strcpy(job.weights.origin.dataset, "synthetic");
    job.weights.origin.reference_accuracy = 0.9957;
    cores.outcome.result_count = 16;
    cores.outcome.right = 16;
    cores.outcome.reference_accuracy = 0.9375;
    EXPECT_TRUE(contains(printed_record(job, cores.outcome).lines,
                         "accuracy        100.00 % of 16 images (float64: 93.75 %)\n"));
    cores.outcome.reference_accuracy = NAN;
    EXPECT_TRUE(contains(printed_record(job, cores.outcome).lines,
                         "of 16 images (the weights file says 99.57 % of its whole test set, in "
                         "float64)\n"));
    job.weights.origin.reference_accuracy = NAN;
    EXPECT_TRUE(contains(printed_record(job, cores.outcome).lines, "of 16 images\n"));
}

/* A run that ended before its test has neither accuracy nor speed. */
TEST(Summary, SaysNothingOfATestThatWasNot)
{
    const config_of config("network: {name: lenet1}\ndata: {set: synthetic}\n");
    two_cores cores;
    struct job job = {};
    job.config = &config.config;
    job.has_network = true;
    cores.outcome.result_count = 10;
    cores.outcome.right = 5;
    cores.outcome.reference_accuracy = NAN;
    const printed_record tested(job, cores.outcome);
    EXPECT_TRUE(contains(tested.lines, "accuracy        50.00 % of 10 images\n")) << tested.lines;
    EXPECT_TRUE(contains(tested.lines, "speed           5 images/s\n"));
    EXPECT_TRUE(contains(tested.lines, "(1000 ms of it set-up)"));
    EXPECT_TRUE(contains(tested.json, "\"accuracy\": 0.5,"));
    cores.outcome.right = 0;
    cores.outcome.stage_ps[STAGE_TEST] = 0;
    const printed_record none(job, cores.outcome);
    for (const char *text : {"accuracy", "images/s", "per image", "inf", "nan"}) {
        EXPECT_FALSE(contains(none.lines, text)) << none.lines;
    }
    EXPECT_TRUE(contains(none.json, "\"accuracy\": null,"));
    EXPECT_TRUE(contains(none.json, "\"images_per_second\": null,"));
    EXPECT_FALSE(contains(none.json, "joules_per_image"));
}

/* 2 s of 0.35075 W, 10^9 bits of 25 pJ in routers, 10^6 bytes of 0.22 nJ written. */
TEST(Summary, LoadingStandsApart)
{
    const std::string run = "network: {name: lenet1}\n";
    const config_of preload(run + "data: {set: synthetic}\n");
    const config_of ethernet(run + "data: {set: synthetic, input: ethernet, "
                                   "input_rate: 40 Mbit/s}\n");
    two_cores cores;
    struct job job = {};
    job.config = &preload.config;
    job.has_network = true;
    cores.outcome.input = {70000, 48, 1000000, 0, 0, 0};
    const printed_record before(job, cores.outcome);
    EXPECT_TRUE(contains(before.lines, "loading         not charged: 70000 images, each on 48 "
                                       "chips, 1 MB of SDRAM filled before the clock starts\n"))
        << before.lines;
    EXPECT_TRUE(contains(before.json, "\"loading\": {\n    \"input\": \"preload\",\n"
                                      "    \"way\": \"none: in SDRAM before the clock starts, not "
                                      "charged\",\n    \"images\": 70000,\n"
                                      "    \"copies\": 48,\n    \"sdram_bytes\": 1000000\n"))
        << before.json;
    job.config = &ethernet.config;
    cores.outcome.input = {70000, 48, 1000000, 20000, 1000000000, 2 * two_cores::s};
    const printed_record record(job, cores.outcome);
    EXPECT_TRUE(contains(record.lines,
                         "loading         apart: 2 s, 0.7267 J (0.6776 to 0.7759), computed from a "
                         "stated rate of 40 Mbit/s; 0.02 MB over Ethernet\n"
                         "                70000 images, each on 48 chips, 1 MB of SDRAM\n"))
        << record.lines;
    for (const char *text :
         {"\"input\": \"ethernet\"", "\"bits_per_second\": 40000000", "\"ethernet_bytes\": 20000",
          "\"router_bits\": 1000000000", "\"default\": 0.7267",
          ("\"way\": \"stated rate: one copy over the Ethernet of each board, multicast to its "
           "chips\"")}) {
        EXPECT_TRUE(contains(record.json, text)) << text << "\n" << record.json;
    }
    const size_t energy = before.json.find("\"energy\"");
    EXPECT_EQ(record.json.substr(record.json.find("\"energy\"")), before.json.substr(energy))
        << "the run's own energy is the same";
}

/* ---- a whole record ---- */

TEST(Record, IsAFolderOfItsFiles)
{
    const config_of config;
    two_cores cores;
    struct job job = {};
    struct record record;
    struct diagnostic diagnostic = {};
    job.config = &config.config;
    std::string console = "0,0,1 hello\n";
    cores.outcome.console = &console[0];
    cores.outcome.console_bytes = console.size();
    struct outcome_core placed = {};
    placed.core = {0, 0, 1};
    placed.virtual_core = 1;
    (void)snprintf(placed.role, sizeof placed.role, "odd, \"name\"");
    cores.outcome.core = &placed;
    cores.outcome.core_count = 1;
    ASSERT_EQ(record_make(&record, &job, &cores.outcome, &diagnostic), STATUS_OK);
    const temporary_folder folder;
    ASSERT_EQ(record_write(&record, folder.file("run").c_str(), &diagnostic), STATUS_OK)
        << said(diagnostic);
    const auto content = [&folder](const std::string &name) {
        const byte_string bytes = read_file(folder.file("run/" + name));
        return std::string(bytes.begin(), bytes.end());
    };
    EXPECT_EQ(content("console.txt"), console);
    EXPECT_EQ(content("counters.csv"), table_of(cores.outcome, true));
    EXPECT_TRUE(contains(content("placement.csv"),
                         "\n0,0,1,1,\"odd, \"\"name\"\"\",,0,0,0,0x00000000,"
                         "0x00000000\n"));
    EXPECT_TRUE(contains(content("summary.json"), "\"status\": \"done\""));
    EXPECT_TRUE(contains(content("summary.json"), "\"seconds\": 3,"));
    EXPECT_TRUE(contains(content("summary.json"), "\"core_cycles\": 6077,"));
    EXPECT_TRUE(contains(content("config.yaml"), "name: test\n"));

    /* Twice the same. */
    ASSERT_EQ(record_write(&record, folder.file("again").c_str(), &diagnostic), STATUS_OK);
    for (const char *name : {"counters.csv", "phases.csv", "energy.csv", "summary.json"}) {
        EXPECT_EQ(read_file(folder.file(std::string("again/") + name)),
                  read_file(folder.file(std::string("run/") + name)));
    }
    cores.outcome.console = nullptr;
    cores.outcome.core = nullptr;
    record_deinit(&record);
}

TEST(Record, IsNothingWhereItCannotBe)
{
    const config_of config;
    const two_cores cores;
    struct job job = {};
    struct record record;
    struct diagnostic diagnostic = {};
    job.config = &config.config;
    ASSERT_EQ(record_make(&record, &job, &cores.outcome, &diagnostic), STATUS_OK);
    const temporary_folder folder;
    (void)folder.write("file", {});
    EXPECT_EQ(record_write(&record, folder.file("file/run").c_str(), &diagnostic),
              STATUS_CONFIGURATION);
    EXPECT_EQ(folder.names(), std::vector<std::string>{"file"});
    record_deinit(&record);
}

} // namespace
