/* gdb_program.h - spinnsim that waits for GDB, as a child of a test, and what its user says. */
#pragma once
#include "tests/support/gdb_user.h"
#include "tests/system/program.h"

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <thread>

inline std::string gdb_unhex_text(const std::string &digits)
{
    std::string text(digits.size() / 2, ' ');
    EXPECT_TRUE(gdb_unhex(reinterpret_cast<uint8_t *>(&text[0]), digits.data(), text.size()));
    return text;
}

/* What a command of `monitor` says. */
inline std::string gdb_monitor(const gdb_user &client, const std::string &line)
{
    std::string digits;
    std::string text;
    for (const char letter : line) {
        char hex[3];
        (void)snprintf(hex, sizeof hex, "%02x", static_cast<unsigned>(letter));
        digits += hex;
    }
    client.send_packet("qRcmd," + digits);
    for (std::string part = client.receive(); part != "OK" && !part.empty();
         part = client.receive()) {
        text += gdb_unhex_text(part.substr(1));
    }
    return text;
}

/* The number that follows `text` where that stands for the n-th time; 0: nowhere. */
inline unsigned long long gdb_number_behind(const std::string &said, const std::string &text,
                                            unsigned n, int base = 10)
{
    size_t at = said.find(text);
    for (unsigned i = 1; i < n && at != std::string::npos; i++) {
        at = said.find(text, at + 1);
    }
    return at == std::string::npos ? 0 : std::stoull(said.substr(at + text.size()), nullptr, base);
}

class GdbProgram : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }
    void TearDown() override
    {
        if (child_ > 0) {
            (void)kill(child_, SIGKILL);
            (void)waitpid(child_, nullptr, 0);
        }
        if (!folder.empty()) {
            SystemTest::TearDown();
        }
    }
    /* Starts a command of spinnsim with --gdb, in the test's folder, and waits until it listens. */
    void start(const std::string &name, const words &arguments)
    {
        words command = {SPINN_PROGRAM, name, "--gdb", std::to_string(port_)};
        command.insert(command.end(), arguments.begin(), arguments.end());
        write("said", "");
        child_ = fork();
        if (child_ == 0) {
            std::vector<char *> argv;
            for (std::string &argument : command) {
                argv.push_back(argument.data());
            }
            argv.push_back(nullptr);
            const int out = open(path("said").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
            (void)dup2(open("/dev/null", O_RDONLY), 0);
            (void)dup2(out, 1);
            (void)dup2(out, 2);
            (void)!chdir(folder.c_str());
            (void)execv(argv[0], argv.data());
            _exit(127);
        }
        for (unsigned i = 0; i < 600 && read("said").find("waiting for GDB") == std::string::npos;
             i++) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        ASSERT_NE(read("said").find("waiting for GDB at 127.0.0.1:" + std::to_string(port_)),
                  std::string::npos)
            << read("said");
    }
    /* Waits for its end; its exit status, 1000 and the number for a signal. */
    int finish()
    {
        int status = 0;
        (void)waitpid(child_, &status, 0);
        child_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    }
    std::string last_line() const
    {
        const words said = lines(read("said"));
        return said.empty() ? "" : said.back();
    }
    /* A session of gdb-multiarch, which reads its commands from a file. */
    finished gdb(const std::string &commands) const
    {
        write("script", commands);
        return run_command(
            {"timeout", "240", "gdb-multiarch", "-nx", "-batch", "-x", path("script")}, folder);
    }
    static bool has_gdb()
    {
        return run_command({"sh", "-c", "command -v gdb-multiarch"}).status == 0;
    }

    const uint16_t port_ = gdb_free_port();
    pid_t child_ = 0;
};
