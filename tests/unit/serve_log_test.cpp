/* Recordings of datagrams: written and read again; broken ones are refused with their line. */
#include "tests/unit/data_fixture.h"

extern "C" {
#include "sim/serve/log.h"
}

#include <gtest/gtest.h>

#include <string>

namespace
{

const std::string HASH(64, 'a');
const std::string HEAD =
    "spinnsim datagrams 1\nsimulation " + HASH + "\nimage none\nboard 0 127.0.0.2\n";

byte_string bytes_of(const std::string &text)
{
    return {text.begin(), text.end()};
}

class ServeLog : public testing::Test
{
  protected:
    ~ServeLog() override
    {
        log_deinit(&log_);
    }
    enum status read(const std::string &text)
    {
        log_deinit(&log_);
        return log_read(&log_, folder_.write("log", bytes_of(text)).c_str(), &diagnostic_);
    }
    /* Expects a refusal that names this line. */
    void refuses(const std::string &text, int line, const std::string &what)
    {
        EXPECT_EQ(read(text), STATUS_CONFIGURATION) << text;
        EXPECT_EQ(diagnostic_.line, line) << text;
        EXPECT_TRUE(contains(said(diagnostic_), what)) << said(diagnostic_);
        EXPECT_TRUE(contains(diagnostic_.file, "/log"));
    }
    temporary_folder folder_;
    struct log log_ = {};
    struct diagnostic diagnostic_ = {};
};

} // namespace

TEST_F(ServeLog, IsReadAsItWasWritten)
{
    const uint8_t payload[] = {0x00, 0x0f, 0xa5, 0xff};
    struct log_head head = {};
    HASH.copy(head.simulation, 64);
    std::string("none").copy(head.image, 4);
    head.board_count = 2;
    head.board[0] = 0x7f000002;
    head.board[1] = 0x7f000003;
    struct file_writer file;
    const std::string path = folder_.file("written");
    ASSERT_EQ(log_create(&file, path.c_str(), &head, &diagnostic_), STATUS_OK);
    const struct log_entry first = {5, 1, 17893, {0x7f000001, 40000}, payload, 4};
    const struct log_entry second = {6, 0, LOG_PORT_BMP, {0xc0a80007, 1}, payload, 0};
    log_add(&file, &first);
    log_add(&file, &second);
    ASSERT_EQ(log_end(&file, 7, &diagnostic_), STATUS_OK);
    const byte_string text = read_file(path);
    EXPECT_EQ(std::string(text.begin(), text.end()),
              "spinnsim datagrams 1\nsimulation " + HASH +
                  "\nimage none\nboard 0 127.0.0.2\nboard 1 127.0.0.3\n"
                  "in 5 1 17893 127.0.0.1:40000 000fa5ff\nin 6 0 bmp 192.168.0.7:1 -\nend 7\n");

    ASSERT_EQ(log_read(&log_, path.c_str(), &diagnostic_), STATUS_OK) << said(diagnostic_);
    EXPECT_EQ(log_.head.board_count, 2u);
    EXPECT_EQ(log_.head.board[1], 0x7f000003u);
    EXPECT_EQ(log_.head.simulation, HASH);
    EXPECT_STREQ(log_.head.image, "none");
    ASSERT_EQ(log_.count, 2u);
    EXPECT_EQ(log_.entry[0].time_ps, 5u);
    EXPECT_EQ(log_.entry[0].board, 1u);
    EXPECT_EQ(log_.entry[0].port, 17893u);
    EXPECT_EQ(log_.entry[0].from.address, 0x7f000001u);
    EXPECT_EQ(log_.entry[0].from.port, 40000u);
    EXPECT_EQ(byte_string(log_.entry[0].payload, log_.entry[0].payload + log_.entry[0].bytes),
              byte_string(payload, payload + 4));
    EXPECT_EQ(log_.entry[1].port, LOG_PORT_BMP);
    EXPECT_EQ(log_.entry[1].bytes, 0u);
    EXPECT_EQ(log_.end_ps, 7u);
}

TEST_F(ServeLog, WithoutDatagramsIsGood)
{
    EXPECT_EQ(read(HEAD + "end 0\n"), STATUS_OK) << said(diagnostic_);
    EXPECT_EQ(log_.count, 0u);
}

TEST_F(ServeLog, ThatIsBrokenIsRefusedWithItsLine)
{
    refuses("", 1, "no recording of datagrams");
    refuses("spinnsim datagrams 2\n", 1, "no recording of datagrams");
    refuses("spinnsim datagrams 1\nimage none\n", 2, "come first");
    refuses("spinnsim datagrams 1\nsimulation abc\n", 2, "64 digits");
    refuses("spinnsim datagrams 1\nsimulation " + HASH + "\nimage " + HASH + "0\n", 3, "64 digits");
    refuses(HEAD, 5, "cut short");
    refuses(HEAD + "in 5 0 17893 127.0.0.1:4", 5, "cut short");
    refuses(HEAD + "board 2 127.0.0.4\n", 5, "numbered from 0");
    refuses(HEAD + "board 1 127.0.0.256\n", 5, "numbered from 0");
    refuses(HEAD + "out 5 0 17893 127.0.0.1:4 00\n", 5, "begins with");
    refuses(HEAD + "in -5 0 17893 127.0.0.1:4 00\n", 5, "no number");
    refuses(HEAD + "in 99999999999999999999 0 17893 127.0.0.1:4 00\n", 5, "no number");
    refuses(HEAD + "in 5 1 17893 127.0.0.1:4 00\n", 5, "no such board");
    refuses(HEAD + "in 5 0 0 127.0.0.1:4 00\n", 5, "the port");
    refuses(HEAD + "in 5 0 65536 127.0.0.1:4 00\n", 5, "the port");
    refuses(HEAD + "in 5 0 17893 127.0.0.1 00\n", 5, "no address");
    refuses(HEAD + "in 5 0 17893 127.0.0.1:70000 00\n", 5, "no address");
    for (const char *payload : {"", "0", "0g", "00 ", "00 11", "0A"}) {
        refuses(HEAD + "in 5 0 17893 127.0.0.1:4 " + payload + "\n", 5, "payload");
    }
    refuses(HEAD + "in 5 0 17893 127.0.0.1:4 " + std::string(2 * 1473, '0') + "\nend 5\n", 5,
            "payload");
    EXPECT_EQ(read(HEAD + "in 5 0 17893 127.0.0.1:4 " + std::string(2 * 1472, '0') + "\nend 5\n"),
              STATUS_OK);
    refuses(HEAD + "in 5 0 17893 127.0.0.1:4 00\nin 4 0 17893 127.0.0.1:4 00\nend 5\n", 6,
            "earlier");
    refuses(HEAD + "in 5 0 17893 127.0.0.1:4 00\nend 4\n", 6, "earlier");
    refuses(HEAD + "end 4\nend 5\n", 5, "more behind");
}
