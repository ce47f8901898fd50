/* What sweeps check before their first point, list, and say of their points (sim/sweep). */
#include "tests/unit/config_fixture.h"
#include "tests/unit/results_fixture.h"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

extern "C" {
#include "sim/sweep/sweep.h"
}

namespace
{

/* A machine on which nothing runs: it needs no ARM programs. */
const std::string IDLE = "include: [energy/spinnaker1.yaml]\nname: idle\napp: []\n";

const std::string SWEEP = IDLE + "sweep: [{seed: 1..2}]\n";

/* A sweep of a file in a temporary folder. */
class planned
{
  public:
    planned(const std::string &text, const std::vector<const char *> &axes,
            const std::vector<const char *> &sets = {}, const char *name = "s.yaml")
        : axes_(axes), sets_(sets), file_(folder_.write(name, text))
    {
        request.run.file = file_.c_str();
        request.run.configs_folder = SPINN_CONFIGS_FOLDER;
        request.run.sets = sets_.data();
        request.run.set_count = sets_.size();
        request.run.job.threads = 1;
        request.axes = axes_.data();
        request.axis_count = axes_.size();
        request.jobs = 1;
        out_ = folder_.path("out");
        request.out = out_.c_str();
    }
    ~planned()
    {
        if (status == STATUS_OK) {
            sweep_deinit(&sweep);
        }
    }
    planned(const planned &) = delete;
    planned &operator=(const planned &) = delete;

    enum status begin()
    {
        status = sweep_begin(&sweep, &request, &diagnostic);
        return status;
    }

    std::string list()
    {
        char *text = nullptr;
        size_t size = 0;
        FILE *stream = open_memstream(&text, &size);
        EXPECT_EQ(sweep_plan(&sweep, &diagnostic), STATUS_OK) << diagnostic.text;
        EXPECT_EQ(sweep_list(&sweep, stream, &diagnostic), STATUS_OK) << diagnostic.text;
        (void)fclose(stream);
        const std::string all(text, size);
        free(text);
        return all;
    }

    const std::string &file() const
    {
        return file_;
    }

    struct sweep_request request = {};
    struct sweep sweep = {};
    struct diagnostic diagnostic = {};
    enum status status = STATUS_INTERNAL;

