/* What differs between two runs: which values, ranked how, in which text. */
#include "tests/unit/data_fixture.h"
#include "tests/unit/results_fixture.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <utility>
#include <vector>

extern "C" {
#include "sim/compare/comparison.h"
#include "sim/config/config_arena.h"
}

namespace
{

std::string printed(const std::function<void(FILE *)> &print)
{
    char *made = nullptr;
    size_t size = 0;
    FILE *stream = open_memstream(&made, &size);
    print(stream);
    (void)fclose(stream);
    std::string text(made, size);
    free(made);
    return text;
}

using files = std::map<std::string, std::string>;

/* A run of two roles on one chip: 3 us, 600 cycles, 30 J. */
files base_files()
{
    return {{"config.yaml", "name: small\nclock:\n  cpu: 200 MHz\napp:\n  - file: a.elf\n"},
            {"summary.json",
             R"({"schema": 1, "name": "small", "status": "done",
             "identity": {"sim_hash": "1", "version": "0.2.0", "commit": "aaa", "guest_compiler": "GCC 12",
                          "elf_digests": [{"program": "a", "sha256": "11"}], "data_digest": null},
             "images_per_second": 10.5, "seconds": 3e-06, "core_cycles": 600, "instructions": 400,
             "core_time": {"compute": 500, "idle": 100}, "limited_by": "compute",
             "energy": {"joules": {"low": 20, "default": 30, "high": 40}},
             "host": {"wall_seconds": 1.5}})"},
            {"phases.csv", "stage,phase,layer,core_cycles,joules_default\n"
                           "load,start,,200,10\ntest,forward,conv1,400,15\ntest,static,,0,5\n"},
            {"energy.csv", "stage,component,term,joules_default\nload,core,core_cycle,10\n"
                           "test,core,core_cycle,15\ntest,chip,chip,5\nepoch,chip,chip,4\n"},
            {"placement.csv", "x,y,core,role\n0,0,1,worker\n0,0,2,\"the, boss\"\n"},
            {"counters.csv",
             "phase,component,x,y,core_or_link,counter,unit,value\n"
             "run,machine,,,,time_ps,ps,3000000\nload,machine,,,,stage_ps,ps,1000000\n"
             "test,machine,,,,stage_ps,ps,2000000\n"
             "run,core,0,0,1,active_cycles,cycle,300\n"
             "run,core,0,0,2,active_cycles,cycle,200\n"
             "run,core,0,0,2,sleep_cycles,cycle,100\n"
             "run,core,0,0,1,instructions,instruction,300\n"
             "run,core,0,0,2,instructions,instruction,100\n"
             "run,link,0,0,1,packets,packet,7\n"
             "test,core,,,,instructions,instruction,300\n"
             "epochs,machine,,,,stage_ps,ps,1000\n"
             "epochs,core,,,,instructions,instruction,300\n"
             "load//start,core,,,,instructions,instruction,100\n"
             "test/conv1/forward,core,,,,instructions,instruction,300\n"}};
}

void replace(std::string &text, const std::string &from, const std::string &to)
{
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
}

/* The same at half the clock, with a slower boss: 7 us, 700 cycles, 40 J. */
files other_files()
{
    files other = base_files();
    replace(other["config.yaml"], "200 MHz", "100 MHz");
    std::string &summary = other["summary.json"];
    replace(summary, "\"aaa\"", "\"bbb\"");
    replace(summary, "\"11\"", "\"22\"");
    replace(summary, "10.5", "4.5");
    replace(summary, "3e-06", "7e-06");
    replace(summary, "600", "700");
    replace(summary, ": 400", ": 450");
    replace(summary, "100}", "200}");
    replace(summary, "\"limited_by\": \"compute\"", "\"limited_by\": \"idle\"");
    replace(summary, "30", "40");
    replace(summary, "1.5", "2.5");
    replace(other["phases.csv"], "400,15", "500,15");
    replace(other["phases.csv"], "0,5", "0,15");
    replace(other["energy.csv"], ",5", ",15");
    std::string &counters = other["counters.csv"];
    replace(counters, ",2000000", ",6000000");
    replace(counters, "sleep_cycles,cycle,100", "sleep_cycles,cycle,200");
    replace(counters, "instructions,instruction,100", "instructions,instruction,150");
    replace(counters, "forward,core,,,,instructions,instruction,300",
            "forward,core,,,,instructions,instruction,350");
    return other;
}

