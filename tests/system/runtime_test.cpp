/* runtime_test.cpp - the parts of workloads/runtime that few programs use: messages, fixed-route
 * packets, random numbers, LEDs, blocks of router entries, lines of a log. */
#include "tests/system/program.h"

#include <fstream>

class Runtime : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }

    /* What the program prints on these cores of each chip. */
    std::string said(const std::string &board, const std::string &name, const std::string &cores,
                     const words &more = {}) const
    {
        write("own.yaml", "include: [boards/" + board +
                              ".yaml, energy/spinnaker1.yaml]\nname: own\napp:\n  - {file: " +
                              program(name) + ", chips: all, cores: [" + cores + "]}\n");
        words arguments = {"run", "own.yaml", "--force", "--out", "out"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const finished result = spinnsim(arguments);
        EXPECT_EQ(result.status, 0) << result.err;
        return read("out/console.txt");
    }
};

const words NO_MONITOR = {"--set", "chip.monitor_cores=0"};
const words BUSY_MONITOR = {"--set", "run.reinjector=true"};

/* ---- messages ---- */

/* What messages.c prints on a chip of one chip: 256 bytes of i + 2, and an answer without data. */
const char *const WITHIN = "0,0,1 system: 1\n"
                           "0,0,1 to 0000 core 2: sent\n"
                           "0,0,1 from 0000 core 2, port 3: command 2, 24 bytes, 12345678, sum 0\n"
                           "0,0,2 system: 1\n"
                           "0,0,2 from 0000 core 1, port 3: command 1, 280 bytes, 12345678, sum "
                           "32640\n"
                           "0,0,2 to 0000 core 1: sent\n";

TEST_F(Runtime, CoresOfAChipSendMessagesThroughTheMonitor)
{
    EXPECT_EQ(said("one_chip", "test_messages", "1, 2"), WITHIN);
    EXPECT_NE(read("out/summary.json").find("\"system_monitor\""), std::string::npos);
    EXPECT_EQ(number("out", "cores_used"), 2);
}

TEST_F(Runtime, ChipsSendMessagesThroughTheirMonitors)
{
    std::string expected;
    const struct {
        const char *chip, *own, *opposite;
    } chips[] = {{"0,0", "0000", "0101"},
                 {"0,1", "0001", "0100"},
                 {"1,0", "0100", "0001"},
                 {"1,1", "0101", "0000"}};
    for (const auto &[chip, own, opposite] : chips) {
        const std::string one = std::string(chip) + ",1 ";
        const std::string two = std::string(chip) + ",2 ";
        expected += one + "system: 1\n" + one + "to " + own + " core 2: sent\n" + one + "to " +
                    opposite + " core 1: sent\n" + one + "from " + opposite +
                    " core 1, port 3: command 3, 29 bytes, 12345678, sum 15\n" + one + "from " +
                    own + " core 2, port 3: command 2, 24 bytes, 12345678, sum 0\n" + two +
                    "system: 1\n" + two + "from " + own +
                    " core 1, port 3: command 1, 280 bytes, 12345678, sum 32640\n" + two + "to " +
                    own + " core 1: sent\n";
    }
    EXPECT_EQ(said("spin3", "test_messages", "1, 2"), expected);
    const std::string hash = text("out", "identity.stats_hash");
    EXPECT_EQ(said("spin3", "test_messages", "1, 2", {"--threads", "3"}), expected);
    EXPECT_EQ(text("out", "identity.stats_hash"), hash);
}

/* A send fails at once; the program ends. */
TEST_F(Runtime, WithoutAMonitorSendingFails)
{
    const std::string failed = "0,0,1 system: 0\n0,0,1 to 0000 core 2: failed\n";
    EXPECT_EQ(said("one_chip", "test_messages", "1", NO_MONITOR), failed);
    EXPECT_EQ(read("out/summary.json").find("\"system_monitor\""), std::string::npos);
    EXPECT_EQ(said("one_chip", "test_messages", "1", BUSY_MONITOR), failed);
}

TEST_F(Runtime, AMessageThatNobodyTakesStaysAndTheNextSendsTimeOut)
{
    EXPECT_EQ(said("one_chip", "test_messages_refused", "1, 2"), "0,0,1 a fifth: none\n"
                                                                 "0,0,1 message 0: 1 after 0 ms\n"
                                                                 "0,0,1 message 1: 1 after 0 ms\n"
                                                                 "0,0,1 message 2: 0 after 6 ms\n"
                                                                 "0,0,1 message 3: 0 after 6 ms\n"
                                                                 "0,0,1 again: the last\n"
                                                                 "0,0,2 in the mailbox: 1\n"
                                                                 "0,0,0 core 1: lost a message, "
                                                                 "and all like it: no program goes "
                                                                 "on on the core that it is for\n");
}

