/* figures_test.cpp - figures of `spinnsim plot`: their tables and scripts exactly, their formats,
 * and what is refused. */
#include "tests/system/program.h"

#include <filesystem>
#include <map>
#include <set>
#include <sstream>

class Figures : public SystemTest
{
  protected:
    void SetUp() override
    {
        SystemTest::SetUp();
        made("slow", "100 MHz", 4, "0.002",
             "{\"low\": 0.001, \"default\": 0.003, \"high\": 0.004}");
        made("fast", "200 MHz", 4, "0.001",
             "{\"low\": 0.002, \"default\": 0.004, \"high\": 0.006}");
        made("worse", "200 MHz", 8, "0.001",
             "{\"low\": 0.004, \"default\": 0.005, \"high\": 0.007}");
    }

    /* A result folder with no more than figures of points look at. */
    void made(const std::string &name, const std::string &clock, int cores,
              const std::string &seconds, const std::string &joules) const
    {
        std::filesystem::create_directory(path(name));
        write(name + "/summary.json", "{\"schema\": 1, \"name\": \"" + name +
                                          "\", \"seconds\": " + seconds +
                                          ", \"energy\": {\"joules\": " + joules + "}}\n");
        write(name + "/config.yaml", "name: " + name + "\nclock: {cpu: " + clock +
                                         "}\nmapping: {cores_per_chip: " + std::to_string(cores) +
                                         "}\n");
        sign(name);
    }

    static bool has_gnuplot()
    {
        return run_command({"gnuplot", "--version"}).status == 0;
    }

    finished plot(const words &more) const
    {
        words all = {"plot", "slow", "fast", "worse"};
        all.insert(all.end(), more.begin(), more.end());
        return spinnsim(all);
    }

    /* Exit status 2, this text, and nothing written. */
    void refuses(const words &more, const std::string &why) const
    {
        const finished result = plot(more);
        EXPECT_EQ(result.status, 2) << why;
        EXPECT_NE(result.err.find(why), std::string::npos) << result.err;
        EXPECT_FALSE(exists("out/plots")) << why;
    }
};

TEST_F(Figures, KindsAreListed)
{
    const finished list = spinnsim({"plot", "--list"});
    EXPECT_EQ(list.status, 0) << list.err;
    words names;
    for (const std::string &line : lines(list.out)) {
        names.push_back(line.substr(0, line.find(' ')));
        EXPECT_EQ(line.back(), '.') << line;
    }
    EXPECT_EQ(names, (words{"energy", "time", "phases", "power", "points", "learning", "map"}));
}

TEST_F(Figures, PointsThatNoneIsBetterThanAreMarkedAndLabelled)
{
    if (!has_gnuplot()) {
        GTEST_SKIP() << "gnuplot is not installed";
    }
    const words keys = {"--x", "seconds", "--y", "energy.joules", "--label", "clock.cpu"};
    words all = keys;
    all.insert(all.end(), {"--pareto", "known", "--out", "figure.svg"});
    const finished known = plot(all);
    ASSERT_EQ(known.status, 0) << known.err;
    EXPECT_EQ(known.err, "");
    EXPECT_EQ(known.out, "./figure.csv\n./figure.gp\n./figure.svg\n");
    EXPECT_EQ(read("figure.csv"), "folder,by,x,y_low,y,y_high,place,label,front\n"
                                  "slow,,0.002,0.001,0.003,0.004,0,100 MHz,1\n"
                                  "fast,,0.001,0.002,0.004,0.006,1,200 MHz,1\n"
                                  "worse,,0.001,0.004,0.005,0.007,1,200 MHz,0\n");
    const std::string figure = read("figure.svg");
    size_t labelled = 0;
    for (size_t at = figure.find(">200 MHz<"); at != std::string::npos;
         at = figure.find(">200 MHz<", at + 1)) {
        labelled++;
    }
    EXPECT_EQ(labelled, 2u) << "off the front, too";
    for (const char *text :
         {"Machine time (ms)", "Energy (mJ)", "Pareto front", "100 MHz", "low to high"}) {
        EXPECT_NE(figure.find(text), std::string::npos) << text;
    }
    all = keys;
    all.insert(all.end(), {"--pareto", "high,high", "--out", "other.svg"});
    ASSERT_EQ(plot(all).status, 0);
    const words rows = lines(read("other.csv"));
    ASSERT_EQ(rows.size(), 4u);
    EXPECT_EQ(rows[1].back(), '1') << rows[1];
    EXPECT_EQ(rows[2].back(), '0') << rows[2];
    EXPECT_EQ(rows[3].back(), '1') << rows[3];
}

