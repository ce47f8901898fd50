/* .npz files that are right: ours, numpy's, and the way between them. */
#include "tests/unit/data_fixture.h"
#include "tests/unit/data_numpy_files.h"
#include "tests/unit/data_zip_builder.h"

extern "C" {
#include "sim/data/npz.h"
}

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>

namespace
{

class parsed_npz
{
  public:
    parsed_npz(const uint8_t *file, size_t size)
        : status(npz_parse(&npz, file, size, "some.npz", SIZE_MAX, &diagnostic))
    {
    }
    explicit parsed_npz(const byte_string &file) : parsed_npz(file.data(), file.size())
    {
    }
    ~parsed_npz()
    {
        npz_close(&npz);
    }
    parsed_npz(const parsed_npz &) = delete;
    parsed_npz &operator=(const parsed_npz &) = delete;

    struct npz npz = {};
    struct diagnostic diagnostic = {};
    enum status status;
};

template <typename element> std::vector<element> values_of(const struct npz_array *array)
{
    const element *data = static_cast<const element *>(array->data);
    EXPECT_EQ(array->item_bytes, sizeof(element));
    return std::vector<element>(data, data + array->count);
}

std::vector<size_t> shape_of(const struct npz_array *array)
{
    return std::vector<size_t>(array->shape, array->shape + array->rank);
}

struct npz_array array_of(const char *name, enum npz_type type, const std::vector<size_t> &shape,
                          const void *data)
{
    struct npz_array array = {};
    array.name = name;
    array.type = type;
    array.rank = static_cast<unsigned>(shape.size());
    std::copy(shape.begin(), shape.end(), array.shape);
    array.data = data;
    return array;
}

/* ---- numpy's files ---- */

TEST(Npz, ReadsWhatNumpyStored)
{
    const parsed_npz read(NUMPY_STORED, sizeof NUMPY_STORED);
    ASSERT_EQ(read.status, STATUS_OK) << said(read.diagnostic);
    ASSERT_EQ(read.npz.count, 2u);
    EXPECT_STREQ(read.npz.path, "some.npz");
    const struct npz_array *weights = npz_find(&read.npz, "weights");
    ASSERT_NE(weights, nullptr);
    EXPECT_EQ(weights->type, NPZ_INT16);
    EXPECT_EQ(shape_of(weights), (std::vector<size_t>{2, 3}));
    EXPECT_EQ(values_of<int16_t>(weights), (std::vector<int16_t>{1, -2, 300, -32768, 32767, 0}));
    const struct npz_array *layer = npz_find(&read.npz, "layer");
    ASSERT_NE(layer, nullptr);
    EXPECT_EQ(layer->type, NPZ_TEXT);
    EXPECT_EQ(layer->rank, 0u);
    EXPECT_EQ(layer->count, 1u);
    EXPECT_EQ(layer->item_bytes, 5u);
    EXPECT_STREQ(static_cast<const char *>(layer->data), "conv1");
    EXPECT_EQ(npz_find(&read.npz, "weights.npy"), nullptr);
}

TEST(Npz, ReadsWhatNumpyCompressed)
{
    const parsed_npz read(NUMPY_DEFLATED, sizeof NUMPY_DEFLATED);
    ASSERT_EQ(read.status, STATUS_OK) << said(read.diagnostic);
    ASSERT_EQ(read.npz.count, 3u);
    const struct npz_array *image = npz_find(&read.npz, "image");
    ASSERT_NE(image, nullptr);
    EXPECT_EQ(image->type, NPZ_UINT8);
    EXPECT_EQ(shape_of(image), (std::vector<size_t>{2, 3, 4}));
    EXPECT_EQ(values_of<uint8_t>(image), std::vector<uint8_t>(24, 7));
    const struct npz_array *rate = npz_find(&read.npz, "rate");
    ASSERT_NE(rate, nullptr);
    EXPECT_EQ(rate->type, NPZ_FLOAT32);
    EXPECT_EQ(values_of<float>(rate), (std::vector<float>{0.5f, -1.25f}));
    const struct npz_array *steps = npz_find(&read.npz, "steps");
    ASSERT_NE(steps, nullptr);
    EXPECT_EQ(steps->type, NPZ_INT64);
    EXPECT_EQ(steps->rank, 0u);
    EXPECT_EQ(values_of<int64_t>(steps), (std::vector<int64_t>{-5000000000}));
}

/* What is written for the same two arrays differs from numpy's file in zip fields only: the arrays
 * themselves are the same bytes. */
TEST(Npz, WritesTheHeadersThatNumpyWrites)
{
    const temporary_folder folder;
    const std::string path = folder.file("w.npz");
    const int16_t weights[] = {1, -2, 300, -32768, 32767, 0};
    const struct npz_array array = array_of("weights", NPZ_INT16, {2, 3}, weights);
    struct npz_writer writer;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(npz_create(&writer, path.c_str(), &diagnostic), STATUS_OK);
    ASSERT_EQ(npz_add(&writer, &array, &diagnostic), STATUS_OK);
    ASSERT_EQ(npz_add_text(&writer, "layer", "conv1", &diagnostic), STATUS_OK);
    ASSERT_EQ(npz_commit(&writer, &diagnostic), STATUS_OK) << said(diagnostic);
    const byte_string ours = read_file(path);
    const byte_string numpys(std::begin(NUMPY_STORED), std::end(NUMPY_STORED));
    const size_t array_bytes = 128 + 12;
    const size_t our_at = 30 + strlen("weights.npy");
    const size_t numpys_at = our_at + 20; /* numpy adds a zip64 field */
    ASSERT_GT(ours.size(), our_at + array_bytes);
    EXPECT_TRUE(std::equal(ours.begin() + static_cast<ptrdiff_t>(our_at),
                           ours.begin() + static_cast<ptrdiff_t>(our_at + array_bytes),
                           numpys.begin() + static_cast<ptrdiff_t>(numpys_at)));
}

/* ---- there and back ---- */

const int8_t INT8[] = {-128, 0, 127};
const uint8_t UINT8[] = {0, 128, 255};
const int16_t INT16[] = {-32768, 0, 32767, 1, 2, 3};
const int32_t INT32[] = {INT32_MIN, 0, INT32_MAX, -1};
const int64_t INT64[] = {INT64_MIN, INT64_MAX};
const float FLOAT32[] = {-0.0f, 3.25f, 1e-40f, 1e38f, 5, 6, 7, 8};
const double FLOAT64[] = {2.5};
const char NAMES[] = "abc\0\0defgh"; /* two strings of five bytes */

std::string write_all(const temporary_folder &folder, const char *name)
{
    const std::string path = folder.file(name);
    struct npz_array names = array_of("names", NPZ_TEXT, {2}, NAMES);
    names.item_bytes = 5;
    const struct npz_array arrays[] = {
        array_of("i1", NPZ_INT8, {3}, INT8),
        array_of("u1", NPZ_UINT8, {1, 3}, UINT8),
        array_of("layer/i2", NPZ_INT16, {2, 3, 1}, INT16),
        array_of("i4", NPZ_INT32, {1, 2, 2, 1}, INT32),
        array_of("i8", NPZ_INT64, {2}, INT64),
        array_of("f4", NPZ_FLOAT32, {2, 2, 2, 1}, FLOAT32),
        array_of("f8", NPZ_FLOAT64, {}, FLOAT64),
        array_of("empty", NPZ_INT32, {3, 0, 5}, nullptr),
        names,
    };
    struct npz_writer writer;
    struct diagnostic diagnostic = {};
    EXPECT_EQ(npz_create(&writer, path.c_str(), &diagnostic), STATUS_OK) << said(diagnostic);
    for (const struct npz_array &array : arrays) {
        EXPECT_EQ(npz_add(&writer, &array, &diagnostic), STATUS_OK) << said(diagnostic);
    }
    EXPECT_EQ(npz_add_text(&writer, "note", "gr\xc3\xbc\xc3\x9f", &diagnostic), STATUS_OK);
    EXPECT_EQ(npz_add_text(&writer, "gr\xc3\xbc\xc3\x9f", "", &diagnostic), STATUS_OK);
    EXPECT_EQ(npz_commit(&writer, &diagnostic), STATUS_OK) << said(diagnostic);
    return path;
}

TEST(Npz, EveryTypeAndRankComesBack)
{
    const temporary_folder folder;
    const std::string path = write_all(folder, "all.npz");
    struct npz npz;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(npz_open(&npz, path.c_str(), SIZE_MAX / 2, &diagnostic), STATUS_OK)
        << said(diagnostic);
    ASSERT_EQ(npz.count, 11u);
    EXPECT_STREQ(npz.array[0].name, "i1");
    EXPECT_STREQ(npz.array[2].name, "layer/i2");
    EXPECT_STREQ(npz.array[10].name, "gr\xc3\xbc\xc3\x9f");
    EXPECT_EQ(values_of<int8_t>(npz_find(&npz, "i1")), std::vector<int8_t>(INT8, INT8 + 3));
    EXPECT_EQ(values_of<uint8_t>(npz_find(&npz, "u1")), std::vector<uint8_t>(UINT8, UINT8 + 3));
    EXPECT_EQ(values_of<int16_t>(npz_find(&npz, "layer/i2")),
              std::vector<int16_t>(INT16, INT16 + 6));
    EXPECT_EQ(values_of<int32_t>(npz_find(&npz, "i4")), std::vector<int32_t>(INT32, INT32 + 4));
    EXPECT_EQ(values_of<int64_t>(npz_find(&npz, "i8")), std::vector<int64_t>(INT64, INT64 + 2));
    EXPECT_EQ(values_of<double>(npz_find(&npz, "f8")), std::vector<double>(FLOAT64, FLOAT64 + 1));
    const struct npz_array *floats = npz_find(&npz, "f4");
    EXPECT_EQ(memcmp(floats->data, FLOAT32, sizeof FLOAT32), 0);
    EXPECT_EQ(shape_of(floats), (std::vector<size_t>{2, 2, 2, 1}));
    EXPECT_EQ(shape_of(npz_find(&npz, "f8")), (std::vector<size_t>{}));
    const struct npz_array *empty = npz_find(&npz, "empty");
    EXPECT_EQ(empty->count, 0u);
    EXPECT_EQ(shape_of(empty), (std::vector<size_t>{3, 0, 5}));
    EXPECT_NE(empty->data, nullptr);
    const struct npz_array *names = npz_find(&npz, "names");
    EXPECT_EQ(names->item_bytes, 5u);
    EXPECT_EQ(names->count, 2u);
    EXPECT_EQ(memcmp(names->data, NAMES, 10), 0);
    EXPECT_STREQ(static_cast<const char *>(npz_find(&npz, "note")->data), "gr\xc3\xbc\xc3\x9f");
    EXPECT_STREQ(static_cast<const char *>(npz_find(&npz, "gr\xc3\xbc\xc3\x9f")->data), "");
    npz_close(&npz);
    EXPECT_EQ(npz.count, 0u);
    npz_close(&npz);
}

/* The golden: the same arrays are the same bytes on every host and day. */
TEST(Npz, WritesTheSameBytesAlways)
{
    const temporary_folder folder;
    const byte_string first = read_file(write_all(folder, "first.npz"));
    const byte_string second = read_file(write_all(folder, "second.npz"));
    EXPECT_EQ(first, second);
    EXPECT_EQ(sha256_of(first.data(), first.size()),
              "f55efa06f954f83247f5823f1ed9d45314fdf884c351f2d3ffcea478bd87dcc7");
}

TEST(Npz, AnEmptyArchiveIsAnArchive)
{
    const temporary_folder folder;
    const std::string path = folder.file("empty.npz");
    struct npz_writer writer;
    struct npz npz;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(npz_create(&writer, path.c_str(), &diagnostic), STATUS_OK);
    ASSERT_EQ(npz_commit(&writer, &diagnostic), STATUS_OK) << said(diagnostic);
    ASSERT_EQ(npz_open(&npz, path.c_str(), SIZE_MAX / 2, &diagnostic), STATUS_OK)
        << said(diagnostic);
    EXPECT_EQ(npz.count, 0u);
    EXPECT_EQ(npz_find(&npz, "a"), nullptr);
    npz_close(&npz);
}

TEST(Npz, DataAreAlignedAndFollowedByZero)
{
    /* A header length that leaves the elements at an odd place of the file. */
    const std::string dict = THREE_INT16_DICT;
    byte_string content = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, static_cast<uint8_t>(dict.size()),
                           0};
    content.insert(content.end(), dict.begin(), dict.end());
    for (const uint8_t byte : {1, 0, 2, 0, 3, 0}) {
        content.push_back(byte);
    }
    zip_entry entry;
    entry.content = content;
    const parsed_npz read(zip_of({entry}));
    ASSERT_EQ(read.status, STATUS_OK) << said(read.diagnostic);
    const struct npz_array *array = npz_find(&read.npz, "a");
    EXPECT_EQ(reinterpret_cast<uintptr_t>(array->data) % 8, 0u);
    EXPECT_EQ(values_of<int16_t>(array), (std::vector<int16_t>{1, 2, 3}));
    EXPECT_EQ(static_cast<const uint8_t *>(array->data)[6], 0);
}

