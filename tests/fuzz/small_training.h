/* small_training.h - a training of the small network, and a checkpoint of it. */
#pragma once
#include "tests/fuzz/small_network.h"

extern "C" {
#include "sim/config/config.h"
#include "sim/networks/checkpoint.h"
#include "sim/networks/learning.h"
}

struct small_training {
    static constexpr uint32_t IMAGES = 8;
    static constexpr const char *DIGEST = "digest of the images";
    static constexpr uint8_t RUN[] = {'a', ' ', 'r', 'u', 'n'}; /* that has been sealed */

    small_training()
    {
        static const char TEXT[] =
            "name: small\nmode: train\nbackend: host\n"
            "data: {set: synthetic, train_images: 8, test_images: 8}\nnetwork: {name: lenet1}\n"
            "train: {epochs: 4, global_batch: 4}\n";
        struct config_request request = {};
        struct diagnostic diagnostic = {};
        request.path = "small.yaml";
        request.text = TEXT;
        request.text_bytes = strlen(TEXT);
        if (config_load(&request, &config, &diagnostic) != STATUS_OK ||
            learning_of(&config, &small.network, IMAGES, &learning, &diagnostic) != STATUS_OK) {
            fuzz_fail(std::string(diagnostic.key) + ": " + diagnostic.text);
        }
    }
    ~small_training()
    {
        config_deinit(&config);
    }
    small_training(const small_training &) = delete;
    small_training &operator=(const small_training &) = delete;

    /* As it is after the first epoch. */
    void write_checkpoint(const std::string &folder) const
    {
        static double row[2][CHECKPOINT_ROW] = {{1, 1, 4, 0.1, 1, 2, 3, 2.3, 0.1, 2.4, 0.3},
                                                {2, 1, 8, 0.2, 2, 3, 4, 2.2, 0.2, 2.3, 0.4}};
        struct checkpoint checkpoint = {};
        struct diagnostic diagnostic = {};
        enum status status =
            checkpoint_init(&checkpoint, &learning, small.table, DIGEST, &diagnostic);
        checkpoint.epochs = 1;
        checkpoint.time_ps = 1000000;
        checkpoint.row = row;
        checkpoint.rows = 2;
        checkpoint.run = const_cast<uint8_t *>(RUN);
        checkpoint.run_bytes = sizeof RUN;
        if (status == STATUS_OK) {
            status = checkpoint_write(&checkpoint, folder.c_str(), &diagnostic);
        }
        checkpoint.row = nullptr;
        checkpoint.run = nullptr;
        checkpoint_deinit(&checkpoint);
        if (status != STATUS_OK) {
            fuzz_fail(diagnostic.text);
        }
    }

    small_network small;
    struct sim_config config = {};
    struct learning learning = {};
};
