/* recorder_files_test.cpp - the tables of a result folder: heads and rows from their columns; a
 * file more is a row more. */
#include "tests/unit/data_fixture.h"
#include "tests/unit/routing_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <set>

extern "C" {
#include "sim/results/recorder.h"
#include "sim/results/result_files.h"
#include "sim/results/result_folder.h"
}

using namespace routes;

namespace
{

/* What `write` writes. */
template <typename Write> std::string written(Write write)
{
    char *text = nullptr;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    write(stream);
    EXPECT_EQ(fclose(stream), 0);
    const std::string all(text, size);
    free(text);
    return all;
}

std::string file(const char *name, const struct outcome &outcome)
{
    struct record record = {};
    struct job job = {};
    job.network.logit_factor = 1;
    record.job = &job;
    record.outcome = &outcome;
    return written([&](FILE *stream) {
        EXPECT_EQ(result_file_write(result_file_find(name), stream, &record), STATUS_OK);
    });
}

} // namespace

TEST(ResultFiles, KeysHaveARowForEachEdge)
{
    const Chips chips(rectangle(2, 2));
    Edges edges;
    edges.add("maps", {0, 1, 2}, {{1, 1, 3}, {1, 0, 17}}, 256);
    edges.add("back", {1, 0, 17}, {{0, 1, 2}}, 3).last().purpose = ROUTING_ERROR;
    edges.fixed("sync", {0, 0, 1}, {{0, 0, 2}}, 0xffffff00, 0xffffff00).last().purpose =
        ROUTING_CONTROL;
    const Routes made = make(chips, edges);
    struct outcome outcome = {};
    outcome.routing = *made.get();
    EXPECT_EQ(file("keys.csv", outcome), "key,mask,purpose,source,targets\n"
                                         "0x00000000,0xffffff00,forward,0:1:2,1:0:17 1:1:3\n"
                                         "0x00000100,0xfffffffc,error,1:0:17,0:1:2\n"
                                         "0xffffff00,0xffffff00,control,0:0:1,0:0:2\n");
}

TEST(ResultFiles, NoKeysAreAHeadAlone)
{
    EXPECT_EQ(file("keys.csv", {}), "key,mask,purpose,source,targets\n");
}

TEST(ResultFiles, RowsNameTypeAndPurpose)
{
    machine_traffic rows[] = {
        {1, 2, 0, 0, 1 + ROUTING_CONTROL, {}, 3, 4, 5, 6, 7000},
        {1, 2, 5, 0, 0, {}, 1, 0, 0, 0, 0},
        {1, 2, MACHINE_TRAFFIC_CORES, 1, 0, {}, 0, 2, 0, 0, 0},
        {7, 7, 3, 3, 0, {}, 0, 0, 9, 0, 0},
    };
    struct outcome outcome = {};
    outcome.traffic = rows;
    outcome.traffic_count = 4;
    EXPECT_EQ(file("traffic.csv", outcome),
              "x,y,link,packet_type,purpose,sent,received,dropped,refused,busy\n"
              "1,2,0,mc,control,3,4,5,6,7000\n"
              "1,2,5,mc,none,1,0,0,0,0\n"
              "1,2,cores,p2p,none,0,2,0,0,0\n"
              "7,7,3,fr,none,0,0,9,0,0\n");
}

TEST(ResultFiles, NoTrafficIsAHeadAlone)
{
    EXPECT_EQ(file("traffic.csv", {}),
              "x,y,link,packet_type,purpose,sent,received,dropped,refused,busy\n");
}

