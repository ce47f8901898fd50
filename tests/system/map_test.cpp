/* map_test.cpp - the map of a board's load: the table exactly, and that gnuplot draws it. */
#include "tests/system/program.h"

class Map : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        if (run_command({"gnuplot", "--version"}).status != 0) {
            GTEST_SKIP() << "gnuplot is not installed";
        }
        SystemTest::SetUp();
    }

    /* 2,000 packets from (0,0) eastward, on six chips of which one is down, and one link. */
    void send_packets() const
    {
        write("own.yaml", "include: [boards/one_chip.yaml, energy/spinnaker1.yaml]\nname: own\n"
                          "board: {width: 3, height: 2}\napp:\n"
                          "  - {file: " +
                              program("link_load_alone") +
                              ", chips: \"0,0\", cores: 1}\n"
                              "  - {file: " +
                              program("link_take") +
                              ", chips: \"1,0\", cores: 1}\n"
                              "faults: {down_chips: [\"2,1\"], down_links: [\"0,0,2\"]}\n");
        run("own.yaml", "out");
    }
};

static const char LINKS[] = "part,x,y,link,at_x,at_y,by_x,by_y,value\n"
                            "chip,0,0,,0.0000,0.0000,,,2000\n"
                            "link,0,0,0,0.3600,-0.0600,0.2800,0.0000,2000\n"
                            "link,0,0,1,0.2320,0.2818,0.1400,0.2425,0\n"
                            "link_down,0,0,2,-0.1280,0.3418,-0.1400,0.2425,\n"
                            "chip,0,1,,-0.5000,0.8660,,,0\n"
                            "link,0,1,0,-0.1400,0.8060,0.2800,0.0000,0\n"
                            "link_down,0,1,5,-0.3720,0.5243,0.1400,-0.2425,\n"
                            "chip,1,0,,1.0000,0.0000,,,2000\n"
                            "link,1,0,0,1.3600,-0.0600,0.2800,0.0000,0\n"
                            "link_down,1,0,1,1.2320,0.2818,0.1400,0.2425,\n"
                            "link,1,0,2,0.8720,0.3418,-0.1400,0.2425,0\n"
                            "link,1,0,3,0.6400,0.0600,-0.2800,0.0000,0\n"
                            "chip,1,1,,0.5000,0.8660,,,0\n"
                            "link_down,1,1,0,0.8600,0.8060,0.2800,0.0000,\n"
                            "link,1,1,3,0.1400,0.9260,-0.2800,0.0000,0\n"
                            "link,1,1,4,0.2680,0.5843,-0.1400,-0.2425,0\n"
                            "link,1,1,5,0.6280,0.5243,0.1400,-0.2425,0\n"
                            "chip,2,0,,2.0000,0.0000,,,0\n"
                            "link_down,2,0,2,1.8720,0.3418,-0.1400,0.2425,\n"
                            "link,2,0,3,1.6400,0.0600,-0.2800,0.0000,0\n"
                            "chip_down,2,1,,1.5000,0.8660,,,\n"
                            "link_down,2,1,3,1.1400,0.9260,-0.2800,0.0000,\n"
                            "link_down,2,1,4,1.2680,0.5843,-0.1400,-0.2425,\n"
                            "link_down,2,1,5,1.6280,0.5243,0.1400,-0.2425,\n";

TEST_F(Map, OfLinksHasEachDirectionAndWhatIsDown)
{
    send_packets();
    const finished plot = spinnsim({"plot", "out", "--map", "link.packets", "--out", "figures"});
    EXPECT_EQ(plot.status, 0) << plot.err;
    EXPECT_EQ(plot.err, "");
    EXPECT_EQ(plot.out, "figures/out_map_link_packets.csv\nfigures/out_map_link_packets.gp\n"
                        "figures/out_map_link_packets.svg\n");
    EXPECT_EQ(read("figures/out_map_link_packets.csv"), LINKS);
    const std::string figure = read("figures/out_map_link_packets.svg");
    for (const char *text : {"own", "0,1", "2,1", "down", "router.packets (packets)",
                             "Link packets (packets)", "2000"}) {
        EXPECT_NE(figure.find(text), std::string::npos) << text;
    }
}

TEST_F(Map, OfCountersOfChipsAddsUpTheirCoresAndShowsLinksAtWork)
{
    send_packets();
    const finished plot =
        spinnsim({"plot", "out", "--map", "comms.sent_multicast", "--out", "figures"});
    EXPECT_EQ(plot.status, 0) << plot.err;
    const words rows = lines(read("figures/out_map_comms_sent_multicast.csv"));
    ASSERT_EQ(rows.size(), lines(LINKS).size());
    EXPECT_EQ(rows[1], "chip,0,0,,0.0000,0.0000,,,2000");
    EXPECT_EQ(rows[8], "chip,1,0,,1.0000,0.0000,,,0");
    const std::string link = "link,0,0,0,0.3600,-0.0600,0.2800,0.0000,";
    ASSERT_EQ(rows[2].compare(0, link.size(), link), 0) << rows[2];
    EXPECT_NEAR(std::stod(rows[2].substr(link.size())),
                100 * 2000 * 136.97e-9 / number("out", "seconds"), 1e-9);
    EXPECT_NE(read("figures/out_map_comms_sent_multicast.svg")
                  .find("Share of the run in which a link is busy (%)"),
              std::string::npos);
}

/* Links round a torus are stumps, and every chip has six. */
TEST_F(Map, OfATorusHasAllItsLinks)
{
    write("idle.yaml", "include: [boards/one_chip.yaml, energy/spinnaker1.yaml]\nname: idle\n"
                       "board: {shape: torus, width: 4, height: 3}\napp: []\n"
                       "run: {simulated_time_limit: 1 ms}\n");
    run("idle.yaml", "out");
    const finished plot = spinnsim({"plot", "out", "--map", "router.packets", "--out", "figures"});
    EXPECT_EQ(plot.status, 0) << plot.err;
    EXPECT_EQ(plot.err, "");
    const std::string table = read("figures/out_map_router_packets.csv");
    EXPECT_EQ(lines(table).size(), 1u + 12 * 7);
    EXPECT_NE(table.find("link,0,0,0,0.3600,-0.0600,0.2800,0.0000,0\n"), std::string::npos);
    EXPECT_NE(table.find("link,0,0,3,-0.3600,0.0600,-0.1400,0.0000,0\n"), std::string::npos);
}

TEST_F(Map, AWrongCounterIsRefused)
{
    send_packets();
    for (const char *counter : {"link.pockets", "packets", "router.packets_", "it's.none", ""}) {
        const finished plot = spinnsim({"plot", "out", "--map", counter, "--out", "figures"});
        EXPECT_EQ(plot.status, 2) << counter;
        EXPECT_NE(plot.err.find("counters.csv: no chip has a counter " + std::string(counter)),
                  std::string::npos)
            << plot.err;
        EXPECT_FALSE(exists("figures"));
    }
    EXPECT_EQ(spinnsim({"plot", "out", "--map", "a.b", "--x", "c", "--y", "d"}).status, 2);
}
