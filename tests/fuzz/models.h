/* models.h - gives an input to a reader of models, and checks what it makes. */
#pragma once
#include "tests/fuzz/harness.h"

#include <set>

extern "C" {
#include "sim/config/config_arena.h"
#include "sim/import/model.h"
}

/* A shard of 64 numbers beside the model; returns its path. */
inline std::string fuzz_shard()
{
    std::vector<float> values(64);
    for (size_t i = 0; i < values.size(); i++) {
        values[i] = static_cast<float>(i) / 8;
    }
    return fuzz_file("w.bin", values.data(), values.size() * sizeof values[0]);
}

/* Each value is made before it is used, once; sizes and bounds hold; all numbers are there. */
inline void fuzz_check_model(const struct model &model)
{
    std::set<std::string> made = {model.input};
    size_t values = 0;
    for (size_t i = 0; i < model.tensor_count; i++) {
        const struct model_tensor &tensor = model.tensor[i];
        size_t count = 1;
        for (unsigned j = 0; j < tensor.rank; j++) {
            count *= static_cast<size_t>(tensor.shape[j]);
        }
        if (count != tensor.count || !made.insert(tensor.name).second) {
            fuzz_fail("a constant of another shape, or twice");
        }
        fuzz_touch(tensor.value, tensor.count * sizeof *tensor.value);
        values += count;
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
    static const std::string PATH = fuzz_folder() + "/" + name;
    struct diagnostic diagnostic = {};
    struct model model = {};
    model.arena = config_arena_create();
    model.path = PATH.c_str();
    if (fuzz_is_good(reader(&model, bytes, size, &diagnostic), diagnostic)) {
        fuzz_check_model(model);
    }
    model_deinit(&model);
}
