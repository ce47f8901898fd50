/* Fields of CSV, JSON and numbers as text. */
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>

extern "C" {
#include "sim/recorder/csv.h"
#include "sim/recorder/json.h"
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
        EXPECT_EQ(written([&c](FILE *stream) { csv_text(stream, c[0]); }), c[1]);
    }
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
        json_text(json, "utf", "gr\xc3\xbc\xc3\x9f \x7f");
    });
    EXPECT_EQ(text, "{\n"
                    "  \"a\\\"b\": \"quote \\\" backslash \\\\ slash / tab \\u0009 line \\u000a "
                    "bell \\u0007 end \\u001f\",\n"
                    "  \"utf\": \"gr\xc3\xbc\xc3\x9f \x7f\"\n"
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
