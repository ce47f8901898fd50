/* Data sets: where MNIST is looked for, what is refused, and the digests that results record. */
#include "tests/unit/data_fixture.h"

extern "C" {
#include "sim/data/dataset.h"
#include "sim/data/digits.h"
#include "sim/data/known_key.h"
}

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <numeric>

namespace
{

class loaded
{
  public:
    loaded(const char *set, const std::string &data_dir, enum dataset_split split,
           uint32_t limit = 0)
    {
        const struct dataset_request request = {
            set, data_dir.empty() ? nullptr : data_dir.c_str(), split, limit, nullptr, 0};
        status = dataset_load(&data, &request, &diagnostic);
    }
    ~loaded()
    {
        dataset_deinit(&data);
    }
    loaded(const loaded &) = delete;
    loaded &operator=(const loaded &) = delete;

    struct dataset data = {};
    struct diagnostic diagnostic = {};
    enum status status = STATUS_INTERNAL;
};

/* Nothing of the machine's own: no variable, an empty home, a working directory that is ours. */
class DatasetSearch : public ::testing::Test
{
  protected:
    DatasetSearch()
        : data_("SPINNSIM_DATA", nullptr), cache_("XDG_CACHE_HOME", nullptr),
          home_("HOME", folder.file("home").c_str()), old_(std::filesystem::current_path())
    {
        std::filesystem::create_directories(folder.file("work/deep/er"));
        std::filesystem::current_path(folder.file("work/deep/er"));
    }
    ~DatasetSearch() override
    {
        std::filesystem::current_path(old_);
    }

    /* Two test images of one grey each, and their labels; returns the folder. */
    std::string put_set(const std::string &where, uint8_t grey = 5,
                        const std::string &separator = "-", const std::string &ending = "") const
    {
        put(where + "/t10k-images" + separator + "idx3-ubyte" + ending,
            idx_of({2, 28, 28}, byte_string(2 * 784, grey)), ending);
        put(where + "/t10k-labels" + separator + "idx1-ubyte" + ending, idx_of({2}, {3, 9}),
            ending);
        return folder.file(where);
    }
    void put(const std::string &name, const byte_string &content, const std::string &ending) const
    {
        folder.write(name, ending.empty() ? content : gzip_of(content));
    }
    void put_train(const std::string &where) const
    {
        folder.write(where + "/train-images-idx3-ubyte", idx_of({1, 28, 28}, byte_string(784, 1)));
        folder.write(where + "/train-labels-idx1-ubyte", idx_of({1}, {0}));
    }

    temporary_folder folder;