class Comparison : public testing::Test
{
  protected:
    void put(const std::string &name, const files &of) const
    {
        for (const auto &[file, text] : of) {
            (void)folder.write(name + "/" + file, byte_string(text.begin(), text.end()));
        }
        sign_results(folder.file(name));
    }

    void make(const files &base, const files &other)
    {
        put("a", base);
        put("b", other);
        comparison_deinit(&made);
        ASSERT_EQ(comparison_make(&made, a.c_str(), b.c_str(), &diagnostic), STATUS_OK)
            << said(diagnostic);
    }

    /* Behind the lines with the folders' names. */
    std::string text(size_t most) const
    {
        const std::string all =
            printed([&](FILE *stream) { comparison_print_text(stream, &made, most); });
        const std::string head = "A  " + a + "\nB  " + b + "\n";
        EXPECT_EQ(all.substr(0, head.size()), head);
        return all.substr(head.size());
    }

    void TearDown() override
    {
        comparison_deinit(&made);
    }

    const temporary_folder folder;
    const std::string a = folder.file("a");
    const std::string b = folder.file("b");
    struct comparison made = {};
    struct diagnostic diagnostic = {};
};

const char *const ALL = R"(
Configuration
                   A        B
  clock.cpu  200 MHz  100 MHz

Simulator (not counted as a difference)
            A    B
  commit  aaa  bbb

Compiler, programs (SHA-256 as loaded) and data
              A   B
  program a  11  22

Results
                                     A      B  change
  Limited by                   compute   idle
  Image rate (images/s)           10.5    4.5      -6  -57.1 %  worse
  Machine time (s)               3e-06  7e-06  +4e-06   +133 %  worse
  Energy (J)                        30     40     +10  +33.3 %  worse
  Core cycles (cycles)             600    700    +100  +16.7 %  worse
  Instructions (instructions)      400    450     +50  +12.5 %  worse

Machine time by stage (s)
             A      B  change          explains
  total  3e-06  7e-06  +4e-06  +133 %
  test   2e-06  6e-06  +4e-06  +200 %   100.0 %

Core cycles by what cores did
           A    B  change           explains
  total  600  700    +100  +16.7 %
  idle   100  200    +100   +100 %   100.0 %

Core cycles by stage/layer/phase
                        A    B  change           explains
  total               600  700    +100  +16.7 %
  test/conv1/forward  400  500    +100    +25 %   100.0 %

Core cycles by role
               A    B  change           explains
  total      600  700    +100  +16.7 %
  the, boss  300  400    +100  +33.3 %   100.0 %

Energy by stage/layer/phase (J)
                A   B  change           explains
  total        30  40     +10  +33.3 %
  test/static   5  15     +10   +200 %   100.0 %

Energy by coefficient (J)
          A   B  change           explains
  total  30  40     +10  +33.3 %
  chip    5  15     +10   +200 %   100.0 %

Counters
                                     A    B  change
  core.sleep_cycles (cycle)        100  200    +100   +100 %
  core.instructions (instruction)  400  450     +50  +12.5 %

Counters by stage/layer/phase
                                                         A    B  change           explains
  test/conv1/forward: core.instructions (instruction)  300  350     +50  +16.7 %   100.0 %

Counters by role
                                                A    B  change          explains
  the, boss: core.sleep_cycles (cycle)        100  200    +100  +100 %   100.0 %
  the, boss: core.instructions (instruction)  100  150     +50   +50 %   100.0 %
)";

TEST_F(Comparison, SaysWhatDiffersAndWhatExplainsIt)
{
    make(base_files(), other_files());
    EXPECT_EQ(text(10), ALL);
    EXPECT_TRUE(comparison_differs(&made));
}

TEST_F(Comparison, OfTheSameNothingDiffers)
{
    files other = base_files();
    replace(other["summary.json"], "1.5", "9.5"); /* the host */
    make(base_files(), other);
    EXPECT_EQ(text(10), "\nnothing differs\n");
    EXPECT_FALSE(comparison_differs(&made));
}

