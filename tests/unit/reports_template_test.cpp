/* Pages with places: expressions over numbers of runs, rows of tables, texts. */
#include "tests/unit/data_fixture.h"
#include "tests/unit/results_fixture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

extern "C" {
#include "sim/reports/run_values.h"
#include "sim/reports/template.h"
}

namespace
{

bool known(void *, const char *name, double *value)
{
    const std::string text = name;
    *value = text == "a" ? 2 : text == "run:link.packets[3,3,0]" ? 5 : 0.5;
    return text == "a" || text == "b_1.c" || text == "run:link.packets[3,3,0]";
}

bool doubled(void *, const char *table, const char *expression, double *value)
{
    const struct expression_scope scope = {known, nullptr, nullptr};
    struct diagnostic diagnostic = {};
    const bool good = std::string(table) == "t" &&
                      expression_value(expression, &scope, value, &diagnostic) == STATUS_OK;
    *value *= 2;
    return good;
}

const struct expression_scope SCOPE = {known, doubled, nullptr};

double value_of(const char *text)
{
    double value;
    struct diagnostic diagnostic = {};
    return expression_value(text, &SCOPE, &value, &diagnostic) == STATUS_OK ? value : NAN;
}

TEST(Expression, HasTheUsualOrder)
{
    const struct {
        const char *text;
        double value;
    } cases[] = {{"1", 1},
                 {" 2 + 3*4 ", 14},
                 {"(2 + 3)*4", 20},
                 {"8/2/2", 2},
                 {"8-2-3", 3},
                 {"-a * -3", 6},
                 {"a + b_1.c", 2.5},
                 {"20e-6*1e6", 20},
                 {"100 * run:link.packets[3,3,0] / a", 250},
                 {"sum(t, (a + 1) * 2) - 1", 11}};
    for (const auto &c : cases) {
        EXPECT_DOUBLE_EQ(value_of(c.text), c.value) << c.text;
    }
}

TEST(Expression, RefusesWhatIsNone)
{
    for (const char *text : {"", "1 +", "(1", "1)", "1 2", "a[", "x + 1", "sum(u, 1)", "sum(t 1)",
                             "sum(t, x)", "* 2", "1 $ 2"}) {
        EXPECT_TRUE(std::isnan(value_of(text))) << text;
    }
    EXPECT_TRUE(std::isnan(value_of((std::string(1000, '(') + "1").c_str())));
    struct diagnostic diagnostic = {};
    double value;
    EXPECT_EQ(expression_value("1 + x", &SCOPE, &value, &diagnostic), STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.text, "no number has this name");
    EXPECT_STREQ(diagnostic.key, "x");
}

TEST(Expression, IsShownByAFormat)
{
    const auto shown = [](const char *format, const char *expressions) {
        char text[32];
        struct diagnostic diagnostic = {};
        return expression_format(text, sizeof text, format, expressions, &SCOPE, &diagnostic) ==
                       STATUS_OK
                   ? std::string(text)
                   : "refused";
    };
    EXPECT_EQ(shown("%.2f (%.0f to %+.1f %%)", "a; 1.4 ; 3"), "2.00 (1 to +3.0 %)");
    EXPECT_EQ(shown("%S %S %S %S", "1031.6; 83.14; 9.996; 0.0512"), "1032 83.1 10.00 0.051");
    EXPECT_EQ(shown("%R %R %R", "207692; 999.4; 505.6"), "208000 999 506");
    EXPECT_EQ(shown("none", ""), "none");
    EXPECT_EQ(shown("%.0f %.0f", "1"), "refused") << "one is missing";
    for (const char *format : {"%s", "%n", "%d", "%", "%.999999999999999f", "%.1S", "%3R"}) {
        EXPECT_EQ(shown(format, "1"), "refused") << format;
    }
}

class TemplateTest : public testing::Test
{
  protected:
    void put(const std::string &name, const std::string &text) const
    {
        (void)folder.write(name, byte_string(text.begin(), text.end()));
    }

