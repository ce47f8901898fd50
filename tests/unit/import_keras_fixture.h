/* import_keras_fixture.h - shared by the tests of Keras' readers: small models as each format has
 * them, and what was read as a text. */
#pragma once
#include "tests/unit/data_fixture.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

extern "C" {
#include "sim/import/model.h"
}

/* A weight of a layer, in Keras' order. */
struct layer_weight {
    std::string layer, name;
    std::vector<size_t> shape;
    std::vector<float> value;
};

/* {"class_name": ..., "config": {"name": ..., more}} */
std::string layer_of(const std::string &class_name, const std::string &name,
                     const std::string &more = "");
/* An InputLayer with the shape behind the batch: "28, 28, 1". */
std::string input_of(const std::string &shape, const std::string &name = "in");
/* A model of these layers, and where the input stands first. */
std::string sequential_of(const std::vector<std::string> &layers);

/* count values first, first + step, ... */
std::vector<float> ramp(size_t count, float first = 1, float step = 1);

/* Writes model.json, with the topology, and one file of the weights; returns the path. */
std::string write_tfjs(const temporary_folder &folder, const std::string &topology,
                       const std::vector<layer_weight> &weights = {});

/* What model_read() gives for a path. */
class read_model
{
  public:
    explicit read_model(const std::string &path)
    {
        status = model_read(&model, path.c_str(), &diagnostic);
    }
    ~read_model()
    {
        model_deinit(&model);
    }
    read_model(const read_model &) = delete;
    read_model &operator=(const read_model &) = delete;

    /* A line for each node: "Conv(c/kernel, c/bias) strides=1,1 ..." with the names of constants.
     */
    std::string nodes() const;
    std::vector<double> tensor(const std::string &name) const;
    std::vector<int64_t> shape(const std::string &name) const;
    std::vector<int64_t> input_shape() const;
    std::string said() const
    {
        return ::said(diagnostic);
    }

    struct model model = {};
    struct diagnostic diagnostic = {};
    enum status status;
};

/* The model is refused: text, key (the layer) and hint have these parts. */
void expect_refused(const std::string &path, const std::string &text, const std::string &key,
                    const std::string &hint);

/* ---- one small network for all formats ---- */

/* Two convolutions and two dense layers, so that groups of one class are counted. */
std::string small_layers_json();
std::vector<layer_weight> small_weights();
/* read.nodes() and tensors are those of the network above, whose layers are named as there. */
void expect_small(const read_model &read);

/* ---- import_hdf5_fixture.cpp, where HDF5 is ---- */

struct hdf5_dataset {
    std::string path; /* groups on the way are made */
    std::vector<size_t> shape;
    std::vector<float> value;
};

byte_string hdf5_of(const std::map<std::string, std::string> &attributes,
                    const std::vector<hdf5_dataset> &datasets, bool fixed_texts = false);