TEST(Npz, ReadsEveryWayOfWritingAHeader)
{
    const char *const dicts[] = {
        THREE_INT16_DICT,
        "{'descr': '<i2', 'fortran_order': False, 'shape': (3,)}",
        "{\"shape\":(3,),\"fortran_order\":False,\"descr\":\"<i2\"}",
        " {  'shape' : ( 3 , ) , 'descr' :\n '<i2' , 'fortran_order' : False , } ",
    };
    for (const char *dict : dicts) {
        zip_entry entry;
        entry.content = npy_of(dict, {1, 0, 2, 0, 3, 0});
        const parsed_npz read(zip_of({entry}));
        EXPECT_EQ(read.status, STATUS_OK) << dict << said(read.diagnostic);
    }
    for (const uint8_t version : {2, 3}) { /* a length of four bytes */
        zip_entry entry;
        const std::string dict = THREE_INT16_DICT;
        entry.content = {
            0x93, 'N', 'U', 'M', 'P', 'Y', version, 0, static_cast<uint8_t>(dict.size()), 0, 0, 0};
        entry.content.insert(entry.content.end(), dict.begin(), dict.end());
        entry.content.resize(entry.content.size() + 6, 1);
        const parsed_npz read(zip_of({entry}));
        EXPECT_EQ(read.status, STATUS_OK) << said(read.diagnostic);
    }
}

