/* hostile_results_test.cpp - names in results and of folders reach figures, pages and tables as
 * text: nothing in them is executed, whatever they hold. */
#include "tests/system/program.h"

#include <filesystem>

namespace fs = std::filesystem;

namespace
{

/* Each makes the file X where it is executed. */
const words HOSTILE = {"a`touch X`b",
                       "$(touch X)",
                       "a';touch X;'b",
                       "a'; system('touch X'); '",
                       "\" . system('touch X') . \"",
                       "< touch X",
                       "|touch X",
                       "@x",
                       "#comment",
                       "-",
                       "++",
                       "=1+1",
                       "''=2",
                       "two\nlines`touch X`\nsystem('touch X')\n",
                       "back\\",
                       "\\\n!touch X",
                       "50% %s %n %d",
                       "{/Bold x}^2_3 [ ( {",
                       "<b>&amp;</title>>",
                       "\x01\x1b[31m\x7f",
                       "o'brien's \"folder\"",
                       "'",
                       "''a'''",
                       "\xc3\xbc\xe2\x98\x83 \xf0\x9f\x98\x80"};

std::string json(const std::string &text)
{
    std::string escaped = "\"";
    for (const unsigned char c : text) {
        char code[8];
        (void)snprintf(code, sizeof code, "\\u%04x", c);
        escaped +=
            c < 0x20 || c == 0x7f ? code : std::string(c == '"' || c == '\\', '\\') + char(c);
    }
    return escaped + "\"";
}

/* What stands for a text in SVG. */
std::string svg(const std::string &text)
{
    std::string shown;
    for (const char c : text) {
        const bool control = (c >= 0 && c < 0x20) || c == 0x7f;
        shown += control    ? "\xef\xbf\xbd"
                 : c == '<' ? "&lt;"
                 : c == '&' ? "&amp;"
                            : std::string(1, c);
    }
    return shown;
}

} // namespace

class HostileResults : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
    }

    static bool has_gnuplot()
    {
        return run_command({"gnuplot", "--version"}).status == 0;
    }

    /* A result folder with that name in it. */
    void make(const std::string &out, const std::string &name) const
    {
        if (!exists("good")) {
            run(experiment("hello"), "good");
        }
        fs::copy(path("good"), path(out));
        std::string summary = read(out + "/summary.json");
        const std::string hello = "\"name\": \"hello\"";
        summary.replace(summary.find(hello), hello.size(), "\"name\": " + json(name));
        write(out + "/summary.json", summary);
        sign(out);
    }

    /* As a training that has learnt a little. */
    void make_training(const std::string &out, const std::string &name) const
    {
        make(out, name);
        std::string summary = read(out + "/summary.json");
        summary.insert(summary.find("\"name\": "), "\"mode\": \"train\", ");
        const size_t other = summary.rfind("\"mode\": \"infer\"");
        if (other != std::string::npos) {
            summary.replace(other, 15, "\"mode_of_old\": \"\"");
        }
        write(out + "/summary.json", summary);
        write(out + "/learning.csv", "update,epoch,images,seconds,joules,loss,accuracy\n"
                                     "1,1,48,0.1,0.2,0.5,0.7\n2,1,96,0.2,0.4,0.4,0.8\n"
                                     "1,1,48,0.1,0.2,0.6,\n2,1,96,0.2,0.4,0.3,\n");
        sign(out);
    }

    /* It drew, said nothing, and no command of a text was executed. */
    void draws(const words &arguments) const
    {
        words all = {"plot"};
        all.insert(all.end(), arguments.begin(), arguments.end());
        const finished plot = spinnsim(all);
        EXPECT_EQ(plot.status, 0) << plot.err;
        EXPECT_EQ(plot.err, "");
        for (const auto &entry : fs::recursive_directory_iterator(folder)) {
            EXPECT_NE(entry.path().filename(), "X") << entry.path();
        }
    }

    void shows(const std::string &figure, const std::string &text) const
    {
        EXPECT_NE(read(figure).find(svg(text)), std::string::npos) << figure << ": " << text;
    }
};

TEST_F(HostileResults, NamesAreDrawnAsTheyStand)
{
    if (!has_gnuplot()) {
        GTEST_SKIP() << "gnuplot is not installed";
    }
    words standard;
    words by = {"--x", "clock.cpu", "--y", "energy.joules", "--by", "name", "--out", "by"};
    words over = {"--x", "name", "--y", "energy.joules", "--out", "over"};
    words labelled = {"--x",     "clock.cpu", "--y",   "energy.joules",
                      "--label", "name",      "--out", "labelled"};
    words learnt[] = {{"--x", "images", "--y", "loss", "--by", "name", "--out", "learnt0"},
                      {"--x", "images", "--y", "loss", "--by", "name", "--out", "learnt1"}};
    for (size_t i = 0; i < HOSTILE.size(); i++) {
        const std::string out = "r" + std::to_string(i);
        make(out, HOSTILE[i]);
        make_training("t" + std::to_string(i), HOSTILE[i]);
        by.push_back(out);
        over.push_back(out);
        labelled.push_back(out);
        learnt[i % 2].push_back("t" + std::to_string(i));
    }
    for (const char *out : {"r0", "r2", "r4", "r11"}) {
        standard.emplace_back(out);
    }
    words map = standard;
    standard.insert(standard.end(), {"--out", "standard"});
    map.insert(map.end(), {"--map", "router.packets", "--out", "map"});
    for (const words &arguments : {standard, map, by, over, labelled, learnt[0], learnt[1]}) {
        draws(arguments);
    }
    for (size_t i = 0; i < HOSTILE.size(); i++) {
        const std::string curves = "learnt" + std::to_string(i % 2) + "/loss_over_images.svg";
        shows("by/energy_joules_over_clock_cpu.svg", HOSTILE[i]);
        shows("over/energy_joules_over_name.svg", HOSTILE[i]);
        if (HOSTILE[i].find_first_of("\"\\") ==
            std::string::npos) { /* gnuplot reads them otherwise */
            shows("labelled/energy_joules_over_clock_cpu.svg", HOSTILE[i]);
        }
        shows(curves, HOSTILE[i]);
        shows(curves, HOSTILE[i] + " (training)");
    }
    for (const size_t i : {0, 2, 4, 11}) {
        const std::string out = "r" + std::to_string(i);
        shows("standard/" + out + "_energy_by_component.svg", HOSTILE[i]);
        shows("standard/" + out + "_time_by_phase.svg", HOSTILE[i]);
        shows("map/" + out + "_map_router_packets.svg", HOSTILE[i]);
    }
}

