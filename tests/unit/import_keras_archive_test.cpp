/* Keras' .keras files: the archive, and which group of weights is which layer's. */
#include "tests/unit/data_zip_builder.h"
#include "tests/unit/import_keras_fixture.h"

#include <gtest/gtest.h>

namespace
{

zip_entry entry_of(const std::string &name, const std::string &text)
{
    zip_entry entry;
    entry.name = name;
    entry.content = byte_string(text.begin(), text.end());
    return entry;
}

zip_entry weights_of(const std::vector<hdf5_dataset> &datasets)
{
    zip_entry entry;
    entry.name = "model.weights.h5";
    entry.content = hdf5_of({}, datasets);
    return entry;
}

const std::string METADATA = R"({"keras_version": "3.3.3"})";

std::string small_config()
{
    return R"({"class_name": "Sequential", "config": {"layers": [)" + small_layers_json() + "]}}";
}

/* The small network's weights in the groups of its layers, with the numbers of each class. */
std::vector<hdf5_dataset> small_datasets(const std::string &folder,
                                         const std::vector<std::string> &groups)
{
    std::map<std::string, std::string> group = {
        {"first", groups[0]}, {"second", groups[1]}, {"hidden", groups[2]}, {"out", groups[3]}};
    std::vector<hdf5_dataset> datasets;
    for (const layer_weight &weight : small_weights()) {
        datasets.push_back(
            {folder + "/" + group[weight.layer] + "/vars/" + (weight.name == "kernel" ? "0" : "1"),
             weight.shape, weight.value});
    }
    return datasets;
}

TEST(KerasArchive, ASmallNetworkOfKeras3)
{
    const temporary_folder folder;
    auto datasets = small_datasets("layers", {"conv2d", "conv2d_1", "dense", "dense_1"});
    /* State of the optimizer, and of a layer's seed, is no weight of a layer. */
    datasets.push_back({"optimizer/vars/0", {2}, {1, 2}});
    datasets.push_back({"layers/dense/seed_generator/seed_generator_state", {2}, {1, 2}});
    const read_model read(folder.write(
        "m.keras",
        zip_of({entry_of("metadata.json", METADATA), entry_of("config.json", small_config()),
                weights_of(datasets), entry_of("assets/vocabulary.txt", "words")})));
    expect_small(read);
    EXPECT_STREQ(read.model.format, "Keras 3.3.3 (.keras)");
}

TEST(KerasArchive, GroupsOfKeras2AndTheirNumbers)
{
    const temporary_folder folder;
    const std::vector<std::string> numberings[] = {
        {"conv2d", "conv2d_1", "dense", "dense_1"},
        {"conv2d", "conv2d_2", "dense", "dense_2"},
        {"conv2d_2", "conv2d_10", "dense_9", "dense_11"},
    };
    for (const auto &groups : numberings) {
        const read_model read(folder.write(
            "m.keras",
            zip_of({entry_of("config.json", small_config()),
                    weights_of(small_datasets("_layer_checkpoint_dependencies", groups))})));
        expect_small(read);
        EXPECT_STREQ(read.model.format, "Keras (.keras)");
    }
}

TEST(KerasArchive, DeflatedEntriesAreRead)
{
    const temporary_folder folder;
    zip_entry config = entry_of("config.json", small_config());
    config.deflate = true;
    expect_small(read_model(folder.write(
        "m.keras", zip_of({config, weights_of(small_datasets(
                                       "layers", {"conv2d", "conv2d_1", "dense", "dense_1"}))}))));
}

TEST(KerasArchive, ClassesInSnakeCase)
{
    const temporary_folder folder;
    const std::string config = sequential_of(
        {input_of("2"), layer_of("BatchNormalization", "a", R"("epsilon": 1, "scale": false)"),
         layer_of("ReLU", "r")});
    const read_model read(folder.write(
        "m.keras", zip_of({entry_of("config.json", config),
                           weights_of({{"layers/batch_normalization/vars/0", {2}, {1, 2}},
                                       {"layers/batch_normalization/vars/1", {2}, {3, 4}},
                                       {"layers/batch_normalization/vars/2", {2}, {5, 6}}})})));
    ASSERT_EQ(read.status, STATUS_OK) << read.said();
    EXPECT_EQ(read.tensor("a/beta"), (std::vector<double>{1, 2}));
    EXPECT_EQ(read.tensor("a/moving_mean"), (std::vector<double>{3, 4}));
    EXPECT_EQ(read.tensor("a/moving_variance"), (std::vector<double>{5, 6}));
}

TEST(KerasArchive, ThatAreWrong)
{
    const temporary_folder folder;
    const auto refused = [&folder](const std::vector<zip_entry> &entries, const std::string &text,
                                   const std::string &key, const std::string &hint) {
        expect_refused(folder.write("m.keras", zip_of(entries)), text, key, hint);
    };
    const zip_entry config = entry_of("config.json", small_config()),
                    weights = weights_of(
                        small_datasets("layers", {"conv2d", "conv2d_1", "dense", "dense_1"}));
    refused({config}, "the archive has no model.weights.h5", "", "model.save(");
    refused({weights}, "the archive has no config.json", "", "model.save(");
    refused({config, config, weights}, "two entries of this name", "config.json", "model.save(");
    refused({entry_of("config.json", "[1,"), weights}, "config.json is no JSON", "", "damaged");
    refused({config, entry_of("model.weights.h5", "no HDF5")}, "the HDF5 library cannot open it",
            "", "damaged");
    zip_entry broken = weights;
    broken.crc = 1;
    refused({config, broken}, "the checksum is wrong", "model.weights.h5", "damaged");
    byte_string cut = zip_of({config, weights});
    cut.resize(cut.size() / 2);
    expect_refused(folder.write("m.keras", cut), "cut short: no end record", "", "damaged");
}

TEST(KerasArchive, WeightsOfOtherLayers)
{
    const temporary_folder folder;
    const zip_entry config = entry_of("config.json", small_config());
    auto datasets = small_datasets("layers", {"conv2d", "conv2d_1", "dense", "dense_1"});
    datasets.push_back({"layers/dense_2/vars/0", {1}, {1}});
    expect_refused(folder.write("m.keras", zip_of({config, weights_of(datasets)})),
                   "weights of more layers of this class", "hidden", "once more");
    datasets.pop_back();
    datasets.pop_back();
    datasets.pop_back();
    expect_refused(folder.write("m.keras", zip_of({config, weights_of(datasets)})),
                   "the file has no weights named kernel", "out", "do not belong");
}

} // namespace