TEST_F(Runtime, MessagesAreDroppedWhileTheirCallbackIsOff)
{
    EXPECT_EQ(said("one_chip", "test_messages_off", "1, 2"),
              "0,0,1 received 0, failed 0, free 4\n0,0,2 received 1, failed 0, free 4\n");
}

TEST_F(Runtime, CallbacksOfMessagesAndFixedRoutePacketsHavePriorityZeroToFour)
{
    for (const char *const name : {"test_bad_message_listener", "test_bad_packet_listener"}) {
        const finished result = spinnsim({"run", program(name), "--force", "--out", "out"});
        EXPECT_EQ(result.status, 3);
        EXPECT_NE(result.err.find("core 1: run-time error 19 at pc 0x"), std::string::npos)
            << result.err;
    }
}

/* Both come by the same interrupt. */
TEST_F(Runtime, AMessageDoesNotEndABarrier)
{
    const std::string file = program("test_messages_barrier");
    write("own.yaml", "include: [boards/one_chip.yaml, energy/spinnaker1.yaml]\nname: own\n"
                      "app:\n  - {file: " +
                          file + ", chips: all, cores: 1-2}\n  - {file: " + file +
                          ", chips: all, cores: 3, app_id: 17}\n");
    EXPECT_EQ(spinnsim({"run", "own.yaml", "--out", "out"}).status, 0);
    EXPECT_EQ(read("out/console.txt"), "0,0,1 begins in millisecond 2\n"
                                       "0,0,1 received all\n"
                                       "0,0,2 begins in millisecond 2\n"
                                       "0,0,3 failed 0\n");
}

TEST_F(Runtime, AMessageForACoreWithoutAProgramIsLost)
{
    EXPECT_EQ(said("one_chip", "test_messages", "1"),
              "0,0,1 system: 1\n"
              "0,0,1 to 0000 core 2: sent\n"
              "0,0,1 received 0 of 1\n"
              "0,0,0 core 1: lost a message, and all like it: no program goes on on the core that "
              "it is for\n");
}

/* ---- fixed-route packets ---- */

/* 20 packets, every second one with a payload, go over two links to the core with the virtual
 * number 3; four multicast packets between them to core 2.  On chip (0,1) a core that takes none
 * lets the sender's queue fill. */
TEST_F(Runtime, FixedRoutePacketsGoBesideMulticastOnes)
{
    std::string expected;
    const struct {
        const char *chip, *route;
    } chips[] = {{"0,0", "1"}, {"0,1", "400"}, {"1,0", "4"}, {"1,1", "200"}};
    for (const auto &[chip, route] : chips) {
        for (const std::string core : {"1", "2", "3"}) {
            const std::string place = std::string(chip) + "," + core;
            const char *counts = place == "1,1,3" ? "plain 10, loaded 10, keys 64be, payloads 1330"
                                 : place == "0,0,2" ? "plain 2, loaded 2, keys 141e, payloads 20"
                                                    : "plain 0, loaded 0, keys 0, payloads 0";
            expected += place + " route " + route + ", failed " +
                        (place == "0,1,1" ? "some" : "none") + ", " + counts + "\n";
        }
    }
    EXPECT_EQ(said("spin3", "test_fixed_route", "1, 2, 3"), expected);
    auto sums = counters("out");
    const uint64_t crowded = sums.at("comms.sent_fixed_route") - 20;
    EXPECT_GE(crowded, 17u) << "one at once, 16 from the queue";
    EXPECT_LT(crowded, 40u);
    EXPECT_EQ(sums.at("router.packets_fr"), 20u * 3 + crowded);
    EXPECT_EQ(sums.at("comms.sent_multicast"), 4u);
    EXPECT_EQ(sums.at("comms.received_multicast"), 4u);
    EXPECT_EQ(read("out/summary.json").find("\"system_monitor\""), std::string::npos);
}

/* ---- random numbers ---- */

/* The shift register as ARM's text has it: 33 bits, taps at 33 and 20; 32 new bits a call. */
class shift_register
{
  public:
    explicit shift_register(uint32_t seed) : low_(seed)
    {
    }
    uint32_t next()
    {
        const uint32_t old = low_;
        const uint32_t turned = top_ << 31 | old >> 1;
        const uint32_t mixed = turned ^ old << 12;
        top_ = old & 1;
        low_ = mixed ^ mixed >> 20;
        return low_;
    }

  private:
    uint32_t low_, top_ = 0;
};

