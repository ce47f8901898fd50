/* sweep_test.cpp - `spinnsim sweep`: one table, whatever has happened on the way. */
#include "tests/system/program.h"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

using row = std::map<std::string, std::string>;

class Sweep : public SystemTest
{
  protected:
    finished sweep(const words &more) const
    {
        words all = {"sweep",      experiment("lenet1_synthetic"),
                     "--set",      "data.test_images=2",
                     "--progress", "none"};
        all.insert(all.end(), more.begin(), more.end());
        return spinnsim(all);
    }

    static words with(words first, const words &more)
    {
        first.insert(first.end(), more.begin(), more.end());
        return first;
    }

    std::vector<row> table(const std::string &out) const
    {
        return table_rows(read(out + "/lenet1_synthetic-sweep.csv"));
    }
};

TEST_F(Sweep, HasARowForEachPoint)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
    }
    const finished result = sweep({"--axis", "mapping.cores_per_chip=1,99", "--axis",
                                   "clock.cpu=100 MHz,200 MHz", "--out", "s"});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_NE(
        result.out.find("4 points: 2 done, 0 failed, 0 at a limit, 2 refused (0 had run before)"),
        std::string::npos)
        << result.out;
    const std::vector<row> rows = table("s");
    ASSERT_EQ(rows.size(), 4u);
    EXPECT_EQ(rows[1].at("mapping.cores_per_chip"), "1");
    EXPECT_EQ(rows[1].at("clock.cpu"), "200 MHz");
    EXPECT_EQ(rows[1].at("status"), "done");
    EXPECT_EQ(rows[3].at("status"), "refused");
    EXPECT_NE(rows[3].at("message").find("\"\"99\"\" is out of range"), std::string::npos)
        << rows[3].at("message");

    /* The point is the run. */
    run(experiment("lenet1_synthetic"), "alone",
        {"--set", "data.test_images=2", "--set", "mapping.cores_per_chip=1", "--set",
         "clock.cpu=100 MHz"});
    const std::string folder = "s/" + rows[0].at("folder");
    EXPECT_EQ(text("alone", "identity.stats_hash"), text(folder, "identity.stats_hash"));
    EXPECT_EQ(rows[0].at("seconds [s]"), text("alone", "seconds"));
    EXPECT_EQ(rows[0].at("energy.joules.high [J]"), text("alone", "energy.joules.high"));

    /* What has run is not run again, and nothing of it is written anew. */
    const std::string summary = read(folder + "/summary.json");
    const std::string before = read("s/lenet1_synthetic-sweep.csv");
    const std::string left = "s/lenet1_synthetic-0123abcd.part-4194305";
    ASSERT_TRUE(std::filesystem::create_directory(this->folder + "/" + left));
    write(left + "/counters.csv", "of a killed run");
    ASSERT_TRUE(exists(left + "/counters.csv"));
    const finished again = sweep({"--axis", "mapping.cores_per_chip=1,99", "--axis",
                                  "clock.cpu=100 MHz,200 MHz", "--out", "s"});
    EXPECT_NE(again.out.find("(2 had run before)"), std::string::npos) << again.out;
    EXPECT_EQ(read(folder + "/summary.json"), summary);
    EXPECT_EQ(read("s/lenet1_synthetic-sweep.csv"), before);
    EXPECT_FALSE(exists(left));
}

/* A status that would be a formula, and a row of its own. */
static const char ATTACK[] = R"(=HYPERLINK(\"x\"),done\nfake,row)";

