/* `spinnsim serve` as its clients see it: a board that is booted over UDP and answers; recordings;
 * how it ends. */
#include "tests/support/amount.h"
#include "tests/support/udp_client.h"
#include "tests/system/program.h"

#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace
{

enum : uint16_t { SCP = 17893, BOOT = 54321 };
const uint32_t BOARD = own_address(2);
const uint32_t BMP = own_address(1);
using seconds = std::chrono::duration<double>;

void put(std::string &to, uint32_t value, unsigned bytes)
{
    for (unsigned i = bytes; i > 0; i--) {
        to.push_back(static_cast<char>(value >> 8 * (i - 1)));
    }
}

std::string boot_message(uint32_t opcode, uint32_t first, uint32_t third)
{
    std::string message;
    put(message, 1, 2);
    for (const uint32_t word : {opcode, first, uint32_t{0}, third}) {
        put(message, word, 4);
    }
    return message;
}

words boot_messages(const std::string &image)
{
    const size_t blocks = (image.size() + 1023) / 1024;
    words messages = {boot_message(1, 0, static_cast<uint32_t>(blocks - 1))};
    for (size_t b = 0; b < blocks; b++) {
        std::string message = boot_message(3, static_cast<uint32_t>(255 << 8 | b), 0);
        for (size_t at = 1024 * b; at < std::min(image.size(), 1024 * (b + 1)); at++) {
            message.push_back(image[at ^ 3]); /* words, the upper byte first */
        }
        messages.push_back(message);
    }
    messages.push_back(boot_message(5, 1, 0));
    return messages;
}

/* A command to a board management processor, for board 0. */
std::string to_management(char command, char argument)
{
    std::string message("\0\0\x87\xff\0\xff\0\0\0\0", 10);
    message += command + std::string("\0\1\0", 3) + argument +
               std::string("\0\0\0\1\0\0\0\0\0\0\0", 11); /* board 0 */
    return message;
}

std::string power(bool on)
{
    return to_management('\x39', on ? '\1' : '\0');
}

/* SCP command 26, a reverse IPTag is set. */
std::string reverse_tag(uint16_t port)
{
    std::string tag("\0\0\x87\xff\0\xff\0\0\0\0\x1a\0\1\0\0\0\1\x20", 18);
    tag += static_cast<char>(port & 0xff);
    tag += static_cast<char>(port >> 8);
    return tag + std::string(6, '\0');
}

/* `spinnsim serve` in the background. */
class ServeTest : public SystemTest
{
  protected:
    void TearDown() override
    {
        if (child_ > 0) {
            (void)kill(child_, SIGKILL);
            (void)waitpid(child_, nullptr, 0);
        }
        SystemTest::TearDown();
    }
    /* Starts it with --out out, and waits until it says that it listens. */
    void start(const words &more, const std::string &config = "serve_spin3")
    {
        words command = {SPINN_PROGRAM, "serve",   experiment(config), "--out",
                         path("out"),   "--force", "--bind",           address_text(BOARD)};
        command.insert(command.end(), more.begin(), more.end());
        child_ = fork();
        if (child_ == 0) {
            std::vector<char *> arguments;
            for (std::string &argument : command) {
                arguments.push_back(argument.data());
            }
            arguments.push_back(nullptr);
            const int out = open(path("said").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
            (void)dup2(out, 1);
            (void)dup2(out, 2);
            (void)execv(arguments[0], arguments.data());
            _exit(127);
        }
        for (unsigned i = 0; i < 600 && read("said").find("UDP ports") == std::string::npos; i++) {
            std::this_thread::sleep_for(seconds(0.1));
        }
        ASSERT_NE(read("said").find("board 0 at " + address_text(BOARD)), std::string::npos)
            << read("said");
    }
    /* Ends it with a signal; returns its exit status. */
    int stop(int signal = SIGTERM)
    {
        int status = 0;
        (void)kill(child_, signal);
        (void)waitpid(child_, &status, 0);
        child_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    void boot(const udp_client &from, const std::string &image, uint32_t board = BOARD)
    {
        for (const std::string &message : boot_messages(image)) {
            from.send(board, BOOT, message);
        }
    }
    /* The same until the image sends a text back: a boot ROM tests memories before it listens. */
    std::string boot_and_echo(const udp_client &from, const std::string &image,
                              const std::string &text)
    {
        std::string answer;
        for (unsigned i = 0; i < 100 && answer != text; i++) {
            boot(from, image);
            from.send(BOARD, SCP, text);
            do { /* a boot message that comes too late is sent back, too */
                answer = from.receive();
            } while (!answer.empty() && answer != text);
        }
        return answer;
    }
    /* A number that it has printed at its end; 0: none. */
    uint64_t said(const std::string &what) const
    {
        for (const std::string &line : lines(read("said"))) {
            if (line.size() > what.size() && line.substr(line.size() - what.size()) == what) {
                return std::stoull(line);
            }
        }
        return 0;
    }
    /* How many datagrams of a recording came to the board behind its last boot message: it is
     * switched on when it boots, and counts from there. */
    uint64_t recorded_since_boot(const std::string &log) const
    {
        uint64_t count = 0;
        for (const std::string &line : lines(read(log))) {
            std::istringstream entry(line);
            std::string in, time;
            unsigned board = 0, port = 0;
            if (entry >> in >> time >> board >> port && in == "in") {
                count = port == BOOT ? 0 : count + 1;
            }
        }
        return count;
    }
    pid_t child_ = 0;
};

} // namespace

TEST_F(ServeTest, BootsOverUdpAnswersAndReplaysToTheSameHash)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs";
    }
    const udp_client one;
    const udp_client other;
    start({"--record", path("log")});
    one.send(BOARD, SCP, "too early"); /* nothing has booted that could answer */
    boot(one, boot_image_of("test_udp_echo"));
    EXPECT_EQ(one.echo(BOARD, SCP, "hello"), "hello");
    EXPECT_EQ(other.echo(BOARD, SCP, "from another"), "from another");
    for (unsigned i = 0; i < 20; i++) { /* two clients at once: each gets its own */
        one.forget();
        other.forget();
        one.send(BOARD, SCP, "one " + std::to_string(i));
        other.send(BOARD, SCP, "other " + std::to_string(i));
        EXPECT_EQ(one.receive(), "one " + std::to_string(i));
        EXPECT_EQ(other.receive(), "other " + std::to_string(i));
    }
    const std::string large(1472, 'x');
    EXPECT_EQ(one.echo(BOARD, SCP, large), large);
    one.send(BOARD, SCP, large + "y"); /* fits no frame */
    EXPECT_EQ(one.echo(BOARD, SCP, "still there"), "still there");
    ASSERT_EQ(stop(), 0) << read("said");
    EXPECT_EQ(said("ARP and ICMP echo requests of boards answered"), 1u) << read("said");
    EXPECT_EQ(said("datagrams lost: longer than a frame"), 1u);
    EXPECT_EQ(said("times switched on"), 1u);
    EXPECT_NE(read("said").find(", 4 chips, 4 cores\n"), std::string::npos) << read("said");
    EXPECT_TRUE(matches_manifest("out"));
    EXPECT_EQ(text("out", "status"), "done");
    auto counts = counters("out");
    /* And the answer to the ARP request.  What came before the program had set up its controller
     * was filtered. */
    EXPECT_EQ(counts["ethernet.frames_received"] + counts["ethernet.frames_filtered"],
              recorded_since_boot("log") + 1);
    EXPECT_LE(recorded_since_boot("log"), said("datagrams to boards"));
    EXPECT_EQ(counts["ethernet.frames_sent"], said("datagrams of boards sent to clients") + 1);

    const finished again = spinnsim(
        {"serve", experiment("serve_spin3"), "--replay", path("log"), "--out", path("again")});
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(text("again", "identity.stats_hash"), text("out", "identity.stats_hash"));
    EXPECT_EQ(read("again/counters.csv"), read("out/counters.csv"));
    const finished threads = spinnsim({"serve", experiment("serve_spin3"), "--replay", path("log"),
                                       "--out", path("threads"), "--threads", "2", "--tier",
                                       "interpreter", "--record", path("log_again")});
    ASSERT_EQ(threads.status, 0) << threads.err;
    EXPECT_EQ(text("threads", "identity.stats_hash"), text("out", "identity.stats_hash"));
    EXPECT_EQ(read("log_again"), read("log")) << "a replay that is recorded is the recording";

    const finished other_board = spinnsim(
        {"serve", experiment("serve_spin5"), "--replay", path("log"), "--out", path("other")});
    EXPECT_EQ(other_board.status, 2);
    EXPECT_NE(other_board.err.find("made with another configuration"), std::string::npos)
        << other_board.err;
}

