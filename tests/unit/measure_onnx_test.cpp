/* measure_onnx_test.cpp - sim/measure/onnx_case.h and onnx_tests.h, by small tests made here. */
#include "tests/support/onnx_builder.h"
#include "tests/unit/data_fixture.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

extern "C" {
#include "sim/measure/onnx_tests.h"
}

namespace
{
namespace fs = std::filesystem;

class MeasureOnnx : public testing::Test
{
  protected:
    /* A TensorProto of float, without the name that the model has for it. */
    void tensor(const std::string &test, const std::string &file, const std::vector<int64_t> &shape,
                const std::vector<float> &values)
    {
        wire_message message = {};
        for (const int64_t size : shape) {
            wire_put_whole(&message, 1, static_cast<uint64_t>(size));
        }
        wire_put_whole(&message, 2, 1);
        wire_put_bytes(&message, 9, values.data(), values.size() * sizeof(float));
        save(test, "test_data_set_0/" + file,
             std::string(reinterpret_cast<const char *>(message.bytes), message.size));
        wire_message_deinit(&message);
    }

    /* The same with a field for each number, as the format allows. */
    void typed_tensor(const std::string &test, const std::string &file, int64_t count, float value)
    {
        wire_message message = {};
        wire_put_whole(&message, 1, static_cast<uint64_t>(count));
        wire_put_whole(&message, 2, 1);
        wire_put_text(&message, 8, "a name of its own");
        for (int64_t i = 0; i < count; i++) {
            wire_put_single(&message, 4, value);
        }
        save(test, "test_data_set_0/" + file,
             std::string(reinterpret_cast<const char *>(message.bytes), message.size));
        wire_message_deinit(&message);
    }

    void save(const std::string &test, const std::string &file, const std::string &bytes)
    {
        fs::create_directories(folder / test / "test_data_set_0");
        std::ofstream(folder / test / file, std::ios::binary) << bytes;
    }

    /* y = a * b + c for two rows; the weights are inputs, as in ONNX's tests. */
    void gemm(const std::string &test, float last)
    {
        onnx_builder model;
        model.node("Gemm", {"a", "b", "c"}, "y");
        model.input("a", {2, 3});
        model.input("b", {3, 2});
        model.input("c", {2});
        model.output("y");
        save(test, "model.onnx", model.file());
        tensor(test, "input_0.pb", {2, 3}, {1, 2, 3, -1, 0.5F, 4});
        tensor(test, "input_1.pb", {3, 2}, {1, 0, 0, 1, 2, -1});
        tensor(test, "input_2.pb", {2}, {0.5F, 0});
        tensor(test, "output_0.pb", {2, 2}, {7.5F, -1, 7.5F, last});
    }

    void one_input(const std::string &test, const std::string &op, const std::vector<float> &values,
                   const std::vector<float> &expected)
    {
        onnx_builder model;
        const auto count = static_cast<int64_t>(values.size());
        model.node(op, {"x"}, "y");
        model.input("x", {1, count});
        model.output("y");
        save(test, "model.onnx", model.file());
        tensor(test, "input_0.pb", {1, count}, values);
        tensor(test, "output_0.pb", {1, count}, expected);
    }

    struct onnx_case run(const std::string &test)
    {
        struct onnx_case result = {};
        struct diagnostic diagnostic = {};
        EXPECT_EQ(onnx_case_run((folder / test).c_str(), &result, &diagnostic), STATUS_OK)
            << diagnostic.text;
        return result;
    }

