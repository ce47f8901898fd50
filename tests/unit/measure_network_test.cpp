/* measure_network_test.cpp - sim/measure/tensors.h, by small result folders made here. */
#include "tests/unit/data_fixture.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

extern "C" {
#include "sim/data/npz.h"
#include "sim/measure/tensors.h"
}

namespace
{
namespace fs = std::filesystem;

class MeasureNetwork : public testing::Test
{
  protected:
    /* weights.npz of a layer of 2 x 2 with `fraction` bits, and predictions.csv of two images. */
    template <typename value, npz_type type>
    void results(const std::string &name, int32_t fraction, const std::vector<value> &weights,
                 const std::string &answers)
    {
        fs::create_directories(folder / name);
        struct diagnostic diagnostic = {};
        npz_writer writer = {};
        const std::string path = folder / name / "weights.npz";
        ASSERT_EQ(npz_create(&writer, path.c_str(), &diagnostic), STATUS_OK);
        npz_array array = {};
        array.name = "weight_fraction";
        array.type = NPZ_INT32;
        array.data = &fraction;
        ASSERT_EQ(npz_add(&writer, &array, &diagnostic), STATUS_OK);
        array = {};
        array.name = "output.weights";
        array.type = type;
        array.rank = 2;
        array.shape[0] = 2;
        array.shape[1] = weights.size() / 2;
        array.data = weights.data();
        ASSERT_EQ(npz_add(&writer, &array, &diagnostic), STATUS_OK);
        ASSERT_EQ(npz_add_text(&writer, "recipe", name.c_str(), &diagnostic), STATUS_OK);
        ASSERT_EQ(npz_commit(&writer, &diagnostic), STATUS_OK);
        std::ofstream(folder / name / "predictions.csv")
            << "image,label,predicted,confidence,logit_0,logit_1\n"
            << answers;
    }

    void int16(const std::string &name, const std::vector<int16_t> &weights,
               const std::string &answers = "0,1,1,0.5,-10,20\n1,0,0,0.5,30,-40\n")
    {
        results<int16_t, NPZ_INT16>(name, 13, weights, answers);
    }

    enum status compare(const std::string &a, const std::string &b)
    {
        FILE *csv = std::tmpfile();
        const enum status status =
            tensors_compare((folder / a).c_str(), (folder / b).c_str(), csv, &report, &diagnostic);
        rows = text_of(csv);
        FILE *text = std::tmpfile();
        tensors_tell(&report, text);
        told = text_of(text);
        return status;
    }

    static std::string text_of(FILE *file)
    {
        std::string text;
        std::rewind(file);
        for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) {
            text += static_cast<char>(c);
        }
        std::fclose(file);
        return text;
    }

    const temporary_folder owned;
    const fs::path folder = owned.path();
    struct tensors_report report = {};
    struct diagnostic diagnostic = {};
    std::string rows, told;
};

TEST_F(MeasureNetwork, FindsNothingInEqualResults)
{
    int16("a", {1, 2, 3, 4});
    int16("b", {1, 2, 3, 4});
    ASSERT_EQ(compare("a", "b"), STATUS_OK) << diagnostic.text;
    EXPECT_EQ(told, "2 tensors and 2 images: nothing differs\n");
    EXPECT_EQ(rows, "tensor,values,differing,first_place,largest\n"
                    "output.weights,4,0,,0\n"
                    "predictions.csv: logits,4,0,,0\n");
}

TEST_F(MeasureNetwork, NamesTheFirstTensorAndTheLargestDifference)
{
    int16("a", {1, 2, 3, 4});
    int16("b", {1, 2, 3 + 8, 4 - 16}, "0,1,1,0.5,-10,20\n1,0,1,0.5,30,33\n");
    ASSERT_EQ(compare("a", "b"), STATUS_OK) << diagnostic.text;
    EXPECT_EQ(rows, "tensor,values,differing,first_place,largest\n"
                    "output.weights,4,2,2,0.001953125\n" /* 16 of 2^13 */
                    "predictions.csv: logits,4,1,3,73\n");
    EXPECT_EQ(told, "2 of 2 tensors differ, first output.weights: 2 of 4 values, from place 2 on, "
                    "by up to 0.001953125\n"
                    "image 1 is the first of 2 with another answer; 1 in another class\n");
}

/* Numbers are compared, not their bits: 1 / 4 of int16 is 1 / 4 of s16.15. */
TEST_F(MeasureNetwork, ComparesFormatsAsRealNumbers)
{
    int16("a", {1 << 11, 0, 0, 1});
    results<int32_t, NPZ_INT32>("b", 15, {1 << 13, 0, 0, 4}, "0,1,1,1,-10,20\n1,0,0,1,30,-40\n");
    ASSERT_EQ(compare("a", "b"), STATUS_OK) << diagnostic.text;
    EXPECT_EQ(report.differing, 0u) << rows;
}

TEST_F(MeasureNetwork, RefusesOtherNetworksAndOtherImages)
{
    int16("a", {1, 2, 3, 4});
    int16("wide", {1, 2, 3, 4, 5, 6});
    EXPECT_EQ(compare("a", "wide"), STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.text, "it has another shape");
    EXPECT_STREQ(diagnostic.key, "output.weights");
    int16("fewer", {1, 2, 3, 4}, "0,1,1,0.5,-10,20\n");
    EXPECT_EQ(compare("a", "fewer"), STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.hint, "compare results of one network on the same images");
    int16("no_number", {1, 2, 3, 4}, "0,1,1,0.5,-10,x\n1,0,0,0.5,30,-40\n");
    EXPECT_EQ(compare("a", "no_number"), STATUS_CONFIGURATION);
    fs::create_directories(folder / "empty");
    EXPECT_EQ(compare("empty", "a"), STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.text, "it has neither weights.npz nor predictions.csv");
    EXPECT_EQ(compare("a", "empty"), STATUS_CONFIGURATION);
}

} // namespace