TEST_F(ServeTest, ABootRomTakesTheImageFromTheWire)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs";
    }
    const udp_client one;
    const udp_client manager;
    const std::string image = boot_image_of("test_udp_echo");
    start({"--set", "run.boot=rom", "--bmp", address_text(BMP), "--record", path("log")});
    one.send(BOARD, SCP, "too early");
    EXPECT_EQ(boot_and_echo(one, image, "hello"), "hello");
    EXPECT_EQ(manager.ask(BMP, SCP, power(false)).substr(10, 2), std::string("\x80\0", 2));
    EXPECT_EQ(manager.ask(BMP, SCP, power(true)).substr(10, 2), std::string("\x80\0", 2));
    EXPECT_EQ(boot_and_echo(one, image, "again"), "again");
    ASSERT_EQ(stop(), 0) << read("said");
    EXPECT_EQ(said("times switched on"), 1u) << "a boot message does not switch the board off";
    EXPECT_EQ(text("out", "status"), "done");
    EXPECT_NE(read("said").find(", 4 chips, 72 cores\n"), std::string::npos) << read("said");
    const finished again =
        spinnsim({"serve", experiment("serve_spin3"), "--set", "run.boot=rom", "--replay",
                  path("log"), "--out", path("again"), "--threads", "2"});
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(text("again", "identity.stats_hash"), text("out", "identity.stats_hash"));
    const finished handover = spinnsim(
        {"serve", experiment("serve_spin3"), "--replay", path("log"), "--out", path("other")});
    EXPECT_EQ(handover.status, 2);
}