/* Two runs that differ in x alone are joined; a third, of another number of cores, stands alone. */
TEST_F(Figures, ALineJoinsRunsThatDifferInXAlone)
{
    if (!has_gnuplot()) {
        GTEST_SKIP() << "gnuplot is not installed";
    }
    const finished drawn =
        plot({"--x", "clock.cpu", "--y", "energy.joules", "--log", "xy", "--out", "f"});
    ASSERT_EQ(drawn.status, 0) << drawn.err;
    EXPECT_EQ(drawn.err, "");
    const std::string script = read("f/energy_joules_over_clock_cpu.gp");
    EXPECT_NE(script.find("every ::1::2 using ($3*sx):($4*sy):($6*sy) with filledcurves"),
              std::string::npos);
    EXPECT_NE(script.find("every ::1::2 using ($3*sx):($5*sy) with linespoints"),
              std::string::npos);
    EXPECT_NE(script.find("every ::3::3 using ($3*sx):($5*sy):($4*sy):($6*sy) with yerrorbars"),
              std::string::npos)
        << script;
    EXPECT_NE(script.find("set logscale x\nset xrange [80:250]\nset xtics ('100' 100)\nset xtics "
                          "add ('200' 200)"),
              std::string::npos)
        << script;
    EXPECT_NE(read("f/energy_joules_over_clock_cpu.svg").find("Core clock (MHz)"),
              std::string::npos);
}

TEST_F(Figures, AreDrawnInEachFormatAndWidth)
{
    if (!has_gnuplot()) {
        GTEST_SKIP() << "gnuplot is not installed";
    }
    const words keys = {"--x",     "clock.cpu", "--y", "seconds", "--by", "mapping.cores_per_chip",
                        "--width", "85"};
    words all = keys;
    all.insert(all.end(), {"--format", "pdf", "--format", "png", "--out", "f"});
    const finished drawn = plot(all);
    ASSERT_EQ(drawn.status, 0) << drawn.err;
    EXPECT_EQ(files("f"), (words{"seconds_over_clock_cpu.csv", "seconds_over_clock_cpu.gp",
                                 "seconds_over_clock_cpu.pdf", "seconds_over_clock_cpu.png"}));
    EXPECT_EQ(read("f/seconds_over_clock_cpu.pdf").substr(0, 5), "%PDF-");
    const std::string png = read("f/seconds_over_clock_cpu.png");
    EXPECT_EQ(png.substr(1, 3), "PNG");
    EXPECT_EQ(png.substr(16, 4), std::string("\0\0\x03\x23", 4)) << "85 mm at 240 dpi: 803 pixels";
    /* The script alone draws the same figure again, as the head of it says. */
    ASSERT_EQ(
        run_command({"gnuplot", "-e", "format = 'svg'", "seconds_over_clock_cpu.gp"}, path("f"))
            .status,
        0);
    EXPECT_NE(read("f/seconds_over_clock_cpu.svg").find("Machine time (ms)"), std::string::npos);
}

/* The table of colours has the networks that ship with weights or recorded trainings, and every
 * component of the energy table; no two networks, and no two components, have one colour. */
TEST_F(Figures, NetworksAndComponentsHaveAColour)
{
    const std::string style = read_text(SPINN_SOURCE_DIR "/scripts/plot/style.gp");
    const size_t begin = style.find("lt_table = '") + std::string("lt_table = '").size();
    std::istringstream table(style.substr(begin, style.find('\'', begin) - begin));
    std::map<std::string, std::string> line;
    for (std::string row; table >> row;) {
        EXPECT_TRUE(
            line.emplace(row.substr(0, row.find(':')), row.substr(row.find(':') + 1)).second)
            << row;
    }
    const std::vector<std::string> groups[] = {
        {"fc128", "fc300_100", "lenet1", "lenet4", "lenet5"},
        {"core", "chip", "sdram", "sdram_byte", "sdram_activation", "router", "board"}};
    for (const auto &group : groups) {
        std::set<std::string> lines;
        for (const std::string &name : group) {
            EXPECT_EQ(line.count(name), 1u) << name;
            EXPECT_TRUE(lines.insert(line[name]).second) << name;
        }
    }
    std::istringstream energy(read_text(SPINN_SOURCE_DIR "/configs/energy/spinnaker1.yaml"));
    for (std::string row; std::getline(energy, row);) {
        const size_t end = row.find(':');
        if (row.rfind("  ", 0) == 0 && row[2] >= 'a' && row[2] <= 'z' && end != std::string::npos) {
            const std::string term = row.substr(2, end - 2);
            const bool group = term == "clocks" || term == "scopes" || term == "free";
            EXPECT_TRUE(group || line.count(term.substr(0, term.find('_'))) == 1) << term;
        }
    }
}

