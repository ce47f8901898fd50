/* .npz files that are wrong, in the zip archive or in an array: each is refused with its reason. */
#include "tests/unit/data_fixture.h"
#include "tests/unit/data_numpy_files.h"
#include "tests/unit/data_zip_builder.h"

extern "C" {
#include "sim/data/npz.h"
}

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace
{

void expect_refusal(const std::string &what, const byte_string &file, const std::string &text)
{
    struct npz npz;
    struct diagnostic diagnostic = {};
    /* An exact copy on the heap, so that a sanitizer sees one byte too far. */
    const std::vector<uint8_t> copy(file);
    EXPECT_EQ(npz_parse(&npz, copy.data(), copy.size(), "some.npz", SIZE_MAX, &diagnostic),
              STATUS_CONFIGURATION)
        << what;
    EXPECT_TRUE(contains(diagnostic.text, text)) << what << ": " << said(diagnostic);
    EXPECT_TRUE(contains(diagnostic.text, "(offset ")) << what;
    EXPECT_STREQ(diagnostic.file, "some.npz") << what;
    EXPECT_STRNE(diagnostic.hint, "") << what;
    EXPECT_EQ(npz.array, nullptr) << what;
    EXPECT_EQ(npz.count, 0u) << what;
}

/* ---- the array's header ---- */

byte_string with_header(const std::string &dict, const byte_string &elements = {1, 0, 2, 0, 3, 0})
{
    zip_entry entry;
    entry.content = npy_of(dict, elements);
    return zip_of({entry});
}

std::string dict_of(const std::string &descr, const std::string &order = "False",
                    const std::string &shape = "(3,)")
{
    return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

TEST(NpzMalformed, ArraysThatAreNotSupported)
{
    const struct {
        const char *descr;
        const char *text;
    } types[] = {
        {"'>i2'", "big-endian elements (>i2) are not supported"},
        {"'>f8'", "big-endian elements (>f8) are not supported"},
        {"'|O'", "holds Python objects (pickle)"},
        {"'<U5'", "Unicode strings (<U5) are not supported"},
        {"'<u2'", "type <u2 is not supported"},
        {"'<u8'", "type <u8 is not supported"},
        {"'|b1'", "type |b1 is not supported"},
        {"'<f2'", "type <f2 is not supported"},
        {"'<c8'", "type <c8 is not supported"},
        {"'<M8[s]'", "type <M8[s] is not supported"},
        {"'|V2'", "type |V2 is not supported"},
        {"'|S0'", "type |S0 is not supported"},
        {"'<i3'", "type <i3 is not supported"},
        {"'|i2'", "type |i2 is not supported"},
        {"'=i2'", "type =i2 is not supported"},
        {"'<i'", "type <i is not supported"},
        {"'<i99999999999'", "type <i99999999999 is not supported"},
        {"[('x', '<i2')]", "structured types are not supported"},
    };
    for (const auto &one : types) {
        expect_refusal(one.descr, with_header(dict_of(one.descr)), one.text);
    }
    expect_refusal("order", with_header(dict_of("'<i2'", "True")),
                   "Fortran order is not supported");
    expect_refusal("rank", with_header(dict_of("'<i2'", "False", "(3, 1, 1, 1, 1)")),
                   "more than 4 dimensions");
}

TEST(NpzMalformed, ArrayHeadersThatAreNoDict)
{
    const struct {
        const char *dict;
        const char *text;
    } table[] = {
        {"", "header syntax: '{' expected"},
        {"[1, 2]", "header syntax: '{' expected"},
        {"{", "header syntax: a quoted string expected"},
        {"{}", "descr, fortran_order or shape is missing"},
        {"{'descr': '<i2', 'fortran_order': False}", "descr, fortran_order or shape is missing"},
        {"{'descr': '<i2', 'descr': '<i2', 'shape': (3,)}", "the key 'descr' stands there twice"},
        {"{'descr': '<i2', 'fortran_order': False, 'shape': (3,), 'more': 1}",
         "unknown key 'more'"},
        {"{'descr' '<i2'}", "header syntax: ':' expected"},
        {"{'descr: '<i2'}", "header syntax: ':' expected"},
        {"{'descr", "header syntax: bad string"},
        {"{'a_rather_long_key': 1}", "header syntax: bad string"},
        {"{'descr': ''}", "header syntax: bad type ''"},
        {"{'descr': '<'}", "header syntax: bad type '<'"},
        {"{'descr': '\\x3ci2'}", "header syntax: bad string"},
        {"{'descr': 7}", "header syntax: a quoted string expected"},
        {"{'descr': '<i2' 'fortran_order': False}", "header syntax: ',' expected"},
        {"{'descr': '<i2', 'fortran_order': 0}", "True or False expected"},
        {"{'descr': '<i2', 'fortran_order': False, 'shape': 3}", "'(' expected"},
        {"{'descr': '<i2', 'fortran_order': False, 'shape': (3)}", "the shape is no tuple"},
        {"{'descr': '<i2', 'fortran_order': False, 'shape': (,)}", "a number expected"},
        {"{'descr': '<i2', 'fortran_order': False, 'shape': (-3,)}", "a number expected"},
        {"{'descr': '<i2', 'fortran_order': False, 'shape': (3 1)}", "',' expected in the shape"},
        {"{'descr': '<i2', 'fortran_order': False, 'shape': (3,", "a number expected"},
        {"{'descr': '<i2', 'fortran_order': False, 'shape': (3,)} x", "something follows"},
        {"{'descr': '<i2', 'fortran_order': False, 'shape': (9999999999999999999,)}",
         "a dimension is absurd"},
    };
    for (const auto &one : table) {
        expect_refusal(one.dict, with_header(one.dict), one.text);
    }
    expect_refusal("control character", with_header(std::string("{'de\x01scr': 1}")), "bad string");
}

TEST(NpzMalformed, ShapesThatDoNotFitTheElements)
{
    expect_refusal("short", with_header(THREE_INT16_DICT, {1, 0, 2, 0, 3}),
                   "the shape needs 6 bytes of elements, there are 5");
    expect_refusal("long", with_header(THREE_INT16_DICT, byte_string(7)),
                   "the shape needs 6 bytes of elements, there are 7");
    expect_refusal("huge", with_header(dict_of("'<i2'", "False", "(999999999999999999, 8)")),
                   "there are 6");
    expect_refusal("absurd", with_header(dict_of("'<i2'", "False", "(999999999999999999, 999)")),
                   "the shape is absurd");
    expect_refusal("wraps to 6", with_header(dict_of("'<i2'", "False", "(4294967296, 4294967296)")),
                   "the shape is absurd");
    expect_refusal("nothing needed", with_header(dict_of("'<i2'", "False", "(0, 3)")),
                   "the shape needs 0 bytes of elements, there are 6");
}

TEST(NpzMalformed, EntriesThatAreNoArray)
{
    const auto entry_of = [](const byte_string &content) {
        zip_entry entry;
        entry.content = content;
        return zip_of({entry});
    };
    byte_string other_version = three_int16();
    byte_string minor_version = three_int16();
    byte_string long_header = three_int16();
    other_version[6] = 4;
    minor_version[7] = 1;
    long_header[9] = 0xff;
    expect_refusal("nothing", entry_of({}), "not a .npy array");
    expect_refusal("text", entry_of({'h', 'e', 'l', 'l', 'o', '!', '!', '!'}), "not a .npy array");
    expect_refusal("version", entry_of(other_version), ".npy version 4.0 is unknown");
    expect_refusal("minor version", entry_of(minor_version), ".npy version 1.1 is unknown");
    expect_refusal("header too long", entry_of(long_header), "the header is cut short");
    expect_refusal("no length", entry_of({0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 9}),
                   "the header is cut short");
    expect_refusal("no long length", entry_of({0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0, 9, 0, 0}),
                   "the header is cut short");
}

/* ---- the archive ---- */

TEST(NpzMalformed, FilesThatAreNoArchive)
{
    const byte_string whole(std::begin(NUMPY_STORED), std::end(NUMPY_STORED));
    expect_refusal("empty", {}, "no zip end record");
    expect_refusal("one byte", {'P'}, "no zip end record");
    expect_refusal("text", byte_string(1000, 'x'), "not an .npz file: no zip end record");
    for (size_t size = 0; size < whole.size(); size++) {
        const byte_string part(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
        expect_refusal("cut at " + std::to_string(size), part,
                       size < 4 ? "not an .npz file" : "the zip archive is cut short");
    }
    byte_string longer = whole;
    longer.push_back(0);
    expect_refusal("one byte more", longer, "no end record");
    struct npz npz;
    struct diagnostic diagnostic = {};
    EXPECT_EQ(npz_open(&npz, "/no/such/file.npz", SIZE_MAX / 2, &diagnostic), STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.file, "/no/such/file.npz");
}

TEST(NpzMalformed, EndRecords)
{
    zip_entry entry;
    entry.content = three_int16();
    const uint32_t most16 = 0xffff;
    const uint32_t most32 = 0xffffffff;
    const byte_string locator = [] {
        byte_string bytes = {0x50, 0x4b, 0x06, 0x07};
        bytes.resize(20);
        return bytes;
    }();
    const struct {
        const char *what;
        std::function<void(zip_end *)> change;
        const char *text;
    } table[] = {
        {"zip64 count", [=](zip_end *end) { end->count = most16; }, "zip64"},
        {"zip64 directory size", [=](zip_end *end) { end->directory_bytes = most32; }, "zip64"},
        {"zip64 directory place", [=](zip_end *end) { end->directory_at = most32; }, "zip64"},
        {"zip64 locator", [=](zip_end *end) { end->before = locator; }, "zip64"},
        {"parts", [](zip_end *end) { end->disk = 1; }, "several parts"},
        {"count here", [](zip_end *end) { end->count_here = 2; }, "several parts"},
        {"too few", [](zip_end *end) { end->count = 0; }, "the zip directory is damaged"},
        {"too many", [](zip_end *end) { end->count = 2; }, "the zip directory is damaged"},
        {"far too many", [](zip_end *end) { end->count = NPZ_MAX_ARRAYS + 1; },
         "4097 arrays, at most 4096"},
        {"directory size", [](zip_end *end) { end->directory_bytes = 50; },
         "not where the end record says"},
        {"directory place", [](zip_end *end) { end->directory_at = 5; },
         "not where the end record says"},
        {"directory beyond", [](zip_end *end) { end->directory_at = 100000; },
         "not where the end record says"},
        {"gap", [](zip_end *end) { end->before = {0}; }, "not where the end record says"},
    };
    for (const auto &one : table) {
        zip_end end;
        one.change(&end);
        expect_refusal(one.what, zip_of({entry}, end), one.text);
    }
}

TEST(NpzMalformed, Entries)
{
    const uint32_t size = static_cast<uint32_t>(three_int16().size());
    const struct {
        const char *what;
        std::function<void(zip_entry *)> change;
        const char *text;
    } table[] = {
        {"encrypted", [](zip_entry *e) { e->flags = 1; }, "the entry is encrypted"},
        {"patch data", [](zip_entry *e) { e->flags = 1 << 5; }, "unknown zip flags 0020"},
        {"masked headers", [](zip_entry *e) { e->flags = 1 << 13; }, "unknown zip flags 2000"},
        {"bzip2", [](zip_entry *e) { e->method = 12; },
         "zip compression method 12 is not supported"},
        {"methods differ", [](zip_entry *e) { e->local_method = 8; },
         "the entry and its directory record differ"},
        {"names differ", [](zip_entry *e) { e->local_name = "b.npy"; },
         "the entry and its directory record differ"},
        {"name lengths differ", [](zip_entry *e) { e->local_name = "aa.npy"; },
         "the entry and its directory record differ"},
        {"not .npy", [](zip_entry *e) { e->name = "readme.txt"; }, "an entry is not a .npy array"},
        {"folder", [](zip_entry *e) { e->name = "folder/"; }, "an entry is not a .npy array"},
        {"ending only", [](zip_entry *e) { e->name = ".npy"; }, "an entry is not a .npy array"},
        {"no name", [](zip_entry *e) { e->name = ""; }, "an entry is not a .npy array"},
        {"zero in the name", [](zip_entry *e) { e->name = std::string("a\0b.npy", 7); },
         "a name has control characters"},
        {"escape in the name", [](zip_entry *e) { e->name = "\x1b[31m.npy"; },
         "a name has control characters"},
        {"long name",
         [](zip_entry *e) { e->name = std::string(NPZ_MAX_NAME_CHARS + 1, 'n') + ".npy"; },
         "a name is longer than 120 characters"},
        {"checksum", [](zip_entry *e) { e->crc = 1; }, "the checksum is wrong"},
        {"checksum, deflated",
         [](zip_entry *e) {
             e->deflate = true;
             e->crc = 1;
         },
         "the checksum is wrong"},
        {"zip64 size", [](zip_entry *e) { e->packed_bytes = 0xffffffff; }, "zip64"},
        {"zip64 unpacked size", [](zip_entry *e) { e->unpacked_bytes = 0xffffffff; }, "zip64"},
        {"zip64 place", [](zip_entry *e) { e->local_at = 0xffffffff; }, "zip64"},
        {"place", [](zip_entry *e) { e->local_at = 1; }, "the directory points at no entry"},
        {"place in the directory", [](zip_entry *e) { e->local_at = 150; },
         "the directory points at no entry"},
        {"place beyond", [](zip_entry *e) { e->local_at = 0xfffffff0; },
         "the directory points at no entry"},
        {"size beyond",
         [=](zip_entry *e) {
             e->packed_bytes = size + 1;
             e->unpacked_bytes = size + 1;
         },
         "the entry lies outside the file"},
        {"stored, sizes differ", [=](zip_entry *e) { e->unpacked_bytes = size + 1; },
         "cannot hold"},
        {"stored, less", [=](zip_entry *e) { e->unpacked_bytes = size - 1; }, "cannot hold"},
        {"bomb in the directory",
         [](zip_entry *e) {
             e->deflate = true;
             e->unpacked_bytes = 0xfffffffe;
         },
         "cannot hold the 4294967294 that the directory promises"},
        {"unpacks to more",
         [=](zip_entry *e) {
             e->deflate = true;
             e->unpacked_bytes = size - 1;
         },
         "do not give the promised"},
        {"unpacks to less",
         [=](zip_entry *e) {
             e->deflate = true;
             e->unpacked_bytes = size + 1;
         },
         "do not give the promised"},
        {"not deflated",
         [](zip_entry *e) {
             e->deflate = true;
             e->packed = three_int16();
         },
         "do not give the promised"},
        {"after the deflated data",
         [](zip_entry *e) {
             e->deflate = true;
             e->packed = deflate_of(e->content);
             e->packed->push_back(0);
         },
         "do not give the promised"},
    };
    for (const auto &one : table) {
        zip_entry entry;
        entry.content = three_int16();
        one.change(&entry);
        expect_refusal(one.what, zip_of({entry}), one.text);
    }
}

/* A small file of what nobody can use: it is refused before it is unpacked. */
TEST(NpzMalformed, HoldsNoMoreThanIsWanted)
{
    zip_entry one;
    one.content = npy_of("{'descr': '|i1', 'fortran_order': False, 'shape': (4194304,), }",
                         byte_string(4u << 20, 0));
    one.deflate = true;
    zip_entry two = one;
    two.name = "b.npy";
    const byte_string file = zip_of({one, two});
    ASSERT_LT(file.size(), 16384u);
    const size_t both = 2 * one.content.size();
    struct npz npz;
    struct diagnostic diagnostic = {};
    ASSERT_EQ(npz_parse(&npz, file.data(), file.size(), "some.npz", both, &diagnostic), STATUS_OK);
    npz_close(&npz);
    EXPECT_EQ(npz_parse(&npz, file.data(), file.size(), "some.npz", both - 1, &diagnostic),
              STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.key, "b");
    EXPECT_TRUE(contains(diagnostic.text, "are more than there can be")) << diagnostic.text;
    EXPECT_EQ(npz.count, 0u);
}

TEST(NpzMalformed, NamesTheArray)
{
    zip_entry entry;
    entry.name = "fc1/weights.npy";
    entry.content = npy_of(dict_of("'|O'"), {});
    struct npz npz;
    struct diagnostic diagnostic = {};
    const byte_string file = zip_of({entry});
    EXPECT_EQ(npz_parse(&npz, file.data(), file.size(), "some.npz", SIZE_MAX, &diagnostic),
              STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.key, "fc1/weights");
    EXPECT_STREQ(diagnostic.text,
                 "holds Python objects (pickle), byte 24 of the array (offset 45)");
}

TEST(NpzMalformed, ArraysAfterAGoodOne)
{
    zip_entry good;
    good.content = three_int16();
    zip_entry twice = good;
    expect_refusal("twice", zip_of({good, twice}), "two arrays of this name");
    zip_entry bad = good;
    bad.name = "b.npy";
    bad.crc = 5;
    expect_refusal("second is bad", zip_of({good, bad}), "the checksum is wrong");
}

/* Many directory records that share one well-compressed entry must not multiply its size. */
TEST(NpzMalformed, EntriesThatShareTheirData)
{
    std::vector<zip_entry> entries(40);
    const byte_string content = npy_of(
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1000000,)}", byte_string(1000000));
    const byte_string packed = deflate_of(content);
    for (size_t i = 0; i < entries.size(); i++) {
        entries[i].name = "x.npy";
        entries[i].content = content;
        entries[i].deflate = true;
        entries[i].packed = i == 0 ? packed : byte_string();
        entries[i].packed_bytes = static_cast<uint32_t>(packed.size());
        entries[i].local_at = 0;
    }
    expect_refusal("one name", zip_of(entries), "two arrays of this name");
    for (size_t i = 0; i < entries.size(); i++) {
        entries[i].name = std::string(1, static_cast<char>('A' + i)) + ".npy";
    }
    expect_refusal("other names", zip_of(entries), "the entry and its directory record differ");
}

/* The same with a local header that lies inside the data of another entry. */
TEST(NpzMalformed, EntriesThatOverlap)
{
    zip_entry hidden;
    hidden.name = "b.npy";
    hidden.content.resize(1000);
    const byte_string inner = zip_of({hidden});
    zip_entry outer;
    outer.content = npy_of("{'descr': '|u1', 'fortran_order': False, 'shape': (" +
                               std::to_string(inner.size()) + ",)}",
                           inner);
    zip_entry overlapping;
    overlapping.name = "b.npy";
    overlapping.packed = byte_string();
    overlapping.packed_bytes = 1000;
    overlapping.unpacked_bytes = 1000;
    overlapping.local_at =
        static_cast<uint32_t>(30 + outer.name.size() + outer.content.size() - inner.size());
    expect_refusal("overlap", zip_of({outer, overlapping}),
                   "1000 bytes cannot hold the 1000 that the directory promises");
}

TEST(NpzMalformed, SaysNothingWhenNobodyListens)
{
    struct npz npz;
    const uint8_t byte = 0;
    EXPECT_EQ(npz_parse(&npz, &byte, 1, "f", SIZE_MAX, nullptr), STATUS_CONFIGURATION);
}

/* Whatever the bytes, the answer is whole arrays or a diagnostic.  Checksums are repaired in half
 * of the rounds, so that the damage reaches the array headers. */
TEST(NpzMalformed, SurvivesRandomDamage)
{
    std::mt19937 random(20240818);
    const byte_string numpy_files[] = {
        byte_string(std::begin(NUMPY_STORED), std::end(NUMPY_STORED)),
        byte_string(std::begin(NUMPY_DEFLATED), std::end(NUMPY_DEFLATED)),
    };
    const auto damage = [&random](byte_string *bytes) {
        for (unsigned n = 1 + random() % 3; n > 0; n--) {
            switch (random() % 5) {
            case 0:
                (*bytes)[random() % bytes->size()] ^= static_cast<uint8_t>(1u << random() % 8);
                break;
            case 1:
                (*bytes)[random() % bytes->size()] = static_cast<uint8_t>(random());
                break;
            case 2:
                bytes->erase(bytes->begin() + static_cast<ptrdiff_t>(random() % bytes->size()));
                bytes->push_back(0);
                break;
            case 3:
                bytes->resize(1 + random() % bytes->size());
                break;
            default:
                bytes->insert(bytes->begin() + static_cast<ptrdiff_t>(random() % bytes->size()),
                              static_cast<uint8_t>("0123456789'{}(),: "[random() % 18]));
                break;
            }
        }
    };
    unsigned accepted = 0;
    for (unsigned i = 0; i < 40000; i++) {
        byte_string file;
        if (random() % 2 == 0) {
            file = numpy_files[random() % 2];
            damage(&file);
        } else {
            zip_entry entry;
            entry.content = three_int16();
            entry.deflate = random() % 2 == 0;
            damage(&entry.content);
            file = zip_of({entry});
        }
        struct npz npz;
        struct diagnostic diagnostic = {};
        if (npz_parse(&npz, file.data(), file.size(), "f", SIZE_MAX, &diagnostic) == STATUS_OK) {
            accepted++;
        } else {
            EXPECT_STRNE(diagnostic.text, "");
            EXPECT_EQ(npz.array, nullptr);
        }
        npz_close(&npz);
    }
    EXPECT_GT(accepted, 100u);
    EXPECT_LT(accepted, 20000u);
}

} // namespace