/* Results that were edited are not believed, though they are of the right simulation. */
TEST_F(Sweep, RunsAgainWhatWasChanged)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
    }
    const words axis = {"--axis", "mapping.cores_per_chip=1,2", "--out", "s"};
    const std::string file = "s/lenet1_synthetic-sweep.csv";
    ASSERT_EQ(sweep(axis).status, 0);
    const std::string before = read(file);
    const std::string out = "s/" + table("s")[0].at("folder");
    const std::string summary = read(out + "/summary.json");
    std::string edited = summary;
    const std::string status = "\"status\": \"done\"";
    const std::string seconds = "\"seconds\": ";
    edited.replace(edited.find(status), status.size(),
                   std::string("\"status\": \"") + ATTACK + "\"");
    edited.insert(edited.find(seconds) + seconds.size(), "1");
    for (const std::string &wrong : {edited, std::string("{}")}) {
        write(out + "/summary.json", wrong);
        words dry = axis;
        dry.emplace_back("--dry-run");
        const finished plan = sweep(dry);
        EXPECT_NE(plan.out.find("2 points: 1 to run, 1 have run"), std::string::npos) << plan.out;
        const finished again = sweep(axis);
        EXPECT_EQ(again.status, 0) << again.err;
        for (const finished &told : {plan, again}) {
            EXPECT_EQ(told.err.rfind("spinnsim: warning: " + out +
                                         "/summary.json: the file was "
                                         "changed after the run: ",
                                     0),
                      0u)
                << told.err;
            EXPECT_NE(told.err.find("\n    hint: the point is run again\n"), std::string::npos);
            EXPECT_EQ(lines(told.err).size(), 2u) << told.err;
        }
        EXPECT_NE(again.out.find("(1 had run before)"), std::string::npos) << again.out;
        EXPECT_EQ(read(file), before);
        EXPECT_EQ(spinnsim({"report", out}).status, 0) << "the folder is whole again";
    }
    std::filesystem::remove(path(out + "/manifest.csv"));
    EXPECT_NE(sweep(axis).err.find("the results have no manifest"), std::string::npos);
    EXPECT_EQ(read(file), before);
}

/* Whoever can write a manifest can make a sweep take a summary, but no more than one field of it.
 */
TEST_F(Sweep, TextOfResultsStaysInItsField)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
    }
    const words axis = {"--axis", "mapping.cores_per_chip=1,2", "--out", "s"};
    ASSERT_EQ(sweep(axis).status, 0);
    const std::string out = "s/" + table("s")[0].at("folder");
    std::string summary = read(out + "/summary.json");
    const std::string status = "\"status\": \"done\"";
    summary.replace(summary.find(status), status.size(),
                    std::string("\"status\": \"limit\", \"failure\": \"") + ATTACK + "\"");
    write(out + "/summary.json", summary);
    sign(out);
    const finished again = sweep(axis);
    EXPECT_EQ(again.err, "");
    EXPECT_NE(again.out.find("(2 had run before)"), std::string::npos) << again.out;
    const words rows = lines(read("s/lenet1_synthetic-sweep.csv"));
    ASSERT_EQ(rows.size(), 3u);
    const std::string message = ",\"'=HYPERLINK(\"\"x\"\"),done\xef\xbf\xbd"
                                "fake,row\"";
    EXPECT_EQ(rows[1].rfind("1,1,limit,", 0), 0u) << rows[1];
    ASSERT_GT(rows[1].size(), message.size());
    EXPECT_EQ(rows[1].substr(rows[1].size() - message.size()), message);
}

TEST_F(Sweep, CoefficientsAreNotSimulatedAnew)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
    }
    const words axis = {"--axis", "energy.core_cycle.value=145 pJ,150 pJ", "--out", "s"};
    const finished result = sweep(axis);
    ASSERT_EQ(result.status, 0) << result.err;
    const std::vector<row> rows = table("s");
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].at("folder"), rows[1].at("folder"));
    EXPECT_EQ(files("s").size(), 2u) << "one run, one table";
    for (unsigned i = 0; i < 2; i++) {
        run(experiment("lenet1_synthetic"), "r" + std::to_string(i),
            {"--set", "data.test_images=2", "--set",
             i == 0 ? "energy.core_cycle.value=145 pJ" : "energy.core_cycle.value=150 pJ"});
        for (const std::string key : {"energy.joules.default", "energy.dynamic_joules.high",
                                      "energy.joules_per_image.low", "energy.mean_watts.default"}) {
            const std::string unit = key.find("watts") == std::string::npos ? " [J]" : " [W]";
            EXPECT_EQ(rows[i].at(key + unit), text("r" + std::to_string(i), key)) << key;
        }
    }
    EXPECT_NE(rows[0].at("energy.joules.default [J]"), rows[1].at("energy.joules.default [J]"));
}

