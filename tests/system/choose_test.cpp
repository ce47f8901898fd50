/* choose_test.cpp - mapping.kind: auto in a run: it is as if the file had named what was chosen. */
#include "tests/system/training_fixture.h"

namespace
{

class Choose : public TrainingTest
{
  protected:
    /* Instead of what the file says of the mapping. */
    static words mapped(const words &more)
    {
        words keys = {"mapping.cores_per_image=null", "mapping.cores_per_chip=null",
                      "mapping.chips=null", "train.epochs=1"};
        keys.insert(keys.end(), more.begin(), more.end());
        return keys;
    }

    finished refused(const words &keys) const
    {
        words command = {"run", path("small.yaml"), "--out", path("refused")};
        const words options = sets(keys);
        command.insert(command.end(), options.begin(), options.end());
        const finished result = spinnsim(command);
        EXPECT_EQ(result.status, 2) << result.err;
        return result;
    }
};

/* LeNet-1 on one chip, 48 images a batch: three a core, in a replica on each of 16. */
TEST_F(Choose, IsTheSameAsToNameTheMapping)
{
    const finished run = train("auto", mapped({"mapping.kind=auto"}));
    const std::string resolved = read("auto/config.yaml");
    EXPECT_NE(resolved.find("\nmapping:\n  kind: replica_per_core\n  chips: 1\n"
                            "  cores_per_chip: 16\n"),
              std::string::npos)
        << resolved;
    train("named", mapped({"mapping.kind=replica_per_core", "mapping.cores_per_chip=16"}));
    EXPECT_EQ(read("named/config.yaml"), resolved);
    EXPECT_EQ(text("named", "identity.sim_hash"), text("auto", "identity.sim_hash"));
    EXPECT_EQ(text("named", "identity.stats_hash"), text("auto", "identity.stats_hash"));
    const double estimated = number("auto", "estimated_seconds_per_update");
    const double measured = number("auto", "seconds_per_update");
    EXPECT_EQ(number("named", "estimated_seconds_per_update"), estimated);
    EXPECT_DOUBLE_EQ(2 * measured, number("auto", "seconds_per_epoch"));
    EXPECT_NEAR(estimated / measured, 1, 0.25);
    EXPECT_NE(run.out.find("\nan update       "), std::string::npos) << run.out;
    EXPECT_NE(run.out.find(" ms, estimated "), std::string::npos) << run.out;
}

/* A test alone: the cores that are chosen, named, give the same run. */
TEST_F(Choose, IsForClassificationToo)
{
    const words infer = {"mode=infer", "train=null", "data.train_images=null",
                         "record.learning_every=null"};
    words keys = infer;
    keys.push_back("mapping.kind=auto");
    const finished run = train("auto", mapped(keys));
    EXPECT_NE(run.out.find(" images/s, estimated "), std::string::npos) << run.out;
    const std::string resolved = read("auto/config.yaml");
    const std::string key = "\n  cores_per_chip: ";
    const std::string kind = "\nmapping:\n  kind: ";
    const size_t at = resolved.find(kind) + kind.size();
    const size_t cores = resolved.find(key) + key.size();
    ASSERT_NE(resolved.find(key), std::string::npos) << resolved;
    keys = infer;
    keys.push_back("mapping.kind=" + resolved.substr(at, resolved.find('\n', at) - at));
    keys.push_back("mapping.cores_per_chip=" +
                   resolved.substr(cores, resolved.find('\n', cores) - cores));
    train("named", mapped(keys));
    EXPECT_EQ(text("named", "identity.stats_hash"), text("auto", "identity.stats_hash"));
}

TEST_F(Choose, IsForTheMachine)
{
    const finished cores = refused({"mapping.kind=auto", "mapping.cores_per_image=null"});
    EXPECT_NE(cores.err.find("mapping.cores_per_chip: no effect with mapping.kind: auto"),
              std::string::npos)
        << cores.err;
    const finished image = refused({"mapping.kind=auto", "mapping.cores_per_chip=null"});
    EXPECT_NE(image.err.find("no effect without mapping.kind: replica_per_chip"), std::string::npos)
        << image.err;
    const finished tree = refused(mapped({"mapping.kind=auto", "train.exchange=tree"}));
    EXPECT_NE(tree.err.find("mapping.kind: auto estimates rings alone"), std::string::npos)
        << tree.err;
    train("host", mapped({"mapping.kind=auto", "backend=host"}));
}

} // namespace
