/* method_test.cpp - docs/method.md shows every published figure of docs/results/validation.md, with
 * the same numbers. */
#include "tests/system/program.h"

namespace
{

/* The cells of the rows of the table that begins with this head. */
std::vector<words> table_of(const std::string &page, const std::string &head)
{
    std::vector<words> rows;
    bool inside = false;
    for (const std::string &line : lines(read_text(SPINN_SOURCE_DIR "/docs/" + page))) {
        if (line.rfind("|", 0) != 0) {
            inside = false;
        } else if (line.rfind(head, 0) == 0) {
            inside = true;
        } else if (inside && line.rfind("| ---", 0) != 0) {
            rows.emplace_back();
            for (size_t at = 2, end; (end = line.find(" |", at)) != std::string::npos;
                 at = end + 3) {
                rows.back().push_back(line.substr(at, end - at));
            }
        }
    }
    return rows;
}

TEST(Method, ShowsThePublishedFiguresOfTheValidation)
{
    std::vector<words> expected;
    for (const words &row : table_of("results/validation.md", "| figure | published |")) {
        ASSERT_EQ(row.size(), 6u);
        if (row[1] != "-") {
            expected.push_back({row[0], row[1], row[3], row[4], row[5]});
        }
    }
    EXPECT_GT(expected.size(), 10u);
    EXPECT_EQ(table_of("method.md", "| figure | published | kind |"), expected);
}

} // namespace
