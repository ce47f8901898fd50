/* measure_test.cpp - `spinnsim measure` as a user runs it. */
#include "tests/system/program.h"

class Measure : public SystemTest
{
};

TEST_F(Measure, OperatorsOnTheHostAndOnACore)
{
    const finished told = spinnsim({"measure", "operators", "--out", "rows.csv"});
    ASSERT_EQ(told.status, 0) << told.err;
    const auto rows = table_rows(read("rows.csv"));
    size_t on_a_core = 0;
    size_t computed = 0;
    for (const auto &row : rows) {
        const bool is_there = !row.at("largest").empty();
        computed += is_there;
        on_a_core += row.at("core") == "equal";
        EXPECT_NE(row.at("core"), "differs");
        EXPECT_EQ(row.at("core").empty(), row.at("cycles").empty());
        EXPECT_NE(row.at("core").empty(), row.at("remark").empty()) << row.at("operator");
        if (is_there && row.at("operator").find("rbf") == std::string::npos &&
            row.at("format") == "int16") {
            EXPECT_LT(std::stod(row.at("largest_lsb")), 1.5) << row.at("operator");
        }
        if (row.at("core") == "equal") {
            EXPECT_GT(std::stod(row.at("cycles")), 100) << row.at("operator");
            EXPECT_GT(std::stod(row.at("joules")), 1e-9) << row.at("operator");
        }
    }
    EXPECT_EQ(rows.size(), 128u);
    EXPECT_EQ(computed, 63u);
    EXPECT_NE(told.out.find("\n32 cases, 8 images each: 63 computed, 65 without a kernel, "),
              std::string::npos)
        << told.out;
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
    }
    EXPECT_EQ(on_a_core, 47u);
}

/* The host's integers are the machine's. */
TEST_F(Measure, TheSameNetworkTrainedTwice)
{
    const words host = {"--set", "backend=host", "--set", "mapping=null",  "--set", "run=null",
                        "--set", "accept=null",  "--set", "train.epochs=3"};
    words other = host;
    other.insert(other.end(), {"--set", "seed=2"});
    run(experiment("xor_train"), "a", host);
    run(experiment("xor_train"), "b", host);
    run(experiment("xor_train"), "c", other);
    const finished same = spinnsim({"measure", "network", "a", "b", "--exit-code"});
    EXPECT_EQ(same.status, 0) << same.err;
    EXPECT_EQ(same.out, "5 tensors and 4 images: nothing differs\n");
    const finished differs = spinnsim({"measure", "network", "a", "c", "--exit-code"});
    EXPECT_EQ(differs.status, 5) << differs.err;
    EXPECT_EQ(differs.out.find("5 of 5 tensors differ, first hidden.weights: "), 0u) << differs.out;
    write("own.yaml", "include: [energy/spinnaker1.yaml]\nname: own\nmode: train\nbackend: host\n"
                      "seed: 1\ndata: {set: files, train: data/xor.npz, test: data/xor.npz}\n"
                      "network: {name: xor, variant: modern, number_format: int16}\n"
                      "train: {epochs: 3, global_batch: 4, optimizer: momentum, momentum: 0.9, "
                      "learning_rate: 0.03125}\ntest: {every_epochs: 0}\n");
    const finished runs = spinnsim({"measure", "network", "own.yaml", "a", "--exit-code"});
    EXPECT_EQ(runs.status, 0) << runs.err;
    EXPECT_EQ(runs.out, same.out) << "an experiment is run for it";
}

TEST_F(Measure, TwoTrainingsStepByStep)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
    }
    const std::string file = experiment("xor_train");
    const finished same =
        spinnsim({"measure", "training", file, file, "--exit-code", "--out", "norms.csv"});
    EXPECT_EQ(same.status, 0) << same.err;
    EXPECT_EQ(same.out, "equal after each of 100 updates\n");
    EXPECT_EQ(lines(read("norms.csv")).size(), 102u);
}

TEST_F(Measure, SaysWhatItTakes)
{
    const finished level = spinnsim({"measure", "layers"});
    EXPECT_EQ(level.status, 2);
    EXPECT_NE(level.err.find("layers is no level"), std::string::npos) << level.err;
    const finished more = spinnsim({"measure", "operators", "more"});
    EXPECT_EQ(more.status, 2);
    const finished folder = spinnsim({"measure", "operators", "--onnx", ".", "--out", "x.csv"});
    EXPECT_EQ(folder.status, 2);
    EXPECT_NE(folder.err.find("no folder in it has a model.onnx"), std::string::npos) << folder.err;
    EXPECT_FALSE(exists("x.csv"));
}
