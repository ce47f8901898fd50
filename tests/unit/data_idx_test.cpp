/* IDX files: what is read, and every way in which one can be wrong. */
#include "tests/unit/data_fixture.h"

extern "C" {
#include "sim/data/idx.h"
}

#include <gtest/gtest.h>

#include <random>

namespace
{

const byte_string SIX = {10, 20, 30, 40, 50, 60};

class parsed_idx
{
  public:
    parsed_idx(const byte_string &file, unsigned rank, size_t most = SIZE_MAX)
        : form{rank, most},
          status(idx_parse(&idx, file.data(), file.size(), "some/file", &form, &diagnostic))
    {
    }
    ~parsed_idx()
    {
        idx_deinit(&idx);
    }
    parsed_idx(const parsed_idx &) = delete;
    parsed_idx &operator=(const parsed_idx &) = delete;

    struct idx idx = {};
    struct diagnostic diagnostic = {};
    struct idx_form form;
    enum status status;
};

/* Bounds of the tests. */
const struct idx_form ONE = {1, 1 << 20};
const struct idx_form THREE = {3, 1 << 20};

TEST(Idx, ReadsThreeDimensions)
{
    const parsed_idx read(idx_of({1, 2, 3}, SIX), 3);
    ASSERT_EQ(read.status, STATUS_OK) << said(read.diagnostic);
    EXPECT_EQ(read.idx.rank, 3u);
    EXPECT_EQ(read.idx.shape[0], 1u);
    EXPECT_EQ(read.idx.shape[1], 2u);
    EXPECT_EQ(read.idx.shape[2], 3u);
    ASSERT_EQ(read.idx.size_bytes, SIX.size());
    EXPECT_EQ(byte_string(read.idx.data, read.idx.data + 6), SIX);
}

TEST(Idx, ReadsOneDimension)
{
    const parsed_idx read(idx_of({6}, SIX), 1);
    ASSERT_EQ(read.status, STATUS_OK) << said(read.diagnostic);
    EXPECT_EQ(read.idx.shape[0], 6u);
    EXPECT_EQ(byte_string(read.idx.data, read.idx.data + 6), SIX);
}

TEST(Idx, ReadsGzipByContentWhateverTheName)
{
    const temporary_folder folder;
    const byte_string file = idx_of({2, 3, 1}, SIX);
    const std::string packed = folder.write("plain-name", gzip_of(file));
    const std::string plain = folder.write("named.gz", file);
    for (const std::string &path : {packed, plain}) {
        struct idx idx;
        struct diagnostic diagnostic = {};
        ASSERT_EQ(idx_read(&idx, path.c_str(), &THREE, &diagnostic), STATUS_OK) << said(diagnostic);
        EXPECT_EQ(byte_string(idx.data, idx.data + idx.size_bytes), SIX);
        idx_deinit(&idx);
    }
}

TEST(Idx, ReadsTheFirstElementsOnly)
{
    const temporary_folder folder;
    byte_string elements(50 * 28 * 28);
    for (size_t i = 0; i < elements.size(); i++) {
        elements[i] = static_cast<uint8_t>(i * i >> 7);
    }
    const byte_string file = idx_of({50, 28, 28}, elements);
    const std::string packed = folder.write("packed", gzip_of(file));
    const std::string plain = folder.write("plain", file);
    for (const std::string &path : {packed, plain}) {
        for (const size_t bytes : {size_t(1), size_t(784), elements.size()}) {
            struct idx idx;
            ASSERT_TRUE(idx_read_first(&idx, path.c_str(), &THREE, bytes)) << path << bytes;
            EXPECT_EQ(idx.shape[0], 50u);
            EXPECT_EQ(byte_string(idx.data, idx.data + idx.size_bytes),
                      byte_string(elements.begin(), elements.begin() + bytes));
            idx_deinit(&idx);
        }
        struct idx idx;
        EXPECT_FALSE(idx_read_first(&idx, path.c_str(), &THREE, elements.size() + 1));
        EXPECT_FALSE(idx_read_first(&idx, path.c_str(), &ONE, 1)) << "another form";
        EXPECT_EQ(idx.data, nullptr);
    }
    struct idx idx;
    EXPECT_FALSE(idx_read_first(&idx, folder.file("none").c_str(), &THREE, 1));
}

TEST(Idx, ReadsLargeGzipOfOneValue)
{
    const byte_string zeros(3000 * 28 * 28, 0);
    const parsed_idx read(gzip_of(idx_of({3000, 28, 28}, zeros)), 3);
    ASSERT_EQ(read.status, STATUS_OK) << said(read.diagnostic);
    EXPECT_EQ(read.idx.size_bytes, zeros.size());
}

TEST(Idx, NamesAFileThatIsNotThere)
{
    struct idx idx;
    struct diagnostic diagnostic = {};
    EXPECT_EQ(idx_read(&idx, "/no/such/file", &ONE, &diagnostic), STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.file, "/no/such/file");
    EXPECT_EQ(idx.data, nullptr);
}

struct malformed {
    const char *what;
    byte_string file;
    unsigned rank;
    const char *text;
};

byte_string cut(byte_string bytes, size_t from_end)
{
    bytes.resize(bytes.size() - from_end);
    return bytes;
}

byte_string joined(byte_string bytes, const byte_string &more)
{
    bytes.insert(bytes.end(), more.begin(), more.end());
    return bytes;
}

byte_string changed(byte_string bytes, size_t at, uint8_t value)
{
    bytes[at] = value;
    return bytes;
}

const byte_string FILE3 = idx_of({1, 2, 3}, SIX);
const byte_string FILE1 = idx_of({6}, SIX);
const byte_string GZIP3 = gzip_of(FILE3);

const malformed PLAIN[] = {
    {"empty", {}, 3, "not an IDX file: it holds 0 bytes (offset 0)"},
    {"two bytes", {0, 0}, 3, "it holds 2 bytes (offset 2)"},
    {"web page",
     {'<', 'h', 't', 'm', 'l'},
     3,
     "and not gzip: it begins with 3c 68 74 6d (offset 0)"},
    {"signed bytes", changed(FILE3, 2, 0x09), 3, "signed bytes (type 09) (offset 2)"},
    {"16-bit", changed(FILE3, 2, 0x0b), 3, "16-bit integers (type 0b)"},
    {"32-bit", changed(FILE3, 2, 0x0c), 3, "32-bit integers (type 0c)"},
    {"float32", changed(FILE3, 2, 0x0d), 3, "float32 (type 0d)"},
    {"float64", changed(FILE3, 2, 0x0e), 3, "float64 (type 0e)"},
    {"no type", changed(FILE3, 2, 0x42), 3, "an unknown type (type 42)"},
    {"labels for images", FILE1, 3, "1 dimensions, expected 3 (offset 3)"},
    {"images for labels", FILE3, 1, "3 dimensions, expected 1 (offset 3)"},
    {"two dimensions", idx_of({2, 3}, SIX), 3, "2 dimensions, expected 3"},
    {"header cut", cut(FILE3, 8), 3,
     "cut short: the header needs 16 bytes, there are 14 (offset 14)"},
    {"a zero dimension", idx_of({1, 0, 3}, {}), 3, "dimension 1 is 0 (offset 8)"},
    {"nothing but header", idx_of({1, 2, 3}, {}), 3, "0 bytes of elements, the header promises 6"},
    {"cut short", cut(FILE3, 1), 3, "5 bytes of elements, the header promises 6 (offset 21)"},
    {"one byte more", joined(FILE3, {0}), 3,
     "bytes follow after the 6 that the header promises (offset 22)"},
    {"huge", idx_of({0xffffffff, 1, 1}, SIX), 3,
     "6 bytes of elements, the header promises 4294967295"},
    {"absurd", idx_of({0xffffffff, 0xffffffff, 0xffffffff}, SIX), 3,
     "dimension 1 is absurd: 4294967295 (offset 8)"},
    {"wraps to 0", idx_of({0x80000000, 0x80000000, 4}, SIX), 3,
     "dimension 1 is absurd: 2147483648 (offset 8)"},
};

const malformed PACKED[] = {
    {"gzip header only", {0x1f, 0x8b}, 3, "the gzip file ends in the middle"},
    {"gzip of nothing", gzip_of({}), 3, "it holds 0 bytes (offset 0 of the decompressed content)"},
    {"gzip method", changed(GZIP3, 2, 7), 3, "damaged gzip file: unknown compression method"},
    {"gzip of text", gzip_of({'t', 'e', 'x', 't'}), 3,
     "not an IDX file: it begins with 74 65 78 74"},
    {"gzip cut in the data", cut(GZIP3, 12), 3, "the gzip file ends in the middle"},
    {"gzip cut in the checksum", cut(GZIP3, 5), 3, "the gzip file ends in the middle"},
    {"gzip checksum", changed(GZIP3, GZIP3.size() - 8, GZIP3[GZIP3.size() - 8] ^ 1), 3,
     "damaged gzip file: incorrect data check"},
    {"gzip length", changed(GZIP3, GZIP3.size() - 1, 1), 3,
     "damaged gzip file: incorrect length check"},
    {"after the gzip data", joined(GZIP3, {1, 2, 3}), 3,
     "3 bytes follow after the end of the gzip data"},
    {"two gzip members", joined(GZIP3, GZIP3), 3, "bytes follow after the end of the gzip data"},
    {"content cut", gzip_of(cut(FILE3, 2)), 3,
     "4 bytes of elements, the header promises 6 (offset 20 of the decompressed content)"},
    {"content longer", gzip_of(joined(FILE3, {9})), 3,
     "bytes follow after the 6 that the header promises"},
    {"wrong rank", gzip_of(FILE1), 3, "1 dimensions, expected 3"},
    /* 64 MiB from 40 bytes: refused before memory is asked for. */
    {"bomb in the header", gzip_of(idx_of({4096, 128, 128}, SIX)), 3,
     "the header promises 67108864 bytes of elements, more than"},
};

void expect_refusal(const malformed &one)
{
    const parsed_idx read(one.file, one.rank);
    EXPECT_EQ(read.status, STATUS_CONFIGURATION) << one.what;
    EXPECT_TRUE(contains(read.diagnostic.text, one.text))
        << one.what << ": " << said(read.diagnostic);
    EXPECT_TRUE(contains(read.diagnostic.text, "(offset ")) << one.what;
    EXPECT_STREQ(read.diagnostic.file, "some/file") << one.what;
    EXPECT_STRNE(read.diagnostic.hint, "") << one.what;
    EXPECT_EQ(read.idx.data, nullptr) << one.what;
    EXPECT_EQ(read.idx.size_bytes, 0u) << one.what;
}

TEST(Idx, RefusesEveryMalformedPlainFile)
{
    for (const malformed &one : PLAIN) {
        expect_refusal(one);
    }
}

TEST(Idx, RefusesEveryMalformedGzipFile)
{
    for (const malformed &one : PACKED) {
        expect_refusal(one);
    }
}

/* A content much longer than its header says is not unpacked further than one byte. */
TEST(Idx, StopsUnpackingWhereTheHeaderEnds)
{
    const byte_string zeros(64u << 20, 0);
    const parsed_idx read(gzip_of(joined(FILE3, zeros)), 3);
    EXPECT_EQ(read.status, STATUS_CONFIGURATION);
    EXPECT_TRUE(contains(read.diagnostic.text, "bytes follow after the 6"))
        << said(read.diagnostic);
}

TEST(Idx, SaysNothingWhenNobodyListens)
{
    struct idx idx;
    EXPECT_EQ(idx_parse(&idx, SIX.data(), SIX.size(), "f", &ONE, nullptr), STATUS_CONFIGURATION);
}

/* Whatever the bytes, the answer is one whole array or a diagnostic. */
TEST(Idx, SurvivesRandomDamage)
{
    std::mt19937 random(20240817);
    const byte_string seeds[] = {FILE3, FILE1, GZIP3, gzip_of(FILE1),
                                 gzip_of(idx_of({50, 28, 28}, byte_string(50 * 784, 77)))};
    unsigned refused = 0;
    const unsigned rounds = 40000;
    for (unsigned i = 0; i < rounds; i++) {
        byte_string file = seeds[random() % std::size(seeds)];
        for (unsigned damage = 1 + random() % 4; damage > 0; damage--) {
            switch (random() % 4) {
            case 0:
                file[random() % file.size()] ^= static_cast<uint8_t>(1u << random() % 8);
                break;
            case 1:
                file[random() % file.size()] = static_cast<uint8_t>(random());
                break;
            case 2:
                file.resize(1 + random() % file.size());
                break;
            default:
                file.push_back(static_cast<uint8_t>(random()));
                break;
            }
        }
        const unsigned rank = random() % 2 == 0 ? 1 : 3;
        const parsed_idx read(file, rank);
        if (read.status == STATUS_OK) {
            size_t product = 1;
            for (unsigned d = 0; d < rank; d++) {
                product *= read.idx.shape[d];
            }
            EXPECT_EQ(product, read.idx.size_bytes);
        } else {
            EXPECT_EQ(read.status, STATUS_CONFIGURATION);
            EXPECT_EQ(read.idx.data, nullptr);
            refused++;
        }
    }
    EXPECT_GT(refused, rounds / 2);
}

/* What gzip could hold, and nobody can use. */
TEST(Idx, HasABound)
{
    const byte_string many = idx_of({4, 1024, 1024}, byte_string(4u << 20, 0));
    const byte_string packed = gzip_of(many);
    ASSERT_LT(packed.size(), 8192u);
    for (const byte_string &file : {packed, many}) {
        EXPECT_EQ(parsed_idx(file, 3, 4u << 20).status, STATUS_OK);
        const parsed_idx refused(file, 3, (4u << 20) - 1);
        EXPECT_EQ(refused.status, STATUS_CONFIGURATION);
        EXPECT_TRUE(contains(refused.diagnostic.text,
                             "promises 4194304 bytes of elements, at most 4194303 are read"))
            << refused.diagnostic.text;
        EXPECT_EQ(refused.idx.data, nullptr);
    }
}

} // namespace
