/* models.h - gives an input to a reader of models, and checks what it makes. */
#pragma once
#include "tests/fuzz/harness.h"

#include <filesystem>
#include <set>

extern "C" {
#include "sim/config/config_arena.h"
#include "sim/import/model.h"
}

/* In a file outside the models' folder: no tensor may have it. */
constexpr float FUZZ_SECRET = 12345.678F;

/* The folder of models, made once: w.bin with 64 numbers, and links to the folder above it and to
 * its file secret.bin. */
inline const std::string &fuzz_model_folder()
{
    static const std::string FOLDER = [] {
        std::vector<float> values(64);
        for (size_t i = 0; i < values.size(); i++) {
            values[i] = static_cast<float>(i) / 8;
        }
        const size_t bytes = values.size() * sizeof values[0];
        std::filesystem::create_directory(fuzz_folder() + "/in");
        (void)fuzz_file("in/w.bin", values.data(), bytes);
        values.assign(values.size(), FUZZ_SECRET);
        (void)fuzz_file("secret.bin", values.data(), bytes);
        std::filesystem::create_symlink("../secret.bin", fuzz_folder() + "/in/link.bin");
        std::filesystem::create_directory_symlink("..", fuzz_folder() + "/in/up");
        return fuzz_folder() + "/in";
    }();
    return FOLDER;
}

/* Numbers are all there, and not from another file; returns how many there are. */
inline size_t fuzz_check_tensors(const struct model &model)
{
    size_t values = 0;
    for (size_t i = 0; i < model.tensor_count; i++) {
        const struct model_tensor &tensor = model.tensor[i];
        size_t count = 1;
        for (unsigned j = 0; j < tensor.rank; j++) {
            count *= static_cast<size_t>(tensor.shape[j]);
        }
        if (count != tensor.count) {
            fuzz_fail("a constant of another shape");
        }
        if (count > 0 && tensor.value[0] == static_cast<double>(FUZZ_SECRET)) {
            fuzz_fail("weights from outside the model's folder");
        }
        fuzz_touch(tensor.value, tensor.count * sizeof *tensor.value);
        values += count;
    }
    return values;
}

/* Each value is made before it is used, once; sizes and bounds hold. */
inline void fuzz_check_model(const struct model &model)
{
    std::set<std::string> made = {model.input};
    const size_t values = fuzz_check_tensors(model);
    for (size_t i = 0; i < model.tensor_count; i++) {
        if (!made.insert(model.tensor[i].name).second) {
            fuzz_fail("a constant twice");
        }
    }
    if (values > 2 * size_t{MODEL_MOST_VALUES} || model.node_count > MODEL_MOST_NODES) {
        fuzz_fail("more than a model may have");
    }
    for (size_t i = 0; i < model.node_count; i++) {
        const struct model_node &node = model.node[i];
        for (size_t j = 0; j < node.input_count; j++) {
            if (made.count(node.input[j]) == 0) {
                fuzz_fail("a value that nobody makes");
            }
        }
        for (size_t j = 0; j < node.output_count; j++) {
            if (!made.insert(node.output[j]).second) {
                fuzz_fail("a value that is made twice");
            }
        }
    }
    if (made.count(model.output) == 0 || model.format == nullptr) {
        fuzz_fail("no output, or no format");
    }
}

template <typename Reader>
void fuzz_read_model(const char *name, Reader reader, const uint8_t *bytes, size_t size)
{
    static const std::string PATH = fuzz_model_folder() + "/" + name;
    struct diagnostic diagnostic = {};
    struct model model = {};
    model.arena = config_arena_create();
    model.path = PATH.c_str();
    if (fuzz_is_good(reader(&model, bytes, size, &diagnostic), diagnostic)) {
        fuzz_check_model(model);
    }
    model_deinit(&model);
}
