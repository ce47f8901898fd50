/* aplx.c - see aplx.h. */
#include "sim/load/aplx.h"

#include "sim/file.h"
#include "sim/steps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum operation { COPY_ABSOLUTE = 1, COPY_RELATIVE = 2, FILL = 3, EXECUTE = 4 };

enum {
    COMMAND_BYTES = 16,
    STEP_BYTES = 32,
    MOST_BYTES = 1 << 20, /* of a copy or a fill; a chip's System RAM and TCMs are smaller */
    MOST_COMMANDS = 64    /* SC&MP's table, the longest one known, has room for 8 */
};

struct command {
    uint32_t operation, argument[3];
};

static struct command command_at(const uint8_t *file, size_t offset)
{
    struct command command;
    memcpy(&command, file + offset, sizeof command);
    return command;
}

bool aplx_is(const uint8_t *file, size_t bytes)
{
    return bytes >= COMMAND_BYTES && command_at(file, 0).operation == COPY_RELATIVE;
}

struct reading {
    struct elf_image *image;
    size_t offset; /* of the command */
    struct command command;
    bool has_entry;
    struct diagnostic *diagnostic;
};

static enum status refuse(const struct reading *reading, const char *what)
{
    return file_refuse(reading->image->path, "the file is damaged or cut short; build it again",
                       reading->diagnostic, "APLX command %" PRIu32 " (offset %zu): %s",
                       reading->command.operation, reading->offset, what);
}

/* The length of a copy or a fill as the loader sees it. */
static enum status rounded(const struct reading *reading, uint32_t bytes, uint32_t *length)
{
    if (bytes > MOST_BYTES) {
        return refuse(reading, "more bytes than a core's memories have");
    }
    *length = (bytes + STEP_BYTES - 1) / STEP_BYTES * STEP_BYTES;
    return STATUS_OK;
}

/* Adds a segment of `length` bytes: those that the file has, then `fill`. */
static enum status add(const struct reading *reading, struct elf_segment segment)
{
    struct elf_image *image = reading->image;
    if (segment.memory_bytes > UINT32_MAX - segment.address) {
        return refuse(reading, "it ends above 4 GiB");
    }
    if (segment.memory_bytes > 0) {
        image->segment[image->segment_count++] = segment;
    }
    return STATUS_OK;
}

static uint32_t smaller(uint64_t a, uint32_t b)
{
    return a < b ? (uint32_t)a : b;
}

/* What the last step takes from behind the file, the loader takes from whatever lies there in
 * memory; here it is zeros. */
static enum status copy_relative(const struct reading *reading, uint32_t length)
{
    const struct elf_image *image = reading->image;
    const uint32_t *argument = reading->command.argument;
    const uint64_t from = reading->offset + (uint64_t)argument[1];
    if (from + argument[2] > image->file_size) {
        return refuse(reading, "it copies from beyond the file");
    }
    return add(reading, (struct elf_segment){.address = argument[0],
                                             .file_bytes = smaller(image->file_size - from, length),
                                             .memory_bytes = length,
                                             .bytes = image->file + from});
}

static enum status copy_absolute(const struct reading *reading, uint32_t length)
{
    const uint32_t *argument = reading->command.argument;
    const struct elf_image *image = reading->image;
    for (size_t i = image->segment_count; i-- > 0;) {
        const struct elf_segment *from = &image->segment[i];
        const uint32_t offset = argument[1] - from->address;
        if (argument[1] < from->address || offset % sizeof from->fill != 0 ||
            offset + (uint64_t)length > from->memory_bytes) {
            continue;
        }
        const uint32_t taken = smaller(offset, from->file_bytes);
        return add(reading,
                   (struct elf_segment){.address = argument[0],
                                        .file_bytes = smaller(from->file_bytes - taken, length),
                                        .memory_bytes = length,
                                        .fill = from->fill,
                                        .bytes = from->bytes + taken});
    }
    return refuse(reading, "it copies from memory that no command before has filled as a whole");
}

static enum status execute(struct reading *reading)
{
    const struct elf_image *image = reading->image;
    const size_t next = reading->offset + COMMAND_BYTES;
    if (next + COMMAND_BYTES <= image->file_size) {
        const uint32_t operation = command_at(image->file, next).operation;
        if (operation >= COPY_ABSOLUTE && operation <= EXECUTE) {
            return file_refuse(image->path, "spinnsim serve boots boards with boot images",
                               reading->diagnostic,
                               "APLX command %d (offset %zu): it goes on behind code that it "
                               "executes, as boot images do",
                               EXECUTE, reading->offset);
        }
    }
    reading->image->entry = reading->command.argument[0];
    reading->has_entry = true;
    return STATUS_OK;
}

static enum status obey(struct reading *reading)
{
    const uint32_t *argument = reading->command.argument;
    uint32_t length = 0;
    switch (reading->command.operation) {
    case COPY_ABSOLUTE:
        TRY(rounded(reading, argument[2], &length));
        return copy_absolute(reading, length);
    case COPY_RELATIVE:
        TRY(rounded(reading, argument[2], &length));
        return copy_relative(reading, length);
    case FILL:
        TRY(rounded(reading, argument[1], &length));
        return add(reading, (struct elf_segment){.address = argument[0],
                                                 .memory_bytes = length,
                                                 .fill = argument[2],
                                                 .bytes = reading->image->file});
    case EXECUTE:
        return execute(reading);
    default:
        return refuse(reading, "the table ends, and nothing has been executed");
    }
}

enum status aplx_read(struct elf_image *image, struct diagnostic *diagnostic)
{
    struct reading reading = {.image = image, .diagnostic = diagnostic};
    image->is_aplx = true;
    image->segment = calloc(MOST_COMMANDS, sizeof *image->segment);
    if (image->segment == NULL) {
        return no_memory(diagnostic);
    }
    for (unsigned i = 0; i < MOST_COMMANDS && !reading.has_entry; i++) {
        const size_t offset = (size_t)i * COMMAND_BYTES;
        if (offset + COMMAND_BYTES > image->file_size) {
            return refuse(&reading, "the file ends behind it");
        }
        reading.offset = offset;
        reading.command = command_at(image->file, reading.offset);
        TRY(obey(&reading));
    }
    return reading.has_entry ? STATUS_OK : refuse(&reading, "the table has no end");
}