TEST(Npz, ReadsArchivesWithCommentAndSizesBehindTheData)
{
    zip_entry entry;
    entry.content = three_int16();
    entry.deflate = true;
    entry.flags = 1 << 3 | 1 << 11;
    zip_end end;
    end.comment = "made by hand";
    const parsed_npz read(zip_of({entry}, end));
    EXPECT_EQ(read.status, STATUS_OK) << said(read.diagnostic);
}

TEST(Npz, RequireChecksTypeAndRank)
{
    const parsed_npz read(NUMPY_STORED, sizeof NUMPY_STORED);
    const struct npz_array *array = nullptr;
    struct diagnostic diagnostic = {};
    EXPECT_EQ(npz_require(&read.npz, "weights", NPZ_INT16, 2, &array, &diagnostic), STATUS_OK);
    EXPECT_EQ(array, npz_find(&read.npz, "weights"));
    EXPECT_EQ(npz_require(&read.npz, "weights", NPZ_INT16, 1, &array, &diagnostic),
              STATUS_CONFIGURATION);
    EXPECT_EQ(array, nullptr);
    EXPECT_STREQ(diagnostic.text, "the array is int16 with 2 dimensions, expected int16 with 1");
    EXPECT_STREQ(diagnostic.file, "some.npz");
    EXPECT_STREQ(diagnostic.key, "weights");
    EXPECT_EQ(npz_require(&read.npz, "weights", NPZ_FLOAT32, 2, &array, &diagnostic),
              STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.text, "the array is int16 with 2 dimensions, expected float32 with 2");
    EXPECT_EQ(npz_require(&read.npz, "bias", NPZ_INT16, 1, &array, &diagnostic),
              STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.text, "there is no array of this name");
    EXPECT_STREQ(diagnostic.key, "bias");
}

