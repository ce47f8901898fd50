/* results_test.cpp - the result folder: complete, the same every time, the same whoever watches. */
#include "tests/system/program.h"

#include <filesystem>
#include <regex>

class Results : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }

    const words few = {"--set", "data.test_images=60"};

    /* Equal but for `host` of summary.json, the only part that may differ, and its digest. */
    void same(const std::string &a, const std::string &b) const
    {
        ASSERT_EQ(files(a), files(b));
        for (const std::string &file : files(a)) {
            EXPECT_EQ(lasting(file, read(a + "/" + file)), lasting(file, read(b + "/" + file)))
                << file;
        }
    }
};

TEST_F(Results, HoldEveryFileOfTheContract)
{
    run(experiment("lenet1_synthetic"), "out", few);
    const words expected = {"config.yaml",   "console.txt",     "counters.csv", "energy.csv",
                            "keys.csv",      "learning.csv",    "manifest.csv", "phases.csv",
                            "placement.csv", "predictions.csv", "summary.json", "tensors.csv",
                            "traffic.csv"};
    EXPECT_EQ(files("out"), expected);
    EXPECT_TRUE(matches_manifest("out"));
    EXPECT_EQ(number("out", "schema"), 1);
    for (const char *key : {"name",
                            "status",
                            "identity.sim_hash",
                            "identity.energy_hash",
                            "identity.stats_hash",
                            "identity.version",
                            "identity.commit",
                            "identity.seed",
                            "identity.guest_compiler",
                            "network",
                            "variant",
                            "mode",
                            "number_format",
                            "mapping",
                            "dataset",
                            "chips",
                            "cores_used",
                            "images_tested",
                            "accuracy",
                            "seconds",
                            "seconds_load",
                            "seconds_train",
                            "seconds_test",
                            "images_per_second",
                            "core_cycles",
                            "instructions",
                            "packets_sent",
                            "deliveries",
                            "dropped_packets",
                            "late_interrupts",
                            "sdram_bytes",
                            "core_time.compute",
                            "core_time.bus_stall",
                            "core_time.dma_wait",
                            "core_time.packet_wait",
                            "core_time.idle",
                            "limited_by",
                            "energy.scope",
                            "energy.board_profile",
                            "energy.joules",
                            "energy.dynamic_joules",
                            "energy.joules_per_image",
                            "guest_errors",
                            "host.wall_seconds",
                            "host.run_seconds",
                            "host.mips",
                            "host.threads",
                            "host.tier",
                            "host.translations",
                            "host.native_runs"}) {
        (void)text("out", key);
    }
    EXPECT_EQ(number("out", "late_interrupts"), 0);
}

TEST_F(Results, AreTheSameToTheByteInTwoRuns)
{
    run(experiment("lenet1_synthetic"), "a", few);
    run(experiment("lenet1_synthetic"), "b", few);
    same("a", "b");
}

TEST_F(Results, AreTheSameOnAnyNumberOfThreadsAndWithObservers)
{
    run(experiment("lenet1_synthetic"), "plain", few);
    run(experiment("lenet1_synthetic"), "threads", {few[0], few[1], "--threads", "3"});
    const finished watched =
        run(experiment("lenet1_synthetic"), "watched", {few[0], few[1], "--progress", "json"});
    EXPECT_NE(watched.err.find("\"stage\": \"test\""), std::string::npos) << watched.err;
    same("plain", "threads");
    same("plain", "watched");
}

TEST_F(Results, CountTheSameWhetherCoresOrChipsAreRecorded)
{
    run(experiment("lenet1_synthetic"), "core", few);
    run(experiment("lenet1_synthetic"), "chip", {few[0], few[1], "--set", "record.counters=chip"});
    EXPECT_EQ(counters("core"), counters("chip"));
    EXPECT_EQ(text("core", "identity.stats_hash"), text("chip", "identity.stats_hash"));
}

TEST_F(Results, AreTheSameFromABuildWithAnotherCompiler)
{
    const char *other = getenv("SPINN_OTHER_BUILD");
    if (other == nullptr) {
        GTEST_SKIP() << "SPINN_OTHER_BUILD names no other build to compare with";
    }
    run(experiment("lenet1_synthetic"), "here", few);
    const finished there =
        run_command({std::string(other) + "/spinnsim", "run", experiment("lenet1_synthetic"),
                     "--out", "there", few[0], few[1]},
                    folder);
    ASSERT_EQ(there.status, 0) << there.err;
    same("here", "there");
}

