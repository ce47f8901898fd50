/* Text in CSV: what is written runs nothing in a spreadsheet, and is read back as it was. */
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

extern "C" {
#include "sim/csv.h"
}

namespace
{

using texts = std::vector<std::string>;

std::string line_of(const texts &fields)
{
    char *made = nullptr;
    size_t size = 0;
    FILE *stream = open_memstream(&made, &size);
    const char *comma = "";
    for (const std::string &field : fields) {
        (void)fputs(comma, stream);
        csv_text(stream, field.c_str());
        comma = ",";
    }
    (void)fputc('\n', stream);
    (void)fclose(stream);
    std::string line(made, size);
    free(made);
    return line;
}

std::string field_of(const std::string &text)
{
    const std::string line = line_of({text});
    return line.substr(0, line.size() - 1);
}

texts read_back(std::string line)
{
    enum { ROOM = 8 };
    char *rest = line.data();
    char *field[ROOM];
    const unsigned count = csv_split(&rest, field, ROOM);
    EXPECT_NE(rest, nullptr) << "the line has an end";
    EXPECT_STREQ(rest == nullptr ? "" : rest, "") << "nothing follows it";
    return {field, field + std::min<unsigned>(count, ROOM)};
}

TEST(Csv, QuotesOnlyWhatNeedsIt)
{
    const char *const cases[][2] = {{"", ""},
                                    {"plain text; 5 %", "plain text; 5 %"},
                                    {"a,b", "\"a,b\""},
                                    {"say \"so\"", "\"say \"\"so\"\"\""},
                                    {"\"", "\"\"\"\""},
                                    {"two\nlines", "\"two\nlines\""},
                                    {"a\rb", "\"a\rb\""}};
    for (const auto &c : cases) {
        EXPECT_EQ(field_of(c[0]), c[1]);
    }
}

TEST(Csv, AFormulaIsText)
{
    const char *const cases[][2] = {
        {"=1+1", "'=1+1"},
        {"+cmd|' /C calc'!A1", "'+cmd|' /C calc'!A1"},
        {"-2+3", "'-2+3"},
        {"@SUM(A1)", "'@SUM(A1)"},
        {"\t=1", "'\t=1"},
        {"\r=1", "\"'\r=1\""},
        {"\n=1", "\"'\n=1\""},
        {"=HYPERLINK(\"x\"),done\nfake,row", "\"'=HYPERLINK(\"\"x\"\"),done\nfake,row\""},
        {"-", "'-"},
        {"-inf", "'-inf"},
        {"-1.5 GHz", "'-1.5 GHz"},
        {"-1e", "'-1e"},
        {"-.", "'-."},
        {"1=2", "1=2"},
        {"'quoted'", "'quoted'"},
        {"'", "'"},
        {"''=x", "'''=x"}};
    for (const auto &c : cases) {
        EXPECT_EQ(field_of(c[0]), c[1]);
    }
}

TEST(Csv, ANumberStaysANumber)
{
    for (const char *number : {"-1.5", "+3", "-0", "-.5", "-5.", "-1e-300", "+2.5E+7", "7"}) {
        EXPECT_EQ(field_of(number), number);
    }
}

TEST(Csv, AStrangersFieldWithAnApostropheIsKept)
{
    EXPECT_EQ(read_back("'a,'',b'=c\n"), (texts{"'a", "''", "b'=c"}));
}

TEST(Csv, IsReadBackAsItWas)
{
    static const std::string CHARACTERS = "=+-@\t\r\n',\"a1.e ;";
    std::mt19937 random(1);
    for (int i = 0; i < 100000; i++) {
        texts fields(1 + random() % 3);
        for (std::string &field : fields) {
            for (size_t size = random() % 6; size > 0; size--) {
                field += CHARACTERS[random() % CHARACTERS.size()];
            }
        }
        const std::string line = line_of(fields);
        EXPECT_EQ(read_back(line), fields) << line;
    }
}

TEST(Csv, SaysWhenThereAreMoreFieldsThanRoom)
{
    char line[] = "a,b,c\n";
    char *rest = line;
    char *field[2];
    EXPECT_EQ(csv_split(&rest, field, 2), 3u);
}

} // namespace