TEST_F(ServeTest, ImageOfAFileRunsFromTheBegin)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs";
    }
    const udp_client one;
    const udp_client third;
    write("image", boot_image_of("test_udp_echo"));
    start({"--scamp", path("image"), "--pace", "max", "--record", path("log")});
    EXPECT_EQ(one.echo(BOARD, SCP, "found booted"), "found booted");
    /* To where the frame says, which is not where the request came from. */
    std::string to = "T";
    put(to, third.port(), 2);
    one.send(BOARD, SCP, to + "by a tag");
    std::string from;
    EXPECT_EQ(third.receive(&from), to + "by a tag");
    EXPECT_EQ(from, address_text(BOARD) + ":17893");
    EXPECT_EQ(stop(SIGINT), 0) << read("said");
    EXPECT_TRUE(matches_manifest("out"));

    const finished again = spinnsim({"serve", experiment("serve_spin3"), "--replay", path("log"),
                                     "--scamp", path("image"), "--out", path("again")});
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(text("again", "identity.stats_hash"), text("out", "identity.stats_hash"));
    const finished without = spinnsim(
        {"serve", experiment("serve_spin3"), "--replay", path("log"), "--out", path("without")});
    EXPECT_EQ(without.status, 2);
    EXPECT_NE(without.err.find("another boot image"), std::string::npos) << without.err;
}

TEST_F(ServeTest, BootInTheMiddleOfARunSwitchesTheBoardOffAndOn)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs";
    }
    const udp_client one;
    const std::string image = boot_image_of("test_udp_echo");
    start({"--record", path("log")});
    boot(one, image);
    EXPECT_EQ(one.echo(BOARD, SCP, "first"), "first");
    one.send(BOARD, BOOT, boot_messages(image)[0]); /* the client dies here */
    boot(one, image);
    one.forget();
    EXPECT_EQ(one.echo(BOARD, SCP, "second"), "second");
    ASSERT_EQ(stop(), 0) << read("said");
    EXPECT_EQ(said("times switched on"), 2u) << read("said");
    EXPECT_EQ(said("boot datagrams refused: a start of the same number of blocks, before they are "
                   "complete"),
              1u)
        << read("said");
    const finished again = spinnsim(
        {"serve", experiment("serve_spin3"), "--replay", path("log"), "--out", path("again")});
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(text("again", "identity.stats_hash"), text("out", "identity.stats_hash"));
}