TEST_F(Results, EveryCycleOfAStartedCoreBelongsToAPhase)
{
    run(experiment("lenet1_synthetic"), "out", few);
    uint64_t cycles = 0;
    const words rows = lines(read("out/phases.csv"));
    for (size_t i = 1; i < rows.size(); i++) {
        std::stringstream row(rows[i]);
        std::string field;
        for (int f = 0; f < 4; f++) {
            std::getline(row, field, ',');
        }
        cycles += std::stoull(field);
    }
    EXPECT_EQ(cycles, static_cast<uint64_t>(number("out", "core_cycles")));
    const uint64_t parts = static_cast<uint64_t>(
        number("out", "core_time.compute") + number("out", "core_time.bus_stall") +
        number("out", "core_time.dma_wait") + number("out", "core_time.packet_wait") +
        number("out", "core_time.idle"));
    EXPECT_EQ(parts, cycles);
}

/* The first that was changed is named, whatever the command would have read. */
TEST_F(Results, OfAChangedFolderAreReadByNoCommand)
{
    const words commands[] = {{"report", "out"},
                              {"report", "out", "--out", "page.html"},
                              {"plot", "out", "--out", "figures"},
                              {"plot", "out", "--x", "clock.cpu", "--y", "seconds", "--out", "f"},
                              {"plot", "out", "--map", "router.packets_mc", "--out", "f"},
                              {"energy", "out"},
                              {"diff", "out", "good"},
                              {"diff", "good", "out"}};
    run(experiment("lenet1_synthetic"), "good", few);
    std::filesystem::copy(path("good"), path("out"));
    write("out/notes.txt", "mine");
    for (const words &command : {commands[0], commands[5], commands[6]}) {
        EXPECT_EQ(spinnsim(command).status, 0) << command[0] << ": notes change nothing";
    }
    write("out/predictions.csv", read("out/predictions.csv") + "\n");
    for (const words &command : commands) {
        const finished refused = spinnsim(command);
        EXPECT_EQ(refused.status, 2) << command[0];
        EXPECT_EQ(refused.out, "");
        EXPECT_EQ(refused.err.rfind("spinnsim: out/predictions.csv: the file was changed after the "
                                    "run: it has ",
                                    0),
                  0u)
            << refused.err;
        EXPECT_EQ(lines(refused.err).size(), 2u);
    }
    EXPECT_FALSE(exists("page.html"));
    EXPECT_FALSE(exists("figures"));
    EXPECT_FALSE(exists("f"));
}

/* The manifest says what another program says of the same files. */
TEST_F(Results, AreThoseOfTheManifestByAnotherProgram)
{
    run(experiment("lenet1_synthetic"), "out", few);
    std::string sums;
    for (const auto &row : table_rows(read("out/manifest.csv"))) {
        sums += row.at("sha256") + "  " + row.at("file") + "\n";
        EXPECT_EQ(row.at("bytes"), std::to_string(read("out/" + row.at("file")).size()));
    }
    EXPECT_EQ(lines(sums).size() + 1, files("out").size()) << "all but the manifest itself";
    write("sums", sums);
    const finished checked =
        run_command({"sha256sum", "--check", "--quiet", "../sums"}, path("out"));
    EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
}

TEST_F(Results, AreDrawn)
{
    if (run_command({"gnuplot", "--version"}).status != 0) {
        GTEST_SKIP() << "gnuplot is not installed";
    }
    run(experiment("lenet1_synthetic"), "out", few);
    const finished plot = spinnsim({"plot", "out", "--out", "figures"});
    EXPECT_EQ(plot.status, 0) << plot.err;
    EXPECT_EQ(plot.err, "");
    EXPECT_EQ(files("figures"),
              (words{"out_energy_by_component.csv", "out_energy_by_component.gp",
                     "out_energy_by_component.svg", "out_energy_by_phase.csv",
                     "out_energy_by_phase.gp", "out_energy_by_phase.svg", "out_time_by_phase.csv",
                     "out_time_by_phase.gp", "out_time_by_phase.svg"}));
    const std::string energy = read("figures/out_energy_by_component.svg");
    for (const char *text : {"Energy by component", "scope: chips", "Energy (mJ)", "core_cycle"}) {
        EXPECT_NE(energy.find(text), std::string::npos) << text;
    }
    const std::string time = read("figures/out_time_by_phase.svg");
    for (const char *text : {"Time by phase", "Time of a core (ms)", "test: conv1 forward"}) {
        EXPECT_NE(time.find(text), std::string::npos) << text;
    }
    const std::string phases = read("figures/out_energy_by_phase.svg");
    for (const char *text : {"Energy by phase", "test: static", "test: conv1 forward", "sdram"}) {
        EXPECT_NE(phases.find(text), std::string::npos) << text;
    }
    /* Parts of a bar add up to what the phase took. */
    const words bars = lines(read("figures/out_energy_by_phase.csv"));
    ASSERT_EQ(bars[0], "place,phase,chip,core,sdram,low,high");
    double joules = 0;
    for (size_t i = 1; i < bars.size(); i++) {
        const auto row = table_rows(bars[0] + "\n" + bars[i] + "\n")[0];
        joules +=
            std::stod(row.at("chip")) + std::stod(row.at("core")) + std::stod(row.at("sdram"));
    }
    EXPECT_NEAR(joules, number("out", "energy.joules.default"), 1e-9);
}