TEST(ResultFiles, DropsSayWhoStoodInTheWay)
{
    machine_drop drops[2] = {};
    drops[0].time_ps = 9;
    drops[0].tried_ps = 8;
    drops[0].held_since_ps = 7;
    drops[0].key = 0x100;
    drops[0].payload = 0xabc;
    drops[0].has_payload = true;
    drops[0].holder_key = 0x200;
    drops[0].arrival = 7;
    drops[0].output = 6 + 5;
    drops[0].holder = MACHINE_DROP_HELD_BY_UNREAD;
    drops[1].x = 3;
    drops[1].type = 2;
    drops[1].arrival = 4;
    drops[1].output = MACHINE_DROP_NO_OUTPUT;
    drops[1].reason = MACHINE_DROP_NO_ROUTE;
    struct outcome outcome = {};
    outcome.drop = drops;
    outcome.drop_count = 2;
    EXPECT_EQ(file("drops.csv", outcome),
              "x,y,time_ps,tried_ps,packet_type,key,payload,arrival,output,reason,holder,"
              "holder_key,held_since_ps\n"
              "0,0,9,8,mc,0x00000100,0x00000abc,local,core_5,blocked,unread,0x00000200,7\n"
              "3,0,0,0,nn,0x00000000,,link_4,,no_route,,,\n");
}

TEST(ResultFiles, PredictionsHaveLogitsWhereTheNetworkIsInIntegers)
{
    nn_result results[2] = {};
    const uint8_t labels[] = {7, 2};
    results[0].label = 7;
    results[0].confidence = 49152;
    results[0].done = 1;
    results[0].logits[9] = -5;
    struct outcome outcome = {};
    outcome.result = results;
    outcome.result_count = 2;
    outcome.labels = labels;
    EXPECT_EQ(file("predictions.csv", outcome),
              "image,label,predicted,confidence\n0,7,7,0.75\n1,2,,\n");
    outcome.has_logits = true;
    outcome.classes = 10;
    EXPECT_EQ(file("predictions.csv", outcome),
              "image,label,predicted,confidence,logit_0,logit_1,logit_2,logit_3,logit_4,logit_5,"
              "logit_6,logit_7,logit_8,logit_9\n"
              "0,7,7,0.75,0,0,0,0,0,0,0,0,0,-5\n1,2,,,0,0,0,0,0,0,0,0,0,0\n");
    outcome.classes = 2;
    EXPECT_EQ(file("predictions.csv", outcome),
              "image,label,predicted,confidence,logit_0,logit_1\n0,7,7,0.75,0,0\n1,2,,,0,0\n");
}

TEST(ResultFiles, PredictionsHaveALogitForEachOfManyClasses)
{
    nn_result result = {};
    const uint8_t label = 255;
    struct outcome outcome = {};
    outcome.result = &result;
    outcome.result_count = 1;
    outcome.labels = &label;
    outcome.has_logits = true;
    outcome.classes = 256;
    result.logits[255] = -7;
    const std::string text = file("predictions.csv", outcome);
    EXPECT_NE(text.find(",logit_254,logit_255\n"), std::string::npos) << text;
    EXPECT_NE(text.find(",0,0,-7\n"), std::string::npos) << text;
    EXPECT_EQ(std::count(text.begin(), text.end(), ','), 2 * (3 + 256));
}

/* What a new file costs: the columns of a struct, and its entry.  Head, rows, the reference and the
 * reader come from them. */
namespace
{

struct toy {
    uint64_t places;
    int16_t core;
    double metres;
    char name[8];
    const char *colour;
};

const struct toy TOYS[] = {{3, -1, 0.1, "a,b", "red"}, {4, 17, NAN, "c", "blue"}};

struct result_rows toy_rows(const struct record *)
{
    return {TOYS, 2, sizeof *TOYS};
}

const struct result_column TOY_COLUMNS[] = {
    {"places", "", "how many", RESULT_U64, offsetof(toy, places), nullptr, nullptr, nullptr,
     nullptr},
    {"core", "", "empty: none", RESULT_I16, offsetof(toy, core), nullptr, nullptr, nullptr,
     nullptr},
    {"length", "m", "of the toy", RESULT_REAL, offsetof(toy, metres), nullptr, nullptr, nullptr,
     nullptr},
    {"name", "", "its own", RESULT_CHARS, offsetof(toy, name), nullptr, nullptr, nullptr, nullptr},
    {"colour", "", "as painted", RESULT_TEXT, offsetof(toy, colour), nullptr, nullptr, nullptr,
     nullptr},
};

} // namespace

