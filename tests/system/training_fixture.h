/* training_fixture.h - small trainings of LeNet-1 on the machine: synthetic digits, one chip of
 * four groups of four cores. */
#pragma once
#include "tests/system/program.h"

extern "C" {
#include "sim/data/npz.h"
}

#include <cmath>
#include <cstdlib>
#include <sstream>

class TrainingTest : public SystemTest
{
  protected:
    void SetUp() override
    {
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
        }
        SystemTest::SetUp();
        write("small.yaml", SMALL);
    }

    /* Two epochs of two updates, a test of 20 images after each. */
    static constexpr const char *SMALL =
        "include: [boards/one_chip.yaml, timing/arm968.yaml, energy/spinnaker1.yaml]\n"
        "name: small\n"
        "mode: train\n"
        "data: {set: synthetic, train_images: 90, test_images: 20}\n"
        "network: {name: lenet1}\n"
        "mapping: {kind: replica_per_chip, cores_per_image: 4, cores_per_chip: 16, chips: 1}\n"
        "train: {epochs: 2, global_batch: 48}\n"
        "record: {learning_every: 1}\n"
        "run: {simulated_time_limit: 2 s}\n";

    /* The same on a board of six chips; all 48 of a SpiNN-5 take four times as long, most of it
     * idle ones. */
    static std::string on_six_chips()
    {
        return std::string(SMALL) + "board: {width: 3, height: 2}\n";
    }

    /* Options that set these keys. */
    static words sets(const words &keys)
    {
        words options;
        for (const std::string &key : keys) {
            options.insert(options.end(), {"--set", key});
        }
        return options;
    }

    finished train(const std::string &out, const words &keys = {}, const words &more = {}) const
    {
        words options = sets(keys);
        options.insert(options.end(), more.begin(), more.end());
        return run("small.yaml", out, options);
    }

    /* The same on the host. */
    static words on_host()
    {
        return {"backend=host", "mapping=null"};
    }

    struct row {
        uint64_t update, epoch, images;
        double seconds, joules, loss, accuracy, low, high;
        double validation_loss, validation_accuracy; /* NAN: an empty field, as of all numbers */
    };

    std::vector<row> learning(const std::string &out) const
    {
        std::vector<row> rows;
        for (const std::string &line : lines(read(out + "/learning.csv"))) {
            std::vector<double> field;
            std::istringstream stream(line + ",");
            for (std::string text; std::getline(stream, text, ',');) {
                field.push_back(text.empty() ? NAN : std::atof(text.c_str()));
            }
            if (line.compare(0, 6, "update") != 0 && field.size() == 11) {
                rows.push_back({static_cast<uint64_t>(field[0]), static_cast<uint64_t>(field[1]),
                                static_cast<uint64_t>(field[2]), field[3], field[4], field[5],
                                field[6], field[7], field[8], field[9], field[10]});
            }
        }
        return rows;
    }

    /* Parameters of a result folder, array after array. */
    std::vector<int16_t> weights(const std::string &out) const
    {
        return arrays<int16_t>(out, NPZ_INT16);
    }

    /* The same of a training in s16.15. */
    std::vector<int32_t> weights32(const std::string &out) const
    {
        return arrays<int32_t>(out, NPZ_INT32);
    }

    /* Of one in float32. */
    std::vector<float> singles(const std::string &out) const
    {
        return arrays<float>(out, NPZ_FLOAT32);
    }

  private:
    template <typename Value>
    std::vector<Value> arrays(const std::string &out, enum npz_type type) const
    {
        struct npz npz;
        struct diagnostic diagnostic = {};
        std::vector<Value> values;
        if (npz_open(&npz, path(out + "/weights.npz").c_str(), SIZE_MAX / 2, &diagnostic) !=
            STATUS_OK) {
            ADD_FAILURE() << diagnostic.text;
            return values;
        }
        for (size_t i = 0; i < npz.count; i++) {
            if (npz.array[i].type == type && npz.array[i].rank > 0) {
                const auto *data = static_cast<const Value *>(npz.array[i].data);
                values.insert(values.end(), data, data + npz.array[i].count);
            }
        }
        npz_close(&npz);
        EXPECT_GT(values.size(), 10u);
        return values;
    }
};
