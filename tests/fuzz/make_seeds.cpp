/* make_seeds.cpp - writes the seeds that are no text: made by the code that writes such files, so
 * that they are always of its newest form.
 *
 *     fuzz_seeds FOLDER      FOLDER/KIND/NAME */
#include "tests/fuzz/small_training.h"
#include "tests/support/arm_asm.h"
#include "tests/support/onnx_builder.h"

#include <cstdlib>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <random>
#include <zlib.h>

extern "C" {
#include "sim/data/npz.h"
#include "sim/networks/weights.h"
#include "sim/serve/frame.h"
#include "sim/state/state_file.h"
}

namespace fs = std::filesystem;

namespace
{

using bytes = std::vector<uint8_t>;

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

template <typename Value> void append(bytes *to, const Value &value)
{
    const auto *at = reinterpret_cast<const uint8_t *>(&value);
    to->insert(to->end(), at, at + sizeof value);
}

void expect(enum status status, const struct diagnostic &diagnostic)
{
    if (status != STATUS_OK) {
        fuzz_fail(diagnostic.text);
    }
}

/* ---- npz ---- */

void write_arrays(const fs::path &folder)
{
    static const int16_t NUMBERS[6] = {1, -2, 3, INT16_MIN, INT16_MAX, 0};
    static const double REALS[2] = {0.5, -1e300};
    struct npz_array array[3] = {};
    array[0].name = "numbers";
    array[0].type = NPZ_INT16;
    array[0].rank = 2;
    array[0].shape[0] = 2;
    array[0].shape[1] = 3;
    array[0].data = NUMBERS;
    array[1].name = "reals";
    array[1].type = NPZ_FLOAT64;
    array[1].rank = 1;
    array[1].shape[0] = 2;
    array[1].data = REALS;
    array[2].name = "none";
    array[2].type = NPZ_UINT8;
    array[2].rank = 3;
    array[2].data = NUMBERS;
    fs::create_directories(folder);
    struct npz_writer writer;
    struct diagnostic diagnostic = {};
    expect(npz_create(&writer, (folder / "arrays.npz").c_str(), &diagnostic), diagnostic);
    for (const struct npz_array &each : array) {
        expect(npz_add(&writer, &each, &diagnostic), diagnostic);
    }
    expect(npz_add_text(&writer, "text", "hello", &diagnostic), diagnostic);
    expect(npz_commit(&writer, &diagnostic), diagnostic);
}

void write_images(const fs::path &folder)
{
    static const uint8_t PIXELS[12] = {0, 255, 3};
    static const int64_t LABELS[2] = {0, 4};
    struct npz_array x = {};
    struct npz_array y = {};
    x.name = "x";
    x.type = NPZ_UINT8;
    x.rank = 4;
    x.shape[0] = 2;
    x.shape[1] = 3;
    x.shape[2] = 1;
    x.shape[3] = 2;
    x.data = PIXELS;
    y.name = "y";
    y.type = NPZ_INT64;
    y.rank = 1;
    y.shape[0] = 2;
    y.data = LABELS;
    struct npz_writer writer;
    struct diagnostic diagnostic = {};
    expect(npz_create(&writer, (folder / "images.npz").c_str(), &diagnostic), diagnostic);
    expect(npz_add(&writer, &x, &diagnostic), diagnostic);
    expect(npz_add(&writer, &y, &diagnostic), diagnostic);
    expect(npz_commit(&writer, &diagnostic), diagnostic);
}

void write_small_weights(const fs::path &folder)
{
    const small_network small;
    const std::vector<double> parameters(network_parameters(&small.network), 0.25);
    struct weights weights = {};
    struct diagnostic diagnostic = {};
    fs::create_directories(folder);
    expect(weights_round(&weights, &small.network, small.table, parameters.data(), &diagnostic),
           diagnostic);
    expect(weights_write(&weights, (folder / "weights.npz").c_str(), &small.network, small.table,
                         &diagnostic),
           diagnostic);
    weights_deinit(&weights);
}

/* ---- ONNX ---- */

void put_model(const fs::path &path, onnx_builder *builder)
{
    const std::string file = builder->file();
    put(path, bytes(file.begin(), file.end()));
}

void write_models(const fs::path &folder)
{
    onnx_builder old(8); /* weights as inputs, as a constant reshape, bias as a sum */
    old.input("x", {1, 1, 6, 6});
    old.input("w", {2, 1, 3, 3});
    old.weights("w", {2, 1, 3, 3}, std::vector<float>(18, 0.25f), onnx_data::TYPED);
    old.weights("b", {2, 1, 1}, {1, -1}, onnx_data::PACKED);
    old.weights("m", {2, 1, 1, 3}, std::vector<float>(6, 0.5f));
    old.numbers("flat", {1, 2});
    old.numbers("wide", {2, 3});
    old.node("Conv", {"x", "w"}, "c", {{"strides", {1, 1}}}, {{"auto_pad", "SAME_UPPER"}});
    old.node("Add", {"c", "b"}, "s");
    old.node("Relu", {"s"}, "r");
    old.node("MaxPool", {"r"}, "p", {{"kernel_shape", {6, 6}}, {"strides", {6, 6}}});
    old.node("Reshape", {"p", "flat"}, "f");
    old.node("Reshape", {"m", "wide"}, "v");
    old.node("MatMul", {"f", "v"}, "y");
    old.output("y");
    put_model(folder / "old.onnx", &old);

    onnx_builder turned;
    turned.input("x", {-1, 2, 2, 2});
    turned.weights("n", {2}, {1, 2});
    turned.weights("w", {3, 8}, std::vector<float>(24, 0.5f));
    turned.node("BatchNormalization", {"x", "n", "n", "n", "n"}, "b");
    turned.node("Transpose", {"b"}, "t", {{"perm", {0, 2, 3, 1}}});
    turned.node("Flatten", {"t"}, "f", {{"axis", {1}}});
    turned.node("Gemm", {"f", "w"}, "g", {{"transB", {1}}});
    turned.node("Softmax", {"g"}, "y", {{"axis", {-1}}});
    turned.output("y");
    put_model(folder / "turned.onnx", &turned);

    onnx_builder many; /* weights in a file beside it */
    many.location = "w.bin";
    many.input("x", {-1, 1, 8, 8});
    many.weights("w", {2, 1, 3, 3}, std::vector<float>(18, 0.25f), onnx_data::OUTSIDE);
    many.weights("b", {2}, {1, -1}, onnx_data::OUTSIDE);
    many.weights("m", {2, 3}, std::vector<float>(6, 0.5f), onnx_data::OUTSIDE);
    many.weights("v", {3, 2}, std::vector<float>(6, 0.5f), onnx_data::OUTSIDE);
    many.weights("h", {1}, {0.5f});
    many.numbers("axes", {2, 3});
    many.node("Mul", {"x", "h"}, "half");
    many.node(
        "Conv", {"half", "w", "b"}, "c",
        {{"kernel_shape", {3, 3}}, {"pads", {1, 1, 1, 1}}, {"strides", {1, 1}}, {"group", {1}}});
    many.node("Tanh", {"c"}, "t");
    many.node("AveragePool", {"t"}, "a", {{"kernel_shape", {2, 2}}, {"strides", {2, 2}}});
    many.node("GlobalAveragePool", {"a"}, "g");
    many.node("Squeeze", {"g", "axes"}, "q");
    many.node("Gemm", {"q", "m"}, "d");
    many.node("Sigmoid", {"d"}, "e");
    many.node("Dropout", {"e"}, "o");
    many.node("Identity", {"o"}, "i");
    many.node("MatMul", {"i", "v"}, "l");
    many.node("LogSoftmax", {"l"}, "y", {{"axis", {1}}});
    many.output("y");
    put_model(folder / "outside.onnx", &many);
}

/* ---- IDX ---- */

bytes idx(std::initializer_list<uint8_t> sizes)
{
    bytes file = {0, 0, 8, static_cast<uint8_t>(sizes.size())};
    size_t items = 1;
    for (const uint8_t size : sizes) {
        file.insert(file.end(), {0, 0, 0, size});
        items *= size;
    }
    for (size_t i = 0; i < items; i++) {
        file.push_back(static_cast<uint8_t>(i % 10));
    }
    return file;
}

void put_packed(const fs::path &path, const bytes &content)
{
    gzFile file = gzopen(path.c_str(), "wb");
    const auto size = static_cast<unsigned>(content.size());
    if (gzwrite(file, content.data(), size) != static_cast<int>(size) || gzclose(file) != Z_OK) {
        fuzz_fail("cannot write " + path.string());
    }
}

/* ---- programs ---- */

/* A program of ARM words at 0, in SpiNNaker's own format, with each of its commands. */
bytes aplx(const std::vector<uint32_t> &code)
{
    const auto code_bytes = static_cast<uint32_t>(4 * code.size());
    bytes file;
    for (const uint32_t word : {2u, 0u, 64u, code_bytes, 3u, 0x00400000u, 64u, 0x12345678u, 1u,
                                0x00400100u, 0x00400000u, 32u, 4u, 0u, 0u, 0u}) {
        append(&file, word);
    }
    for (const uint32_t word : code) {
        append(&file, word);
    }
    return file;
}

/* A program of ARM words at `address`, with two symbols and its compiler's name. */
bytes elf(uint32_t address, const std::vector<uint32_t> &code)
{
    enum : uint32_t { CODE_AT = sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr), SECTIONS = 5 };
    static const char NAMES[] = "\0.text\0.symtab\0.strtab\0.comment";
    static const char STRINGS[] = "\0_start\0table";
    static const char COMPILER[] = "GCC: 12";
    const auto code_bytes = static_cast<uint32_t>(4 * code.size());
    bytes file(CODE_AT, 0);
    for (const uint32_t word : code) {
        append(&file, word);
    }
    Elf32_Sym symbol[3] = {};
    symbol[1].st_name = 1;
    symbol[1].st_value = address;
    symbol[1].st_size = code_bytes / 2;
    symbol[1].st_info = ELF32_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol[1].st_shndx = 1;
    symbol[2].st_name = 8;
    symbol[2].st_value = address + code_bytes / 2;
    symbol[2].st_info = ELF32_ST_INFO(STB_LOCAL, STT_OBJECT);
    symbol[2].st_shndx = 1;
    const auto here = [&file] { return static_cast<uint32_t>(file.size()); };
    Elf32_Shdr section[SECTIONS] = {};
    section[1] = {1, SHT_PROGBITS, SHF_ALLOC, address, CODE_AT, code_bytes, 0, 0, 4, 0};
    section[2] = {7, SHT_SYMTAB, 0, 0, here(), sizeof symbol, 3, 1, 4, sizeof *symbol};
    append(&file, symbol);
    section[3] = {15, SHT_STRTAB, 0, 0, here(), sizeof STRINGS + sizeof NAMES, 0, 0, 1, 0};
    append(&file, STRINGS);
    append(&file, NAMES);
    section[4] = {23, SHT_PROGBITS, 0, 0, here(), sizeof COMPILER, 0, 0, 1, 0};
    for (unsigned i = 1; i < SECTIONS; i++) {
        section[i].sh_name += sizeof STRINGS;
    }
    append(&file, COMPILER);
    while (file.size() % 4 != 0) {
        file.push_back(0);
    }
    Elf32_Ehdr header = {};
    memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS32;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_EXEC;
    header.e_machine = EM_ARM;
    header.e_version = EV_CURRENT;
    header.e_entry = address;
    header.e_phoff = sizeof header;
    header.e_shoff = here();
    header.e_flags = EF_ARM_EABI_VER5;
    header.e_ehsize = sizeof header;
    header.e_phentsize = sizeof(Elf32_Phdr);
    header.e_phnum = 1;
    header.e_shentsize = sizeof(Elf32_Shdr);
    header.e_shnum = SECTIONS;
    header.e_shstrndx = 3;
    const Elf32_Phdr program = {PT_LOAD,    CODE_AT,          address,     address,
                                code_bytes, code_bytes + 256, PF_R | PF_X, 4};
    append(&file, section);
    memcpy(file.data(), &header, sizeof header);
    memcpy(file.data() + sizeof header, &program, sizeof program);
    return file;
}