    const temporary_folder owned;
    const fs::path folder = owned.path();
};

TEST_F(MeasureOnnx, TakesEachRowThroughTheLoweredModel)
{
    gemm("gemm", -3.5F);
    const struct onnx_case test = run("gemm");
    EXPECT_EQ(test.verdict, ONNX_PASSED) << test.reason;
    EXPECT_STREQ(test.operators, "Gemm");
    EXPECT_STREQ(test.reason, "");
    EXPECT_EQ(test.values, 4u);
    EXPECT_EQ(test.largest, 0.0);
}

TEST_F(MeasureOnnx, BindsInputsByTheirPlace)
{
    gemm("typed", -3.5F);
    typed_tensor("typed", "input_2.pb", 2, 10);
    tensor("typed", "output_0.pb", {2, 2}, {17, 9, 17, 6.5F});
    EXPECT_EQ(run("typed").verdict, ONNX_PASSED) << run("typed").reason;
}

TEST_F(MeasureOnnx, FailsBeyondOnePartInAThousand)
{
    gemm("near", -3.5F * 1.0009F);
    EXPECT_EQ(run("near").verdict, ONNX_PASSED);
    gemm("far", -3.25F);
    const struct onnx_case test = run("far");
    EXPECT_EQ(test.verdict, ONNX_FAILED);
    EXPECT_STREQ(test.reason, "value 3: -3.5, expected -3.25");
    EXPECT_EQ(test.largest, 0.25);
}

TEST_F(MeasureOnnx, AppliesTheSoftmaxThatANetworkOfOursLeavesToItsLoss)
{
    one_input("softmax", "Softmax", {0, 0, 0, 0}, {0.25F, 0.25F, 0.25F, 0.25F});
    one_input("logarithm", "LogSoftmax", {1, 1}, {-0.6931472F, -0.6931472F});
    EXPECT_EQ(run("softmax").verdict, ONNX_PASSED);
    EXPECT_EQ(run("logarithm").verdict, ONNX_PASSED);
}

TEST_F(MeasureOnnx, RefusesWhatTheImportRefusesAndSkipsWhatItDoesNotKnow)
{
    one_input("relu", "Relu", {1, -1}, {1, 0});
    one_input("sine", "Sin", {1, -1}, {1, 0});
    EXPECT_EQ(run("relu").verdict, ONNX_REFUSED);
    EXPECT_STREQ(run("relu").reason, "operator Relu is not behind such a layer");
    EXPECT_EQ(run("sine").verdict, ONNX_SKIPPED);
    EXPECT_STREQ(run("sine").reason, "operator Sin");
    save("sine", "model.onnx", "no model");
    EXPECT_EQ(run("sine").verdict, ONNX_REFUSED);
    gemm("cut", -3.5F);
    fs::remove(folder / "cut/test_data_set_0/input_2.pb");
    EXPECT_EQ(run("cut").verdict, ONNX_REFUSED);
}

/* With two images, as the file says, it would mix them. */
TEST_F(MeasureOnnx, RefusesATranspositionOfImages)
{
    onnx_builder model;
    model.node("Transpose", {"x"}, "y", {{"perm", {1, 0}}});
    model.input("x", {2, 2});
    model.output("y");
    save("turned", "model.onnx", model.file());
    tensor("turned", "input_0.pb", {2, 2}, {1, 2, 3, 4});
    tensor("turned", "output_0.pb", {2, 2}, {1, 3, 2, 4});
    EXPECT_EQ(run("turned").verdict, ONNX_REFUSED);
    EXPECT_STREQ(run("turned").reason, "operator Transpose moves the axis of 2 images");
}

std::string text_of(FILE *file)
{
    std::string text;
    std::rewind(file);
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) {
        text += static_cast<char>(c);
    }
    std::fclose(file);
    return text;
}

TEST_F(MeasureOnnx, CountsAndTellsWhy)
{
    gemm("a", -3.5F);
    gemm("b", -3.25F);
    one_input("c", "Relu", {1, -1}, {1, 0});
    one_input("d", "Sin", {1, -1}, {1, 0});
    fs::create_directories(folder / "no_test");
    struct onnx_counts counts = {};
    struct diagnostic diagnostic = {};
    FILE *csv = std::tmpfile();
    FILE *report = std::tmpfile();
    ASSERT_EQ(onnx_tests_run(folder.c_str(), csv, report, &counts, &diagnostic), STATUS_OK);
    for (const auto count : counts.of) {
        EXPECT_EQ(count, 1u);
    }
    EXPECT_EQ(text_of(csv), "test,operators,verdict,values,largest_difference,reason\n"
                            "a,Gemm,passed,4,0,\n"
                            "b,Gemm,failed,4,0.25,\"value 3: -3.5, expected -3.25\"\n"
                            "c,Relu,refused,0,0,operator Relu is not behind such a layer\n"
                            "d,Sin,skipped,0,0,operator Sin\n");
    EXPECT_EQ(text_of(report), "failed: b (Gemm): value 3: -3.5, expected -3.25\n"
                               "Refused, by reason:\n"
                               "      1  operator Relu is not behind such a layer\n"
                               "1 passed, 1 refused, 1 failed, 1 skipped\n");
}

TEST_F(MeasureOnnx, WantsTests)
{
    struct onnx_counts counts = {};
    struct diagnostic diagnostic = {};
    EXPECT_EQ(onnx_tests_run(folder.c_str(), nullptr, stderr, &counts, &diagnostic),
              STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.text, "no folder in it has a model.onnx");
    EXPECT_EQ(onnx_tests_run((folder / "none").c_str(), nullptr, stderr, &counts, &diagnostic),
              STATUS_CONFIGURATION);
    EXPECT_EQ(diagnostic.file, (folder / "none").string());
}

} // namespace
