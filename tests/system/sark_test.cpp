/* sark_test.cpp - programs that are linked with SARK, the runtime of spinnaker_tools, and their
 * file format.  guests/sark_like.c does what such programs do. */
#include "tests/system/program.h"

#include <algorithm>
#include <sstream>

extern "C" {
#include "sim/load/elf_image.h"
}

class Sark : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }

    finished run_on(const std::string &board, const std::string &file, const std::string &cores,
                    const words &more = {}) const
    {
        write("own.yaml", "include: [boards/" + board +
                              ".yaml, energy/spinnaker1.yaml]\nname: own\napp:\n  - {file: " +
                              file + ", chips: all, cores: [" + cores + "]}\n");
        words arguments = {"run", "own.yaml", "--force", "--out", "out"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return spinnsim(arguments);
    }

    words lines() const
    {
        std::istringstream text(read("out/console.txt"));
        words found;
        for (std::string line; std::getline(text, line);) {
            found.push_back(line);
        }
        std::sort(found.begin(), found.end());
        return found;
    }
};

/* What sark_like.c prints through the host on a chip, with the number of the core in front. */
words said_on(const std::string &chip)
{
    words said;
    for (const std::string line : {"1: end", "1: late", "1: ok", "2: end", "2: late", "2: ping"}) {
        said.push_back(chip + ",0 core " + line);
    }
    return said;
}

/* On each of four chips, two cores: they wait for the one that is late, on the first chip; exchange
 * messages, also with the opposite chip; wait for each other; end.  What they print through the
 * host is in their monitor's buffer. */
TEST_F(Sark, ProgramsPrintWaitForSignalsAndSendMessages)
{
    words expected;
    for (const std::string chip : {"0,0", "0,1", "1,0", "1,1"}) {
        const words said = said_on(chip);
        expected.insert(expected.end(), said.begin(), said.end());
        expected.push_back(chip + ",0 core 2: far");
    }
    std::sort(expected.begin(), expected.end());
    const finished result = run_on("spin3", program("test_sark_like"), "1, 2");
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(lines(), expected);
    EXPECT_EQ(number("out", "cores_used"), 8);
    EXPECT_NE(read("out/summary.json").find("\"system_monitor\""), std::string::npos);
    const std::string hash = text("out", "identity.stats_hash");
    EXPECT_EQ(run_on("spin3", program("test_sark_like"), "1, 2", {"--threads", "3"}).status, 0);
    EXPECT_EQ(text("out", "identity.stats_hash"), hash);
}

TEST_F(Sark, ChipsOnWhichAProgramHasEndedAreNotWaitedFor)
{
    words expected;
    for (const std::string chip : {"0,0", "0,1", "1,0"}) {
        const words said = said_on(chip);
        expected.insert(expected.end(), said.begin(), said.end());
    }
    const finished result = run_on("spin3", program("test_sark_early"), "1, 2");
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(lines(), expected);
}

/* Monitors of 48 chips tell the one of chip (0,0) that their cores wait: none at the same time, so
 * that no packet is lost.  Then 47 chips send messages to one core, whose monitor takes a few at a
 * time: packets are lost, and no message is. */
TEST_F(Sark, AllChipsOfABoardWaitForEachOther)
{
    const finished result = run_on("spin5", program("test_sark_like"), "1, 2");
    EXPECT_EQ(result.status, 0) << result.err;
    const words said = lines();
    EXPECT_EQ(std::count_if(
                  said.begin(), said.end(),
                  [](const std::string &line) { return line.find(": end") != std::string::npos; }),
              96);
    EXPECT_EQ(std::count(said.begin(), said.end(), "0,0,0 core 2: far"), 47);
}

/* The same program in SpiNNaker's own format, with its table made here. */
TEST_F(Sark, AnAplxFileRunsAsItsElfFile)
{
    elf_image image = {};
    ASSERT_EQ(elf_image_read(&image, program("test_sark_like").c_str(), nullptr), STATUS_OK);
    std::vector<uint32_t> table = {2, 0, 16, 0}; /* begins with a copy: of nothing */
    std::string content;
    const size_t head = 16 * (2 * image.segment_count + 2);
    for (size_t i = 0; i < image.segment_count; i++) {
        const elf_segment &segment = image.segment[i];
        const size_t here = 4 * table.size() + 16;
        table.insert(table.end(), {3, segment.address, segment.memory_bytes, 0});
        table.insert(table.end(),
                     {2, segment.address, static_cast<uint32_t>(head + content.size() - here),
                      segment.file_bytes});
        content.append(reinterpret_cast<const char *>(segment.bytes), segment.file_bytes);
        content.resize((content.size() + 31) / 32 * 32);
    }
    elf_image_deinit(&image);
    table.insert(table.end(), {4, 0, 0, 0});
    write("own.aplx",
          std::string(reinterpret_cast<const char *>(table.data()), 4 * table.size()) + content);
    const finished result = run_on("one_chip", path("own.aplx"), "1, 2");
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(lines(), said_on("0,0"));
}

TEST_F(Sark, AFileOfOneProgramRunsByItself)
{
    write("no.aplx", std::string("\2\0\0\0", 4));
    const finished damaged = spinnsim({"run", path("no.aplx"), "--out", "out"});
    EXPECT_EQ(damaged.status, 2);
    EXPECT_NE(damaged.err.find("no.aplx"), std::string::npos) << damaged.err;
    const uint32_t table[] = {2, 0, 16, 0, 4, 0, 0, 0};
    write("flat.aplx", std::string(reinterpret_cast<const char *>(table), sizeof table));
    const finished flat = spinnsim({"elf", path("flat.aplx")});
    EXPECT_EQ(flat.status, 112);
    EXPECT_NE(flat.err.find("a program for a core of a chip: APLX"), std::string::npos) << flat.err;
    /* alone, core 1 waits for an answer for ever */
    const finished alone = spinnsim({"run", program("test_sark_like"), "--out", "out", "--set",
                                     "run.simulated_time_limit=30 ms"});
    EXPECT_EQ(alone.status, 4) << alone.err;
    EXPECT_EQ(
        read("out/console.txt"),
        "0,0,0 core 1: late\n"
        "0,0,0 core 1: lost a message, and all like it: no program goes on on the core that it "
        "is for\n");
}

TEST_F(Sark, TheMonitorsHaveNoRoomForAReinjector)
{
    const finished result =
        run_on("one_chip", program("test_sark_like"), "1, 2", {"--set", "run.reinjector=true"});
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find("run.reinjector: the monitor processors stand in for SC&MP here"),
              std::string::npos)
        << result.err;
    const finished none =
        run_on("one_chip", program("test_sark_like"), "1, 2", {"--set", "chip.monitor_cores=0"});
    EXPECT_EQ(none.status, 2);
    EXPECT_NE(none.err.find("there is no monitor processor"), std::string::npos) << none.err;
}
