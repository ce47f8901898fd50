/* onnx_builder.h - small ONNX models for tests, written field by field in the forms that exporters
 * use: typed, packed or raw weights, weights in a file beside, weights listed as inputs. */
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

extern "C" {
#include "sim/import/wire_write.h"
}

enum class onnx_data { RAW, TYPED, PACKED, OUTSIDE };

class onnx_builder
{
  public:
    explicit onnx_builder(uint64_t opset = 13) : opset_(opset)
    {
    }
    ~onnx_builder()
    {
        wire_message_deinit(&graph_);
    }
    onnx_builder(const onnx_builder &) = delete;
    onnx_builder &operator=(const onnx_builder &) = delete;

    using ints = std::vector<std::pair<std::string, std::vector<int64_t>>>;

    std::string location = "weights.data"; /* of OUTSIDE */
    std::string domain;                    /* of the nodes that follow */

    void weights(const std::string &name, const std::vector<int64_t> &shape,
                 const std::vector<float> &values, onnx_data how = onnx_data::RAW)
    {
        wire_message tensor = {};
        head(&tensor, name, shape, 1);
        const size_t bytes = values.size() * sizeof(float);
        if (how == onnx_data::RAW) {
            wire_put_bytes(&tensor, 9, values.data(), bytes);
        } else if (how == onnx_data::PACKED) {
            wire_put_bytes(&tensor, 4, values.data(), bytes);
        } else if (how == onnx_data::TYPED) {
            for (const float value : values) {
                wire_put_single(&tensor, 4, value);
            }
        } else {
            entry(&tensor, "location", location);
            entry(&tensor, "offset", std::to_string(outside.size()));
            entry(&tensor, "length", std::to_string(bytes));
            wire_put_whole(&tensor, 14, 1);
            outside.append(reinterpret_cast<const char *>(values.data()), bytes);
        }
        wire_put_message(&graph_, 5, &tensor);
    }

    void numbers(const std::string &name, const std::vector<int64_t> &values)
    {
        wire_message tensor = {};
        head(&tensor, name, {static_cast<int64_t>(values.size())}, 7);
        for (const int64_t value : values) {
            wire_put_whole(&tensor, 7, static_cast<uint64_t>(value));
        }
        wire_put_message(&graph_, 5, &tensor);
    }

    void node(const std::string &op, const std::vector<std::string> &inputs,
              const std::string &output, const ints &attributes = {},
              const std::vector<std::pair<std::string, std::string>> &texts = {})
    {
        wire_message node = {};
        for (const std::string &input : inputs) {
            wire_put_text(&node, 1, input.c_str());
        }
        wire_put_text(&node, 2, output.c_str());
        wire_put_text(&node, 4, op.c_str());
        for (const auto &[name, values] : attributes) {
            wire_message attribute = {};
            wire_put_text(&attribute, 1, name.c_str());
            for (const int64_t value : values) {
                wire_put_whole(&attribute, values.size() == 1 ? 3 : 8,
                               static_cast<uint64_t>(value));
            }
            wire_put_message(&node, 5, &attribute);
        }
        for (const auto &[name, text] : texts) {
            wire_message attribute = {};
            wire_put_text(&attribute, 1, name.c_str());
            wire_put_text(&attribute, 4, text.c_str());
            wire_put_message(&node, 5, &attribute);
        }
        if (!domain.empty()) {
            wire_put_text(&node, 7, domain.c_str());
        }
        wire_put_message(&graph_, 1, &node);
    }

    /* A size of -1 is a name. */
    void input(const std::string &name, const std::vector<int64_t> &shape)
    {
        value(11, name, shape);
    }
    void output(const std::string &name)
    {
        value(12, name, {});
    }

    /* The file; the builder is empty then. */
    std::string file()
    {
        wire_message model = {};
        wire_message opset = {};
        wire_put_whole(&model, 1, 7);
        wire_put_text(&model, 2, "tests");
        wire_put_message(&model, 7, &graph_);
        wire_put_whole(&opset, 2, opset_);
        wire_put_message(&model, 8, &opset);
        std::string bytes(reinterpret_cast<const char *>(model.bytes), model.size);
        wire_message_deinit(&model);
        return bytes;
    }

    std::string outside; /* the file beside the model */

  private:
    static void head(wire_message *tensor, const std::string &name,
                     const std::vector<int64_t> &shape, uint64_t type)
    {
        for (const int64_t size : shape) {
            wire_put_whole(tensor, 1, static_cast<uint64_t>(size));
        }
        wire_put_whole(tensor, 2, type);
        wire_put_text(tensor, 8, name.c_str());
    }
    static void entry(wire_message *tensor, const std::string &key, const std::string &text)
    {
        wire_message message = {};
        wire_put_text(&message, 1, key.c_str());
        wire_put_text(&message, 2, text.c_str());
        wire_put_message(tensor, 13, &message);
    }
    void value(uint32_t number, const std::string &name, const std::vector<int64_t> &sizes)
    {
        wire_message value = {};
        wire_message type = {};
        wire_message tensor = {};
        wire_message shape = {};
        for (const int64_t size : sizes) {
            wire_message dimension = {};
            if (size < 0) {
                wire_put_text(&dimension, 2, "batch");
            } else {
                wire_put_whole(&dimension, 1, static_cast<uint64_t>(size));
            }
            wire_put_message(&shape, 1, &dimension);
        }
        wire_put_whole(&tensor, 1, 1);
        wire_put_message(&tensor, 2, &shape);
        wire_put_message(&type, 1, &tensor);
        wire_put_text(&value, 1, name.c_str());
        wire_put_message(&value, 2, &type);
        wire_put_message(&graph_, number, &value);
    }

    uint64_t opset_;
    wire_message graph_ = {};
};
