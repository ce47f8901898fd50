/* import_hdf5_fixture.cpp - writes HDF5 files in memory (import_keras_fixture.h). */
#include "tests/unit/import_keras_fixture.h"

#include <gtest/gtest.h>
#include <hdf5.h>

byte_string hdf5_of(const std::map<std::string, std::string> &attributes,
                    const std::vector<hdf5_dataset> &datasets, bool fixed_texts)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS), links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_fapl_core(access, 4096, 0);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG); /* with all that is open in it */
    H5Pset_create_intermediate_group(links, 1);
    const hid_t file = H5Fcreate("test", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    for (const auto &[name, text] : attributes) {
        const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
        H5Tset_size(type, fixed_texts ? text.size() : H5T_VARIABLE);
        const hid_t attribute =
            H5Acreate(file, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT);
        const char *at = text.c_str();
        EXPECT_GE(H5Awrite(attribute, type, fixed_texts ? static_cast<const void *>(at) : &at), 0);
        H5Aclose(attribute);
    }
    for (const hdf5_dataset &dataset : datasets) {
        const std::vector<hsize_t> sides(dataset.shape.begin(), dataset.shape.end());
        const hid_t space = H5Screate_simple(static_cast<int>(sides.size()), sides.data(), nullptr);
        const hid_t array = H5Dcreate(file, dataset.path.c_str(), H5T_IEEE_F32LE, space, links,
                                      H5P_DEFAULT, H5P_DEFAULT);
        EXPECT_GE(
            H5Dwrite(array, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, dataset.value.data()),
            0);
        H5Dclose(array);
    }
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    byte_string bytes(static_cast<size_t>(H5Fget_file_image(file, nullptr, 0)));
    EXPECT_EQ(H5Fget_file_image(file, bytes.data(), bytes.size()),
              static_cast<ssize_t>(bytes.size()));
    H5Fclose(file);
    return bytes;
}
