/* three_boards_test.cpp - LeNet-5 from the same file on one board and on three: only `mapping`, and
 * the board, differ.  Minutes of the host, so among the slow tests; RandomNetworks.LeNet5OnAnyChips
 * has one chip and four. */
#include "tests/system/training_fixture.h"

class ThreeBoards : public TrainingTest
{
};

TEST_F(ThreeBoards, TrainLeNet5ToTheBitsOfOneBoard)
{
    const words same = {"accept=null",          "data.set=synthetic",     "data.train_images=288",
                        "data.test_images=144", "train.global_batch=288", "train.shards=144"};
    const struct {
        const char *out;
        words keys;
    } machines[] = {
        {"host", {"backend=host", "mapping=null"}},
        {"board", {"mapping.chips=48"}},
        {"three",
         {"board.shape=boards", "board.width=12", "board.height=12", "mapping.chips=144"}}};
    for (const auto &machine : machines) {
        words keys = same;
        keys.insert(keys.end(), machine.keys.begin(), machine.keys.end());
        run(experiment("lenet5_train"), machine.out, sets(keys));
        EXPECT_EQ(weights(machine.out), weights("host")) << machine.out;
    }
    EXPECT_EQ(number("three", "boards"), 3);
    EXPECT_EQ(number("three", "dropped_packets"), 0);
    EXPECT_EQ(number("three", "late_interrupts"), 0);
}