  private:
    temporary_folder folder_;
    std::vector<const char *> axes_, sets_;
    std::string file_, out_;
};

/* ---- the figure's keys ---- */

TEST(SweepFigure, KeysAreThoseOfResultsAndConfigurations)
{
    for (const char *key :
         {"seconds", "energy.joules", "energy.joules.low", "energy.scopes.board", "seed",
          "clock.cpu", "router.wait1", "timing.mull", "energy.core_cycle.value", "name",
          "sampled.seconds_per_epoch.default", "accept.seconds.value", "status"}) {
        const std::string y = std::string("plot.y=") + key;
        planned sweep(SWEEP, {}, {"plot.x=seed", y.c_str()});
        EXPECT_EQ(sweep.begin(), STATUS_OK) << key << ": " << sweep.diagnostic.text;
    }
    planned of_axis(SWEEP, {"train.epochs=1,2"}, {"plot.x=train.epochs", "plot.y=seconds"});
    EXPECT_EQ(of_axis.begin(), STATUS_OK) << of_axis.diagnostic.text;
}

/* Before the first point, at its place: not after the last one, with no figure. */
TEST(SweepFigure, AnUnknownKeyIsRefusedAtItsPlace)
{
    const std::vector<std::pair<std::string, std::string>> wrong = {
        {"{x: seed, y: secnds}", "plot.y 5:20 \"seconds\""},
        {"{x: sed, y: seconds}", "plot.x 5:11 \"seed\""},
        {"{x: seed, y: seconds, by: clock.cpuu}", "plot.by 5:33 \"clock.cpu\""},
        {"{x: seed, y: seconds, label: energy.joule}", "plot.label 5:36 \"energy.joules\""}};
    for (const auto &[plot, said] : wrong) {
        SCOPED_TRACE(plot);
        planned sweep(SWEEP + "plot: " + plot + "\n", {});
        ASSERT_EQ(sweep.begin(), STATUS_CONFIGURATION);
        const struct diagnostic &of = sweep.diagnostic;
        EXPECT_EQ(of.file, sweep.file());
        const std::string hint = of.hint;
        EXPECT_EQ(hint.find("did you mean "), 0u) << hint;
        EXPECT_EQ(std::string(of.key) + " " + std::to_string(of.line) + ":" +
                      std::to_string(of.column) + " " + hint.substr(13, hint.size() - 14),
                  said);
    }
    planned far(SWEEP, {}, {"plot.x=seed", "plot.y=qqqqqqqq"});
    ASSERT_EQ(far.begin(), STATUS_CONFIGURATION);
    EXPECT_STREQ(far.diagnostic.file, "--set");
    EXPECT_NE(std::string(far.diagnostic.hint).find("spinnsim columns summary.json"),
              std::string::npos)
        << far.diagnostic.hint;
}

TEST(SweepFigure, NeedsXAndY)
{
    planned x(SWEEP, {}, {"plot.x=seed"});
    ASSERT_EQ(x.begin(), STATUS_CONFIGURATION);
    EXPECT_STREQ(x.diagnostic.key, "plot.x");
    EXPECT_STREQ(x.diagnostic.text, "no figure without plot.y");
    planned by(SWEEP, {}, {"plot.by=seed"});
    ASSERT_EQ(by.begin(), STATUS_CONFIGURATION);
    EXPECT_STREQ(by.diagnostic.text, "no figure without plot.x");
}

/* ---- what points share ---- */

TEST(JobStore, ReadsEachFileOnce)
{
    struct job_store *store = job_store_create();
    ASSERT_NE(store, nullptr);
    struct diagnostic diagnostic = {};
    struct dataset_request request = {"synthetic", nullptr, DATASET_TEST, 10, nullptr, 0};
    struct dataset first;
    struct dataset second;
    struct dataset other;
    ASSERT_EQ(job_store_dataset(store, &request, &first, &diagnostic), STATUS_OK);
    ASSERT_EQ(job_store_dataset(store, &request, &second, &diagnostic), STATUS_OK);
    request.limit = 11;
    ASSERT_EQ(job_store_dataset(store, &request, &other, &diagnostic), STATUS_OK);
    EXPECT_EQ(first.images, second.images);
    EXPECT_NE(first.images, other.images);
    EXPECT_EQ(other.count, 11u);
    dataset_deinit(&first);
    EXPECT_EQ(second.count, 10u);
    EXPECT_LT(second.labels[9], 10) << "the store's memory outlives what was borrowed";
    dataset_deinit(&second);
    dataset_deinit(&other);
    request.set = "nothing";
    EXPECT_EQ(job_store_dataset(store, &request, &first, &diagnostic), STATUS_CONFIGURATION);
    EXPECT_EQ(first.images, nullptr);

    const std::string path = SPINN_CONFIGS_FOLDER "/networks/lenet1.yaml";
    struct network network;
    struct network again;
    ASSERT_EQ(job_store_network(store, path.c_str(), &network, &diagnostic), STATUS_OK)
        << diagnostic.text;
    network_use(&network, NETWORK_INT8); /* changes this copy alone */
    ASSERT_EQ(job_store_network(store, path.c_str(), &again, &diagnostic), STATUS_OK);
    EXPECT_EQ(network.name, again.name);
    EXPECT_EQ(again.numbers, NETWORK_INT16);
    network_deinit(&network);
    EXPECT_STREQ(again.name, "lenet1");
    network_deinit(&again);
    EXPECT_EQ(job_store_network(store, "nowhere.yaml", &again, &diagnostic), STATUS_CONFIGURATION);

    struct elf_image image;
    char digest[SHA256_HEX_CHARS];
    EXPECT_EQ(job_store_image(store, path.c_str(), &image, digest, &diagnostic),
              STATUS_CONFIGURATION)
        << "no program";
    job_store_destroy(store);
}

/* ---- the plan ---- */

void count_call(void *context, const struct job_progress *now)
{
    auto *said = static_cast<std::vector<std::string> *>(context);
    said->push_back(std::string(now->stage) + " " + std::to_string(now->done) + "/" +
                    std::to_string(now->total));
}

/* Files are read once, not for each point: 10,000 points took 22 s, in silence. */
TEST(SweepPlan, ReadsItsFilesOnceAndTellsHowFarItIs)
{
    planned sweep(IDLE, {"seed=1..20", "clock.cpu=100 MHz,200 MHz"}, {"board.width=1"});
    std::vector<std::string> said;
    sweep.request.progress = count_call;
    sweep.request.context = &said;
    ASSERT_EQ(sweep.begin(), STATUS_OK) << sweep.diagnostic.text;
    ASSERT_EQ(unlink(sweep.file().c_str()), 0);
    ASSERT_EQ(sweep_plan(&sweep.sweep, &sweep.diagnostic), STATUS_OK);
    const struct sweep_counts counts = sweep_count(&sweep.sweep);
    EXPECT_EQ(counts.of[POINT_OPEN], 40u);
    ASSERT_EQ(said.size(), 40u);
    EXPECT_EQ(said[7], "checking 7/40");
}

TEST(SweepPlan, PointsOfOneSimulationShareItsFolder)
{
    planned sweep(IDLE, {"question=a,b,c", "seed=1,2"});
    ASSERT_EQ(sweep.begin(), STATUS_OK) << sweep.diagnostic.text;
    ASSERT_EQ(sweep_plan(&sweep.sweep, &sweep.diagnostic), STATUS_OK);
    for (size_t i = 0; i < 6; i++) {
        EXPECT_EQ(sweep.sweep.point[i].runs_for, i % 2) << i;
    }
}

/* A point is the run that has its overrides: the same hash. */
TEST(SweepPlan, APointIsTheRun)
{
    planned sweep(IDLE + "clock: {cpu: 150 MHz}\n", {"seed=1,2"},
                  {"energy.core_cycle.value=145 pJ"});
    ASSERT_EQ(sweep.begin(), STATUS_OK) << sweep.diagnostic.text;
    ASSERT_EQ(sweep_plan(&sweep.sweep, &sweep.diagnostic), STATUS_OK);
    const char *const sets[] = {"energy.core_cycle.value=145 pJ", "seed=2"};
    struct experiment_request alone = sweep.request.run;
    struct experiment experiment;
    alone.sets = sets;
    alone.set_count = 2;
    ASSERT_EQ(experiment_prepare(&experiment, &alone, &sweep.diagnostic), STATUS_OK)
        << sweep.diagnostic.text;
    char *folder = experiment_folder(&experiment, sweep.request.out);
    EXPECT_STREQ(sweep.sweep.point[1].folder, folder);
    EXPECT_STREQ(sweep.sweep.point[1].energy_hash, experiment.job.identity.energy_hash);
    free(folder);
    experiment_deinit(&experiment);
}

/* ---- the list ---- */

TEST(SweepList, HasWholeCommandsForAShell)
{
    planned sweep(IDLE, {"question=\"it's $(x)\",other", "seed=1,2"}, {"clock.cpu=100 MHz"});
    const char *const options[] = {"--data", "a b'c", "--tier", "interpreter"};
    sweep.request.run_options = options;
    sweep.request.run_option_count = 4;
    ASSERT_EQ(sweep.begin(), STATUS_OK) << sweep.diagnostic.text;
    const std::string list = sweep.list();
    const std::string first = list.substr(0, list.find('\n'));
    EXPECT_EQ(first.substr(0, first.find(" --out '")),
              "spinnsim run '" + sweep.file() +
                  "' --set 'clock.cpu=100 MHz' --set 'question=\"it'\\''s $(x)\"' --set 'seed=1' "
                  "'--data' "
                  "'a b'\\''c' '--tier' 'interpreter'");
    EXPECT_EQ(std::count(list.begin(), list.end(), '\n'), 2)
        << "points of one simulation are listed once: " << list;
}

/* `spinnsim run -t.yaml` is the option -t. */
TEST(SweepList, AFileThatBeginsWithADashIsNoOption)
{
    const temporary_folder here;
    const std::string path = here.write("-t.yaml", IDLE);
    char before[4096];
    ASSERT_NE(getcwd(before, sizeof before), nullptr);
    ASSERT_EQ(chdir(path.substr(0, path.rfind('/')).c_str()), 0);
    planned sweep(IDLE, {"seed=1,2"});
    sweep.request.run.file = "-t.yaml";
    EXPECT_EQ(sweep.begin(), STATUS_OK) << sweep.diagnostic.text;
    EXPECT_EQ(sweep.list().find("spinnsim run './-t.yaml' --set 'seed=1' --out '"), 0u);
    ASSERT_EQ(chdir(before), 0);
}

/* ---- what came of the points ---- */

class SweepVerdict : public ::testing::Test
{
  protected:
    enum status verdict(const std::vector<enum point_state> &states, bool strict)
    {
        struct sweep sweep = {};
        std::vector<struct point> points(states.size());
        for (size_t i = 0; i < states.size(); i++) {
            points[i].state = states[i];
        }
        points.back().message = message;
        sweep.point = points.data();
        sweep.axes.points = points.size();
        said = {};
        return sweep_verdict(&sweep, strict, &said);
    }

