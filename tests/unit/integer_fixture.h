/* integer_fixture.h - integer trainings for tests: networks as texts, and a training with
 * everything that its listener was told. */
#pragma once
#include "tests/unit/nn_fixture.h"

#include <gtest/gtest.h>

#include <cmath>

inline const std::string HEAD =
    "name: fast\nvariant: modern\n"
    "input: {channels: 1, height: 28, width: 28}\n"
    "formats: {weight_fraction: 13, activation_fraction: 11, input_shift: 3}\n"
    "layers:\n";
/* A pool before all parameters, convolutions with and without a pool behind them, two dense ones.
 */
inline const std::string ALL_KINDS =
    HEAD + "  - {name: p, type: max_pool2d, size: 2}\n"
           "  - {name: a, type: conv2d, maps: 3, kernel: 3, activation: relu}\n"
           "  - {name: q, type: max_pool2d, size: 2}\n"
           "  - {name: b, type: conv2d, maps: 4, kernel: 3, activation: relu}\n"
           "  - {name: c, type: dense, units: 12, activation: relu}\n"
           "  - {name: out, type: dense, units: 10, activation: softmax}\n";
inline const std::string LENET1 =
    HEAD + "  - {name: conv1, type: conv2d, maps: 4, kernel: 5, activation: relu}\n"
           "  - {name: pool1, type: max_pool2d, size: 2}\n"
           "  - {name: conv2, type: conv2d, maps: 12, kernel: 5, activation: relu}\n"
           "  - {name: pool2, type: max_pool2d, size: 2}\n"
           "  - {name: output, type: dense, units: 10, activation: softmax}\n";
/* Operators that few networks have. */
inline const std::string OPERATORS =
    HEAD + "  - {name: a, type: conv2d, maps: 4, kernel: 5, padding: same, activation: tanh}\n"
           "  - {name: p, type: subsample2d, size: 2, activation: tanh}\n"
           "  - {name: b, type: conv2d, maps: 6, kernel: 5, activation: tanh, links: "
           "[[0, 1], [1, 2], [2, 3], [0, 3], [0, 1, 2, 3], [0, 2]]}\n"
           "  - {name: q, type: max_pool2d, size: 3}\n"
           "  - {name: c, type: conv2d, maps: 8, kernel: 3, padding: 1, activation: relu}\n"
           "  - {name: d, type: dense, units: 12, activation: tanh}\n"
           "  - {name: out, type: dense, units: 10, activation: softmax}\n";
inline const std::string AVERAGES =
    HEAD + "  - {name: a, type: conv2d, maps: 3, kernel: 5, activation: relu}\n"
           "  - {name: p, type: average_pool2d, size: 2, stride: 3}\n"
           "  - {name: b, type: conv2d, maps: 4, kernel: 3, activation: identity}\n"
           "  - {name: q, type: average_pool2d, size: 2}\n"
           "  - {name: d, type: dense, units: 12, activation: sigmoid}\n"
           "  - {name: out, type: dense, units: 10, activation: softmax}\n";
/* An output of bitmaps. */
inline const std::string BITMAPS =
    HEAD + "  - {name: p, type: max_pool2d, size: 4}\n"
           "  - {name: h, type: dense, units: 16, activation: scaled_tanh}\n"
           "  - {name: i, type: dense, units: 84, activation: scaled_tanh}\n"
           "  - {name: out, type: rbf, units: 10}\n";
inline const std::string SMALL = HEAD +
                                 "  - {name: p, type: max_pool2d, size: 4}\n"
                                 "  - {name: h, type: dense, units: 16, activation: relu}\n"
                                 "  - {name: out, type: dense, units: 10, activation: softmax}\n";

class training
{
  public:
    training(const std::string &yaml, uint32_t train_images, uint32_t test_images, uint32_t batch)
        : network(yaml), train("synthetic", DATASET_TRAIN, train_images),
          test("synthetic", DATASET_TEST, test_images), initial(network.table->parameter_bytes / 2)
    {
        learning_draw(&network.network, network.table, CONFIG_INITIALIZER_HE, 1, initial.data());
        learning.epochs = 1;
        learning.batch = batch;
        learning.updates_per_epoch = (train_images + batch - 1) / batch;
        learning.order = {1, train_images, 8};
        learning.schedule = {NN_DECAY_LINEAR, learning.updates_per_epoch, 2, 0, 0};
        learning.rule.optimizer = NN_MOMENTUM;
        learning.rule.weight_fraction = 13;
        learning.rule.error_fraction = static_cast<uint8_t>(training_error_fraction(batch));
        learning.rule.activation_fraction = 11;
        learning.rule.rate_shift = 9;
        learning.rule.rate_scale = 1;
        learning.rule.one_less_momentum = 3277;
        request.format = &HOST_FORMAT_int16;
        request.network = &network.network;
        request.table = network.table;
        request.learning = &learning;
        request.train = &train.dataset;
        request.test = &test.dataset;
        request.initial = initial.data();
        request.threads = 2;
        request.context = this;
        request.listener = [](void *context, const struct trainer_news *news, bool *,
                              struct diagnostic *) {
            return static_cast<training *>(context)->hear(*news);
        };
    }
    training(const training &) = delete;
    training &operator=(const training &) = delete;