TEST_F(ServeTest, PowerIsSwitchedByTheManagementProcessor)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs";
    }
    const udp_client one;
    const std::string image = boot_image_of("test_udp_echo");
    start({"--bmp", address_text(BMP), "--record", path("log")});
    boot(one, image);
    EXPECT_EQ(one.echo(BOARD, SCP, "on"), "on");
    one.forget();
    EXPECT_EQ(one.ask(BMP, SCP, power(false)).substr(10, 2), std::string("\x80\0", 2));
    one.forget();
    one.send(BOARD, SCP, "off");
    EXPECT_EQ(one.receive(), "");
    EXPECT_EQ(one.ask(BMP, SCP, power(true)).substr(10, 2), std::string("\x80\0", 2));
    one.forget();
    one.send(BOARD, SCP, "on, but not booted");
    EXPECT_EQ(one.receive(), "");
    boot(one, image);
    EXPECT_EQ(one.echo(BOARD, SCP, "booted"), "booted");
    one.forget();
    EXPECT_EQ(one.ask(BMP, SCP, to_management('\x37', '\2')).substr(10, 2), /* a reset */
              std::string("\x80\0", 2));
    one.forget();
    one.send(BOARD, SCP, "reset, but not booted");
    EXPECT_EQ(one.receive(), "");
    boot(one, image);
    EXPECT_EQ(one.echo(BOARD, SCP, "booted again"), "booted again");
    ASSERT_EQ(stop(), 0) << read("said");
    EXPECT_GE(said("datagrams lost: the boards were switched off"), 1u) << read("said");
    const finished again = spinnsim(
        {"serve", experiment("serve_spin3"), "--replay", path("log"), "--out", path("again")});
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(text("again", "identity.stats_hash"), text("out", "identity.stats_hash"));
}

TEST_F(ServeTest, ReverseTagOpensItsPort)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs";
    }
    const udp_client one;
    const uint16_t port = 20000;
    const std::string tag = reverse_tag(port);
    write("image", boot_image_of("test_udp_echo"));
    start({"--scamp", path("image"), "--record", path("log")});
    one.send(BOARD, port, "too early");
    EXPECT_EQ(one.ask(BOARD, SCP, tag), tag);
    one.forget();
    one.send(BOARD, port, "by the tag");
    std::string from;
    EXPECT_EQ(one.receive(&from), "by the tag");
    EXPECT_EQ(from, address_text(BOARD) + ":20000");
    ASSERT_EQ(stop(), 0) << read("said");
    EXPECT_EQ(said("ports of reverse IPTags that could not be opened"), 0u) << read("said");
    const finished again = spinnsim({"serve", experiment("serve_spin3"), "--replay", path("log"),
                                     "--scamp", path("image"), "--out", path("again")});
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(text("again", "identity.stats_hash"), text("out", "identity.stats_hash"));
}

TEST_F(ServeTest, ReverseTagWhosePortIsTakenIsNamed)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs";
    }
    const udp_client one;
    const udp_client other(0.5, BOARD); /* has a port of the board's address */
    write("image", boot_image_of("test_udp_echo"));
    start({"--scamp", path("image")});
    EXPECT_EQ(one.ask(BOARD, SCP, reverse_tag(other.port())), reverse_tag(other.port()));
    ASSERT_EQ(stop(), 0) << read("said");
    EXPECT_GE(said("ports of reverse IPTags that could not be opened"), 1u) << read("said");
    EXPECT_NE(read("said").find("the first: UDP port " + std::to_string(other.port()) + " of " +
                                address_text(BOARD) + " is in use by process " +
                                std::to_string(getpid()) + " "),
              std::string::npos)
        << read("said");
}

TEST_F(ServeTest, EachOfSeveralBoardsHasItsAddress)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs";
    }
    const words three = {"--set", "board.shape=boards", "--set", "board.width=12",
                         "--set", "board.height=12"};
    const udp_client one;
    words more = three;
    more.insert(more.end(), {"--record", path("log")});
    start(more, "serve_spin5");
    boot(one, boot_image_of("test_udp_echo"), BOARD + 1); /* all boards, from any of them */
    for (uint32_t board = BOARD; board < BOARD + 3; board++) {
        const std::string text = "board at " + address_text(board);
        std::string from;
        EXPECT_EQ(one.echo(board, SCP, text, &from), text);
        EXPECT_EQ(from, address_text(board) + ":17893");
        one.forget();
    }
    ASSERT_EQ(stop(), 0) << read("said");
    EXPECT_EQ(said("ARP and ICMP echo requests of boards answered"), 3u) << read("said");
    words replay = {"serve",      experiment("serve_spin5"), "--replay", path("log"), "--out",
                    path("again")};
    replay.insert(replay.end(), three.begin(), three.end());
    const finished again = spinnsim(replay);
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(text("again", "identity.stats_hash"), text("out", "identity.stats_hash"));
}

