/* boot_rom.c - see boot_rom.h. */
#include "sim/load/boot_rom.h"

#include "sim/file.h"
#include "sim/load/elf_image.h"
#include "sim/steps.h"

#include <string.h>

/* Where a core sees the ROM when it leaves its reset. */
#define ROM_FIRST 0xffff0000u

/* Segments at other places reserve memory. */
static enum status place_segments(struct boot_rom *rom, const struct elf_image *image,
                                  struct diagnostic *diagnostic)
{
    *rom = (struct boot_rom){0};
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segment[i];
        const uint32_t at = segment->address - ROM_FIRST;
        if (segment->file_bytes == 0) {
            continue;
        }
        if (at >= sizeof rom->bytes || segment->file_bytes > sizeof rom->bytes - at) {
            return file_refuse(image->path, "workloads/boot_rom/rom.ld places one", diagnostic,
                               "this is no boot ROM: a segment is at 0x%08x",
                               (unsigned)segment->address);
        }
        memcpy(rom->bytes + at, segment->bytes, segment->file_bytes);
        rom->count = at + segment->file_bytes > rom->count ? at + segment->file_bytes : rom->count;
    }
    return image->entry == ROM_FIRST
               ? STATUS_OK
               : file_refuse(image->path, "workloads/boot_rom/rom.ld places one", diagnostic,
                             "this is no boot ROM: it begins at 0x%08x", (unsigned)image->entry);
}

enum status boot_rom_read(struct boot_rom *rom, const char *path, struct diagnostic *diagnostic)
{
    struct elf_image image = {0};
    TRY(elf_image_read(&image, path, diagnostic));
    const enum status status = place_segments(rom, &image, diagnostic);
    elf_image_deinit(&image);
    return status;
}

/* The standard contents (SpiNNaker application note 6): a block of eight words to its place in
 * System RAM, big-endian, and a byte that ends it. */
static enum status set_serial_rom(struct machine *machine, const struct handover_setup *setup,
                                  const struct handover_board *board)
{
    enum { HEAD = 8, END = 0xaa };
    static const uint8_t BLOCK[HEAD] = {0x55, 0x3a, 0x00, 0x08, 0xf5, 0x00, 0x7f, 0xe0};
    uint8_t content[HEAD + HANDOVER_SERIAL_BYTES + 1];
    uint8_t block[HANDOVER_SERIAL_BYTES];
    handover_serial_rom(setup, board, block);
    memcpy(content, BLOCK, HEAD);
    for (unsigned i = 0; i < HANDOVER_SERIAL_BYTES; i++) {
        content[HEAD + i] = block[i ^ 3];
    }
    content[HEAD + HANDOVER_SERIAL_BYTES] = END;
    return machine_set_serial_rom(machine, board->chip, content, sizeof content);
}

enum status boot_rom_start(struct machine *machine, const struct handover_setup *setup,
                           struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < setup->boards; i++) {
        if (set_serial_rom(machine, setup, &setup->board[i]) != STATUS_OK) {
            return diagnose(diagnostic, STATUS_CONFIGURATION, "board %zu has no Ethernet chip", i);
        }
    }
    return machine_leave_reset(machine) == STATUS_OK
               ? STATUS_OK
               : diagnose(diagnostic, STATUS_CONFIGURATION, "the machine has no boot ROM");
}
