/* questions_test.cpp - the questions of configs/study/questions: each begins with its question,
 * each answer of docs/results/questions.md holds for the recorded table that it is made from, and
 * recorded rows are what runs.  Most rows take minutes and are not run again; their programs are
 * those of the recorded trainings, which a test compares with what is built. */
#include "tests/system/program.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>

namespace
{

using row = std::map<std::string, std::string>;

std::vector<row> recorded(const std::string &question)
{
    return table_rows(
        read_text(SPINN_SOURCE_DIR "/docs/results/recorded/questions/" + question + ".csv"));
}

/* Cells of a recorded table; rows begin with 1, as in docs/results/questions.md. */
struct table {
    std::vector<row> rows;

    double at(size_t number, const std::string &column) const
    {
        EXPECT_LE(number, rows.size());
        if (number > rows.size() || rows[number - 1].count(column) == 0) {
            ADD_FAILURE() << column << " of row " << number;
            return NAN;
        }
        return std::atof(rows[number - 1].at(column).c_str());
    }

    /* Of one row to another. */
    double ratio(size_t number, size_t to, const std::string &column) const
    {
        return at(number, column) / at(to, column);
    }

    double rate(size_t number, size_t to) const
    {
        return ratio(number, to, "train_images_per_second");
    }

    double exchange(size_t number) const
    {
        return at(number, "train_time.exchange") /
               (at(number, "train_time.exchange") + at(number, "train_time.compute") +
                at(number, "train_time.sdram") + at(number, "train_time.imbalance"));
    }
};

struct answer {
    const char *question;
    size_t points;
    void (*check)(const table &of);
};

const answer ANSWERS[] = {
    {"scaling_strong", 7,
     [](const table &of) {
         EXPECT_GT(of.rate(7, 1), 700);
         EXPECT_LT(of.rate(7, 1), 1152) << "less than half of the cores' number";
         EXPECT_GT(of.exchange(6), of.exchange(4));
     }},
    {"scaling_weak", 6, [](const table &of) { EXPECT_GT(of.rate(6, 2), 80); }},
    {"batch", 5,
     [](const table &of) {
         EXPECT_GT(of.rate(5, 1), 1.2);
         EXPECT_GT((of.rate(3, 1) - 1) / (of.rate(5, 1) - 1), 0.5) << "most of it with 768";
         EXPECT_LT(of.exchange(5), 0.2 * of.exchange(1));
     }},
    {"mapping", 20,
     [](const table &of) {
         EXPECT_GT(of.rate(2, 1), 1) << "LeNet-1, whose images are fewer than cores";
         EXPECT_GT(of.rate(15, 14), 2) << "FC-128 in blocks";
         EXPECT_GT(of.rate(16, 15), 1.5) << "in columns";
         EXPECT_GT(of.rate(20, 19), 1.2) << "FC-300-100";
         for (size_t refused : {3u, 4u, 5u, 7u, 8u, 9u, 11u, 12u, 13u, 17u, 18u}) {
             EXPECT_NE(of.rows.at(refused - 1).at("status"), "done") << refused;
         }
     }},
    {"number_format", 3,
     [](const table &of) {
         EXPECT_GT(of.ratio(2, 1, "seconds_per_update"), 1.5);
         EXPECT_GT(of.ratio(3, 2, "seconds_per_update"), 2);
     }},
    {"clock", 5,
     [](const table &of) {
         for (size_t faster = 2; faster <= 5; faster++) {
             EXPECT_LT(of.ratio(faster, faster - 1, "joules_per_epoch.default"), 1);
             EXPECT_LT(of.ratio(faster, faster - 1, "joules_per_epoch.high"), 1);
         }
         EXPECT_LT(of.rate(5, 1), 3) << "links and SDRAM keep their pace";
     }},
    {"cores_per_replica", 5,
     [](const table &of) {
         for (size_t more = 2; more <= 5; more++) {
             EXPECT_LT(of.rate(more, more - 1), 1);
         }
     }},
    {"streaming", 12,
     [](const table &of) {
         EXPECT_LT(of.ratio(2, 1, "seconds"), 1.1) << "one core";
         EXPECT_GT(of.ratio(8, 7, "seconds"), 3) << "16 cores, one image";
         EXPECT_LT(of.ratio(10, 9, "seconds"), 1.1) << "four images";
         EXPECT_LT(of.ratio(12, 11, "seconds"), 1.01);
     }},
    {"tcm", 12,
     [](const table &of) {
         EXPECT_NE(of.rows.at(6).at("status"), "done") << "8 cores an image in 64 KiB";
         EXPECT_GT(of.rate(8, 10), 1.1);
         EXPECT_GT(of.rate(6, 8), 1);
         EXPECT_EQ(of.rate(11, 10), 1) << "what fits gains nothing";
     }},
    {"link_rate", 6,
     [](const table &of) {
         EXPECT_GT(of.rate(2, 1), 1.03);
         EXPECT_LT(of.rate(2, 1), 1.2) << "for little";
         EXPECT_LT(of.rate(5, 4), 1.4);
         EXPECT_EQ(of.at(2, "dropped_packets"), 0);
         EXPECT_EQ(of.at(5, "dropped_packets"), 0);
         EXPECT_EQ(of.rows.at(2).at("status"), "guest_failed") << "cores do not take them";
         EXPECT_EQ(of.rows.at(5).at("status"), "guest_failed");
     }},
    {"multiplier", 4,
     [](const table &of) {
         EXPECT_LT(of.rate(2, 1), 1.01);
         EXPECT_LT(of.rate(4, 3), 1.15);
         EXPECT_GT(of.rate(4, 3), of.rate(2, 1));
     }},
    {"lenet5_batch", 7,
     [](const table &of) {
         for (size_t more : {2u, 3u, 5u, 6u}) {
             EXPECT_GT(of.rate(more, more - 1), 1.05) << more;
         }
         EXPECT_LT(of.rate(4, 2), 1) << "AcceleGrad at the same batch";
         EXPECT_GT(of.at(2, "accuracy"), of.at(3, "accuracy")) << "momentum at 384";
         EXPECT_GT(of.at(6, "accuracy"), 0.977);
         EXPECT_GT(of.at(6, "train_images_per_second"), 60000 / 2.2);
     }},
    {"what_if", 9,
     [](const table &of) {
         for (size_t one : {2u, 3u}) {
             EXPECT_GT(of.rate(one, 1), 1) << "FC-128, " << one;
             EXPECT_GT(of.rate(4, 1), of.rate(one, 1)) << "both";
         }
         for (size_t one : {6u, 7u}) {
             EXPECT_GT(of.rate(one, 5), 1.02) << "LeNet-5, " << one;
             EXPECT_GT(of.rate(9, 5), of.rate(one, 5)) << "both";
         }
         EXPECT_LT(of.rate(8, 5), 1.1) << "memory";
         EXPECT_GT(of.rate(6, 5), 1.25) << "as fast as the core, by the clock";
         EXPECT_LT(of.rate(4, 1), 1.9) << "not as fast";
         for (size_t i = 1; i <= of.rows.size(); i++) {
             EXPECT_EQ(of.rows[i - 1].at("status"), "done") << i;
             EXPECT_EQ(of.at(i, "dropped_packets"), 0) << i;
         }
     }},
    {"seconds", 27,
     [](const table
            &of) { /* nine rows a network; the first is as built */
                   for (size_t first = 1; first <= of.rows.size(); first += 9) {
                       for (size_t faster : {1u, 2u, 4u}) {
                           EXPECT_LT(of.ratio(first + faster, first, "seconds_per_update"), 1)
                               << faster;
                       }
                       for (size_t slower : {3u, 5u, 8u}) {
                           EXPECT_GT(of.ratio(first + slower, first, "seconds_per_update"), 1)
                               << slower;
                       }
                       for (size_t i = first; i < first + 9; i++) {
                           EXPECT_NEAR(of.ratio(i, first, "seconds_per_update"), 1, 0.06) << i;
                           EXPECT_EQ(of.rows.at(i - 1).at("status"), "done");
                           EXPECT_EQ(of.at(i, "dropped_packets"), 0);
                       }
                   }
     }},
    {"router_wait", 9,
     [](const table &of) {
         EXPECT_GT(of.ratio(1, 4, "dropped_packets"), 2);
         EXPECT_GT(of.at(8, "dropped_packets"), 0);
         EXPECT_EQ(of.at(9, "dropped_packets"), 0);
         EXPECT_LT(of.at(9, "packets_sent"), 1000) << "it stands still";
         for (const row &point : of.rows) {
             EXPECT_EQ(point.at("status"), "guest_failed");
         }
     }},
    {"loss", 12,
     [](const table &of) {
         for (size_t i = 0; i < of.rows.size(); i++) {
             const bool lossless = of.at(i + 1, "dropped_packets") == 0;
             EXPECT_EQ(of.rows[i].at("status"), lossless ? "done" : "guest_failed") << i + 1;
         }
     }},
};

std::string file_of(const std::string &question)
{
    return SPINN_SOURCE_DIR "/configs/study/questions/" + question + ".yaml";
}

class Questions : public SystemTest
{
};

TEST(QuestionsFiles, BeginWithTheirQuestionAndHaveAnAnswer)
{
    std::set<std::string> shipped;
    std::set<std::string> answered;
    for (const auto &file :
         std::filesystem::directory_iterator(SPINN_SOURCE_DIR "/configs/study/questions")) {
        if (file.path().extension() == ".yaml") {
            shipped.insert(file.path().stem());
            EXPECT_EQ(read_text(file.path()).rfind("# Question: ", 0), 0u) << file.path();
        }
    }
    const std::string page = read_text(SPINN_SOURCE_DIR "/docs/results/questions.md");
    for (const answer &answer : ANSWERS) {
        const std::string name = answer.question;
        answered.insert(name);
        EXPECT_NE(page.find("(../../configs/study/questions/" + name + ".yaml)"), std::string::npos)
            << name;
        const std::string figure =
            name == "seconds" ? "tornado_seconds.svg" : "questions/" + name + ".svg";
        EXPECT_NE(page.find("(" + figure + ")"), std::string::npos) << name;
        EXPECT_TRUE(std::filesystem::exists(SPINN_SOURCE_DIR "/docs/results/" + figure)) << name;
    }
    EXPECT_EQ(shipped, answered);
}

TEST(QuestionsAnswers, HoldForTheRecordedTables)
{
    for (const answer &answer : ANSWERS) {
        SCOPED_TRACE(answer.question);
        const table of = {recorded(answer.question)};
        ASSERT_EQ(of.rows.size(), answer.points);
        answer.check(of);
    }
}

TEST_F(Questions, RowsAreWhatRuns)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
    }
    const struct {
        const char *question;
        size_t row;
    } cheap[] = {{"scaling_weak", 2}, {"number_format", 1}, {"clock", 3}, {"streaming", 2},
                 {"streaming", 8},    {"router_wait", 4},   {"loss", 6}};
    static const char *const SAME[] = {"seconds",
                                       "instructions",
                                       "packets_sent",
                                       "dropped_packets",
                                       "train_images_per_second",
                                       "joules_per_epoch.default"};
    const std::string programs = std::filesystem::path(SPINN_PROGRAM).parent_path();
    for (const auto &of : cheap) {
        SCOPED_TRACE(std::string(of.question) + " row " + std::to_string(of.row));
        const row known = recorded(of.question).at(of.row - 1);
        const finished list = spinnsim({"sweep", file_of(of.question), "--list", "--out", "q"});
        ASSERT_EQ(list.status, 0) << list.err;
        const std::string line = lines(list.out).at(of.row - 1);
        const finished ran =
            run_command({"sh", "-c", "PATH=" + programs + ":$PATH; " + line}, folder);
        const size_t begin = line.rfind("q/");
        const std::string out = line.substr(begin, line.rfind('\'') - begin);
        ASSERT_TRUE(exists(out + "/summary.json")) << line << ran.err;
        EXPECT_EQ(text(out, "status"), known.at("status"));
        if (text(out, "identity.guest_compiler") != known.at("compiler")) {
            GTEST_SKIP() << "recorded with " << known.at("compiler");
        }
        for (const char *column : SAME) {
            if (known.count(column) != 0 && !known.at(column).empty()) {
                EXPECT_EQ(text(out, column), known.at(column)) << column;
            }
        }
    }
}

} // namespace
