/* Published figures of boards that run a boot image: what a client reads, as a table. */
extern "C" {
#include "sim/experiment/validate.h"
}
#include "tests/system/program.h"

namespace
{

const std::string FIGURES = "figure,published,low,high,source,kind,model,format\n";

class ValidateImage : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
        write("runs.csv", "run,experiment,set\n");
        write("published.csv", FIGURES + "idle,,,,,,1,%.0f\n");
        write("published_image.csv",
              FIGURES + "rate,up to 33,,,someone,V,near[1]:bytes / near[1]:seconds / 1e6,%.1f\n");
        reads("\"0,0\",4,4096");
        write("image", boot_image_of("test_scp_reads"));
    }
    void reads(const std::string &what) const
    {
        write("reads.csv", "run,experiment,set,chip,window,bytes\n"
                           "near,experiments/serve_spin3.yaml,," +
                               what + "\n");
    }
    /* The table; "" with what was said. */
    std::string table(bool with_image)
    {
        char *text = nullptr;
        size_t size = 0;
        FILE *stream = open_memstream(&text, &size);
        const std::string configs = std::string(SPINN_SOURCE_DIR) + "/configs";
        const std::string out = path("out"), image = path("image");
        struct validate_request request = {};
        request.folder = folder.c_str();
        request.run.configs_folder = configs.c_str();
        request.run.job.workloads_folder = SPINN_WORKLOAD_DIR;
        request.run.job.threads = 1;
        request.out = out.c_str();
        request.image = with_image ? image.c_str() : nullptr;
        status = validate_write(stream, &request, &said);
        (void)fclose(stream);
        const std::string all = status == STATUS_OK ? text : "";
        std::free(text);
        return all;
    }
    enum status status = STATUS_OK;
    struct diagnostic said = {};
};

const std::string HEAD = "| figure | published | source | kind | model | difference |\n"
                         "| --- | ---: | --- | --- | ---: | ---: |\n"
                         "| idle | - | - | - | 1 | unvalidated |\n";

TEST_F(ValidateImage, WithoutAnImageItsFiguresAreLeftOut)
{
    EXPECT_EQ(table(false), HEAD) << said.text;
    EXPECT_FALSE(exists("out/near.csv"));
}

/* Sixteen reads, four under way, of a guest that takes one after the other. */
TEST_F(ValidateImage, AClientReadsInBoardTime)
{
    const std::string once = table(true);
    ASSERT_EQ(status, STATUS_OK) << said.text;
    EXPECT_EQ(once.rfind(HEAD + "| rate | up to 33 | someone | V | ", 0), 0u) << once;
    const auto rows = table_rows(read("out/near.csv"));
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].at("bytes"), "4096");
    EXPECT_EQ(rows[0].at("requests"), "16");
    EXPECT_EQ(rows[0].at("again"), "0");
    /* A frame of 312 bytes has 30.08 us on the wire: sixteen in at least 0.48 ms, and the client
     * waits at most four times for 0.1 ms and the guest. */
    const double seconds = std::stod(rows[0].at("seconds"));
    EXPECT_GT(seconds, 16 * 30.08e-6);
    EXPECT_LT(seconds, 1.5e-3);
    const std::string file = read("out/near.csv");
    EXPECT_EQ(table(true), once);
    EXPECT_EQ(read("out/near.csv"), file);
}

TEST_F(ValidateImage, RefusesWhatCannotBeRead)
{
    for (const char *const row : {"0,4,4096", "\"0,0\",0,4096", "\"0,0\",65,4096", "\"0,0\",4,255",
                                  "\"0,0\",4,300", "\"0,0x\",4,4096", "\"0,300\",4,4096"}) {
        reads(row);
        EXPECT_EQ(table(true), "") << row;
        EXPECT_EQ(status, STATUS_CONFIGURATION) << row;
        EXPECT_NE(std::string(said.text).find("chip is X,Y; window a number from 1 to 64"),
                  std::string::npos)
            << said.text;
        EXPECT_EQ(said.line, 2);
    }
    reads("\"0,0\",4,4096");
    write("image", "short");
    EXPECT_EQ(table(true), "");
    EXPECT_NE(std::string(said.text).find("no boot image"), std::string::npos) << said.text;
}

/* It sends back what it gets, which is no answer. */
TEST_F(ValidateImage, GivesUpWhereTheImageDoesNotAnswer)
{
    write("image", boot_image_of("test_udp_echo"));
    EXPECT_EQ(table(true), "");
    EXPECT_EQ(status, STATUS_CONFIGURATION);
    EXPECT_EQ(std::string(said.text).substr(0, 37), "chip 0,0 answered 0 of 16 requests, 0");
    EXPECT_FALSE(exists("out/near.csv"));
}

} // namespace