/* Killed ten times and resumed: the bytes of a sweep in one go. */
TEST_F(Sweep, GoesOnWhereItWasKilled)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
    }
    const words axes = {"--axis", "mapping.cores_per_chip=1,2,3,4",
                        "--axis", "clock.cpu=100 MHz,150 MHz,200 MHz",
                        "--axis", "seed=1,2"};
    const std::string yaml = experiment("lenet1_synthetic");
    for (unsigned round = 0; round < 10; round++) {
        const pid_t child = fork();
        if (child == 0) {
            const int nowhere = open("/dev/null", O_RDWR);
            (void)dup2(nowhere, 1);
            (void)dup2(nowhere, 2);
            if (chdir(folder.c_str()) == 0) {
                execl(SPINN_PROGRAM, SPINN_PROGRAM, "sweep", yaml.c_str(), "--set",
                      "data.test_images=2", "--axis", axes[1].c_str(), "--axis", axes[3].c_str(),
                      "--axis", axes[5].c_str(), "--out", "killed", "-j", "2", nullptr);
            }
            _exit(127);
        }
        usleep(60000 + 37000 * round); /* of a second or so: at many moments of it */
        (void)kill(child, round % 2 == 0 ? SIGKILL : SIGTERM);
        int ended = 0;
        ASSERT_EQ(waitpid(child, &ended, 0), child);
        ASSERT_FALSE(WIFEXITED(ended) && WEXITSTATUS(ended) == 127);
    }
    for (const words &out :
         {words{"--out", "killed", "-j", "2"}, words{"--out", "whole", "-j", "1"}}) {
        words all = axes;
        all.insert(all.end(), out.begin(), out.end());
        const finished result = sweep(all);
        ASSERT_EQ(result.status, 0) << result.err;
    }
    EXPECT_EQ(table("whole").size(), 24u);
    EXPECT_EQ(read("killed/lenet1_synthetic-sweep.csv"), read("whole/lenet1_synthetic-sweep.csv"));
}

TEST_F(Sweep, TheFileNamesAxesAndFigure)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
    }
    write("s.yaml",
          "include: [" + experiment("lenet1_synthetic") +
              "]\nname: two\ndata: {test_images: 2}\nsweep: [{mapping.cores_per_chip: [1, 2]}]\n"
              "plot: {x: mapping.cores_per_chip, y: seconds_test, label: chips, pareto: "
              "\"low,low\",\n"
              "  format: png}\n");
    const finished alone = spinnsim({"run", "s.yaml"});
    EXPECT_EQ(alone.status, 2);
    EXPECT_NE(alone.err.find("this file describes several runs"), std::string::npos) << alone.err;
    const finished list = spinnsim({"sweep", "s.yaml", "--list", "--out", "s"});
    ASSERT_EQ(lines(list.out).size(), 2u) << list.err;
    const std::string programs = std::filesystem::path(SPINN_PROGRAM).parent_path().string();
    const finished one =
        run_command({"sh", "-c", "PATH='" + programs + "':$PATH; " + lines(list.out)[1]}, folder);
    ASSERT_EQ(one.status, 0) << lines(list.out)[1] << one.err;
    const finished estimate = spinnsim({"sweep", "s.yaml", "--dry-run", "--out", "s"});
    EXPECT_NE(estimate.out.find("2 points: 1 to run, 1 have run"), std::string::npos)
        << estimate.out;
    const finished result = spinnsim({"sweep", "s.yaml", "--out", "s"});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.out.find("(1 had run before)"), std::string::npos) << result.out;
    const words rows = lines(read("s/seconds_test_over_mapping_cores_per_chip.csv"));
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_EQ(rows[0], "folder,by,x,y_low,y,y_high,place,label,front");
    EXPECT_EQ(rows[1].substr(rows[1].size() - 5), "0,1,1"); /* place, chips, front */
    EXPECT_EQ(rows[2].substr(rows[2].size() - 5), "1,1,1");
    EXPECT_EQ(read("s/seconds_test_over_mapping_cores_per_chip.png").substr(1, 3), "PNG");
}

TEST_F(Sweep, TheFigureLeavesOutPointsWithoutItsValue)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
    }
    write("s.yaml", "include: [" + experiment("lenet1_synthetic") +
                        "]\nname: limits\ndata: {test_images: 2}\naccept: null\n"
                        "sweep: [{run.simulated_time_limit: [100 us, 1 s]}]\n"
                        "plot: {x: run.simulated_time_limit, y: accuracy, log: x}\n");
    const finished result = spinnsim({"sweep", "s.yaml", "--out", "s"});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(lines(result.out).at(0),
              "2 points: 1 done, 0 failed, 1 at a limit, 0 refused (0 had run before)");
    EXPECT_EQ(lines(result.out).at(2),
              "figure          1 of 2 runs left out: they have no accuracy");
    EXPECT_EQ(lines(read("s/accuracy_over_run_simulated_time_limit.csv")).size(), 2u);
    EXPECT_NE(read("s/accuracy_over_run_simulated_time_limit.gp").find("logscale x"),
              std::string::npos);
}

