/* baseline_test.cpp - spinnsim baseline: its table, CSV and JSON, and wrong input. */
#include "tests/system/program.h"

#include <cmath>
#include <cstdlib>

class BaselineCommand : public SystemTest
{
  protected:
    static words small(const words &more)
    {
        words command = {"baseline", experiment("fc128_train"), "--set", "data.set=synthetic",
                         "--set",    "data.train_images=400",   "--set", "data.test_images=100"};
        command.insert(command.end(), more.begin(), more.end());
        return command;
    }
};

TEST_F(BaselineCommand, PrintsATableOfWhatItDid)
{
    const finished result = spinnsim(small({}));
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    for (const char *part :
         {"fc128_train: fc128 trained by float32 with ", ", 1 thread, 1 process\n",
          "work            400 images, 3 updates of 192\n", "GFLOP/s", " J (", "host  "}) {
        EXPECT_NE(result.out.find(part), std::string::npos) << part << result.out;
    }
    EXPECT_TRUE(files("").empty()) << "it writes nothing";
}

TEST_F(BaselineCommand, WritesTheColumnsThatTheirListNames)
{
    words names;
#define TEXT(name, meaning)      names.push_back(#name);
#define WHOLE(name, meaning)     names.push_back(#name);
#define REAL(name, meaning)      names.push_back(#name);
#define HOST_TEXT(name, meaning) names.push_back(#name);
#define HOST_REAL(name, meaning) names.push_back(#name);
#include "sim/baseline/baseline_columns.def"
    const words some = {"--program", "int16", "--processes", "2", "--repeat", "2"};
    words csv = small(some);
    csv.insert(csv.end(), {"--format", "csv", "--out", "row.csv"});
    const finished written = spinnsim(csv);
    ASSERT_EQ(written.status, 0) << written.err;
    EXPECT_EQ(written.out, "");
    const auto rows = table_rows(read("row.csv"));
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].size(), names.size());
    EXPECT_EQ(rows[0].at("program"), "int16");
    EXPECT_EQ(rows[0].at("processes"), "2");
    EXPECT_EQ(rows[0].at("repeats"), "2");
    EXPECT_EQ(rows[0].at("updates"), "3");
    EXPECT_EQ(rows[0].at("instructions"), "");
    words json = small(some);
    json.insert(json.end(), {"--format", "json"});
    const finished told = spinnsim(json);
    ASSERT_EQ(told.status, 0) << told.err;
    for (const std::string &name : names) {
        EXPECT_EQ(rows[0].count(name), 1u) << name;
        EXPECT_NE(told.out.find("\"" + name + "\": "), std::string::npos) << name << told.out;
    }
    EXPECT_NE(told.out.find("\"accuracy\": " + rows[0].at("accuracy")), std::string::npos)
        << "as exact" << told.out;
}

TEST_F(BaselineCommand, RefusesWrongInputWithOneMessage)
{
    const struct {
        words command, texts;
    } cases[] = {{{"baseline"}, {"name an experiment"}},
                 {{"baseline", "none.yaml"}, {"none.yaml"}},
                 {small({"--program", "float16"}), {"float16"}},
                 {small({"--processes", "0"}), {"processes"}},
                 {small({"--processes", "65"}), {"processes"}},
                 {small({"--repeat", "0"}), {"repeat"}},
                 {small({"--program", "float64", "--processes", "2"}), {"float64", "hint:"}},
                 {small({"--out", "missing/row.csv"}), {"missing/row.csv"}},
                 {{"baseline", experiment("lenet1_inference")}, {"mode", "nothing to train"}},
                 {{"baseline", experiment("hello")}, {"mode", "nothing to train"}}};
    for (const auto &c : cases) {
        const finished result = spinnsim(c.command);
        EXPECT_EQ(result.status, 2) << result.err;
        EXPECT_EQ(result.out, "");
        for (const std::string &text : c.texts) {
            EXPECT_NE(result.err.find(text), std::string::npos) << text << ": " << result.err;
        }
    }
    EXPECT_TRUE(files("").empty());
}

/* ---- the recorded table ---- */

using row = std::map<std::string, std::string>;