/* ---- writing that fails ---- */

TEST(NpzWriter, NothingAppearsBeforeTheCommit)
{
    const temporary_folder folder;
    struct npz_writer writer;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(npz_create(&writer, folder.file("x.npz").c_str(), &diagnostic), STATUS_OK);
    ASSERT_EQ(npz_add_text(&writer, "a", "b", &diagnostic), STATUS_OK);
    EXPECT_FALSE(std::ifstream(folder.file("x.npz")).good());
    npz_discard(&writer);
    EXPECT_TRUE(folder.names().empty());
    npz_discard(&writer);
}

TEST(NpzWriter, NamesAFolderThatIsNotThere)
{
    struct npz_writer writer;
    struct diagnostic diagnostic = {};
    EXPECT_EQ(npz_create(&writer, "/no/such/folder/x.npz", &diagnostic), STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.file, "/no/such/folder/x.npz");
    npz_discard(&writer);
}

TEST(NpzWriter, RefusesTwoArraysOfOneName)
{
    const temporary_folder folder;
    struct npz_writer writer;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(npz_create(&writer, folder.file("x.npz").c_str(), &diagnostic), STATUS_OK);
    ASSERT_EQ(npz_add_text(&writer, "ab", "1", &diagnostic), STATUS_OK);
    ASSERT_EQ(npz_add_text(&writer, "a", "2", &diagnostic), STATUS_OK);
    EXPECT_EQ(npz_add_text(&writer, "ab", "3", &diagnostic), STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.text, "two arrays of one name");
    EXPECT_STREQ(diagnostic.key, "ab");
    EXPECT_EQ(diagnostic.file, folder.file("x.npz"));
    npz_discard(&writer);
}