/* Writes a text by a semihosting call, and leaves. */
std::vector<uint32_t> greeting()
{
    enum : uint32_t { SEMIHOSTING = 0xef123456, WRITE0 = 4, EXIT = 0x18 };
    return {mov_imm(r0, WRITE0), add_imm(r1, pc, 16), SEMIHOSTING, mov_imm(r0, EXIT),
            ldr_imm(r1, pc, 0),  SEMIHOSTING,         0x00020026,  0x000a6948 /* "Hi" */};
}

/* ---- frames, and messages to the board management processor ---- */

bytes frame(uint32_t payload_bytes)
{
    const uint8_t mac[FRAME_MAC_BYTES] = {2, 0x53, 0x50, 0, 0, 2};
    const bytes payload(payload_bytes, 0x5a);
    const struct frame_datagram datagram = {
        {0x7f000001, 40000}, {0x7f000002, 17893}, payload.data(), payload_bytes};
    bytes made(FRAME_BYTES_MAX);
    made.resize(frame_make(made.data(), mac, mac, &datagram));
    return made;
}

bytes arp_request()
{
    bytes made(FRAME_BYTES_MIN);
    const uint8_t head[] = {0x08, 0x06, 0, 1, 8,
                            0,    6,    4, 0, 1}; /* type, then the request's first words */
    std::copy(std::begin(head), std::end(head), made.begin() + 12);
    return made;
}

