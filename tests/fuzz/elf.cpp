/* elf.cpp - an ELF file: read, asked, checked against a chip's memories, and run for some
 * instructions under `spinnsim elf`. */
#include "tests/fuzz/harness.h"

#include <cstring>

extern "C" {
#include "sim/data/sha256.h"
#include "sim/flat/elf_run.h"
#include "sim/load/elf_image.h"
#include "sim/load/machine_load.h"
#include "sim/profile/function_map.h"
}

namespace
{

enum : uint64_t { INSTRUCTIONS = 2000 };

void ask(const struct elf_image &image)
{
    char digest[SHA256_HEX_CHARS];
    elf_image_digest(&image, digest);
    for (size_t i = 0; i < image.symbol_count; i++) {
        const struct elf_symbol &symbol = image.symbol[i];
        const struct elf_symbol *found = elf_image_find(&image, symbol.name);
        if (found == nullptr || strcmp(found->name, symbol.name) != 0) {
            fuzz_fail("a symbol that cannot be found by its name");
        }
        (void)elf_image_at(&image, symbol.address + symbol.size);
    }
    fuzz_touch(image.compiler, strlen(image.compiler) + 1);
    for (size_t i = 0; i < image.segment_count; i++) {
        const struct elf_segment &segment = image.segment[i];
        fuzz_touch(segment.bytes, segment.file_bytes);
        (void)elf_image_bytes(&image, segment.address, segment.memory_bytes);
    }
}

void map_functions(const struct elf_image &image)
{
    struct function_map map = {};
    if (function_map_init(&map, &image) != STATUS_OK) {
        fuzz_fail("out of memory");
    }
    char room[FUNCTION_NAME_CHARS];
    const struct function_range *range = function_map_at(&map, image.entry);
    if (range == nullptr || range->first > (image.entry | 1u) || range->last < image.entry) {
        fuzz_fail("the entry has no function");
    }
    fuzz_touch(function_name(range, room), 1);
    function_map_deinit(&map);
}

/* The address sanitizer takes 20 ms to give and take 256 MiB: it sees the first program, and one in
 * so many. */
bool is_to_run()
{
    static unsigned programs;
    return !FUZZ_SANITIZED || programs++ % 32 == 0;
}

void run(const std::string &path)
{
    struct elf_run_options options = {};
    struct elf_run_result result = {};
    struct diagnostic diagnostic = {};
    options.file = path.c_str();
    options.tier = TIER_INTERPRETER;
    options.max_instructions = INSTRUCTIONS;
    (void)fuzz_is_good(elf_run(&options, &result, &diagnostic), diagnostic);
    if (result.instructions > INSTRUCTIONS) {
        fuzz_fail("more instructions than allowed");
    }
}

} // namespace

void fuzz_one(const uint8_t *bytes, size_t size)
{
    fuzz_no_console();
    const std::string path = fuzz_file("program.elf", bytes, size);
    struct elf_image image = {};
    struct diagnostic diagnostic = {};
    if (!fuzz_is_good(elf_image_read(&image, path.c_str(), &diagnostic), diagnostic)) {
        return;
    }
    ask(image);
    map_functions(image);
    const struct machine_parameters parameters = machine_parameters_default();
    (void)fuzz_is_good(machine_check_program(&parameters, &image, &diagnostic), diagnostic);
    elf_image_deinit(&image);
    if (is_to_run()) {
        run(path);
    }
}