TEST(NpzWriter, RefusesMoreThanFourGibibytes)
{
    const temporary_folder folder;
    const std::vector<std::vector<size_t>> shapes = {
        {0x20000000, 4}, {1, 0x7fffffc0, 1}, {SIZE_MAX, SIZE_MAX}, {65536, 65536, 65536, 65536}};
    for (const std::vector<size_t> &shape : shapes) {
        struct npz_writer writer;
        struct diagnostic diagnostic = {};
        ASSERT_EQ(npz_create(&writer, folder.file("x.npz").c_str(), &diagnostic), STATUS_OK);
        const struct npz_array array = array_of("big", NPZ_INT16, shape, nullptr);
        EXPECT_EQ(npz_add(&writer, &array, &diagnostic), STATUS_LIMIT);
        EXPECT_STREQ(diagnostic.text, "the file would exceed 4 GiB");
        npz_discard(&writer);
    }
}

TEST(NpzWriter, RefusesMoreArraysThanTheReaderTakes)
{
    const temporary_folder folder;
    const std::string path = folder.file("x.npz");
    struct npz_writer writer;
    struct npz npz;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(npz_create(&writer, path.c_str(), &diagnostic), STATUS_OK);
    for (int i = 0; i < NPZ_MAX_ARRAYS; i++) {
        ASSERT_EQ(npz_add_text(&writer, std::to_string(i).c_str(), "x", &diagnostic), STATUS_OK);
    }
    EXPECT_EQ(npz_add_text(&writer, "more", "x", &diagnostic), STATUS_LIMIT);
    ASSERT_EQ(npz_commit(&writer, &diagnostic), STATUS_OK);
    ASSERT_EQ(npz_open(&npz, path.c_str(), SIZE_MAX / 2, &diagnostic), STATUS_OK)
        << said(diagnostic);
    EXPECT_EQ(npz.count, static_cast<size_t>(NPZ_MAX_ARRAYS));
    npz_close(&npz);
}

} // namespace