    std::string filled(const std::string &text)
    {
        put("page", text);
        char *made = nullptr;
        size_t size = 0;
        FILE *stream = open_memstream(&made, &size);
        const std::string file = folder.file("page");
        const struct template_request request = {file.c_str(), folder.path().c_str()};
        diagnostic = {};
        status = template_fill(stream, &request, &diagnostic);
        (void)fclose(stream);
        const std::string page(made, size);
        free(made);
        return page;
    }

    void SetUp() override
    {
        put("run/summary.json", "{\"name\": \"x\", \"seconds\": 0.5, \"energy\": {\"joules\": "
                                "{\"low\": 1, \"default\": 2, \"high\": 3}}, "
                                "\"images_tested\": 10}\n");
        put("run/config.yaml", "clock: {cpu: 200 MHz}\n");
        put("run/console.txt", "0,0,1 40 in 8\n0,0,2 10 in 5\n");
        put("run/counters.csv", "phase,component,x,y,core_or_link,counter,unit,value\n"
                                "run,link,0,1,5,packets,packet,70\n"
                                "run,link,0,1,4,packets,packet,60\n");
        put("run/phases.csv", "stage,phase,layer,core_cycles,joules_default\n"
                              "load,start,,1000,1\ntest,static,,0,0.00001\n"
                              "test,forward,conv1,300,0.00002\ntest,sums,conv1,100,0.00001\n"
                              "test,wait,,100,0\n");
        sign_results(folder.file("run"));
        put("note", "a line\n\n");
        put("rows.csv", "name,n\nred,1\nblue,2\n\"a, b\",3\n");
        put("gaps.csv", "name,kind,n,m\none,a,1,\ntwo,a,,4\nthree,b,3,6\n");
    }