TEST_F(Comparison, ASimulatorsVersionIsSaidButNoDifference)
{
    files other = base_files();
    replace(other["summary.json"], "aaa", "bbb");
    make(base_files(), other);
    EXPECT_EQ(text(10), "\nSimulator (not counted as a difference)\n            A    B\n"
                        "  commit  aaa  bbb\n");
    EXPECT_FALSE(comparison_differs(&made));
}

/* Rows of a table, keys of a file: in any order. */
TEST_F(Comparison, DoesNotDependOnTheOrderInTheFiles)
{
    files other = other_files();
    other["config.yaml"] = "app:\n  - file: a.elf\nclock:\n  cpu: 100 MHz\nname: small\n";
    for (auto &[file, content] : other) {
        const size_t head = content.find('\n') + 1;
        if (file.find(".csv") != std::string::npos) {
            std::string reversed;
            for (size_t at = head; at < content.size();) {
                const size_t end = content.find('\n', at) + 1;
                reversed.insert(0, content.substr(at, end - at));
                at = end;
            }
            content = content.substr(0, head) + reversed;
        }
    }
    make(base_files(), other);
    EXPECT_EQ(text(10), ALL);
}

TEST_F(Comparison, ShowsTheLargestAndCountsTheRest)
{
    make(base_files(), other_files());
    const std::string little = text(1);
    EXPECT_TRUE(contains(little, "\n  Limited by  compute  idle\n  and 5 more\n")) << little;
    EXPECT_TRUE(contains(little, "\n  core.sleep_cycles (cycle)  100  200    +100  +100 %\n"
                                 "  and 1 more\n"))
        << little;
}

TEST_F(Comparison, LongTextsHaveLinesOfTheirOwn)
{
    const std::string x(27, 'x');
    const std::string name(90, 'n');
    files base = base_files();
    files other = base_files();
    base["config.yaml"] += "weights: " + x + "\n";
    other["config.yaml"] += "weights: \"a\\x1bb\"\n";
    replace(other["placement.csv"], "worker", name);
    make(base, other);
    const std::string all = text(10);
    EXPECT_TRUE(contains(all, "\nConfiguration\n  weights\n    A  " + x +
                                  "\n    B  a\xef\xbf\xbd"
                                  "b\n"))
        << all;
    EXPECT_TRUE(contains(all, "\n  " + name + "\n            -  300    +300     new\n")) << all;
}

TEST_F(Comparison, IsATableAndAnObjectForPrograms)
{
    make(base_files(), other_files());
    const std::string rows = printed([&](FILE *stream) { comparison_print_csv(stream, &made, 1); });
    const std::string head = "base,folder,table,item,unit,base_value,value,change,change_percent,"
                             "explains_percent\n" +
                             a + "," + b + ",configuration,clock.cpu,,200 MHz,100 MHz,,,\n";
    EXPECT_EQ(rows.substr(0, head.size()), head);
    EXPECT_TRUE(contains(rows, ",role_cycles,\"the, boss\",cycle,300,400,100,33.333333333333336,"
                               "100\n"))
        << rows;
    EXPECT_TRUE(contains(rows, ",counters,core.instructions,instruction,400,450,50,12.5,\n"))
        << rows;
    const std::string object =
        printed([&](FILE *stream) { comparison_print_json(stream, &made, 1); });
    EXPECT_TRUE(contains(object, "\"differs\": true")) << object;
    EXPECT_TRUE(contains(object, R"("simulator": [
        {
          "item": "commit",
          "unit": "",
          "base": "aaa",
          "value": "bbb",
          "change": null,
          "change_percent": null,
          "explains_percent": null
        }
      ],)"))
        << object;
}

