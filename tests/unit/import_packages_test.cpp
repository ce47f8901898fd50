/* Which packages this build has for Keras' files; without one, the message names it. */
#include "tests/unit/import_keras_fixture.h"
#include "tests/unit/nn_fixture.h"

extern "C" {
#include "sim/import/keras_write.h"
}

#include <gtest/gtest.h>

namespace
{

TEST(ImportPackages, WithoutJanssonTheMessageNamesIt)
{
#ifdef SPINN_HAS_JANSSON
    GTEST_SKIP() << "this build has jansson";
#else
    const temporary_folder folder;
    for (const auto &[name, begin] : std::map<std::string, std::string>{
             {"m.json", "{}"}, {"m.h5", "\211HDF\r\n\032\n"}, {"m.keras", "PK\3\4"}}) {
        struct model model = {};
        struct diagnostic diagnostic = {};
        const std::string path = folder.write(name, byte_string(begin.begin(), begin.end()));
        EXPECT_EQ(model_read(&model, path.c_str(), &diagnostic), STATUS_CONFIGURATION) << name;
        EXPECT_TRUE(contains(diagnostic.text, "built without jansson")) << said(diagnostic);
        EXPECT_TRUE(contains(diagnostic.hint, "libjansson-dev")) << said(diagnostic);
        EXPECT_EQ(diagnostic.file, path);
    }
#endif
}

TEST(ImportPackages, WithoutHdf5TheMessageNamesIt)
{
#ifdef SPINN_HAS_HDF5
    GTEST_SKIP() << "this build has HDF5";
#else
    const auto network = lenet1();
    const std::vector<double> parameters(network->parameters());
    struct diagnostic diagnostic = {};
    EXPECT_EQ(keras_export("m.weights.h5", &network->network, parameters.data(), &diagnostic),
              STATUS_CONFIGURATION);
    EXPECT_TRUE(contains(diagnostic.text, "built without HDF5")) << said(diagnostic);
    EXPECT_TRUE(contains(diagnostic.hint, "libhdf5-dev")) << said(diagnostic);
#ifdef SPINN_HAS_JANSSON
    const temporary_folder folder;
    const std::string begin = "\211HDF\r\n\032\n";
    struct model model = {};
    const std::string path = folder.write("m.h5", byte_string(begin.begin(), begin.end()));
    EXPECT_EQ(model_read(&model, path.c_str(), &diagnostic), STATUS_CONFIGURATION);
    EXPECT_TRUE(contains(diagnostic.text, "built without HDF5")) << said(diagnostic);
#endif
#endif
}

} // namespace
