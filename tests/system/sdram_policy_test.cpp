/* sdram_policy_test.cpp - what a machine may be that is not known (sdram.policy, link.spread): the
 * same results whether cores run ahead or not and on any number of threads; energy by the rows that
 * were opened; mistakes of users. */
#include "tests/system/training_fixture.h"

#include <set>

namespace
{

const words POLICIES = {"closed", "open", "interleaved"};

class SdramPolicy : public TrainingTest
{
  protected:
    /* Sixteen cores that move data by DMA, or a training of an epoch on six chips. */
    std::string hash_of(const std::string &what, const words &keys, const words &more)
    {
        const std::string out = "out" + std::to_string(runs_++);
        words options = sets(keys);
        options.insert(options.end(), more.begin(), more.end());
        run(what, out, options);
        EXPECT_EQ(number(out, "late_interrupts"), 0);
        last_ = out;
        return text(out, "identity.stats_hash");
    }

    std::string last_; /* result folder */

  private:
    unsigned runs_ = 0;
};

} // namespace

TEST_F(SdramPolicy, ResultsAreTheSameWithRunningAheadAndWithout)
{
    std::set<std::string> hashes;
    for (const std::string &policy : POLICIES) {
        const words keys = {"sdram.policy=" + policy};
        const std::string stream = experiment("micro/dma_pingpong_all");
        const std::string hash = hash_of(stream, keys, {"--run-ahead", "off"});
        for (const std::string ahead : {"auto", "7"}) {
            EXPECT_EQ(hash_of(stream, keys, {"--run-ahead", ahead}), hash)
                << policy << ", " << ahead;
        }
        hashes.insert(hash);
    }
    EXPECT_EQ(hashes.size(), POLICIES.size());
    EXPECT_EQ(hashes.count(hash_of(experiment("micro/dma_pingpong_all"), {}, {})), 1u);
}

/* Both keys at once, where images and gradients come from SDRAM and go over links. */
TEST_F(SdramPolicy, ATrainingIsTheSameInEveryWay)
{
    write("six.yaml", on_six_chips());
    std::set<std::string> hashes;
    for (const std::string &policy : POLICIES) {
        const words keys = {"sdram.policy=" + policy, "link.spread=3 %", "mapping.chips=6",
                            "train.epochs=1",         "train.shards=6",  "data.train_images=48"};
        const std::string hash =
            hash_of("six.yaml", keys, {"--run-ahead", "off", "--threads", "1"});
        EXPECT_EQ(hash_of("six.yaml", keys, {"--run-ahead", "auto", "--threads", "3"}), hash);
        EXPECT_EQ(hash_of("six.yaml", keys, {"--run-ahead", "7", "--threads", "2"}), hash);
        hashes.insert(hash);
    }
    EXPECT_EQ(hashes.size(), POLICIES.size());
}

/* A row that was opened is charged; one that was found open is not. */
TEST_F(SdramPolicy, EnergyCountsTheRowsThatWereOpened)
{
    std::map<std::string, uint64_t> opened;
    for (const std::string &policy : POLICIES) {
        hash_of("small.yaml", {"sdram.policy=" + policy, "train.epochs=1"}, {});
        opened[policy] = counters(last_).at("sdram.activations");
        double charged = 0;
        double joules = 0;
        for (const std::string &line : lines(read(last_ + "/energy.csv"))) {
            std::istringstream fields(line);
            words field(7);
            for (std::string &text : field) {
                std::getline(fields, text, ',');
            }
            if (field[2] == "sdram_activation" && field[0] != "epoch") {
                charged += std::stod(field[3]);
                joules += std::stod(field[6]);
            }
        }
        EXPECT_EQ(charged, static_cast<double>(opened[policy])) << policy;
        EXPECT_NEAR(joules, charged * 6.6e-9, 1e-9) << policy;
    }
    EXPECT_LT(opened["open"], opened["closed"]);
    EXPECT_LT(opened["interleaved"], opened["closed"]);
}

TEST_F(SdramPolicy, LinksAreThoseOfTheirSeed)
{
    write("six.yaml", on_six_chips());
    const auto of = [this](const words &keys) {
        words all = {"mapping.chips=6", "train.epochs=1", "train.shards=6"};
        all.insert(all.end(), keys.begin(), keys.end());
        return hash_of("six.yaml", all, {});
    };
    const std::string equal = of({});
    EXPECT_EQ(of({"link.spread=0 %"}), equal);
    std::set<std::string> hashes = {equal};
    for (const std::string seed : {"1", "2", "3"}) {
        hashes.insert(of({"link.spread=3 %", "link.seed=" + seed}));
    }
    EXPECT_EQ(hashes.size(), 4u);
    EXPECT_EQ(hashes.count(of({"link.spread=3 %"})), 1u) << "the run's seed is 1";
}

TEST_F(SdramPolicy, MistakesNameThePlaceAndWhatWouldBeRight)
{
    write("wrong.yaml", std::string(SMALL) + "sdram:\n  policy: opened\n");
    const finished policy = spinnsim({"run", "wrong.yaml", "--out", "out"});
    EXPECT_EQ(policy.status, 2);
    EXPECT_NE(policy.err.find("wrong.yaml:11:11"), std::string::npos) << policy.err;
    EXPECT_NE(policy.err.find("sdram.policy"), std::string::npos);
    EXPECT_NE(policy.err.find("did you mean \"open\"? choices: closed, open or interleaved"),
              std::string::npos);
    write("wide.yaml", std::string(SMALL) + "link: {spread: 60 %}\n");
    const finished spread = spinnsim({"run", "wide.yaml", "--out", "out"});
    EXPECT_EQ(spread.status, 2);
    EXPECT_NE(spread.err.find("wide.yaml:10:16"), std::string::npos) << spread.err;
    EXPECT_NE(spread.err.find("a share from 0 ppm to 50 %"), std::string::npos);
    EXPECT_FALSE(exists("out"));
}
