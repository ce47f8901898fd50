/* make_keras_seeds.cpp - seeds of Keras' models, made by the HDF5 library (make_seeds.cpp). */
#include "tests/fuzz/harness.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <hdf5.h>
#include <zlib.h>

namespace fs = std::filesystem;

void make_keras_seeds(const fs::path &folder);

namespace
{

using bytes = std::vector<uint8_t>;

const char LAYERS[] =
    R"({"class_name": "Sequential", "config": {"name": "m", "layers": [
{"class_name": "InputLayer", "config": {"batch_shape": [null, 4, 4, 1], "name": "i"}},
{"class_name": "Conv2D", "config": {"name": "c", "filters": 2, "kernel_size": [3, 3]}},
{"class_name": "Flatten", "config": {"name": "f"}},
{"class_name": "Dense", "config": {"name": "d", "units": 2, "activation": "softmax"}}]}})";

struct array {
    std::string path;
    std::vector<hsize_t> shape;
};

/* Arrays of 0, 1, 2, ...; `packed`: in chunks, deflated. */
bytes hdf5_of(const std::vector<array> &arrays, bool packed, const char *description)
{
    static float values[64];
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS), links = H5Pcreate(H5P_LINK_CREATE);
    for (size_t i = 0; i < 64; i++) {
        values[i] = static_cast<float>(i);
    }
    H5Pset_fapl_core(access, 4096, 0);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    H5Pset_create_intermediate_group(links, 1);
    const hid_t file = H5Fcreate("seed", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    if (description != nullptr) {
        const hid_t type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, packed ? strlen(description) : H5T_VARIABLE);
        const hid_t attribute =
            H5Acreate(file, "model_config", type, H5Screate(H5S_SCALAR), H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(attribute, type, packed ? static_cast<const void *>(description) : &description);
    }
    for (const array &each : arrays) {
        const hid_t made = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_obj_track_times(made, false);
        if (packed) {
            H5Pset_chunk(made, static_cast<int>(each.shape.size()), each.shape.data());
            H5Pset_shuffle(made);
            H5Pset_deflate(made, 6);
        }
        const hid_t space =
            H5Screate_simple(static_cast<int>(each.shape.size()), each.shape.data(), nullptr);
        const hid_t dataset =
            H5Dcreate(file, each.path.c_str(), H5T_IEEE_F32LE, space, links, made, H5P_DEFAULT);
        H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    }
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    bytes image(static_cast<size_t>(H5Fget_file_image(file, nullptr, 0)));
    H5Fget_file_image(file, image.data(), image.size());
    H5Fclose(file);
    return image;
}

std::vector<array> arrays_in(const std::string &folder, const char *conv, const char *dense,
                             const char *kernel, const char *bias)
{
    return {{folder + "/" + conv + "/" + kernel, {3, 3, 1, 2}},
            {folder + "/" + conv + "/" + bias, {2}},
            {folder + "/" + dense + "/" + kernel, {8, 2}},
            {folder + "/" + dense + "/" + bias, {2}}};
}

void append(bytes *to, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++) {
        to->push_back(static_cast<uint8_t>(value >> 8 * i));
    }
}

/* A zip of stored entries. */
bytes zip_of(const std::vector<std::pair<std::string, bytes>> &entries)
{
    bytes file, directory;
    for (const auto &[name, content] : entries) {
        const auto at = static_cast<uint32_t>(file.size());
        bytes head; /* what both records have: version to the length of the extra field */
        append(&head, 20, 2);
        append(&head, 0, 8); /* flags, method, time, date */
        append(&head,
               static_cast<uint32_t>(crc32(0, content.data(), static_cast<uInt>(content.size()))),
               4);
        append(&head, static_cast<uint32_t>(content.size()), 4);
        append(&head, static_cast<uint32_t>(content.size()), 4);
        append(&head, static_cast<uint32_t>(name.size()), 2);
        append(&head, 0, 2);
        append(&file, 0x04034b50, 4);
        file.insert(file.end(), head.begin(), head.end());
        file.insert(file.end(), name.begin(), name.end());
        file.insert(file.end(), content.begin(), content.end());
        append(&directory, 0x02014b50, 4);
        append(&directory, 20, 2);
        directory.insert(directory.end(), head.begin(), head.end());
        append(&directory, 0, 8);
        append(&directory, 0, 2);
        append(&directory, at, 4);
        directory.insert(directory.end(), name.begin(), name.end());
    }
    const auto at = static_cast<uint32_t>(file.size());
    file.insert(file.end(), directory.begin(), directory.end());
    append(&file, 0x06054b50, 4);
    append(&file, 0, 4);
    append(&file, static_cast<uint32_t>(entries.size()), 2);
    append(&file, static_cast<uint32_t>(entries.size()), 2);
    append(&file, static_cast<uint32_t>(directory.size()), 4);
    append(&file, at, 4);
    append(&file, 0, 2);
    return file;
}

void put(const fs::path &path, const bytes &content)
{
    fs::create_directories(path.parent_path());
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char *>(content.data()),
               static_cast<std::streamsize>(content.size()));
    if (!file.flush()) {
        fuzz_fail("cannot write " + path.string());
    }
}

} // namespace

void make_keras_seeds(const fs::path &folder)
{
    const bytes config(LAYERS, LAYERS + sizeof LAYERS - 1);
    for (const bool packed : {false, true}) {
        const std::string kind = packed ? "packed" : "plain";
        put(folder / "keras_h5" / kind,
            hdf5_of(arrays_in("model_weights", "c/c", "d/d", "kernel:0", "bias:0"), packed,
                    LAYERS));
        put(folder / "keras_archive" / kind,
            zip_of({{"config.json", config},
                    {"model.weights.h5",
                     hdf5_of(arrays_in(packed ? "_layer_checkpoint_dependencies" : "layers",
                                       "conv2d/vars", "dense/vars", "0", "1"),
                             packed, nullptr)}}));
    }
}
