/* semihosting.cpp - calls of a guest for its console and for the files of a lent folder: operations
 * with arguments and argument blocks anywhere, on a core with little RAM. */
#include "tests/fuzz/harness.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/mman.h>
#include <unistd.h>

extern "C" {
#include "sim/flat/semihosting.h"
}

namespace
{

enum : uint32_t {
    RAM_BYTES = 16384,
    CALLS = 64,
    BLOCK_WORDS = 4,
    FENCE_BYTES = 64,
    NAME_BYTES = 24
};

/* A core whose RAM lies between two fences. */
struct core {
    core()
    {
        struct arm968_config config = {};
        const struct arm968_memory memory = {0, RAM_BYTES, room + FENCE_BYTES};
        config.timing = arm968_timing_default();
        config.code = config.data = memory;
        config.id = 0x41059681;
        config.reset_control = 0x1074;
        config.semihosting = true;
        cpu = arm968_create(&config);
        if (cpu == nullptr) {
            fuzz_fail("out of memory");
        }
        memset(room, FENCE, sizeof room);
    }
    ~core()
    {
        arm968_destroy(cpu);
    }
    core(const core &) = delete;
    core &operator=(const core &) = delete;

    uint8_t *ram()
    {
        return room + FENCE_BYTES;
    }
    void expect_fences() const
    {
        for (size_t i = 0; i < FENCE_BYTES; i++) {
            if (room[i] != FENCE || room[FENCE_BYTES + RAM_BYTES + i] != FENCE) {
                fuzz_fail("written beside the guest's RAM");
            }
        }
    }

    static constexpr uint8_t FENCE = 0xa5;
    uint8_t room[RAM_BYTES + 2 * FENCE_BYTES];
    struct arm968 *cpu;
};

/* What the guest reads, and where it writes. */
struct host {
    host() : output(open("/dev/null", O_WRONLY)), input(memfd_create("input", MFD_CLOEXEC))
    {
        static const char TEXT[] = "a line\n\0\n\xff another line, longer than the first\nlast";
        if (output < 0 || write(input, TEXT, sizeof TEXT) != sizeof TEXT) {
            fuzz_fail("no files");
        }
        begin();
        (void)fuzz_file("secret", "kept", 4);
    }
    /* The lent folder as it is before a program; a link and a folder lead out of it. */
    void begin() const
    {
        std::filesystem::remove_all(lent);
        std::filesystem::create_directories(lent + "/folder");
        std::filesystem::create_symlink("../secret", lent + "/link");
        std::filesystem::create_directory_symlink("..", lent + "/folder/up");
        (void)lseek(input, 0, SEEK_SET);
    }
    /* Nothing beside it has been made, changed or removed. */
    void expect_kept() const
    {
        unsigned others = 0;
        for (const auto &entry : std::filesystem::directory_iterator(fuzz_folder())) {
            others += entry.path() != lent && entry.path().filename() != "secret" ? 1 : 0;
        }
        char text[8] = {};
        const int file = open((fuzz_folder() + "/secret").c_str(), O_RDONLY);
        const ssize_t bytes = read(file, text, sizeof text);
        (void)close(file);
        if (others != 0 || bytes != 4 || memcmp(text, "kept", 4) != 0) {
            fuzz_fail("a file outside the lent folder was changed");
        }
    }

    const std::string lent = fuzz_folder() + "/lent";
    int output, input;
};

/* An address: in RAM, near its end, or anywhere. */
uint32_t address(fuzz_reader *reader)
{
    const uint32_t value = reader->word();
    switch (value >> 30) {
    case 0:
        return value;
    case 1:
        return RAM_BYTES - value % 32;
    default:
        return value % RAM_BYTES;
    }
}

enum operation : uint32_t { OPEN = 0x01, REMOVE = 0x0e, RENAME = 0x0f };
constexpr uint32_t OPERATION[] = {OPEN, 0x02,   0x03,   0x04, 0x05, 0x06, 0x07, 0x08,   0x09, OPEN,
                                  0x0a, 0x0c,   0x0d,   0x05, 0x06, 0x10, 0x11, 0x12,   0x13, 0x15,
                                  0x16, REMOVE, RENAME, 0x30, 0x31, 0x18, 0x20, 0x12345};
constexpr const char *NAMES[] = {":tt",
                                 ":semihosting-features",
                                 "a",
                                 "/etc/passwd",
                                 "",
                                 "../secret",
                                 "folder/b",
                                 "link",
                                 "folder/up/secret",
                                 "folder/../../secret",
                                 "/tmp/a"};
enum : uint32_t { NAME_COUNT = sizeof NAMES / sizeof *NAMES, NAME_ROOM = 64 };

void put_names(uint8_t *ram)
{
    for (uint32_t i = 0; i < NAME_COUNT; i++) {
        memcpy(ram + size_t{NAME_ROOM} * i, NAMES[i], strlen(NAMES[i]) + 1);
    }
}

/* The words of an argument block: what the operation expects, or small numbers and addresses. */
std::array<uint32_t, BLOCK_WORDS> arguments(uint32_t operation, fuzz_reader *reader)
{
    const uint32_t how = reader->byte();
    const uint32_t name = reader->byte() % NAME_COUNT;
    const auto length = static_cast<uint32_t>(strlen(NAMES[name]));
    if (how % 4 != 0 && operation == OPEN) {
        return {NAME_ROOM * name, reader->byte() % 14u, length, 0};
    }
    if (how % 4 != 0 && (operation == REMOVE || operation == RENAME)) {
        const uint32_t to = reader->byte() % NAME_COUNT;
        return {NAME_ROOM * name, length, NAME_ROOM * to, static_cast<uint32_t>(strlen(NAMES[to]))};
    }
    return {how % 8, address(reader), reader->byte(), address(reader)};
}

} // namespace

void fuzz_one(const uint8_t *bytes, size_t size)
{
    static const host host;
    static core core;
    fuzz_reader reader(bytes, size);
    struct semihosting semihosting = {};
    memset(core.ram(), 0, RAM_BYTES);
    put_names(core.ram());
    const struct flat_core flat = {core.cpu, core.ram(), 0, RAM_BYTES};
    semihosting.core = &flat;
    semihosting.heap_base = RAM_BYTES / 2;
    semihosting.command_line = "program one two";
    semihosting.console.input = host.input;
    semihosting.console.output = semihosting.console.error = host.output;
    semihosting.console.interrupt = -1;
    host_files_init(&semihosting.files);
    const bool lends = reader.byte() % 4 != 0;
    if (lends && host_files_lend(&semihosting.files, host.lent.c_str()) != 0) {
        fuzz_fail("the folder cannot be lent");
    }
    for (unsigned call = 0; call < CALLS && reader.left() > 0 && !semihosting.exited; call++) {
        const uint32_t operation = OPERATION[reader.byte() % (sizeof OPERATION / 4)];
        const uint32_t block = address(&reader);
        const auto words = arguments(operation, &reader);
        if (block < RAM_BYTES - sizeof words) {
            memcpy(core.ram() + block, words.data(), sizeof words);
        }
        arm968_set_register(core.cpu, 0, operation);
        arm968_set_register(core.cpu, 1, block);
        semihosting_perform(&semihosting);
    }
    host_files_deinit(&semihosting.files);
    core.expect_fences();
    if (lends) {
        host.expect_kept();
        host.begin();
    }
}