TEST_F(Comparison, RefusesWhatIsIncomplete)
{
    const struct {
        const char *file, *from, *to; /* to nullptr: removed; from nullptr: cut off there */
        const char *text;
        int line;
    } cases[] = {
        {"summary.json", "", nullptr, "cannot read: No such file or directory", 0},
        {"config.yaml", "", nullptr, "cannot read: No such file or directory", 0},
        {"config.yaml", "", "", "the file ends within a line", 0},
        {"config.yaml", "a.elf", "", "the file ends within a line", 0},
        {"counters.csv", "", nullptr, "cannot read: No such file or directory", 0},
        {"phases.csv", "", nullptr, "cannot read: No such file or directory", 0},
        {"energy.csv", "", nullptr, "cannot read: No such file or directory", 0},
        {"placement.csv", "", nullptr, "cannot read: No such file or directory", 0},
        {"counters.csv", ",300\nrun,core,0,0,2,active", ",30", "the file ends within a line", 0},
        {"counters.csv", "test/conv1/forward,core", "",
         "its instructions are not those of summary.json", 0},
        {"counters.csv", "phase,", "", "the file ends within a line", 0},
        {"phases.csv", "test,static", "", "its joules are not those of summary.json", 0},
        {"energy.csv", "test,chip", "", "its joules are not those of summary.json", 0},
        {"counters.csv", "run,link", "run,link\n", "not a line of a counters.csv", 10},
        {"phases.csv", "load,start", "load,start,,2x0,10\n", "not a line of a phases.csv", 2},
        {"phases.csv", "load,start", "load,start,,200,nan\n", "not a line of a phases.csv", 2},
        {"placement.csv", "0,0,1", "0,0,1\n", "not a line of a placement.csv", 2},
    };
    put("a", base_files());
    for (const auto &at : cases) {
        files other = base_files();
        std::string &content = other[at.file];
        if (at.to == nullptr) {
            other.erase(at.file);
        } else {
            content = content.substr(0, content.find(at.from)) + at.to;
        }
        const std::string wrong = "wrong" + std::to_string(&at - cases);
        put(wrong, other);
        const std::string path = folder.file(wrong);
        for (const bool first : {true, false}) {
            struct comparison none;
            EXPECT_EQ(comparison_make(&none, first ? path.c_str() : a.c_str(),
                                      first ? a.c_str() : path.c_str(), &diagnostic),
                      STATUS_CONFIGURATION)
                << at.file << " " << at.text;
            EXPECT_EQ(diagnostic.file, path + "/" + at.file);
            EXPECT_EQ(std::string(diagnostic.text).substr(0, strlen(at.text)), at.text);
            EXPECT_EQ(diagnostic.line, at.line) << at.text;
            EXPECT_STRNE(diagnostic.hint, "");
        }
    }
}

TEST_F(Comparison, RanksTwoSetsOfCounts)
{
    using counts = std::vector<std::pair<const char *, uint64_t>>;
    const counts then = {{"time_ps", 1000},
                         {"core.instructions", 100},
                         {"test/conv1/forward:core.instructions", 60},
                         {"core.active_cycles", 18446744073709551615u},
                         {"router.dumped_mc", 1}};
    const counts now = {{"router.dumped_mc", 1},
                        {"core.active_cycles", 18446744073709551614u},
                        {"test/conv1/forward:core.instructions", 90},
                        {"core.instructions", 130},
                        {"time_ps", 1000},
                        {"link.packets", 3}};
    const auto ranked = [&](const counts &base, const counts &other) {
        struct difference_table table = {};
        table.arena = config_arena_create();
        for (const auto &count : base) {
            comparison_add_count(&table, DIFFERENCE_BASE, count.first, count.second);
        }
        for (const auto &count : other) {
            comparison_add_count(&table, DIFFERENCE_OTHER, count.first, count.second);
        }
        difference_rank(&table);
        const std::string text =
            printed([&](FILE *stream) { comparison_print_counts(stream, "Counters", &table, 9); });
        difference_table_deinit(&table);
        config_arena_destroy(table.arena);
        return text;
    };
    EXPECT_EQ(ranked(then, now),
              R"(
Counters
                                                        A                     B  change
  link.packets (packet)                                 -                     3      +3          new
  core.instructions (instruction)                     100                   130     +30        +30 %
  test/conv1/forward:core.instructions (instruction)
                                                       60                    90     +30        +50 %
  core.active_cycles (cycle)         18446744073709551615  18446744073709551614      -1  -5.42e-18 %
)");
    EXPECT_EQ(ranked(then, then), "");
}

} // namespace
