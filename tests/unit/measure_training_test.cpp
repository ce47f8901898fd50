/* measure_training_test.cpp - sim/measure/trainings.h: trainings of XOR beside each other. */
#include "tests/unit/host_job.h"

#include <cmath>
#include <cstdio>
#include <gtest/gtest.h>

extern "C" {
#include "sim/measure/trainings.h"
}

namespace
{

std::string xor_of(const std::string &format, const std::string &train)
{
    return HOST +
           "mode: train\nseed: 1\n"
           "data: {set: files, train: data/xor.npz, test: data/xor.npz}\n"
           "network: {name: xor, number_format: " +
           format +
           "}\n"
           "train: {epochs: 5, global_batch: 4, learning_rate: 0.03125, " +
           train + "}\ntest: {every_epochs: 0}\n";
}

struct compared {
    enum status status = STATUS_OK;
    struct trainings_report report = {};
    std::vector<std::vector<double>> rows;
    std::string told, refusal;
};

compared compare(const std::string &a, const std::string &b)
{
    host_job of_a(a);
    host_job of_b(b);
    compared result;
    struct diagnostic diagnostic = {};
    FILE *csv = std::tmpfile();
    result.status = trainings_compare(&of_a.job, &of_b.job, csv, &result.report, &diagnostic);
    result.refusal = diagnostic.text;
    std::rewind(csv);
    char line[256];
    if (std::fgets(line, sizeof line, csv) != nullptr) {
        EXPECT_STREQ(line, "update,distance,largest,length_a,length_b\n");
    }
    std::vector<double> row(5);
    while (std::fscanf(csv, "%lf,%lf,%lf,%lf,%lf\n", &row[0], &row[1], &row[2], &row[3], &row[4]) ==
           5) {
        result.rows.push_back(row);
    }
    std::fclose(csv);
    FILE *told = std::tmpfile();
    trainings_tell(&result.report, told);
    std::rewind(told);
    while (std::fgets(line, sizeof line, told) != nullptr) {
        result.told += line;
    }
    std::fclose(told);
    return result;
}

TEST(MeasureTraining, OfATrainingAgainstItselfIsZero)
{
    for (const std::string format : {"int16", "s16.15", "float64"}) {
        const std::string text = xor_of(format, "optimizer: sgd");
        const compared same = compare(text, text);
        ASSERT_EQ(same.status, STATUS_OK) << same.refusal;
        ASSERT_EQ(same.rows.size(), 6u) << "before the first update, and after each of five";
        for (size_t i = 0; i < same.rows.size(); i++) {
            EXPECT_EQ(same.rows[i][0], static_cast<double>(i));
            EXPECT_EQ(same.rows[i][1], 0.0);
            EXPECT_EQ(same.rows[i][2], 0.0);
            EXPECT_EQ(same.rows[i][3], same.rows[i][4]);
            EXPECT_GT(same.rows[i][3], 0.0);
        }
        EXPECT_NE(same.rows[0][3], same.rows[5][3]) << "it learns";
        EXPECT_EQ(same.told, "equal after each of 5 updates\n");
    }
}

/* Momentum has no velocity before its first update: both rules make the same one. */
TEST(MeasureTraining, OfTwoOptimizersGrowsFromTheFirstUpdateWithAState)
{
    const compared other = compare(xor_of("int16", "optimizer: sgd"),
                                   xor_of("int16", "optimizer: momentum, momentum: 0.5"));
    ASSERT_EQ(other.status, STATUS_OK) << other.refusal;
    ASSERT_EQ(other.rows.size(), 6u);
    EXPECT_EQ(other.rows[0][1], 0.0);
    EXPECT_EQ(other.rows[1][1], 0.0);
    EXPECT_GT(other.rows[2][1], 0.0);
    EXPECT_EQ(other.report.first, 2u);
    EXPECT_NEAR(other.report.last.distance, other.rows[5][1], 1e-9);
    EXPECT_EQ(other.told.find("differ first after update 2 of 5; largest distance "), 0u)
        << other.told;
    for (const auto &row : other.rows) {
        EXPECT_LE(row[2], row[1]) << "the largest is a part of the norm";
        EXPECT_LE(row[1], row[2] * std::sqrt(42.0) * (1 + 1e-8)) << "of 42 parameters";
        EXPECT_LE(std::abs(row[3] - row[4]), row[1] + 1e-8) << "the triangle's inequality";
    }
}

TEST(MeasureTraining, OfTwoFormatsBeginsWithTheRoundingOfWeights)
{
    const compared other =
        compare(xor_of("int16", "optimizer: sgd"), xor_of("float64", "optimizer: sgd"));
    ASSERT_EQ(other.status, STATUS_OK) << other.refusal;
    EXPECT_EQ(other.report.first, 0u);
    EXPECT_LT(other.rows[0][2], 0x1p-12) << "int16 draws with 12 fractional bits";
    EXPECT_LT(other.report.most, 0.01);
}

TEST(MeasureTraining, ComparesAsManyUpdatesAsTheShorterHas)
{
    const std::string five = xor_of("int16", "optimizer: sgd");
    std::string two = five;
    two.replace(two.find("epochs: 5"), 9, "epochs: 2");
    const compared part = compare(five, two);
    ASSERT_EQ(part.status, STATUS_OK) << part.refusal;
    EXPECT_EQ(part.rows.size(), 3u);
    EXPECT_EQ(part.told.find("A has 5 updates, B 2: the first 2 are compared\n"), 0u) << part.told;
}

TEST(MeasureTraining, RefusesOtherNetworks)
{
    const std::string text = xor_of("int16", "optimizer: sgd");
    host_job of_xor(text);
    host_job of_lenet(HOST + "mode: train\nseed: 1\n"
                             "data: {set: synthetic, train_images: 32, test_images: 8}\n"
                             "network: {name: lenet1, number_format: int16}\n"
                             "train: {epochs: 1, global_batch: 4, learning_rate: 0.03125, "
                             "optimizer: sgd}\n");
    struct trainings_report report = {};
    struct diagnostic diagnostic = {};
    EXPECT_EQ(trainings_compare(&of_xor.job, &of_lenet.job, nullptr, &report, &diagnostic),
              STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.text, "networks xor and lenet1 have other parameters");
}

} // namespace