/* SPINNSIM_SERVE_DATAGRAMS of them; the board answers after each 1,000. */
TEST_F(ServeTest, RandomDatagramsDoNotEndIt)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs";
    }
    const udp_client one;
    const udp_client bad;
    std::mt19937 random(38);
    write("image", boot_image_of("test_udp_echo"));
    start({"--scamp", path("image"), "--bmp", address_text(BMP)});
    const uint64_t count = amount("SPINNSIM_SERVE_DATAGRAMS", 3000);
    for (uint64_t i = 0; i < count; i++) {
        std::string noise(random() % (i % 50 == 0 ? 9000 : 60), '\0');
        for (char &byte : noise) {
            byte = static_cast<char>(random());
        }
        if (i % 3 == 0 && noise.size() > 6) { /* not a start, which would switch the board off */
            noise[5] = static_cast<char>(2 + random() % 100);
        }
        bad.send(i % 3 == 1 ? BMP : BOARD, i % 3 == 0 ? uint16_t{BOOT} : uint16_t{SCP}, noise);
        bad.forget();
        if (i % 1000 == 999) {
            one.forget();
            ASSERT_EQ(one.echo(BOARD, SCP, "still there"), "still there") << i;
        }
    }
    EXPECT_EQ(stop(), 0) << read("said");
    EXPECT_GE(said("datagrams lost: longer than a frame"), 1u) << read("said");
}

TEST_F(ServeTest, PortInUseIsNamed)
{
    start({});
    const finished second = spinnsim({"serve", experiment("serve_spin3"), "--bind",
                                      address_text(BOARD), "--out", path("second")});
    EXPECT_EQ(second.status, 2);
    EXPECT_NE(second.err.find("UDP port 17893 of " + address_text(BOARD) +
                              " is in use by process " + std::to_string(child_) + " (spinnsim)"),
              std::string::npos)
        << second.err;
    EXPECT_FALSE(exists("second"));
    EXPECT_EQ(stop(), 0);
}

TEST_F(ServeTest, MistakesAreRefused)
{
    const auto refuses = [this](const words &more, const std::string &what) {
        words arguments = {"serve", experiment("serve_spin3"), "--out", path("out")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const finished refused = spinnsim(arguments);
        EXPECT_EQ(refused.status, 2) << what;
        EXPECT_NE(refused.err.find(what), std::string::npos) << refused.err;
    };
    write("small", "small");
    write("large", std::string(32772, 'x'));
    refuses({"--bind", "localhost"}, "not an IPv4 address");
    refuses({"--bmp", "127.0.0"}, "not an IPv4 address");
    refuses({"--pace", "fast"}, "neither real, max, nor a whole number");
    refuses({"--replay", path("small"), "--pace", "max"}, "--replay opens no sockets");
    refuses({"--bind", "192.0.2.1"}, "192.0.2.1 is not an address of this computer");
    refuses({"--scamp", path("small")}, "no boot image");
    refuses({"--scamp", path("large")}, "large");
    refuses({"--scamp", path("none")}, "none");
    refuses({"--replay", path("small")}, "no recording of datagrams");
    refuses({"--set", "run.boot=direct"}, "booted over Ethernet");
    refuses({"--set", "run.boot=rom", "--scamp", path("small")}, "takes its image from a client");
    refuses({"--set", "record.interval=1 ms"}, "record.interval");
    refuses({"--set", "record.timeline.what=[dma]"}, "record.timeline.what");
    const finished run = spinnsim({"run", experiment("serve_spin3"), "--out", path("out")});
    EXPECT_EQ(run.status, 2);
    EXPECT_NE(run.err.find("spinnsim serve"), std::string::npos) << run.err;
    EXPECT_FALSE(exists("out"));
}
