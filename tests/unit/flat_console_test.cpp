/* flat_console_test.cpp - the console of a guest: every byte, in its order, lines as they end. */
#include "sim/flat/console.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

class Console : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        ASSERT_EQ(pipe(in), 0);
        ASSERT_EQ(pipe(out), 0);
        ASSERT_EQ(pipe(wake), 0);
        ASSERT_EQ(fcntl(out[0], F_SETFL, O_NONBLOCK), 0);
        console.input = in[0];
        console.output = console.error = out[1];
        console.interrupt = wake[0];
    }
    void TearDown() override
    {
        for (const int end : {in[0], in[1], out[0], out[1], wake[0], wake[1]}) {
            close(end);
        }
    }

    void type(const std::string &text) const
    {
        ASSERT_EQ(write(in[1], text.data(), text.size()), (ssize_t)text.size());
    }
    std::string read_up_to(size_t most)
    {
        std::string bytes(most, '\0');
        bytes.resize(console_read(&console, reinterpret_cast<uint8_t *>(&bytes[0]), most, &error));
        return bytes;
    }
    std::string written() const
    {
        char bytes[8192];
        const ssize_t got = read(out[0], bytes, sizeof bytes);
        return got < 0 ? "" : std::string(bytes, (size_t)got);
    }
    void put(const std::string &text)
    {
        for (const char c : text) {
            console_put(&console, (uint8_t)c);
        }
    }

    struct console console = {};
    int in[2], out[2], wake[2];
    int error = -1;
};

TEST_F(Console, ALineIsReadAtATimeAndBytesAreExact)
{
    const std::string binary("\0x\0\n\n\xff", 6);
    type(binary + "end");
    close(in[1]);
    EXPECT_EQ(read_up_to(100), std::string("\0x\0\n", 4));
    EXPECT_EQ(read_up_to(100), "\n");
    EXPECT_EQ(read_up_to(1), "\xff");
    EXPECT_EQ(read_up_to(0), "");
    EXPECT_EQ(read_up_to(2), "en");
    EXPECT_EQ(read_up_to(2), "d");
    EXPECT_EQ(read_up_to(2), "");
    EXPECT_EQ(error, 0);
}

TEST_F(Console, ALineThatIsLongerThanTheBufferIsOne)
{
    const std::string line = std::string(CONSOLE_BUFFER_BYTES + 5, 'a') + "\n";
    type(line + "b\n");
    EXPECT_EQ(read_up_to(2 * line.size()), line);
    EXPECT_EQ(read_up_to(10), "b\n");
}

TEST_F(Console, WhatCannotBeReadIsAnErrorAndNotAnEnd)
{
    console.input = open("/", O_RDONLY);
    EXPECT_EQ(read_up_to(10), "");
    EXPECT_EQ(error, EISDIR);
    close(console.input);
}

TEST_F(Console, NobodyWaitsForInputOnceTheRunIsToEnd)
{
    type("no line");
    ASSERT_EQ(write(wake[1], "", 1), 1);
    EXPECT_EQ(read_up_to(100), "");
}

TEST_F(Console, SingleBytesAreWrittenWhenTheirLineEnds)
{
    put("ab");
    EXPECT_EQ(written(), "");
    put("c\nd");
    EXPECT_EQ(written(), "abc\n");
    console_flush(&console);
    EXPECT_EQ(written(), "d");
    put(std::string(CONSOLE_BUFFER_BYTES, 'x') + "y");
    EXPECT_EQ(written(), std::string(CONSOLE_BUFFER_BYTES, 'x'));
}

TEST_F(Console, WhatComesBehindSingleBytesIsWrittenBehindThem)
{
    put("a");
    const uint8_t more[] = {'b', 0, 'c'};
    EXPECT_EQ(console_write(&console, console.output, more, sizeof more, &error), 3u);
    EXPECT_EQ(error, 0);
    EXPECT_EQ(written(), std::string("ab\0c", 4));
    put("?");
    type("\n");
    EXPECT_EQ(read_up_to(10), "\n");
    EXPECT_EQ(written(), "?");
}

TEST_F(Console, BytesThatAreLostAreKnown)
{
    const uint8_t bytes[] = {'a'};
    console.error = open("/dev/full", O_WRONLY);
    EXPECT_EQ(console_write(&console, console.error, bytes, 1, &error), 0u);
    EXPECT_EQ(error, ENOSPC);
    EXPECT_EQ(console.lost_errno, ENOSPC);
    EXPECT_EQ(console.lost_on, console.error);
    close(console.error);
    (void)signal(SIGPIPE, SIG_IGN);
    close(out[0]);
    put("a\n");
    EXPECT_EQ(console.lost_errno, ENOSPC) << "the first counts";
    out[0] = open("/dev/null", O_RDONLY);
}