std::string numbers_of(const char *name, uint32_t seed)
{
    shift_register numbers(seed);
    const uint32_t first = numbers.next();
    const uint32_t second = numbers.next();
    uint32_t sum = 0;
    for (int i = 2; i < 1000; i++) {
        sum += numbers.next();
    }
    char line[64];
    (void)snprintf(line, sizeof line, "0,0,1 %s %08x %08x %08x\n", name, first, second, sum);
    return line;
}

TEST_F(Runtime, RandomNumbersAreThoseOfSark)
{
    const std::string expected = "0,0,1 none b2bc347d 1a19cb9f d5e6283a\n"
                                 "0,0,1 12345 0303882c b9030f86 055ee3dc\n"
                                 "0,0,1 again b2bc347d 1a19cb9f d5e6283a\n";
    EXPECT_EQ(said("one_chip", "test_random_numbers", "1"), expected);
    EXPECT_EQ(numbers_of("none", 0xdeaddead) + numbers_of("12345", 12345) +
                  numbers_of("again", 0xdeaddead),
              expected);
}

/* ---- LEDs ---- */

/* A pin that is low lights its LED.  Of the two boards, one has LEDs on pins 0 and 5. */
TEST_F(Runtime, LedsArePinsOfTheBoard)
{
    EXPECT_EQ(said("one_chip", "test_leds", "1"), "0,0,1 pins 1, outputs 1: 0 0 1 0 0 0\n");
    const std::string spin3 = said("spin3", "test_leds", "1");
    EXPECT_EQ(spin3.substr(0, spin3.find('\n')), "0,0,1 pins 21, outputs 21: 20 0 21 0 0 0");
    EXPECT_EQ(said("one_chip", "test_leds", "1", NO_MONITOR),
              "0,0,1 pins 0, outputs 0: 0 0 0 0 0 0\n");
}

/* ---- router entries ---- */

TEST_F(Runtime, BlocksOfRouterEntriesAreTakenAndGivenBack)
{
    EXPECT_EQ(said("one_chip", "test_router_blocks", "1"),
              "0,0,1 start: free 1, largest 1023\n"
              "0,0,1 blocks 1 11 31 61, none 0 0\n"
              "0,0,1 taken: free 66, largest 958\n"
              "0,0,1 first given back: free 1, largest 958\n"
              "0,0,1 of the other: 2 0\n"
              "0,0,1 the other's given back: free 1, largest 963\n"
              "0,0,1 fits 1, does not 0\n"
              "0,0,1 end: free 1, largest 1023\n"
              "0,0,1 entry 1 0 1\n"
              "0,0,1 found in entry 6\n");
}

TEST_F(Runtime, WithoutASystemThereAreNoBlocks)
{
    EXPECT_EQ(said("one_chip", "test_router_blocks", "1", NO_MONITOR),
              "0,0,1 start: free 0, largest 0\n"
              "0,0,1 blocks 0 0 0 0, none 0 0\n"
              "0,0,1 taken: free 0, largest 0\n"
              "0,0,1 first given back: free 0, largest 0\n"
              "0,0,1 of the other: 0 0\n"
              "0,0,1 the other's given back: free 0, largest 0\n"
              "0,0,1 fits 0, does not 0\n"
              "0,0,1 end: free 0, largest 0\n"
              "0,0,1 entry 1 0 1\n"
              "0,0,1 found in entry 6\n");
}

/* ---- a log ---- */

TEST_F(Runtime, LinesOfALogHaveLevelFileAndLine)
{
    const std::string file = "(./tests/system/guests/debug_lines.c:  ";
    EXPECT_EQ(said("one_chip", "test_debug_lines", "1"),
              "0,0,1 [ERROR]   " + file + "11): no memory\n" + "0,0,1 [WARNING] " + file +
                  "12): 3 of 4\n" + "0,0,1 [INFO]    " + file + "13): plain\n" +
                  "0,0,1 [INFO]    " + file + "15): evaluated 0\n");
}

/* ---- what is linked ---- */

/* The functions above lie in files of their own: a program without them has none of them. */
TEST_F(Runtime, AProgramWithoutThemIsLinkedWithoutThem)
{
    const auto symbols_of = [](const std::string &name) {
        const std::string map = program(name);
        std::ifstream in(map.substr(0, map.size() - 4) + ".map");
        const std::string all((std::istreambuf_iterator<char>(in)),
                              std::istreambuf_iterator<char>());
        return all.substr(0, all.find("Discarded input sections"));
    };
    for (const std::string file : {"messages.c.o", "message_events.c.o", "fixed_route.c.o",
                                   "random.c.o", "leds.c.o", "router_blocks.c.o", "system.c.o"}) {
        EXPECT_EQ(symbols_of("ring").find("(" + file + ")"), std::string::npos) << file;
    }
    EXPECT_NE(symbols_of("test_messages").find("(messages.c.o)"), std::string::npos);
}
