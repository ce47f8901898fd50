/* nn_fixture.h - shared by the tests of kernels, reference and weights: networks from texts, random
 * numbers, images. */
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

extern "C" {
#include "models/common/draw.h"
#include "sim/data/dataset.h"
#include "sim/data/digits.h"
#include "sim/host_backend/reference.h"
#include "sim/host_backend/trainer.h"
#include "sim/networks/layer_table.h"
#include "sim/networks/network.h"
#include "sim/networks/weights.h"
#include "workloads/nn/kernels.h"
}

/* Random numbers that are the same on every host. */
class random_source
{
  public:
    explicit random_source(uint64_t seed) : seed_(seed)
    {
    }

    /* least .. most */
    int32_t between(int32_t least, int32_t most)
    {
        const auto bound = static_cast<uint32_t>(int64_t{most} - least) + 1;
        const uint32_t drawn = draw_below(draw_word(seed_, 0, taken_++), bound);
        return static_cast<int32_t>(int64_t{least} + drawn);
    }

    uint32_t between(uint32_t least, uint32_t most)
    {
        return least + draw_below(draw_word(seed_, 0, taken_++), most - least + 1);
    }

    /* -1 .. 1 */
    double unit()
    {
        return draw_signed_unit(draw_word(seed_, 0, taken_++));
    }

    std::vector<int16_t> int16s(size_t count, int32_t most);
    std::vector<double> units(size_t count, double scale = 1);

  private:
    uint64_t seed_;
    uint64_t taken_ = 0;
};

/* A network and its layer table. */
class test_network
{
  public:
    explicit test_network(const std::string &yaml); /* its text */
    ~test_network();
    test_network(const test_network &) = delete;
    test_network &operator=(const test_network &) = delete;

    const struct network *operator->() const
    {
        return &network;
    }
    size_t parameters() const
    {
        return network_parameters(&network);
    }
    const struct network_layer &layer(size_t i) const
    {
        return network.layer[i];
    }

    struct network network = {};
    struct nn_table *table = nullptr;
};

/* configs/networks/lenet1.yaml of the checkout. */
std::unique_ptr<test_network> lenet1();
std::string networks_folder();

/* A committed weights file of LeNet-1. */
class lenet1_weights
{
  public:
    lenet1_weights(const test_network &network, const std::string &set);
    ~lenet1_weights()
    {
        weights_deinit(&weights);
    }
    lenet1_weights(const lenet1_weights &) = delete;
    lenet1_weights &operator=(const lenet1_weights &) = delete;

    const struct weights *operator->() const
    {
        return &weights;
    }

    struct weights weights = {};
};

/* The first `limit` images of a set (0: all). */
class images
{
  public:
    images(const char *set, enum dataset_split split, uint32_t limit);
    ~images()
    {
        dataset_deinit(&dataset);
    }
    images(const images &) = delete;
    images &operator=(const images &) = delete;

    const uint8_t *image(size_t i) const
    {
        return dataset.images + i * DIGITS_PIXELS;
    }

    struct dataset dataset = {};
};

/* One image through the integer kernels. */
struct integer_run {
    integer_run(const test_network &network, const std::vector<int16_t> &parameters,
                const uint8_t *image);

    std::vector<int32_t> logits;
    std::vector<uint8_t> activations;
    struct nn_numerics numerics = {};
};

/* What the host's trainer makes of images with these parameters. */
struct host_test {
    host_test(const test_network &network, const struct host_format &format, const void *parameters,
              const struct dataset &images, unsigned threads = 2);

    enum status status;
    struct diagnostic said_of = {};
    struct host_score score = {};
    uint64_t saturations = 0, overflows = 0; /* of all images */
    std::vector<struct nn_result> result;
};

std::vector<int16_t> block_of(const struct weights &weights, const test_network &network);
