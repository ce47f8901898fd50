/* guest.cpp - see guest.h. */
#include "tests/chaos/guest.h"

#include "tests/chaos/functions.h"
#include "tests/support/shell_word.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <unistd.h>

extern "C" {
#include "sim/load/elf_image.h"
}

namespace
{

constexpr uint32_t ITCM_END = 0x8000;

[[noreturn]] void fail(const std::string &why)
{
    std::cerr << "chaos: " << why << "\n";
    _exit(3);
}

void read_image(const std::string &path, guest *guest)
{
    struct elf_image image = {};
    struct diagnostic why = {};
    if (elf_image_read(&image, path.c_str(), &why) != STATUS_OK) {
        fail(why.text);
    }
    guest->entry = image.entry;
    for (size_t i = 0; i < image.segment_count; i++) {
        const struct elf_segment &from = image.segment[i];
        if (from.file_bytes > 0) {
            guest->segments.push_back(
                {from.address, std::vector<uint8_t>(from.bytes, from.bytes + from.file_bytes)});
        }
        if (from.address < ITCM_END) {
            guest->code_end = from.address + from.file_bytes;
        }
    }
    elf_image_deinit(&image);
}

} // namespace

bool has_guest_compiler()
{
    return SPINN_ARM_GCC[0] != '\0';
}

std::shared_ptr<const guest> make_guest(uint32_t number)
{
    static const char *const LEVELS[] = {"-O0", "-O1", "-O2", "-O3"};
    auto made = std::make_shared<guest>();
    made->thumb = number / 4 % 2 != 0;
    made->name = std::string(LEVELS[number % 4]) + (made->thumb ? " -mthumb" : " -marm");
    std::string folder =
        (std::filesystem::temp_directory_path() / "spinnsim_chaos_XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) {
        fail("no folder " + folder);
    }
    std::ofstream(folder + "/functions.c") << random_functions(number);
    const std::string sources = SPINN_CHAOS_GUEST;
    const std::string command =
        shell_word(SPINN_ARM_GCC) + " -mcpu=arm968e-s -std=c17 -ffreestanding -nostdlib -w " +
        made->name + " -fno-strict-aliasing -T " + shell_word(sources + "/guest.ld") + " -I" +
        shell_word(sources) + " " + shell_word(sources + "/start.S") + " " +
        shell_word(sources + "/guest.c") + " " + shell_word(folder + "/functions.c") +
        " -lgcc -o " + shell_word(folder + "/guest.elf");
    if (system(command.c_str()) != 0) {
        fail("the compiler failed; its input is left in " + folder + "\n" + command);
    }
    read_image(folder + "/guest.elf", made.get());
    std::filesystem::remove_all(folder);
    return made;
}
