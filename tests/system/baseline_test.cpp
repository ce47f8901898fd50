/* baseline_test.cpp - spinnsim baseline: its table, CSV and JSON, and wrong input. */
#include "tests/system/program.h"

class BaselineCommand : public SystemTest
{
  protected:
    static words small(const words &more)
    {
        words command = {"baseline", experiment("fc128_train"), "--set", "data.set=synthetic",
                         "--set",    "data.train_images=400",   "--set", "data.test_images=100"};
        command.insert(command.end(), more.begin(), more.end());
        return command;
    }
};

TEST_F(BaselineCommand, PrintsATableOfWhatItDid)
{
    const finished result = spinnsim(small({}));
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    for (const char *part :
         {"fc128_train: fc128 trained by float32 with ", ", 1 thread, 1 process\n",
          "work            400 images, 3 updates of 192\n", "GFLOP/s", " J (", "host  "}) {
        EXPECT_NE(result.out.find(part), std::string::npos) << part << result.out;
    }
    EXPECT_TRUE(files("").empty()) << "it writes nothing";
}

TEST_F(BaselineCommand, WritesTheColumnsThatTheirListNames)
{
    words names;
#define TEXT(name, meaning)      names.push_back(#name);
#define WHOLE(name, meaning)     names.push_back(#name);
#define REAL(name, meaning)      names.push_back(#name);
#define HOST_TEXT(name, meaning) names.push_back(#name);
#define HOST_REAL(name, meaning) names.push_back(#name);
#include "sim/baseline/baseline_columns.def"
    const words some = {"--program", "int16", "--processes", "2", "--repeat", "2"};
    words csv = small(some);
    csv.insert(csv.end(), {"--format", "csv", "--out", "row.csv"});
    const finished written = spinnsim(csv);
    ASSERT_EQ(written.status, 0) << written.err;
    EXPECT_EQ(written.out, "");
    const auto rows = table_rows(read("row.csv"));
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].size(), names.size());
    EXPECT_EQ(rows[0].at("program"), "int16");
    EXPECT_EQ(rows[0].at("processes"), "2");
    EXPECT_EQ(rows[0].at("repeats"), "2");
    EXPECT_EQ(rows[0].at("updates"), "3");
    EXPECT_EQ(rows[0].at("instructions"), "");
    words json = small(some);
    json.insert(json.end(), {"--format", "json"});
    const finished told = spinnsim(json);
    ASSERT_EQ(told.status, 0) << told.err;
    for (const std::string &name : names) {
        EXPECT_EQ(rows[0].count(name), 1u) << name;
        EXPECT_NE(told.out.find("\"" + name + "\": "), std::string::npos) << name << told.out;
    }
    EXPECT_NE(told.out.find("\"accuracy\": " + rows[0].at("accuracy")), std::string::npos)
        << "as exact" << told.out;
}

TEST_F(BaselineCommand, RefusesWrongInputWithOneMessage)
{
    const struct {
        words command, texts;
    } cases[] = {{{"baseline"}, {"name an experiment"}},
                 {{"baseline", "none.yaml"}, {"none.yaml"}},
                 {small({"--program", "float16"}), {"float16"}},
                 {small({"--processes", "0"}), {"processes"}},
                 {small({"--processes", "65"}), {"processes"}},
                 {small({"--repeat", "0"}), {"repeat"}},
                 {small({"--program", "float64", "--processes", "2"}), {"float64", "hint:"}},
                 {small({"--out", "missing/row.csv"}), {"missing/row.csv"}},
                 {{"baseline", experiment("lenet1_inference")}, {"mode", "nothing to train"}},
                 {{"baseline", experiment("hello")}, {"mode", "nothing to train"}}};
    for (const auto &c : cases) {
        const finished result = spinnsim(c.command);
        EXPECT_EQ(result.status, 2) << result.err;
        EXPECT_EQ(result.out, "");
        for (const std::string &text : c.texts) {
            EXPECT_NE(result.err.find(text), std::string::npos) << text << ": " << result.err;
        }
    }
    EXPECT_TRUE(files("").empty());
}