TEST_F(Results, OfSeveralRunsAreDrawnOverAnyKey)
{
    if (run_command({"gnuplot", "--version"}).status != 0) {
        GTEST_SKIP() << "gnuplot is not installed";
    }
    run(experiment("hello"), "slow", {"--set", "clock.cpu=100 MHz"});
    run(experiment("hello"), "fast", {"--set", "clock.cpu=200 MHz"});
    const finished plot = spinnsim(
        {"plot", "slow", "fast", "--x", "clock.cpu", "--y", "energy.joules", "--out", "figures"});
    EXPECT_EQ(plot.status, 0) << plot.err;
    const words rows = lines(read("figures/energy_joules_over_clock_cpu.csv"));
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_EQ(rows[0], "folder,by,x,y_low,y,y_high,place");
    EXPECT_EQ(rows[1].substr(0, rows[1].find(',', 6)), "slow,,1e+08");
    EXPECT_TRUE(exists("figures/energy_joules_over_clock_cpu.svg"));
    EXPECT_TRUE(exists("figures/energy_joules_over_clock_cpu.gp"));
    EXPECT_EQ(spinnsim({"plot", "slow", "--x", "warp", "--y", "seconds"}).status, 2);
}

TEST_F(Results, AreReportedOnOnePage)
{
    run(experiment("lenet1_synthetic"), "out", few);
    const finished report = spinnsim({"report", "out"});
    EXPECT_EQ(report.status, 0) << report.err;
    EXPECT_NE(report.out.find("lenet1"), std::string::npos);
    EXPECT_NE(report.out.find(text("out", "identity.stats_hash").substr(0, 8)), std::string::npos)
        << report.out;
}

TEST_F(Results, FillAPage)
{
    run(experiment("hello"), "runs/hello");
    write("page", "{{hello:cores_used}} cores, {{hello:seconds * 1e3 | %.1f ms}}\n");
    const finished page = spinnsim({"report", "--template", "page", "runs"});
    EXPECT_EQ(page.status, 0) << page.err;
    EXPECT_EQ(page.out, "4 cores, 3.0 ms\n");
    write("page", "\n{{hello:nothing}}\n");
    const finished none = spinnsim({"report", "--template", "page", "runs"});
    EXPECT_EQ(none.status, 2);
    EXPECT_EQ(none.err.find("spinnsim: page:2: hello:nothing: nothing has this name"), 0u)
        << none.err;
    EXPECT_EQ(spinnsim({"report", "--template", "page", "runs", "runs"}).status, 2);
}

/* The documentation's command for a program of one's own, as it stands there, from the checkout. */
TEST_F(Results, OfTheDocumentedProgram)
{
    const std::string page = read_text(SPINN_SOURCE_DIR "/docs/programs.md");
    const std::string name = "hello.elf";
    const size_t begin = page.find("arm-none-eabi-gcc -mcpu=");
    ASSERT_NE(begin, std::string::npos);
    const size_t end = page.find(name, begin);
    ASSERT_NE(end, std::string::npos);
    const std::string compile = page.substr(begin, end - begin) + path(name);
    const finished made = run_command({"/bin/sh", "-c", compile}, SPINN_SOURCE_DIR);
    EXPECT_EQ(made.status, 0) << compile << made.err;
    run(path(name), "out");
    EXPECT_EQ(read("out/console.txt"),
              "0,0,1 core 1, tick 1\n0,0,1 core 1, tick 2\n0,0,1 core 1, tick 3\n");
    const std::string hello = read_text(SPINN_SOURCE_DIR "/workloads/examples/hello.c");
    EXPECT_NE(page.find(hello.substr(hello.find("#include"))), std::string::npos)
        << "the page shows the program";
}

/* Without ARM programs, too. */
TEST_F(SystemTest, ColumnsAreExplained)
{
    const finished all = spinnsim({"columns"});
    EXPECT_EQ(all.status, 0) << all.err;
    EXPECT_EQ(all.out, read_text(SPINN_SOURCE_DIR "/docs/result_files.md"))
        << "scripts/update_results.sh --columns writes it";
    const finished one = spinnsim({"columns", "drops.csv"});
    EXPECT_EQ(one.status, 0) << one.err;
    EXPECT_EQ(one.out.find("\n## drops.csv\n"), 0u) << one.out;
    EXPECT_NE(all.out.find(one.out), std::string::npos);
    const finished rate = spinnsim({"columns", "images_per_second"});
    EXPECT_EQ(rate.status, 0) << rate.err;
    EXPECT_EQ(rate.out, "images_per_second: Image rate (images/s): tested, validation included\n");
    const finished none = spinnsim({"columns", "notes.txt"});
    EXPECT_EQ(none.status, 2);
    EXPECT_EQ(none.err.find("spinnsim columns: notes.txt is no file of a result folder, and no "
                            "quantity of one\n"),
              0u)
        << none.err;
}
