/* The port at which GDB is waited for, with clients of our own. */
#include "tests/support/gdb_toy.h"
#include "tests/support/gdb_user.h"

extern "C" {
#include "sim/gdb/server.h"
}

#include <gtest/gtest.h>

#include <thread>
#include <unistd.h>

namespace
{

class GdbServer : public testing::Test
{
  protected:
    void SetUp() override
    {
        ASSERT_EQ(pipe(interrupt_), 0);
        ASSERT_EQ(gdb_server_open(&server_, port_, &diagnostic_), STATUS_OK) << diagnostic_.text;
    }
    void TearDown() override
    {
        gdb_server_close(&server_);
        (void)close(interrupt_[0]);
        (void)close(interrupt_[1]);
    }
    /* Serves in another thread. */
    std::thread serve()
    {
        return std::thread([this] {
            EXPECT_EQ(gdb_server_run(&server_, &toy_.target, interrupt_[0], &end_, &diagnostic_),
                      STATUS_OK);
        });
    }
    const uint16_t port_ = gdb_free_port();
    gdb_toy toy_;
    struct gdb_server server_ = {-1, 0};
    struct diagnostic diagnostic_ = {};
    int interrupt_[2] = {-1, -1};
    enum gdb_end end_ = GDB_DEAD;
};

} // namespace

TEST_F(GdbServer, ServesAClientUntilItDetaches)
{
    std::thread thread = serve();
    const gdb_user client(port_);
    EXPECT_EQ(client.ask("qC"), "QC1");
    EXPECT_EQ(client.ask("m1000,2"), "1010");
    EXPECT_EQ(client.ask("D"), "OK");
    thread.join();
    EXPECT_EQ(end_, GDB_DETACHED);
}

TEST_F(GdbServer, TurnsASecondClientAway)
{
    std::thread thread = serve();
    const gdb_user client(port_);
    EXPECT_EQ(client.ask("qC"), "QC1");
    const gdb_user second(port_);
    EXPECT_EQ(second.ask("qC"), "");
    EXPECT_EQ(client.ask("qC"), "QC1");
    EXPECT_EQ(client.ask("k"), "");
    thread.join();
    EXPECT_EQ(end_, GDB_DEAD);
}

TEST_F(GdbServer, KeepsTheTargetForTheNextClient)
{
    std::thread thread = serve();
    {
        const gdb_user lost(port_);
        EXPECT_EQ(lost.ask("Z0,8000,4"), "OK");
        EXPECT_EQ(lost.ask("M1000,1:77"), "OK");
    }
    const gdb_user client(port_);
    EXPECT_EQ(client.ask("m1000,1"), "77");
    EXPECT_EQ(client.ask("D"), "OK");
    thread.join();
    EXPECT_EQ(toy_.points.count, 0u);
}

TEST_F(GdbServer, StopsARunAtCtrlCAndEndsWithTheInterrupt)
{
    std::thread thread = serve();
    const gdb_user client(port_);
    client.send_packet("c");
    client.send("\x03");
    EXPECT_EQ(client.receive(), "T02thread:1;");
    client.send_packet("c");
    EXPECT_EQ(write(interrupt_[1], "", 1), 1);
    thread.join();
    EXPECT_EQ(end_, GDB_GOES_ON);
}

TEST_F(GdbServer, EndsWithTheInterruptWhileItWaits)
{
    std::thread thread = serve();
    EXPECT_EQ(write(interrupt_[1], "", 1), 1);
    thread.join();
    EXPECT_EQ(end_, GDB_GOES_ON);
}

/* The owner of the target does something of its own meanwhile, and ends it at last. */
TEST_F(GdbServer, ServesAClientInParts)
{
    const gdb_user user(port_);
    struct gdb_client *client = nullptr;
    ASSERT_EQ(gdb_client_await(&server_, &toy_.target, interrupt_[0], &client, &diagnostic_),
              STATUS_OK);
    ASSERT_NE(client, nullptr);
    const auto always = [](void *toy) {
        static_cast<gdb_toy *>(toy)->pauses++;
        return true;
    };
    user.send_packet("c");
    EXPECT_TRUE(gdb_client_serve(client, always, &toy_));
    EXPECT_TRUE(gdb_client_serve(client, always, &toy_));
    EXPECT_EQ(toy_.pauses, 2u);
    EXPECT_EQ(toy_.resumes, 1u);
    struct gdb_stop end = {};
    end.why = GDB_EXITED;
    end.process = 1;
    end.number = 3;
    gdb_client_finish(client, &end);
    EXPECT_EQ(gdb_client_end(client), GDB_FINISHED);
    gdb_client_close(client);
    EXPECT_EQ(user.receive(), "W03");
    EXPECT_EQ(user.receive(), "");
}

TEST_F(GdbServer, NamesWhoHasItsPort)
{
    struct gdb_server other = {-1, 0};
    EXPECT_EQ(gdb_server_open(&other, port_, &diagnostic_), STATUS_CONFIGURATION);
    EXPECT_EQ(std::string(diagnostic_.text), "TCP port " + std::to_string(port_) +
                                                 " of 127.0.0.1 is in use by process " +
                                                 std::to_string(getpid()) + " (gdb_test)");
    EXPECT_EQ(std::string(diagnostic_.hint), "--gdb PORT takes another one");
    EXPECT_EQ(other.file, -1);
}
