/* Fields of CSV, JSON, gnuplot scripts and numbers as text; tables of results read back. */
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <string>

extern "C" {
#include "sim/reports/gnuplot.h"
#include "sim/results/json.h"
#include "sim/results/printable.h"
#include "sim/results/result_table.h"
}

namespace
{

std::string written(const std::function<void(FILE *)> &write)
{
    char *text = nullptr;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    write(stream);
    (void)fclose(stream);
    std::string made(text, size);
    free(text);
    return made;
}

TEST(CsvLine, HoldsNoControlCharacters)
{
    const char *const cases[][2] = {
        {"", ""},
        {"#a; `b` \xc3\xbc", "#a; `b` \xc3\xbc"},
        {"a,\n\"b\"", "\"a,\xef\xbf\xbd\"\"b\"\"\""},
        {"\t\x7f\xff", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"=1,2", "\"'=1,2\""},
        {"\xc2\x85\xef\xbf\xbf\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}};
    for (const auto &c : cases) {
        EXPECT_EQ(written([&c](FILE *stream) { csv_line_text(stream, c[0]); }), c[1]);
    }
}

TEST(GnuplotText, StandsInSingleQuotes)
{
    const char *const cases[][2] = {
        {"", "''"},
        {"a`touch X`b", "'a`touch X`b'"},
        {"'; system('touch X'); '", "''.\"'\".'; system('.\"'\".'touch X'.\"'\".'); '.\"'\".''"},
        {"''", "''.\"'\".''.\"'\".''"},
        {"a]]>b", "'a]]\xef\xbf\xbd"
                  "b'"},
        {"\" . `x` . \"", "'\" . `x` . \"'"},
        {"50 % @x $0 \\", "'50 % @x $0 \\'"},
        {"two\nlines\\\n", "'two\xef\xbf\xbdlines\\\xef\xbf\xbd'"},
        {"\xff", "'\xef\xbf\xbd'"},
    };
    for (const auto &c : cases) {
        EXPECT_EQ(written([&c](FILE *stream) { gnuplot_put_text(stream, "%s", c[0]); }), c[1]);
    }
    EXPECT_EQ(written([](FILE *stream) { gnuplot_put_tic(stream, "%s", "5 % of 'x'"); }),
              "'5 %% of '.\"'\".'x'.\"'\".''");
    const std::string longest(GNUPLOT_TEXT_BYTES - 1, 'a');
    EXPECT_EQ(written([&](FILE *stream) { gnuplot_put_text(stream, "%sb", longest.c_str()); }),
              "'" + longest + "'");
}

class Table : public testing::Test
{
  protected:
    void SetUp() override
    {
        ASSERT_NE(mkdtemp(folder_), nullptr);
    }

    void TearDown() override
    {
        result_table_close(&table);
        std::filesystem::remove_all(folder_);
    }

    void open(const std::string &text)
    {
        std::ofstream(std::string(folder_) + "/t.csv") << text;
        ASSERT_EQ(result_table_open(&table, folder_, "t.csv", &diagnostic), STATUS_OK);
    }

    std::string text(const char *column) const
    {
        return result_table_text(&table, column);
    }

    struct result_table table = {};
    struct diagnostic diagnostic = {};
    char folder_[32] = "/tmp/spinnsim_table_XXXXXX";
};

TEST_F(Table, HasRoomForSoManyColumnsAndRefusesMore)
{
    const std::string commas(RESULT_TABLE_COLUMNS - 2, ',');
    open("a" + commas + ",last\n1" + commas + ",2\n");
    ASSERT_TRUE(result_table_next(&table));
    EXPECT_EQ(text("last"), "2");
    result_table_close(&table);
    std::ofstream(std::string(folder_) + "/t.csv") << "a" + commas + ",b,last\n";
    EXPECT_EQ(result_table_open(&table, folder_, "t.csv", &diagnostic), STATUS_CONFIGURATION);
    EXPECT_EQ(std::string(diagnostic.text),
              "the table has more columns than the 320 there is room for");
    EXPECT_EQ(diagnostic.line, 1);
    EXPECT_EQ(table.text, nullptr);
}

TEST_F(Table, IsReadByTheNamesOfItsColumns)
{
    open("name,value\n\"a, \"\"b\"\"\nc\",1.5\n,\nlast,-2");
    EXPECT_EQ(result_table_require(&table, "value", &diagnostic), STATUS_OK);
    ASSERT_TRUE(result_table_next(&table));
    EXPECT_EQ(text("name"), "a, \"b\"\nc");
    EXPECT_EQ(result_table_number(&table, "value"), 1.5);
    EXPECT_EQ(text("none"), "");
    ASSERT_TRUE(result_table_next(&table));
    EXPECT_EQ(text("name"), "");
    EXPECT_TRUE(std::isnan(result_table_number(&table, "value")));
    ASSERT_TRUE(result_table_next(&table));
    EXPECT_EQ(result_table_number(&table, "value"), -2);
    EXPECT_FALSE(result_table_next(&table));
    EXPECT_EQ(result_table_require(&table, "none", &diagnostic), STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.text, "the table has no column none");
    EXPECT_EQ(diagnostic.line, 1);
}

TEST_F(Table, EndsWhereARowIsNoRow)
{
    open("a,b\n1,2\n3\n4,5\n");
    EXPECT_TRUE(result_table_next(&table));
    EXPECT_EQ(result_table_end(&table, STATUS_OK, &diagnostic), STATUS_OK) << "nobody has looked";
    open("a,b\n1,2\n3\n4,5\n");
    EXPECT_TRUE(result_table_next(&table));
    EXPECT_FALSE(result_table_next(&table));
    EXPECT_EQ(result_table_end(&table, STATUS_OK, &diagnostic), STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.text, "not a line of a t.csv");
    EXPECT_EQ(diagnostic.line, 3);
    EXPECT_EQ(table.text, nullptr) << "it is closed";
    for (const std::string &wrong :
         {std::string(), std::string("\n"), std::string("\""), std::string("a,\"b"),
          std::string("a,b\n\"1,2\n"), std::string("a,b\n\"1\"2\n")}) {
        open(wrong);
        EXPECT_FALSE(result_table_next(&table)) << wrong;
        result_table_close(&table);
    }
}

TEST_F(Table, TakesANumberThatIsNothingElse)
{
    open("a,b,c,d\n1.5,2 W,inf,\n");
    double value = 0;
    ASSERT_TRUE(result_table_next(&table));
    EXPECT_TRUE(result_table_take_real(&table, "a", &value));
    EXPECT_EQ(value, 1.5);
    for (const char *column : {"b", "c", "d", "none"}) {
        EXPECT_FALSE(result_table_take_real(&table, column, &value)) << column;
    }
}

TEST(Printable, IsOneWordOfAShell)
{
    EXPECT_EQ(written([](FILE *stream) { printable_put_word(stream, "./", "-a b'c$(d)"); }),
              "'./-a b'\\''c$(d)'");
}

std::string object(const std::function<void(struct json *)> &write)
{
    return written([&write](FILE *stream) {
        struct json json;
        json_begin(&json, stream);
        write(&json);
        json_end(&json);
    });
}

TEST(Json, EscapesWhatMustBe)
{
    const std::string text = object([](struct json *json) {
        json_text(json, "a\"b", "quote \" backslash \\ slash / tab \t line \n bell \a end \x1f");
        json_text(json, "utf", "gr\xc3\xbc\xc3\x9f \x7f \xc2\x85 \xff\xe2\x82!");
    });
    EXPECT_EQ(text, "{\n"
                    "  \"a\\\"b\": \"quote \\\" backslash \\\\ slash / tab \\u0009 line \\u000a "
                    "bell \\u0007 end \\u001f\",\n"
                    "  \"utf\": \"gr\xc3\xbc\xc3\x9f \\u007f \\u0085 \\ufffd\\ufffd\\ufffd!\"\n"
                    "}\n");
}

TEST(Json, NestsAndSeparates)
{
    EXPECT_EQ(object([](struct json *) {}), "{}\n");
    const std::string text = object([](struct json *json) {
        json_whole(json, "n", UINT64_MAX);
        json_array(json, "list");
        json_whole(json, NULL, 1);
        json_object(json, NULL);
        json_flag(json, "yes", true);
        json_flag(json, "no", false);
        json_end_object(json);
        json_array(json, NULL);
        json_end_array(json);
        json_end_array(json);
        json_object(json, "empty");
        json_end_object(json);
        json_null(json, "nothing");
    });
    EXPECT_EQ(text, "{\n"
                    "  \"n\": 18446744073709551615,\n"
                    "  \"list\": [\n"
                    "    1,\n"
                    "    {\n"
                    "      \"yes\": true,\n"
                    "      \"no\": false\n"
                    "    },\n"
                    "    []\n"
                    "  ],\n"
                    "  \"empty\": {},\n"
                    "  \"nothing\": null\n"
                    "}\n");
}

TEST(Json, RealsAreNumbersOrNull)
{
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(object([infinity](struct json *json) {
                  json_real(json, "a", 0.1);
                  json_real(json, "b", infinity);
                  json_real(json, "c", -infinity);
                  json_real(json, "d", std::nan(""));
              }),
              "{\n  \"a\": 0.1,\n  \"b\": null,\n  \"c\": null,\n  \"d\": null\n}\n");
}

TEST(RealText, IsTheShortestThatReadsBack)
{
    const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},
                 {1, "1"},
                 {0.1, "0.1"},
                 {-2.5, "-2.5"},
                 {123456, "123456"},
                 {1234567, "1234567"},
                 {1.0 / 3, "0.3333333333333333"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {1e300, "1e+300"},
                 {std::numeric_limits<double>::denorm_min(), "4.94066e-324"},
                 {std::numeric_limits<double>::max(), "1.7976931348623157e+308"}};
    for (const auto &c : cases) {
        char text[REAL_TEXT_CHARS];
        EXPECT_STREQ(real_text(c.value, text), c.text);
        EXPECT_EQ(std::strtod(text, nullptr), c.value);
    }
}

} // namespace