static double real(const row &of, const std::string &name)
{
    return std::atof(of.at(name).c_str());
}

static std::vector<row> recorded(const std::string &name)
{
    return table_rows(read_text(SPINN_SOURCE_DIR "/docs/results/recorded/" + name));
}

/* Times are of the computer that recorded; work and accuracy are not. */
TEST(RecordedBaselines, DoTheWorkOfTheBoard)
{
    const std::vector<row> baselines = recorded("baselines.csv");
    for (const row &board : recorded("board_training.csv")) {
        const std::string &experiment = board.at("experiment");
        std::map<std::string, std::string> accuracy; /* by program and processes */
        size_t rows = 0;
        for (const row &of : baselines) {
            if (of.at("experiment") != experiment || of.at("batch") != board.at("batch")) {
                continue; /* of PyTorch by an earlier recipe: the pages scale its seconds */
            }
            const bool exact = of.at("program") == "int16";
            const bool torch = of.at("program").rfind("torch", 0) == 0; /* draws its own weights */
            const std::string way = experiment + " " + of.at("program") + " " + of.at("processes");
            EXPECT_EQ(of.at("updates"), board.at("updates")) << way;
            EXPECT_EQ(of.at("images"), board.at("images")) << way;
            EXPECT_NEAR(real(of, "accuracy"), real(board, "accuracy"),
                        exact   ? 0
                        : torch ? 0.01
                                : 0.003)
                << way;
            EXPECT_GT(real(of, "seconds_train_least"), 0) << way;
            EXPECT_LE(real(of, "seconds_train_least"), real(of, "seconds_train")) << way;
            EXPECT_LE(real(of, "seconds_train"), real(of, "seconds_train_most")) << way;
            EXPECT_LE(real(of, "joules_low"), real(of, "joules")) << way;
            EXPECT_LE(real(of, "joules"), real(of, "joules_high")) << way;
            EXPECT_TRUE(of.at("joules_kind") == "measured" || of.at("joules_kind") == "assumed");
            EXPECT_NE(of.at("load"), "") << way;
            if (accuracy.count(way) == 0 || torch) {
                accuracy[way] = of.at("accuracy");
            }
            EXPECT_EQ(of.at("accuracy"), accuracy[way]) << "on any number of threads: " << way;
            rows++;
        }
        const bool measured = experiment == "fc128_train" || experiment == "lenet1_train" ||
                              experiment == "fc300_100_train" || experiment == "lenet4_train" ||
                              experiment == "lenet5_train";
        EXPECT_EQ(accuracy.count(experiment + " int16 1"), measured ? 1u : 0u) << experiment;
        EXPECT_EQ(accuracy.count(experiment + " float32 1"), measured ? 1u : 0u) << experiment;
        EXPECT_EQ(accuracy.count(experiment + " float32 2"), measured ? 1u : 0u) << experiment;
        EXPECT_EQ(rows > 0, measured) << experiment;
    }
}

/* Boosted LeNet-4: three networks, and what chooses their images. In int16 the vote is the board's.
 */
TEST(RecordedBaselines, BoostAsTheBoardDoes)
{
    double updates = 0;
    double images = 0;
    for (const row &stage : recorded("boosted_stages.csv")) {
        const double batch = 384;
        updates += real(stage, "updates");
        const double epoch = std::ceil(real(stage, "kept") / batch);
        images += real(stage, "kept") * real(stage, "updates") / epoch;
    }
    const double vote = real(recorded("boosted_votes.csv").at(0), "accuracy");
    std::map<std::string, size_t> rows;
    for (const row &of : recorded("baselines.csv")) {
        if (of.at("experiment") == "boosted_lenet4_board") {
            EXPECT_EQ(real(of, "updates"), updates);
            EXPECT_EQ(real(of, "images"), images);
            EXPECT_EQ(of.at("processes"), "1");
            EXPECT_NEAR(real(of, "accuracy"), vote, of.at("program") == "int16" ? 0 : 0.004);
            rows[of.at("program")]++;
        }
    }
    EXPECT_GE(rows["int16"], 1u);
    EXPECT_GE(rows["float32"], 1u);
}