/* A point whose guest failed, or that reached a limit, has a result folder, but has not worked. */
TEST_F(Sweep, FailedPointsAreNoResults)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
    }
    static const char REASON[] =
        "the run was given up after run.simulated_time_limit; in its last tenth the busiest "
        "functions were sark_word_cpy (replica_infer) 100.0 %";
    const words one = {"--set", "accept=null", "--axis", "run.simulated_time_limit=100 us,1 s"};
    const finished some = sweep(with(one, {"--out", "s"}));
    EXPECT_EQ(some.status, 0) << some.err;
    EXPECT_EQ(lines(some.out).at(1), std::string("first limit     point 1: ") + REASON);
    const std::vector<row> rows = table("s");
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].at("status"), "limit");
    EXPECT_EQ(rows[0].at("message"), REASON);
    EXPECT_EQ(rows[1].at("status"), "done");
    EXPECT_EQ(rows[1].at("message"), "");

    const finished strict = sweep(with(one, {"--out", "s", "--exit-code"}));
    EXPECT_EQ(strict.status, 4);
    EXPECT_EQ(strict.err,
              std::string("spinnsim: 1 of 2 points did not work; point 1: ") + REASON + "\n");
    EXPECT_EQ(lines(strict.out).at(0),
              "2 points: 1 done, 0 failed, 1 at a limit, 0 refused (2 had run before)")
        << "known without running it again";

    const finished none = sweep(
        {"--set", "accept=null", "--axis", "run.simulated_time_limit=100 us,200 us", "--out", "s"});
    EXPECT_EQ(none.status, 4) << none.out;
    EXPECT_EQ(table("s").size(), 2u) << "the table is written";

    const finished guest = spinnsim({"sweep", experiment("hello"), "--axis",
                                     "app=[{file: test_jump_nowhere.elf}]", "--out", "g"});
    EXPECT_EQ(guest.status, 3) << guest.out;
    EXPECT_EQ(lines(guest.out).at(0),
              "1 points: 0 done, 1 failed, 0 at a limit, 0 refused (0 had run before)");
    const std::vector<row> failed = table_rows(read("g/hello-sweep.csv"));
    EXPECT_EQ(failed.at(0).at("status"), "guest_failed");
    EXPECT_NE(failed.at(0).at("message").find("prefetch abort (jump to nowhere) at pc 0x50000000"),
              std::string::npos)
        << failed.at(0).at("message");
}

/* One run that has failed does not keep the others from being drawn. */
TEST_F(Sweep, PlotAndReportLeaveOutFailedPoints)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
    }
    ASSERT_EQ(sweep({"--set", "accept=null", "--axis", "run.simulated_time_limit=100 us,1 s",
                     "--axis", "clock.cpu=100 MHz,200 MHz", "--out", "s"})
                  .status,
              0);
    words all = {"plot"};
    for (const row &of : table("s")) {
        all.push_back("s/" + of.at("folder"));
    }
    const finished plot =
        spinnsim(with(all, {"--x", "clock.cpu", "--y", "accuracy", "--out", "a.svg"}));
    EXPECT_EQ(plot.status, 0) << plot.err;
    EXPECT_EQ(plot.err, "spinnsim: warning: 2 of 4 runs left out: they have no accuracy\n");
    EXPECT_EQ(lines(read("a.csv")).size(), 3u);
    const finished none =
        spinnsim({"plot", all[1], "--x", "clock.cpu", "--y", "accuracy", "--out", "b.svg"});
    EXPECT_EQ(none.status, 2) << "no run has it";

    const finished report = spinnsim({"report", "s", "--out", "r.html"});
    EXPECT_EQ(report.status, 0) << report.err;
    EXPECT_NE(read("r.html").find("; 2 of 4 runs left out: they have no images_per_second"),
              std::string::npos);
}

TEST_F(Sweep, AWrongFigureIsToldBeforeTheFirstPoint)
{
    write("s.yaml", "include: [" + experiment("lenet1_synthetic") +
                        "]\nname: wrong\nsweep: [{seed: 1..2}]\nplot: {x: seed, y: secnds}\n");
    const finished result = spinnsim({"sweep", "s.yaml", "--out", "s"});
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.err,
              "spinnsim: s.yaml:4:20: plot.y: neither results nor configurations have a "
              "key secnds\n    hint: did you mean \"seconds\"?\n");
    EXPECT_FALSE(exists("s"));
}
