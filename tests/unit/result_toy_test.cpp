/* A result file more costs its file and a call where the data are: this one is written, listed and
 * explained by what is there, compiled with the file in the table. */
#include "tests/unit/data_fixture.h"

#include <gtest/gtest.h>

#include <cmath>

extern "C" {
#include "sim/results/recorder.h"
#include "sim/results/result_files.h"
}

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

TEST(ResultToy, HasTheRowsThatWereAdded)
{
    const struct result_file *toys = result_file_find("toys.csv");
    ASSERT_NE(toys, nullptr);
    struct outcome outcome = {};
    struct record record = {};
    record.outcome = &outcome;
    EXPECT_FALSE(result_file_is_due(toys, &record)) << "no rows";
    for (uint64_t i = 0; i < 40; i++) {
        const struct outcome_toys row = {i, "a,b", i == 0 ? NAN : 0.5, "red"};
        ASSERT_TRUE(outcome_add_toys(&outcome, &row));
    }
    EXPECT_EQ(outcome.toys_count, 40u);
    EXPECT_TRUE(result_file_is_due(toys, &record));
    const std::string text = written(
        [&](FILE *stream) { EXPECT_EQ(result_file_write(toys, stream, &record), STATUS_OK); });
    EXPECT_EQ(text.find("places,name,length,colour\n0,\"a,b\",,red\n1,\"a,b\",0.5,red\n"), 0u)
        << text;
    outcome_deinit(&outcome);
    EXPECT_EQ(outcome.toys, nullptr);
}

TEST(ResultToy, IsExplained)
{
    EXPECT_EQ(
        written([](FILE *stream) { result_file_explain(stream, result_file_find("toys.csv")); }),
        "\n## toys.csv\n\nA row for each toy. Written when there are any.\n\n"
        "| column | unit | meaning |\n| --- | --- | --- |\n"
        "| places |  | how many |\n| name |  | its own |\n| length | m | of the toy |\n"
        "| colour |  | as painted |\n");
}

TEST(ResultToy, StandsBetweenTheTablesAndTheLastFiles)
{
    const struct result_file *toys = result_file_find("toys.csv");
    EXPECT_STREQ((toys - 1)->name, "operations.csv");
    EXPECT_STREQ((toys + 1)->name, "weights.npz");
    EXPECT_STREQ(RESULT_FILES[RESULT_FILE_COUNT - 1].name, "summary.json");
}

} // namespace
