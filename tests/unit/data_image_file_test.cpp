/* Images of one's own: what is read of an .npz, and each way in which it can be wrong. */
#include "tests/support/image_npz.h"
#include "tests/unit/data_fixture.h"

extern "C" {
#include "sim/data/dataset.h"
#include "sim/data/image_file.h"
}

#include <cstring>

namespace
{

class read_images
{
  public:
    explicit read_images(const std::string &path, uint32_t classes = 2)
        : status(image_file_read(&file, path.c_str(), classes, &diagnostic))
    {
    }
    ~read_images()
    {
        image_file_deinit(&file);
    }
    read_images(const read_images &) = delete;
    read_images &operator=(const read_images &) = delete;

    struct image_file file = {};
    struct diagnostic diagnostic = {};
    enum status status;
};

TEST(ImageFile, ReadsRowsAndColumns)
{
    const temporary_folder folder;
    write_images(folder.file("a.npz"), {{2, 1, 3}, {1, 2, 3, 4, 5, 255}, {1, 0}});
    const read_images read(folder.file("a.npz"));
    ASSERT_EQ(read.status, STATUS_OK) << said(read.diagnostic);
    EXPECT_EQ(read.file.count, 2u);
    EXPECT_EQ(read.file.channels, 1u);
    EXPECT_EQ(read.file.height, 1u);
    EXPECT_EQ(read.file.width, 3u);
    EXPECT_EQ(byte_string(read.file.images, read.file.images + 6),
              (byte_string{1, 2, 3, 4, 5, 255}));
    EXPECT_EQ(byte_string(read.file.labels, read.file.labels + 2), (byte_string{1, 0}));
}

TEST(ImageFile, ReadsChannels)
{
    const temporary_folder folder;
    write_images(folder.file("a.npz"), drawn_images(7, 3, 4, 5, 6, 1));
    const read_images read(folder.file("a.npz"), 6);
    ASSERT_EQ(read.status, STATUS_OK) << said(read.diagnostic);
    EXPECT_EQ(read.file.count, 7u);
    EXPECT_EQ(read.file.channels, 3u);
    EXPECT_EQ(read.file.height, 4u);
    EXPECT_EQ(read.file.width, 5u);
    EXPECT_EQ(read.file.labels[6], 0);
}

TEST(ImageFile, ReadsLabelsOfEachWidth)
{
    const temporary_folder folder;
    const uint8_t x[2] = {1, 2};
    const uint8_t bytes[2] = {0, 255};
    const int32_t words[2] = {0, 255};
    const int64_t longs[2] = {0, 255};
    const struct {
        enum npz_type type;
        const void *labels;
    } rows[] = {{NPZ_UINT8, bytes}, {NPZ_INT32, words}, {NPZ_INT64, longs}};
    for (const auto &row : rows) {
        write_arrays(folder.file("a.npz"), {image_array("x", NPZ_UINT8, {2, 1, 1}, x),
                                            image_array("y", row.type, {2}, row.labels)});
        const read_images read(folder.file("a.npz"), 256);
        ASSERT_EQ(read.status, STATUS_OK) << said(read.diagnostic);
        EXPECT_EQ(read.file.labels[0], 0);
        EXPECT_EQ(read.file.labels[1], 255);
    }
}

/* ---- what is refused ---- */

const uint8_t ZEROS[24] = {0};
const float FLOATS[4] = {0, 1, 1, 0};
const int64_t LONGS[4] = {0, 1, -1, 2};

struct npz_array x_of(const std::vector<size_t> &shape)
{
    return image_array("x", NPZ_UINT8, shape, ZEROS);
}

struct npz_array y_of(size_t count)
{
    return image_array("y", NPZ_UINT8, {count}, ZEROS);
}

struct wrong {
    const char *name;
    std::vector<struct npz_array> arrays;
    const char *key, *text, *hint;
};

TEST(ImageFile, SaysWhatIsWrong)
{
    const temporary_folder folder;
    const wrong rows[] = {
        {"no images", {y_of(4)}, "x", "there is no array x", "numpy.savez(file, x=images, y="},
        {"no labels", {x_of({4, 1, 2})}, "y", "there is no array y", "numpy.savez"},
        {"numbers with a point",
         {image_array("x", NPZ_FLOAT32, {4, 1, 1}, FLOATS), y_of(4)},
         "x",
         "float32 of 3 dimensions, expected uint8 of 3 or 4",
         ".astype('uint8')"},
        {"rows", {x_of({4, 2}), y_of(4)}, "x", "uint8 of 2 dimensions", "[images][height][width]"},
        {"no image", {x_of({0, 1, 2}), y_of(0)}, "x", "the file has no pixels", "one image"},
        {"no pixel", {x_of({4, 0, 2}), y_of(4)}, "x", "the file has no pixels", "one pixel"},
        {"labels with a point",
         {x_of({4, 1, 2}), image_array("y", NPZ_FLOAT32, {4}, FLOATS)},
         "y",
         "float32 of 1 dimensions, expected uint8, int32 or int64 of 1",
         "whole numbers"},
        {"a column for each class",
         {x_of({4, 1, 2}), image_array("y", NPZ_UINT8, {4, 2}, ZEROS)},
         "y",
         "uint8 of 2 dimensions",
         "argmax(1)"},
        {"too few labels", {x_of({4, 1, 2}), y_of(3)}, "y", "3 labels, but 4 images in x", ""},
        {"below",
         {x_of({3, 1, 2}), image_array("y", NPZ_INT64, {3}, LONGS)},
         "y",
         "label -1 of image 2: the network has 2 classes",
         "labels are 0 to 1"},
        {"above",
         {x_of({1, 1, 2}), image_array("y", NPZ_INT64, {1}, LONGS + 3)},
         "y",
         "label 2 of image 0: the network has 2 classes",
         "the network's last layer has an output for each"},
    };
    for (const wrong &row : rows) {
        const std::string path = folder.file("wrong.npz");
        write_arrays(path, row.arrays);
        const read_images read(path);
        EXPECT_EQ(read.status, STATUS_CONFIGURATION) << row.name;
        EXPECT_EQ(read.diagnostic.file, path) << row.name;
        EXPECT_STREQ(read.diagnostic.key, row.key) << row.name;
        EXPECT_TRUE(contains(read.diagnostic.text, row.text)) << row.name << said(read.diagnostic);
        EXPECT_TRUE(contains(read.diagnostic.hint, row.hint)) << row.name << said(read.diagnostic);
        EXPECT_EQ(read.file.images, nullptr) << row.name;
        EXPECT_EQ(read.file.labels, nullptr) << row.name;
    }
}

TEST(ImageFile, RefusesEachCutFile)
{
    const temporary_folder folder;
    write_images(folder.file("whole.npz"), xor_images());
    const byte_string whole = read_file(folder.file("whole.npz"));
    for (size_t size = 0; size < whole.size(); size++) {
        const std::string path =
            folder.write("cut.npz", byte_string(whole.begin(), whole.begin() + size));
        const read_images read(path);
        ASSERT_EQ(read.status, STATUS_CONFIGURATION) << size;
        EXPECT_EQ(read.diagnostic.file, path) << size;
    }
}

/* ---- as a data set ---- */

struct dataset_request request_of(const std::string &path, enum dataset_split split, uint32_t limit)
{
    struct dataset_request request = {};
    request.set = "files";
    request.split = split;
    request.limit = limit;
    request.file = path.c_str();
    request.classes = 3;
    return request;
}

TEST(ImageFile, GivesTheFirstImagesAndForValidationTheLast)
{
    const temporary_folder folder;
    const std::string path = folder.file("a.npz");
    write_images(path, {{3, 1, 2}, {1, 2, 3, 4, 5, 6}, {0, 1, 2}});
    const struct {
        enum dataset_split split;
        byte_string pixels, labels;
    } rows[] = {{DATASET_TRAIN, {1, 2, 3, 4}, {0, 1}},
                {DATASET_TEST, {1, 2, 3, 4}, {0, 1}},
                {DATASET_VALIDATION, {3, 4, 5, 6}, {1, 2}}};
    for (const auto &row : rows) {
        const struct dataset_request request = request_of(path, row.split, 2);
        struct dataset data = {};
        struct diagnostic diagnostic = {};
        ASSERT_EQ(dataset_load(&data, &request, &diagnostic), STATUS_OK) << said(diagnostic);
        EXPECT_EQ(data.count, 2u);
        EXPECT_EQ(data.available, 3u);
        EXPECT_EQ(data.classes, 3u);
        EXPECT_EQ(dataset_pixels(&data), 2u);
        EXPECT_EQ(byte_string(data.images, data.images + 4), row.pixels);
        EXPECT_EQ(byte_string(data.labels, data.labels + 2), row.labels);
        byte_string content = row.pixels;
        content.insert(content.end(), row.labels.begin(), row.labels.end());
        EXPECT_EQ(data.digest_hex, sha256_of(content.data(), content.size()));
        EXPECT_FALSE(dataset_warning(&data, &diagnostic));
        dataset_deinit(&data);
    }
}

TEST(ImageFile, HasNoMoreImagesThanItHas)
{
    const temporary_folder folder;
    write_images(folder.file("a.npz"), xor_images());
    const std::string path = folder.file("a.npz");
    const struct dataset_request request = request_of(path, DATASET_TRAIN, 5);
    struct dataset data = {};
    struct diagnostic diagnostic = {};
    EXPECT_EQ(dataset_load(&data, &request, &diagnostic), STATUS_CONFIGURATION);
    EXPECT_EQ(diagnostic.text, "5 training images are asked for, " + path + " has 4");
    EXPECT_STREQ(diagnostic.key, "data.train_images");
    EXPECT_EQ(data.images, nullptr);
}

/* configs/data/xor.npz is what configs/data/README.md says. */
TEST(ImageFile, ShipsTheFourCasesOfXor)
{
    const read_images read(SPINN_SOURCE_DIR "/configs/data/xor.npz");
    const image_npz expected = xor_images();
    ASSERT_EQ(read.status, STATUS_OK) << said(read.diagnostic);
    EXPECT_EQ(read.file.count, 4u);
    EXPECT_EQ(read.file.height, 1u);
    EXPECT_EQ(read.file.width, 2u);
    EXPECT_EQ(byte_string(read.file.images, read.file.images + 8), expected.x);
    EXPECT_EQ(byte_string(read.file.labels, read.file.labels + 4), expected.y);
}

} // namespace