    enum status run()
    {
        struct trainer *trainer = nullptr;
        progress.clear();
        gradients.clear();
        parameters.clear();
        result = {};
        enum status status = trainer_open(&request, &trainer, &said_of);
        if (status == STATUS_OK) {
            status = trainer_run(trainer, &said_of);
        }
        trainer_close(trainer);
        return stop_after != 0 && gradients.size() == stop_after ? STATUS_OK : status;
    }

    void use_loss(enum nn_loss loss)
    {
        network.network.loss = static_cast<uint8_t>(loss);
        network.table->layer[network.table->layers - 1].padding = network.network.loss;
    }

    /* Draws biases, so that empty parts of an image are not at the kink of a ReLU. */
    void draw_biases()
    {
        random_source random(9);
        for (size_t i = 0; i < network.network.layer_count; i++) {
            for (uint32_t j = 0; j < network_layer_biases(&network.layer(i)); j++) {
                initial[network.table->layer[i].biases / 2 + j] =
                    static_cast<int16_t>(random.between(-800, 800));
            }
        }
    }

    const std::vector<int16_t> &trained() const
    {
        return parameters.back();
    }

    std::vector<uint32_t> batch(uint32_t update) const
    {
        std::vector<uint32_t> which;
        for (uint32_t i = 0; i < learning_batch_of(&learning, update); i++) {
            which.push_back(nn_order_image(&learning.order, 0, update * learning.batch + i));
        }
        return which;
    }

    test_network network;
    images train, test;
    std::vector<int16_t> initial;
    struct learning learning = {};
    struct host_training request = {};
    uint64_t stop_after = 0; /* updates; 0: all */
    struct {
        uint64_t updates, images;
        struct outcome_training met;
        double test_loss, test_accuracy;
    } result = {};
    struct diagnostic said_of = {};
    std::vector<struct trainer_news> progress; /* updates and tests */
    std::vector<std::vector<int32_t>> gradients;
    std::vector<std::vector<int16_t>> parameters;

  private:
    enum status hear(const struct trainer_news &news)
    {
        if (news.event == TRAINER_UPDATED) {
            const auto *sums = static_cast<const int32_t *>(news.gradients);
            const auto *now = static_cast<const int16_t *>(news.parameters);
            gradients.emplace_back(sums, sums + initial.size());
            parameters.emplace_back(now, now + initial.size());
            EXPECT_EQ(news.update, gradients.size());
            result.updates = news.update;
            result.images = news.images;
            progress.push_back(news);
        } else if (news.event == TRAINER_TESTED) {
            result.test_loss = news.loss;
            result.test_accuracy = news.accuracy;
            progress.push_back(news);
        } else if (news.event == TRAINER_EPOCH_ENDS) {
            result.met = *news.met;
        }
        return stop_after != 0 && gradients.size() == stop_after ? STATUS_INTERNAL : STATUS_OK;
    }
};

/* Relative distance of two vectors. */
inline double distance(const std::vector<double> &a, const std::vector<double> &b)
{
    double difference = 0;
    double size = 0;
    for (size_t i = 0; i < a.size(); i++) {
        difference += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    return std::sqrt(difference / size);
}

/* A training's initial weights, as doubles. */
inline std::vector<double> double_parameters(const training &t)
{
    std::vector<double> at(t.network.parameters());
    for (size_t i = 0; i < t.network.network.layer_count; i++) {
        const struct weights_place place = weights_place(&t.network.network, i);
        const struct nn_layer &row = t.network.table->layer[i];
        const size_t count = network_layer_weights(&t.network.layer(i));
        for (size_t j = 0; j < count; j++) {
            at[place.weights + j] = t.initial[row.weights / 2 + j] / 8192.0;
        }
        for (uint32_t j = 0; j < network_layer_biases(&t.network.layer(i)); j++) {
            at[place.biases + j] = t.initial[row.biases / 2 + j] / 8192.0;
        }
    }
    return at;
}

/* Gradients of the same batch at the same weights, computed in doubles. */
inline std::vector<double> double_gradients(const training &t, const std::vector<uint32_t> &which)
{
    struct diagnostic diagnostic = {};
    struct reference_pass pass;
    const std::vector<double> at = double_parameters(t);
    std::vector<double> sum(t.network.parameters());
    EXPECT_EQ(reference_pass_init(&pass, &t.network.network, &diagnostic), STATUS_OK);
    for (const uint32_t i : which) {
        (void)reference_forward(&pass, at.data(), t.train.image(i));
        reference_backward(&pass, at.data(), t.train.dataset.labels[i], sum.data());
    }
    reference_pass_deinit(&pass);
    return sum;
}