  private:
    environment_variable data_;
    environment_variable cache_;
    environment_variable home_;
    std::filesystem::path old_;
};

std::string canonical(const std::string &path)
{
    return std::filesystem::canonical(path).string();
}

/* Other images under the same names: used, but not without a word. */
TEST_F(DatasetSearch, WarnsOfWhatIsNotMnist)
{
    const loaded other("mnist", put_set("other", 5, "-", ""), DATASET_TEST);
    struct diagnostic warning = {};
    ASSERT_EQ(other.status, STATUS_OK) << said(other.diagnostic);
    EXPECT_TRUE(dataset_warning(&other.data, &warning));
    EXPECT_STREQ(warning.text, "the test images are not the published ones of MNIST");
    EXPECT_STREQ(warning.key, "data.set");
    EXPECT_EQ(warning.file, folder.file("other"));
    EXPECT_TRUE(contains(warning.hint, other.data.digest_hex));

    const loaded synthetic("synthetic", "", DATASET_TEST);
    EXPECT_FALSE(dataset_warning(&synthetic.data, &warning));
    const struct dataset none = {};
    EXPECT_FALSE(dataset_warning(&none, &warning)) << "a run that does not train";
}

TEST_F(DatasetSearch, FindsEverySpelling)
{
    std::string digest;
    for (const char *separator : {"-", "."}) {
        for (const char *ending : {"", ".gz"}) {
            const std::string where = std::string("set") + separator + ending;
            const loaded set("mnist", put_set(where, 5, separator, ending), DATASET_TEST);
            ASSERT_EQ(set.status, STATUS_OK) << where << said(set.diagnostic);
            EXPECT_EQ(set.data.count, 2u);
            EXPECT_EQ(set.data.split, DATASET_TEST);
            EXPECT_EQ(set.data.images[783], 5);
            EXPECT_EQ(set.data.labels[1], 9);
            EXPECT_EQ(set.data.folder, folder.file(where));
            EXPECT_FALSE(set.data.original);
            if (!digest.empty()) {
                EXPECT_EQ(set.data.digest_hex, digest);
            }
            digest = set.data.digest_hex;
        }
    }
}

TEST_F(DatasetSearch, DigestIsOfImagesThenLabels)
{
    const std::string where = put_set("set");
    byte_string content(2 * 784, 5);
    content.push_back(3);
    content.push_back(9);
    const loaded both("mnist", where, DATASET_TEST);
    EXPECT_EQ(both.data.digest_hex, sha256_of(content.data(), content.size()));
    byte_string part(784, 5);
    part.push_back(3);
    const loaded first("mnist", where, DATASET_TEST, 1);
    EXPECT_EQ(first.data.count, 1u);
    EXPECT_EQ(first.data.digest_hex, sha256_of(part.data(), part.size()));
    char hex[SHA256_HEX_CHARS];
    sha256_hex(first.data.digest, hex);
    EXPECT_STREQ(hex, first.data.digest_hex);
}

/* What is known of a file saves reading its end: here one whose checksum is wrong. */
TEST_F(DatasetSearch, ReadsTheFirstImagesOfAFileThatIsKnown)
{
    std::filesystem::create_directories(folder.file("home"));
    for (const char *ending : {"", ".gz"}) {
        const std::string where = put_set(std::string("set") + ending, 5, "-", ending);
        const std::string file = where + "/t10k-images-idx3-ubyte" + ending;
        byte_string content = read_file(file);
        content.resize(content.size() - 3);
        std::filesystem::remove(file);
        const auto write = [&] {
            std::ofstream(file, std::ios::binary)
                .write(reinterpret_cast<const char *>(content.data()),
                       static_cast<std::streamsize>(content.size()));
        };
        write();
        EXPECT_EQ(loaded("mnist", where, DATASET_TEST, 1).status, STATUS_CONFIGURATION);

        const std::string of = sha256_of(file.data(), file.size());
        struct files_state state;
        files_state_begin(&state);
        files_state_add(&state, file.c_str());
        const struct known_key now = files_state_end(&state);
        struct known_key crc = {};
        (void)snprintf(crc.text, sizeof crc.text, "crc 00000000");
        known_key_keep(of.c_str(), &now, &crc, 1000, 1002);
        const loaded first("mnist", where, DATASET_TEST, 1);
        const bool packed = *ending != '\0'; /* else the header tells that the file is cut */
        ASSERT_EQ(first.status, packed ? STATUS_OK : STATUS_CONFIGURATION) << ending;
        if (packed) {
            EXPECT_EQ(first.data.count, 1u);
            EXPECT_EQ(first.data.available, 2u);
            EXPECT_EQ(byte_string(first.data.images, first.data.images + 784), byte_string(784, 5));
            EXPECT_FALSE(first.data.original);
        }
        EXPECT_EQ(loaded("mnist", where, DATASET_TEST).status, STATUS_CONFIGURATION);
        EXPECT_EQ(loaded("mnist", where, DATASET_TEST, 3).status, STATUS_CONFIGURATION);
        write();
        EXPECT_EQ(loaded("mnist", where, DATASET_TEST, 1).status, STATUS_CONFIGURATION);
    }
}

TEST_F(DatasetSearch, LooksInTheStatedOrder)
{
    folder.write("work/.git/HEAD", {});
    put_set("home/.cache/spinnsim/mnist", 1);
    const auto grey = [](const loaded &set) { return set.data.images[0]; };
    EXPECT_EQ(grey(loaded("mnist", "", DATASET_TEST)), 1);

    put_set("cache/spinnsim/mnist", 2);
    {
        const environment_variable cache("XDG_CACHE_HOME", folder.file("cache").c_str());
        EXPECT_EQ(grey(loaded("mnist", "", DATASET_TEST)), 2);
        put_set("work/data/mnist", 3);
        EXPECT_EQ(grey(loaded("mnist", "", DATASET_TEST)), 3);
        put_set("work/deep/er/data/mnist", 4);
        EXPECT_EQ(grey(loaded("mnist", "", DATASET_TEST)), 4);
        const environment_variable named("SPINNSIM_DATA", put_set("named", 5).c_str());
        EXPECT_EQ(grey(loaded("mnist", "", DATASET_TEST)), 5);
        EXPECT_EQ(grey(loaded("mnist", put_set("given", 6), DATASET_TEST)), 6);
    }
}

TEST_F(DatasetSearch, ListsEveryFolderWhenTheSetIsAbsent)
{
    folder.write("work/.git/HEAD", {});
    const environment_variable named("SPINNSIM_DATA", folder.file("named").c_str());
    std::filesystem::create_directories(folder.file("home/.cache/spinnsim/mnist"));
    std::filesystem::create_directories(folder.file("work/data/mnist"));
    std::filesystem::copy(put_set("set") + "/t10k-images-idx3-ubyte",
                          folder.file("work/data/mnist/t10k-images-idx3-ubyte"));
    const loaded set("mnist", "", DATASET_TEST);
    EXPECT_EQ(set.status, STATUS_CONFIGURATION);
    EXPECT_EQ(set.data.images, nullptr);
    EXPECT_EQ(set.data.count, 0u);
    const std::string text = set.diagnostic.text;
    const std::string top = canonical(folder.path());
    EXPECT_TRUE(contains(text, folder.file("named") + " (no such folder)")) << text;
    EXPECT_TRUE(contains(text, top + "/work/deep/er/data/mnist (no such folder)")) << text;
    EXPECT_TRUE(contains(text, top + "/work/data/mnist (no t10k-labels file)")) << text;
    EXPECT_TRUE(contains(text, folder.file("home/.cache/spinnsim/mnist") + " (no t10k files)"))
        << text;
    EXPECT_STREQ(set.diagnostic.key, "data.set");
    EXPECT_TRUE(contains(set.diagnostic.hint, "scripts/fetch_mnist.sh")) << said(set.diagnostic);
    EXPECT_TRUE(contains(set.diagnostic.hint, "synthetic")) << said(set.diagnostic);
}

TEST_F(DatasetSearch, LooksOnlyWhereDataSays)
{
    put_set("work/deep/er/data/mnist");
    const environment_variable named("SPINNSIM_DATA", put_set("named").c_str());
    const loaded set("mnist", folder.file("nothing"), DATASET_TEST);
    EXPECT_EQ(set.status, STATUS_CONFIGURATION);
    const std::string text = set.diagnostic.text;
    EXPECT_TRUE(contains(text, folder.file("nothing") + " (no such folder)")) << text;
    EXPECT_FALSE(contains(text, "named")) << text;
    EXPECT_TRUE(contains(set.diagnostic.hint, "scripts/fetch_mnist.sh")) << said(set.diagnostic);
}

TEST_F(DatasetSearch, SaysSoWhenThereIsNoPlaceToLook)
{
    const environment_variable home("HOME", nullptr);
    const std::string gone = folder.file("gone");
    std::filesystem::create_directories(gone);
    std::filesystem::current_path(gone);
    std::filesystem::remove(gone);
    const loaded set("mnist", "", DATASET_TEST);
    std::filesystem::current_path(folder.path());
    EXPECT_EQ(set.status, STATUS_CONFIGURATION);
    EXPECT_TRUE(contains(set.diagnostic.text, "no folder")) << said(set.diagnostic);
}

TEST_F(DatasetSearch, AvailableMeansBothSplits)
{
    EXPECT_FALSE(dataset_available("mnist", nullptr));
    const std::string where = put_set("set");
    EXPECT_FALSE(dataset_available("mnist", where.c_str()));
    put_train("set");
    EXPECT_TRUE(dataset_available("mnist", where.c_str()));
    EXPECT_FALSE(dataset_available("mnist", nullptr));
    EXPECT_TRUE(dataset_available("synthetic", nullptr));
    EXPECT_FALSE(dataset_available("imagenet", nullptr));
}

TEST_F(DatasetSearch, FoldersAreNotTakenForFiles)
{
    std::filesystem::create_directories(folder.file("set/t10k-images-idx3-ubyte"));
    put_set("set", 5, ".");
    const loaded set("mnist", folder.file("set"), DATASET_TEST);
    EXPECT_EQ(set.status, STATUS_OK) << said(set.diagnostic);
}

TEST_F(DatasetSearch, RefusesWhatIsNotMnist)
{
    const struct {
        const char *what;
        byte_string images;
        byte_string labels;
        const char *file;
        const char *text;
    } table[] = {
        {"damaged images", {1, 2, 3, 4}, idx_of({1}, {0}), "images", "not an IDX file"},
        {"damaged labels",
         idx_of({1, 28, 28}, byte_string(784)),
         {1, 2, 3, 4},
         "labels",
         "not an IDX file"},
        {"small images", idx_of({1, 27, 28}, byte_string(27 * 28)), idx_of({1}, {0}), "images",
         "the images are 27x28, expected 28x28"},
        {"wide images", idx_of({1, 28, 32}, byte_string(28 * 32)), idx_of({1}, {0}), "images",
         "the images are 28x32, expected 28x28"},
        {"counts differ", idx_of({2, 28, 28}, byte_string(2 * 784)), idx_of({1}, {0}), "labels",
         "1 labels, but 2 images beside them"},
        {"label 10", idx_of({2, 28, 28}, byte_string(2 * 784)), idx_of({2}, {9, 10}), "labels",
         "label 10 of image 1 is not one of 0 to 9"},
    };
    for (const auto &one : table) {
        const std::string images = folder.write("bad/train-images-idx3-ubyte", one.images);
        const std::string labels = folder.write("bad/train-labels-idx1-ubyte", one.labels);
        const loaded set("mnist", folder.file("bad"), DATASET_TRAIN);
        EXPECT_EQ(set.status, STATUS_CONFIGURATION) << one.what;
        EXPECT_EQ(set.diagnostic.file, std::string(one.file) == "images" ? images : labels)
            << one.what;
        EXPECT_TRUE(contains(set.diagnostic.text, one.text)) << said(set.diagnostic);
        EXPECT_STRNE(set.diagnostic.hint, "") << one.what;
        EXPECT_EQ(set.data.images, nullptr) << one.what;
    }
}

TEST_F(DatasetSearch, RefusesMoreImagesThanThereAre)
{
    const loaded test("mnist", put_set("set"), DATASET_TEST, 3);
    EXPECT_EQ(test.status, STATUS_CONFIGURATION);
    EXPECT_STREQ(test.diagnostic.key, "data.test_images");
    EXPECT_STREQ(test.diagnostic.text, "3 test images are asked for, the set mnist has 2");
    const loaded train("synthetic", "", DATASET_TRAIN, 60001);
    EXPECT_EQ(train.status, STATUS_CONFIGURATION);
    EXPECT_STREQ(train.diagnostic.key, "data.train_images");
    EXPECT_STREQ(train.diagnostic.text,
                 "60001 training images are asked for, the set synthetic has 60000");
    const loaded validation("synthetic", "", DATASET_VALIDATION, 60001);
    EXPECT_EQ(validation.status, STATUS_CONFIGURATION);
    EXPECT_STREQ(validation.diagnostic.key, "data.validation_images");
    EXPECT_STREQ(validation.diagnostic.text,
                 "60001 validation images are asked for, the set synthetic has 60000");
}

TEST_F(DatasetSearch, ValidatesWithTheLastTrainingImages)
{
    byte_string grey;
    for (const uint8_t value : {1, 2, 3}) {
        grey.insert(grey.end(), 784, value);
    }
    folder.write("set/train-images-idx3-ubyte", idx_of({3, 28, 28}, grey));
    folder.write("set/train-labels-idx1-ubyte", idx_of({3}, {7, 8, 9}));
    const loaded mnist("mnist", folder.file("set"), DATASET_VALIDATION, 2);
    ASSERT_EQ(mnist.status, STATUS_OK) << said(mnist.diagnostic);
    EXPECT_EQ(mnist.data.count, 2u);
    EXPECT_EQ(mnist.data.available, 3u);
    EXPECT_EQ(mnist.data.images[0], 2);
    EXPECT_EQ(mnist.data.images[2 * 784 - 1], 3);
    EXPECT_EQ(mnist.data.labels[0], 8);
    EXPECT_EQ(mnist.data.labels[1], 9);
    struct diagnostic warning = {};
    EXPECT_TRUE(dataset_warning(&mnist.data, &warning));
    EXPECT_STREQ(warning.text, "the validation images are not the published ones of MNIST");

    const loaded synthetic("synthetic", "", DATASET_VALIDATION, 2);
    const struct digits_range range = {1, DATASET_TRAIN, 59998, 2};
    byte_string images(2 * 784);
    byte_string labels(2);
    digits_generate(&range, images.data(), labels.data());
    ASSERT_EQ(synthetic.status, STATUS_OK) << said(synthetic.diagnostic);
    EXPECT_EQ(byte_string(synthetic.data.images, synthetic.data.images + 2 * 784), images);
    EXPECT_EQ(byte_string(synthetic.data.labels, synthetic.data.labels + 2), labels);
}

TEST_F(DatasetSearch, JoinsOneSetAndAnother)
{
    const loaded test("mnist", put_set("one", 5), DATASET_TEST);
    const loaded other("mnist", put_set("other", 6), DATASET_TEST, 1);
    const struct dataset none = {};
    struct dataset joined;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(dataset_join(&joined, &test.data, &other.data, &diagnostic), STATUS_OK);
    EXPECT_EQ(joined.count, 3u);
    EXPECT_EQ(joined.images[2 * 784 - 1], 5);
    EXPECT_EQ(joined.images[2 * 784], 6);
    EXPECT_EQ(byte_string(joined.labels, joined.labels + 3), (byte_string{3, 9, 3}));
    dataset_deinit(&joined);
    ASSERT_EQ(dataset_join(&joined, &none, &none, &diagnostic), STATUS_OK);
    EXPECT_EQ(joined.count, 0u);
    dataset_deinit(&joined);
}

TEST_F(DatasetSearch, RefusesASetThatDoesNotExist)
{
    const loaded set("mnsit", "", DATASET_TRAIN);
    EXPECT_EQ(set.status, STATUS_CONFIGURATION);
    EXPECT_STREQ(set.diagnostic.key, "data.set");
    EXPECT_TRUE(contains(set.diagnostic.text, "\"mnsit\"")) << said(set.diagnostic);
    EXPECT_STREQ(set.diagnostic.hint, "one of: mnist, synthetic, files");
}

std::array<unsigned, DIGITS_CLASSES> histogram(const struct dataset &data)
{
    std::array<unsigned, DIGITS_CLASSES> counts = {};
    for (uint32_t i = 0; i < data.count; i++) {
        counts[data.labels[i]]++;
    }
    return counts;
}

uint64_t pixel_sum(const struct dataset &data)
{
    const size_t pixels = static_cast<size_t>(data.count) * DIGITS_PIXELS;
    return std::accumulate(data.images, data.images + pixels, uint64_t{0});
}

/* ---- the synthetic set ---- */

TEST(DatasetSynthetic, TrainHasItsDigest)
{
    const loaded set("synthetic", "", DATASET_TRAIN);
    ASSERT_EQ(set.status, STATUS_OK) << said(set.diagnostic);
    EXPECT_EQ(set.data.count, 60000u);
    EXPECT_EQ(set.data.folder, nullptr);
    EXPECT_TRUE(set.data.original);
    EXPECT_STREQ(set.data.digest_hex,
                 "50679408db81c2b59202507be287ebf770ff3d58cd50b875c12c394e4cfb0a2f");
    for (const unsigned count : histogram(set.data)) {
        EXPECT_EQ(count, 6000u);
    }
}

TEST(DatasetSynthetic, TestHasItsDigest)
{
    const loaded set("synthetic", "", DATASET_TEST);
    ASSERT_EQ(set.status, STATUS_OK) << said(set.diagnostic);
    EXPECT_EQ(set.data.count, 10000u);
    EXPECT_STREQ(set.data.digest_hex,
                 "971d6866055dca2b2ebf29c165c1a7f0440b039237b7afe067db2bc18b1ff993");
    for (const unsigned count : histogram(set.data)) {
        EXPECT_EQ(count, 1000u);
    }
}

TEST(DatasetSynthetic, IgnoresTheDataFolder)
{
    const loaded set("synthetic", "/no/such/folder", DATASET_TEST, 10);
    EXPECT_EQ(set.status, STATUS_OK) << said(set.diagnostic);
    EXPECT_EQ(set.data.count, 10u);
}

/* ---- the real one ---- */

TEST(DatasetMnist, TestSplitIsThePublishedOne)
{
    SKIP_WITHOUT_MNIST();
    const loaded set("mnist", mnist_folder(), DATASET_TEST);
    ASSERT_EQ(set.status, STATUS_OK) << said(set.diagnostic);
    EXPECT_EQ(set.data.count, 10000u);
    EXPECT_TRUE(set.data.original);
    EXPECT_EQ(set.data.labels[0], 7);
    const std::array<unsigned, DIGITS_CLASSES> expected = {980, 1135, 1032, 1010, 982,
                                                           892, 958,  1028, 974,  1009};
    EXPECT_EQ(histogram(set.data), expected);
    EXPECT_EQ(pixel_sum(set.data), 264923200u); /* mean 33.7912 */
    EXPECT_EQ(sha256_of(set.data.images, 10000u * DIGITS_PIXELS),
              "6d87418db22cc8025d05968bec9bd5c3932904b23485740db143a061a2c9d161");
    EXPECT_STREQ(set.data.digest_hex,
                 "c3f9adf9c66efb572b1f9326c3a511b45910c7173b97be66ceceeeeaef6b802b");
}

TEST(DatasetMnist, TrainSplitIsThePublishedOne)
{
    SKIP_WITHOUT_MNIST();
    const loaded set("mnist", mnist_folder(), DATASET_TRAIN);
    ASSERT_EQ(set.status, STATUS_OK) << said(set.diagnostic);
    EXPECT_EQ(set.data.count, 60000u);
    EXPECT_TRUE(set.data.original);
    EXPECT_EQ(set.data.labels[0], 5);
    const std::array<unsigned, DIGITS_CLASSES> expected = {5923, 6742, 5958, 6131, 5842,
                                                           5421, 5918, 6265, 5851, 5949};
    EXPECT_EQ(histogram(set.data), expected);
    EXPECT_EQ(pixel_sum(set.data), 1567298545u); /* mean 33.3184 */
    EXPECT_STREQ(set.data.digest_hex,
                 "edc0d1098aa497be14ace79ddd5171e5a3dcf9c4d196c015389203eb3ba1f59b");
}

TEST(DatasetMnist, LimitTakesTheFirstImages)
{
    SKIP_WITHOUT_MNIST();
    const loaded set("mnist", mnist_folder(), DATASET_TEST, 100);
    ASSERT_EQ(set.status, STATUS_OK) << said(set.diagnostic);
    EXPECT_EQ(set.data.count, 100u);
    EXPECT_TRUE(set.data.original);
    EXPECT_STREQ(set.data.digest_hex,
                 "dae2c7c2e82e373d9d4fd211c443155a42fc27bd88899fb71eeaff1a03b8783b");
}

TEST(DatasetMnist, IsAvailable)
{
    SKIP_WITHOUT_MNIST();
    EXPECT_TRUE(dataset_available("mnist", nullptr));
}

/* No test image may be a training image. */
TEST(DatasetSynthetic, SplitsAreDisjoint)
{
    const loaded train("synthetic", "", DATASET_TRAIN);
    const loaded test("synthetic", "", DATASET_TEST);
    std::vector<std::string> seen;
    const auto hash_all = [&seen](const struct dataset &data) {
        for (size_t i = 0; i < data.count; i++) {
            seen.push_back(sha256_of(data.images + i * DIGITS_PIXELS, DIGITS_PIXELS));
        }
    };
    hash_all(train.data);
    hash_all(test.data);
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

} // namespace