    const temporary_folder folder;
    struct diagnostic diagnostic = {};
    enum status status = STATUS_OK;
};

/* counters.csv has no rows for them. */
TEST_F(TemplateTest, CountersOfAChipWithoutARowAreZero)
{
    put("run/config.yaml", "name: x\nboard: {width: 2, height: 2}\napp: []\n"
                           "energy: {free: [core.*]}\n");
    sign_results(folder.file("run"));
    EXPECT_EQ(filled("{{run:link.packets[0,1,5] | %.0f}} {{run:link.packets[1,1,5] | %.0f}} "
                     "{{run:core.instructions[1,0,3] | %.0f}}"),
              "70 0 0");
    EXPECT_EQ(status, STATUS_OK) << said(diagnostic);
    for (const char *name :
         {"link.packets[2,0,0]", "link.pockets[0,0,0]", "link.packets[a]", "packets[0,0,0]"}) {
        (void)filled(std::string("{{run:") + name + " | %.0f}}");
        EXPECT_EQ(status, STATUS_CONFIGURATION) << name;
    }
}

TEST_F(TemplateTest, FillsTextsAndNumbersOfRuns)
{
    EXPECT_EQ(filled("{{run:name}} {{run:seconds}} {{run:clock.cpu}} {single} }} {{text note}}."),
              "x 0.5 200 MHz {single} }} a line.");
    EXPECT_EQ(filled("{{run:energy.joules / run:seconds | %.1f}}"), "4.0");
    EXPECT_EQ(filled("{{run:link.packets[0,1,5] - run:link.packets[0,1,4] | %.0f packets}}"),
              "10 packets");
    EXPECT_EQ(filled("{{sum(run:console, c2 / c4) | %.0f}}"), "7");
    EXPECT_EQ(status, STATUS_OK);
}

TEST_F(TemplateTest, FillsRows)
{
    const std::string rows = "rows.csv";
    EXPECT_EQ(filled("{{rows " + rows + "}}| {{name}} | {{10 * n | %.0f}} |\n{{end}}!"),
              "| red | 10 |\n| blue | 20 |\n| a, b | 30 |\n!");
    EXPECT_EQ(filled("{{rows " + rows + " name=blue}}{{n}}{{end}}"), "2");
    EXPECT_EQ(filled("{{rows " + rows + " name=grey}}{{n}}{{end}}"), "");
}

TEST_F(TemplateTest, ShowsThatACellOfARowIsEmpty)
{
    const std::string gaps = std::string("{{rows gaps.csv}}");
    EXPECT_EQ(filled(gaps + "{{n}} {{m}} {{2 * n | %.0f}} {{n; m | %.0f of %.0f}}\n{{end}}"),
              "1 - 2 -\n- 4 - -\n3 6 6 3 of 6\n");
    EXPECT_EQ(status, STATUS_OK);
    for (const char *none : {"{{k}}", "{{k | %.0f}}", "{{m + k | %.0f}}", "{{name | %.0f}}"}) {
        (void)filled(gaps + none + "{{end}}");
        EXPECT_EQ(status, STATUS_CONFIGURATION) << none;
    }
}

TEST_F(TemplateTest, FillsRowsThatMeetAllConditions)
{
    const std::string rows = "{{rows gaps.csv";
    EXPECT_EQ(filled(rows + " kind=a}}{{name}} {{end}}"), "one two ");
    EXPECT_EQ(filled(rows + " kind=a n=1}}{{name}}{{end}}"), "one");
    EXPECT_EQ(filled(rows + " kind=a n=}}{{name}}{{end}}"), "two");
    EXPECT_EQ(filled(rows + " kind=b n=1}}{{name}}{{end}}"), "");
    EXPECT_EQ(status, STATUS_OK);
    for (const char *wrong :
         {" colour=red}}", " kind}}", " n=1 n=1 n=1 n=1 n=1 n=1 n=1 n=1 n=1}}"}) {
        (void)filled(rows + wrong + "{{end}}");
        EXPECT_EQ(status, STATUS_CONFIGURATION) << wrong;
    }
}

TEST_F(TemplateTest, FillsCellsOfTables)
{
    EXPECT_EQ(filled("{{rows[3]:name}}, {{rows[1]:n}}"), "a, b, 1");
    EXPECT_EQ(filled("{{rows[2]:n / rows[3]:n * run:seconds | %.3f}}"), "0.333");
    for (const char *none : {"{{rows[0]:n}}", "{{rows[4]:n}}", "{{rows[1]:m}}", "{{rows[1:n}}",
                             "{{rows[1]n}}", "{{row[1]:n}}", "{{rows[1]:name | %.0f}}"}) {
        (void)filled(none);
        EXPECT_EQ(status, STATUS_CONFIGURATION) << none;
    }
}

TEST_F(TemplateTest, FillsWhereTheTestsTimeWent)
{
    EXPECT_EQ(filled("{{phases run}}"),
              "| phase | core cycles an image | share of core time | energy an image [uJ] | share "
              "of energy |\n| --- | ---: | ---: | ---: | ---: |\n"
              "| static | 0 | 0.0 % | 1.00 | 25.0 % |\n"
              "| conv1 | 40 | 80.0 % | 3.00 | 75.0 % |\n"
              "| wait | 10 | 20.0 % | 0.00 | 0.0 % |");
    EXPECT_NE(filled("{{report run}}").find("| x |"), std::string::npos);
}

TEST_F(TemplateTest, NamesThePlaceThatCannotBeFilled)
{
    const std::string rows = "{{rows rows.csv}}";
    const struct {
        std::string text, said;
    } cases[] = {{"{{run:none}}", "nothing has this name"},
                 {"{{other:name}}", "nothing has this name"},
                 {"{{run:name | %.1f}}", "no number has this name"},
                 {"{{run:seconds | %s}}", "not a format with a number for each expression"},
                 {"{{run:name", "no place ends here"},
                 {rows, "rows without an end, or in rows"},
                 {rows + rows + "{{end}}", "rows without an end, or in rows"},
                 {rows + "{{colour}}{{end}}", "nothing has this name"}};
    for (const auto &c : cases) {
        (void)filled("first\n" + c.text);
        EXPECT_EQ(status, STATUS_CONFIGURATION) << c.text;
        EXPECT_EQ(diagnostic.text, c.said) << c.text;
        EXPECT_EQ(diagnostic.file, folder.file("page"));
        EXPECT_EQ(diagnostic.line, 2) << c.text;
    }
}

} // namespace