/* A ping of 26 bytes, all zeros but what it must have. */
bytes echo_request()
{
    bytes made(FRAME_BYTES_MIN);
    const uint8_t ip[] = {0x08, 0, 0x45, 0,  0, 46,   0,
                          0,    0, 0,    64, 1, 0x7a, 0xd0}; /* type, then IP up to its checksum */
    std::copy(std::begin(ip), std::end(ip), made.begin() + 12);
    made[34] = 8;
    made[36] = 0xf7;
    made[37] = 0xff;
    return made;
}

bytes message(uint8_t command, uint8_t first, uint8_t second)
{
    bytes made(26 + 8);
    made[2] = 0x87;
    made[10] = command;
    made[14] = first;
    made[18] = second;
    return made;
}

void write_frames(const fs::path &folder)
{
    for (const uint32_t size : {0u, 26u, 282u, 1472u}) {
        put(folder / ("udp" + std::to_string(size)), frame(size));
    }
    put(folder / "arp", arp_request());
    put(folder / "echo", echo_request());
    put(folder / "version", message(0, 0, 0));
    put(folder / "read", message(17, 4, 8));
    put(folder / "write", message(18, 4, 8));
    put(folder / "information", message(48, 3, 0));
    put(folder / "power", message(57, 1, 1));
}