    char message[8] = "because";
    struct diagnostic said = {};
};

TEST_F(SweepVerdict, IsGoodIfAnyPointHasWorked)
{
    for (const enum point_state bad : {POINT_LIMIT, POINT_GUEST, POINT_REFUSED, POINT_FAILED}) {
        EXPECT_EQ(verdict({POINT_DONE, bad}, false), STATUS_OK) << bad;
        EXPECT_EQ(verdict({bad, POINT_OUTSIDE}, false), STATUS_OK) << bad;
    }
    EXPECT_EQ(verdict({POINT_DONE, POINT_DONE}, true), STATUS_OK);
}

TEST_F(SweepVerdict, SaysWhyNoPointHasWorked)
{
    EXPECT_EQ(verdict({POINT_GUEST, POINT_GUEST}, false), STATUS_GUEST);
    EXPECT_STREQ(said.text, "2 of 2 points did not work; point 1: the guest failed");
    EXPECT_EQ(verdict({POINT_LIMIT}, false), STATUS_LIMIT);
    EXPECT_STREQ(said.text, "1 of 1 points did not work; point 1: because");
    EXPECT_EQ(verdict({POINT_LIMIT, POINT_GUEST}, false), STATUS_GUEST) << "mixed";
    EXPECT_STREQ(said.text, "2 of 2 points did not work; point 2: because");
    EXPECT_EQ(verdict({POINT_REFUSED, POINT_LIMIT}, false), STATUS_LIMIT);
    EXPECT_EQ(verdict({POINT_GUEST, POINT_FAILED}, false), STATUS_INTERNAL);
    EXPECT_EQ(verdict({POINT_REFUSED}, false), STATUS_CONFIGURATION);
    EXPECT_STREQ(said.text, "every point is refused: because");
}

TEST_F(SweepVerdict, IsStrictIfAsked)
{
    EXPECT_EQ(verdict({POINT_DONE, POINT_GUEST}, true), STATUS_GUEST);
    EXPECT_STREQ(said.text, "1 of 2 points did not work; point 2: because");
    EXPECT_EQ(verdict({POINT_DONE, POINT_LIMIT}, true), STATUS_LIMIT);
    EXPECT_EQ(verdict({POINT_DONE, POINT_OUTSIDE}, true), STATUS_REJECTED);
    EXPECT_EQ(verdict({POINT_DONE, POINT_REFUSED}, true), STATUS_CONFIGURATION);
    EXPECT_EQ(verdict({POINT_REFUSED, POINT_OUTSIDE, POINT_LIMIT}, true), STATUS_LIMIT);
    EXPECT_EQ(verdict({POINT_LIMIT, POINT_DONE, POINT_FAILED}, true), STATUS_INTERNAL);
}

/* A folder with results is no success: its summary says how the run has ended. */
TEST(SweepPoint, TakesItsStateFromItsResults)
{
    const std::vector<std::tuple<std::string, enum point_state, std::string>> ends = {
        {R"("status": "done")", POINT_DONE, ""},
        {R"("status": "rejected")", POINT_OUTSIDE, ""},
        {R"("status": "limit", "failure": "the time is over")", POINT_LIMIT, "the time is over"},
        {R"("status": "guest_failed", "failure": "core 1: pc 0")", POINT_GUEST, "core 1: pc 0"},
        {R"("status": "guest_failed")", POINT_GUEST, ""},
        {R"("status": "splendid")", POINT_OPEN, ""},
        {R"("name": "a")", POINT_OPEN, ""}};
    for (const auto &[summary, state, message] : ends) {
        SCOPED_TRACE(summary);
        const temporary_folder here;
        (void)here.write("r/summary.json", "{" + summary + "}");
        (void)here.write("r/config.yaml", "name: a\n");
        const std::string folder = here.path("r");
        sign_results(folder);
        struct results results;
        struct diagnostic diagnostic = {};
        ASSERT_EQ(results_open(&results, folder.c_str(), &diagnostic), STATUS_OK);
        struct point point = {};
        EXPECT_EQ(point_take_end(&point, &results, &diagnostic), STATUS_OK);
        results_close(&results);
        EXPECT_EQ(point.state, state);
        EXPECT_EQ(std::string(point.message == nullptr ? "" : point.message), message);
        EXPECT_EQ(point_has_results(&point), state != POINT_OPEN);
        free(point.message);
    }
}

} // namespace