/* Results in such folders, figures in such folders, in a folder of such a name. */
TEST_F(HostileResults, FoldersMayHaveAnyName)
{
    run(experiment("hello"), "good");
    for (const std::string &name : HOSTILE) {
        const std::string out = "./" + name;
        run(experiment("hello"), out);
        EXPECT_EQ(files(name), files("good")) << name;
        EXPECT_EQ(spinnsim({"report", out}).out, spinnsim({"report", "good"}).out) << name;
        EXPECT_EQ(spinnsim({"energy", out}).out, spinnsim({"energy", "good"}).out) << name;
        if (has_gnuplot()) {
            const std::string figures = out + "/figures";
            draws({out, "--out", figures});
            draws({out, "--map", "router.packets", "--out", figures});
            draws({out, "--x", "clock.cpu", "--y", "energy.joules", "--by", "name", "--out",
                   figures});
            EXPECT_EQ(files(name + "/figures").size(), 15u) << name;
        }
        fs::remove_all(path(name));
    }
}

/* Tables of a result folder are read, never taken as more than numbers and labels. */
TEST_F(HostileResults, TablesAreData)
{
    if (!has_gnuplot()) {
        GTEST_SKIP() << "gnuplot is not installed";
    }
    make("r", "tables");
    write("r/phases.csv", "stage,phase,layer,core_cycles,core_cycles_least,core_cycles_most\n"
                          "`touch X`,\"a,\"\"b\",50% %s,1000,500,1500\n"
                          "run,empty,,0,0,0\n"
                          "$(touch X),\"two\nlines\",'c',1000,500,1500\n");
    sign("r");
    draws({"r", "--out", "f"});
    shows("f/r_time_by_phase.svg", "`touch X`: 50% %s a,\"b");
    shows("f/r_time_by_phase.svg", "$(touch X): 'c' two\nlines");
    EXPECT_EQ(read("f/r_time_by_phase.svg").find("run: empty"), std::string::npos);

    std::string counters = read("r/counters.csv");
    counters += "run,router,0,0,,packets_mc,`touch X`'; system('touch X'); ',5\n";
    write("r/counters.csv", counters);
    sign("r");
    draws({"r", "--map", "router.packets_mc", "--out", "f"});
    shows("f/r_map_router_packets_mc.svg", "Router packets mc (`touch X`'; system('touch X'); ')");

    write("r/phases.csv", "stage,phase\nrun,static\n");
    sign("r");
    const finished wrong = spinnsim({"plot", "r", "--out", "f"});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_NE(wrong.err.find("r/phases.csv:1: the table has no column core_cycles"),
              std::string::npos)
        << wrong.err;
}

TEST_F(HostileResults, NamesStayInTheirCellOfAReport)
{
    make("r", "a|b\n<img src=x>`c` [d](e) \\ *f*");
    const finished report = spinnsim({"report", "r"});
    EXPECT_EQ(report.status, 0) << report.err;
    EXPECT_NE(
        report.out.find("| a\\|b\xef\xbf\xbd\\<img src=x\\>\\`c\\` \\[d\\](e) \\\\ \\*f\\* |"),
        std::string::npos)
        << report.out;
}

/* The program's path stands in config.yaml, from which the run can be repeated. */
TEST_F(HostileResults, ProgramsMayHaveAnyPath)
{
    const std::string expected =
        "0,0,1 core 1, tick 1\n0,0,1 core 1, tick 2\n0,0,1 core 1, tick 3\n";
    for (const char *name :
         {"o'brien/x.elf", "null.elf", "~.elf", "-.elf", "true.elf", "a: b #c.elf", "a\nb.elf",
          "$(touch X)`touch X`.elf", "\xc3\xbc.elf", "\"\\.elf", "run.yaml"}) {
        fs::create_directories(fs::path(path(name)).parent_path());
        fs::copy_file(program("hello"), path(name));
        run(std::string("./") + name, "out");
        EXPECT_EQ(read("out/console.txt"), expected) << name;
        run("out/config.yaml", "again");
        EXPECT_EQ(read("again/console.txt"), expected) << name;
        EXPECT_EQ(read("again/config.yaml"), read("out/config.yaml")) << name;
        EXPECT_EQ(text("out", "name"), text("again", "name"));
    }
    EXPECT_FALSE(exists("X"));
}

/* What lies beside a program is not part of its configuration. */
TEST_F(HostileResults, AProgramBringsNoConfiguration)
{
    fs::create_directories(path("boards"));
    write("boards/one_chip.yaml", "warp: 9\n");
    fs::copy_file(program("hello"), path("hello.elf"));
    run("hello.elf", "out");
    EXPECT_EQ(text("out", "name"), "hello");
}
