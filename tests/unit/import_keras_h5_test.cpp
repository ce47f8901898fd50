/* Keras' .h5 files, and what a process of its own that reads HDF5 keeps from this one. */
#include "tests/unit/import_keras_fixture.h"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <unistd.h>

namespace
{

std::string small_topology()
{
    return R"({"class_name": "Sequential", "config": {"layers": [)" + small_layers_json() + "]}}";
}

/* model_weights/LAYER/LAYER/kernel:0 */
std::vector<hdf5_dataset> in_h5(const std::vector<layer_weight> &weights,
                                const std::string &between, const std::string &behind)
{
    std::vector<hdf5_dataset> datasets;
    for (const layer_weight &weight : weights) {
        datasets.push_back({"model_weights/" + weight.layer + "/" + between + weight.layer + "/" +
                                weight.name + behind,
                            weight.shape, weight.value});
    }
    return datasets;
}

TEST(KerasH5, ASmallNetworkOfKeras2)
{
    const temporary_folder folder;
    for (const bool fixed : {false, true}) {
        const read_model read(folder.write(
            "m.h5", hdf5_of({{"model_config", small_topology()}, {"keras_version", "2.2.4"}},
                            in_h5(small_weights(), "", ":0"), fixed)));
        expect_small(read);
        EXPECT_STREQ(read.model.format, "Keras 2.2.4 (.h5)");
    }
}

TEST(KerasH5, ASmallNetworkOfKeras3)
{
    const temporary_folder folder;
    const read_model read(folder.write("m.h5", hdf5_of({{"model_config", small_topology()}},
                                                       in_h5(small_weights(), "sequential/", ""))));
    expect_small(read);
    EXPECT_STREQ(read.model.format, "Keras (.h5)");
}

TEST(KerasH5, TheOptimizersStateIsNotRead)
{
    const temporary_folder folder;
    auto datasets = in_h5(small_weights(), "", ":0");
    datasets.push_back({"optimizer_weights/Adam/first/kernel/m:0", {2}, {1, 2}});
    expect_small(
        read_model(folder.write("m.h5", hdf5_of({{"model_config", small_topology()}}, datasets))));
}

TEST(KerasH5, FilesOfWeightsOnly)
{
    const temporary_folder folder;
    expect_refused(folder.write("m.h5", hdf5_of({}, in_h5(small_weights(), "", ":0"))),
                   "has no model_config", "", "model.save(");
}

TEST(KerasH5, FilesThatAreDamaged)
{
    const temporary_folder folder;
    const byte_string whole =
        hdf5_of({{"model_config", small_topology()}}, in_h5(small_weights(), "", ":0"));
    for (const size_t bytes : {size_t{8}, size_t{100}, whole.size() / 2, whole.size() - 1}) {
        const read_model read(
            folder.write("m.h5", byte_string(whole.begin(), whole.begin() + bytes)));
        EXPECT_EQ(read.status, STATUS_CONFIGURATION) << bytes;
        EXPECT_TRUE(contains(read.diagnostic.hint, "damaged")) << bytes << read.said();
    }
    expect_refused(folder.write("m.h5", hdf5_of({{"model_config", "{"}}, {})),
                   "model_config is no JSON, line 1", "", "damaged");
}

/* A file in which links or data lead elsewhere, made by `make` with the file and a group. */
template <typename Maker> std::string write_strange(const temporary_folder &folder, Maker make)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, 4096, 0);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG); /* with all that is open in it */
    const hid_t file = H5Fcreate("test", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    const hid_t group = H5Gcreate(file, "model_weights", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    make(file, group);
    H5Gclose(group);
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    byte_string bytes(static_cast<size_t>(H5Fget_file_image(file, nullptr, 0)));
    H5Fget_file_image(file, bytes.data(), bytes.size());
    H5Fclose(file);
    return folder.write("m.h5", bytes);
}

TEST(KerasH5, NothingOutsideTheFileIsRead)
{
    const temporary_folder folder;
    const std::string outside = folder.write("outside", byte_string(64));
    const hsize_t four = 4, most = hsize_t{1} << 40;
    expect_refused(write_strange(folder,
                                 [&](hid_t, hid_t group) {
                                     H5Lcreate_external(outside.c_str(), "/x", group, "far",
                                                        H5P_DEFAULT, H5P_DEFAULT);
                                 }),
                   "model_weights/far is a link", "", "damaged");
    expect_refused(write_strange(folder,
                                 [&](hid_t, hid_t group) {
                                     H5Lcreate_soft("/nowhere", group, "soft", H5P_DEFAULT,
                                                    H5P_DEFAULT);
                                 }),
                   "model_weights/soft is a link", "", "damaged");
    expect_refused(write_strange(folder,
                                 [&](hid_t, hid_t group) {
                                     const hid_t made = H5Pcreate(H5P_DATASET_CREATE);
                                     H5Pset_external(made, outside.c_str(), 0, 16);
                                     H5Dcreate(group, "w", H5T_IEEE_F32LE,
                                               H5Screate_simple(1, &four, nullptr), H5P_DEFAULT,
                                               made, H5P_DEFAULT);
                                 }),
                   "model_weights/w lies in another file", "", "damaged");
    expect_refused(write_strange(folder,
                                 [&](hid_t, hid_t group) {
                                     H5Dcreate(group, "w", H5T_IEEE_F32LE,
                                               H5Screate_simple(1, &most, nullptr), H5P_DEFAULT,
                                               H5P_DEFAULT, H5P_DEFAULT);
                                 }),
                   "model_weights/w is more than can be read", "", "damaged");
    expect_refused(write_strange(folder,
                                 [](hid_t, hid_t group) {
                                     H5Lcreate_hard(group, ".", group, "again", H5P_DEFAULT,
                                                    H5P_DEFAULT);
                                 }),
                   "lies too deep", "", "damaged");
}

} // namespace