/* ---- registers, semihosting ---- */

bytes random_bytes(uint32_t seed, size_t size)
{
    std::mt19937 random(seed);
    bytes made(size);
    for (uint8_t &byte : made) {
        byte = static_cast<uint8_t>(random());
    }
    return made;
}

/* ---- a saved run ---- */

void write_state(const fs::path &path)
{
    const bytes page(STATE_PAGE_BYTES, 7);
    const bytes large(1000, 3);
    const uint8_t *const pages[] = {page.data(), nullptr, page.data()};
    struct state_writer writer;
    struct diagnostic diagnostic = {};
    uint8_t *all = nullptr;
    size_t size = 0;
    state_writer_init(&writer);
    state_add(&writer, "session", 1, large.data(), large.size());
    state_add(&writer, "empty", 1, "", 0);
    state_add_pages(&writer, pages, sizeof pages / sizeof *pages);
    expect(state_pack(&writer, false, &all, &size, &diagnostic), diagnostic);
    put(path, bytes(all, all + size));
    free(all);
    state_writer_deinit(&writer);
}

} // namespace

#ifdef SPINN_HAS_HDF5
void make_keras_seeds(const fs::path &folder); /* make_keras_seeds.cpp */
#endif

int main(int argc, char **argv)
{
    if (argc != 2) {
        (void)fputs("usage: fuzz_seeds FOLDER\n", stderr);
        return 2;
    }
    const fs::path folder = argv[1];
    write_arrays(folder / "npz");
    write_images(folder / "npz");
    write_small_weights(folder / "npz");
    write_models(folder / "onnx");
    put(folder / "idx" / "labels", idx({12}));
    put(folder / "idx" / "images", idx({3, 4, 5}));
    put_packed(folder / "idx" / "labels.gz", idx({12}));
    for (const uint32_t address : {0x8000u, 0x00400000u, 0x60000000u}) {
        put(folder / "elf" / std::to_string(address), elf(address, greeting()));
    }
    put(folder / "elf" / "aplx", aplx(greeting()));
    write_frames(folder / "frame");
    write_state(folder / "state" / "two_sections");
    const small_training training;
    training.write_checkpoint(folder / "checkpoint");
    fs::rename(folder / "checkpoint" / CHECKPOINT_FILE, folder / "checkpoint" / "begun");
    for (uint32_t seed = 1; seed <= 4; seed++) {
        put(folder / "registers" / std::to_string(seed), random_bytes(seed, size_t{300} * seed));
    }
    for (uint32_t seed = 1; seed <= 16; seed++) {
        put(folder / "semihosting" / std::to_string(seed), random_bytes(seed, size_t{40} * seed));
    }
#ifdef SPINN_HAS_HDF5
    make_keras_seeds(folder);
#endif
    return 0;
}