TEST(ResultFiles, AToyIsWrittenReadAndExplained)
{
    struct result_file toys = {};
    toys.name = "toys.csv";
    toys.meaning = "A row for each toy";
    toys.when = "when there are any";
    toys.column = TOY_COLUMNS;
    toys.columns = 5;
    toys.rows = toy_rows;
    EXPECT_TRUE(result_file_is_due(&toys, nullptr));
    const std::string text = written([&](FILE *s) { (void)result_file_write(&toys, s, nullptr); });
    EXPECT_EQ(text, "places,core,length,name,colour\n3,,0.1,\"a,b\",red\n4,17,,c,blue\n");
    EXPECT_EQ(written([&](FILE *stream) { result_file_explain(stream, &toys); }),
              "\n## toys.csv\n\nA row for each toy. Written when there are any.\n\n"
              "| column | unit | meaning |\n| --- | --- | --- |\n"
              "| places |  | how many |\n| core |  | empty: none |\n| length | m | of the toy |\n"
              "| name |  | its own |\n| colour |  | as painted |\n");

    const temporary_folder folder;
    (void)folder.write("toys.csv", byte_string(text.begin(), text.end()));
    struct result_table table;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(result_table_open(&table, folder.path().c_str(), "toys.csv", &diagnostic), STATUS_OK);
    EXPECT_TRUE(result_table_has(&table, TOY_COLUMNS, 5));
    ASSERT_TRUE(result_table_next(&table));
    struct toy back = {};
    const struct result_column *whole[] = {&TOY_COLUMNS[0], &TOY_COLUMNS[1]};
    EXPECT_FALSE(result_table_take(&table, *whole, 2, &back)) << "other columns than the table's";
    EXPECT_EQ(result_table_number(&table, "length"), 0.1);
    EXPECT_STREQ(result_table_text(&table, "name"), "a,b");
    ASSERT_TRUE(result_table_next(&table));
    EXPECT_EQ(table.line, 3);
    EXPECT_FALSE(result_table_next(&table));
    EXPECT_FALSE(table.bad);
    result_table_close(&table);
}

/* Names are what a run may replace; nothing stands there without a meaning. */
TEST(ResultFiles, AllAreExplained)
{
    std::set<std::string> names;
    for (size_t i = 0; i < RESULT_FILE_COUNT; i++) {
        const struct result_file &of = RESULT_FILES[i];
        EXPECT_TRUE(names.insert(of.name).second) << of.name;
        EXPECT_EQ(result_file_find(of.name), &of);
        EXPECT_GT(std::string(of.meaning).size(), 10u) << of.name;
        for (size_t c = 0; c < of.columns; c++) {
            EXPECT_NE(std::string(of.column[c].meaning), "") << of.name << " " << of.column[c].name;
            EXPECT_NE(of.column[c].unit, nullptr);
        }
        const std::string text = written([&](FILE *s) { result_file_explain(s, &of); });
        EXPECT_EQ(text.find("\n## " + std::string(of.name) + "\n\n"), 0u);
        EXPECT_EQ(text.find("|  |  |"), std::string::npos) << text;
    }
    EXPECT_STREQ(RESULT_FILES[RESULT_FILE_COUNT - 1].name, "summary.json");
    EXPECT_EQ(result_file_find("notes.txt"), nullptr);
    const std::string counters =
        written([](FILE *s) { result_file_explain(s, result_file_find("counters.csv")); });
    EXPECT_NE(counters.find("| core.sleep_cycles | cycle | cycles in wait-for-interrupt |\n"),
              std::string::npos);
    const std::string keys =
        written([](FILE *s) { result_file_explain(s, result_file_find("summary.json")); });
    EXPECT_NE(keys.find("| energy.joules_per_image: low, default, high | J |"), std::string::npos);
    EXPECT_NE(keys.find("| identity.elf_digests[].sha256 |"), std::string::npos);
}