/* A sweep's folder stands for the runs in it; texts along x are bars, side by side where they are
 * the same, in the order of the folders; names of networks have their own colours. */
TEST_F(Figures, TextsOfASweepAreBars)
{
    if (!has_gnuplot()) {
        GTEST_SKIP() << "gnuplot is not installed";
    }
    std::filesystem::create_directory(path("sweep"));
    for (const char *name : {"sweep/a", "sweep/b", "sweep/c"}) {
        made(name, "100 MHz", name[6] == 'a' ? 4 : 8, "0.002", "0.003");
    }
    write("sweep/a/config.yaml", "network: {name: lenet5}\ntrain: {optimizer: sgd}\n");
    write("sweep/b/config.yaml", "network: {name: fc128}\ntrain: {optimizer: adam}\n");
    write("sweep/c/config.yaml", "network: {name: own}\ntrain: {optimizer: sgd}\n");
    for (const char *name : {"sweep/a", "sweep/b", "sweep/c"}) {
        sign(name);
    }
    const finished drawn = spinnsim({"plot", "sweep", "--x", "train.optimizer", "--y", "seconds",
                                     "--by", "network.name", "--out", "bars.svg"});
    ASSERT_EQ(drawn.status, 0) << drawn.err;
    EXPECT_EQ(read("bars.csv"), "folder,by,x,y_low,y,y_high,place\n"
                                "sweep/b,fc128,adam,0.002,0.002,0.002,1\n"
                                "sweep/a,lenet5,sgd,0.002,0.002,0.002,-0.2\n"
                                "sweep/c,own,sgd,0.002,0.002,0.002,0.2\n");
    const std::string script = read("bars.gp");
    for (const char *text :
         {"set xlabel 'Optimizer'\n", "set key title 'Network'\n",
          "set yrange [0:", "using 7:($5*sy):(0.4) with boxes lt (lt_of('fc128', 6))",
          "with boxes lt (lt_of('lenet5', 7))", "with boxes lt (lt_of('own', 8))"}) {
        EXPECT_NE(script.find(text), std::string::npos) << text << "\n" << script;
    }
}

TEST_F(Figures, WhatCannotBeDrawnIsRefused)
{
    const words points = {"--x", "seconds", "--y", "energy.joules"};
    const auto with = [&points](const words &more) {
        words all = points;
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    refuses(
        {"--kind", "pie"},
        "there is no kind of figure \"pie\"\n    hint: one of energy, time, phases, power, points");
    refuses({"--kind", "points"}, "points need keys\n    hint: --x KEY --y KEY");
    refuses({"--kind", "map"}, "a map needs a counter\n    hint: --map router.packets");
    refuses(with({"--kind", "learning"}), "no curves of trainings\n    hint: --y accuracy or loss");
    refuses({"--label", "name"}, "--by, --label, --pareto and --log need --x and --y");
    refuses(with({"--width", "59"}), "--width: at least 60 mm");
    refuses(with({"--width", "1001"}), "--width");
    refuses(with({"--format", "gif"}), "--format: \"gif\" is none of svg, png and pdf");
    refuses(with({"--pareto", "best"}), "--pareto");
    refuses(with({"--log", "z"}), "--log");
    refuses({"--x", "name", "--y", "seconds", "--log", "x"},
            "name: a logarithmic axis takes numbers above 0 alone");
    refuses({"--x", "name", "--y", "seconds", "--pareto", "known"},
            "name: of texts none is better than another");
    refuses({"--x", "clock.cpu", "--y", "seconds", "--pareto", "known"},
            "whether low or high values of clock.cpu are the better ones is not known\n    hint: "
            "say it of x and of y: "
            "--pareto low,high");
    refuses({"--x", "seconds", "--y", "name"}, "slow: name: slow is no number");
    for (const char *out : {"f.jpg", "f.SVG", "new/f.gif"}) {
        const finished odd = plot(with({"--out", out}));
        EXPECT_EQ(odd.status, 2) << out;
        EXPECT_NE(odd.err.find(std::string(out) + ": no figures are drawn as \"." +
                               std::string(out).substr(std::string(out).find('.') + 1) +
                               "\"\n    hint: .svg, .png or .pdf for one figure, else a folder: " +
                               out + "/\n"),
                  std::string::npos)
            << odd.err;
        EXPECT_FALSE(exists(out));
    }
    EXPECT_FALSE(exists("new"));
    EXPECT_EQ(spinnsim({"plot", "slow", "fast", "--kind", "energy", "--out", "one.svg"})
                  .err.find("spinnsim: 2 figures do not fit into one file\n    hint: name a "
                            "folder, or one kind of figure: "),
              0u);
}
