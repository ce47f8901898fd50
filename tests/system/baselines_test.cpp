/* baselines_test.cpp - scripts/study/check_baselines.sh finds each kind of mistake in a table of
 * cited figures, and none in good tables. */
#include "tests/system/program.h"

class Baselines : public SystemTest
{
  protected:
    void SetUp() override
    {
        SystemTest::SetUp();
        write("cited.csv", CITED);
        write("watts.csv", WATTS);
    }

    finished check() const
    {
        return run_command({SPINN_SOURCE_DIR "/scripts/study/check_baselines.sh", "."}, path("."));
    }

    /* Lines 2 and 3 are cited and derived. */
    const std::string CITED =
        "id,platform,device,year,mode,network,dataset,accuracy_percent,batch,precision,images,"
        "seconds,images_per_second,joules_per_image,watts,scope,idle,kind,note,source\n"
        "chip-infer,neuromorphic,Chip,2020,infer,400-10,mnist,96.3,1,,,,,0.5e-3,,unknown,unknown,"
        "cited,,\"A. Author, \"\"Title\"\", table 1\"\n"
        "card-train,gpu,Card,2021,train,784-10,mnist,99,256,float32,1000,2,500,0.2,100,card,in,"
        "derived,100 W x 2 s / 1000,page.org\n";
    const std::string WATTS = "device,watts_low,watts_high,scope,kind,note,source\n"
                              "card,10,100,card,cited,idle and busy,page.org\n"
                              "core,4,,core,assumed,ours,none\n";
};

TEST_F(Baselines, GoodTablesPass)
{
    const finished result = check();
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.out + result.err, "");
}

TEST_F(Baselines, EachMistakeIsNamedWithItsLine)
{
    const struct {
        const char *file, *good, *bad, *message;
    } mistakes[] = {
        {"cited.csv", "id,platform", "name,platform", ":1: the head is not id,platform,"},
        {"cited.csv", "card-train,gpu", "chip-infer,gpu",
         ":3: id \"chip-infer\" is also in line 2\n"},
        {"cited.csv", "card-train,gpu", "Card train,gpu",
         ":3: id: \"Card train\" has other than small letters, digits and hyphens\n"},
        {"cited.csv", ",page.org", ",", ":3: source is empty\n"},
        {"cited.csv", "neuromorphic", "brain",
         ":2: platform: \"brain\" is none of "
         "neuromorphic|cpu|gpu|tpu|fpga|edge|microcontroller\n"},
        {"cited.csv", "derived,", "modelled,", ":3: kind: \"modelled\" is none of cited|derived\n"},
        {"cited.csv", "100 W x 2 s / 1000", "", ":3: a derived figure without a note\n"},
        {"cited.csv", "0.5e-3", "0.5 mJ", ":2: joules_per_image: \"0.5 mJ\" is not a number\n"},
        {"cited.csv", "96.3", "963", ":2: accuracy_percent: 963 is not in 0..100\n"},
        {"cited.csv", "0.5e-3", "0.5e-13", ":2: joules_per_image: 0.5e-13 is not in 1e-12..1e3\n"},
        {"cited.csv", ",unknown,unknown", ",unknown", ":2: not 20 cells\n"},
        {"cited.csv", "Title\"\"", "Title\"", ":2: not 20 cells\n"},
        {"cited.csv", "96.3,1,,,,,0.5e-3", ",1,,,,,", ":2: no figure\n"},
        {"cited.csv", ",500,", ",600,", ":3: images / seconds is not images_per_second\n"},
        {"cited.csv", "0.2,100", "0.3,100",
         ":3: joules_per_image times images a second is not watts\n"},
        {"watts.csv", "10,100", "100,10", ":2: watts_low is above watts_high\n"},
        {"watts.csv", "core,4,,core", "core,,,core", ":3: no figure\n"},
        {"watts.csv", "ours", "", ":3: an assumed figure without a note\n"},
        {"watts.csv", "core,4", " card,4", ":3: device: a blank at its beginning or end\n"},
    };
    for (const auto &mistake : mistakes) {
        write("cited.csv", CITED);
        write("watts.csv", WATTS);
        std::string table = read(mistake.file);
        const size_t at = table.find(mistake.good);
        ASSERT_NE(at, std::string::npos) << mistake.good;
        write(mistake.file, table.replace(at, std::string(mistake.good).size(), mistake.bad));
        const finished result = check();
        EXPECT_EQ(result.status, 1) << mistake.bad;
        EXPECT_NE(result.out.find(std::string(mistake.file) + mistake.message), std::string::npos)
            << mistake.bad << ": " << result.out << result.err;
        EXPECT_EQ(lines(result.out).size(), 1u) << mistake.bad << ": " << result.out;
    }
}

TEST_F(Baselines, AMissingTableIsAMistake)
{
    const finished result =
        run_command({SPINN_SOURCE_DIR "/scripts/study/check_baselines.sh", "nowhere"}, path("."));
    EXPECT_EQ(result.status, 1);
    EXPECT_NE(result.out.find("nowhere/cited.csv:0: cannot be read\n"), std::string::npos);
    EXPECT_NE(result.out.find("nowhere/watts.csv:0: cannot be read\n"), std::string::npos);
}
