/* semihosting.c - see semihosting.h. */
#include "sim/flat/semihosting.h"

#include <string.h>

enum operation {
    SYS_OPEN = 0x01,
    SYS_CLOSE = 0x02,
    SYS_WRITEC = 0x03,
    SYS_WRITE0 = 0x04,
    SYS_WRITE = 0x05,
    SYS_READ = 0x06,
    SYS_READC = 0x07,
    SYS_ISERROR = 0x08,
    SYS_ISTTY = 0x09,
    SYS_SEEK = 0x0a,
    SYS_FLEN = 0x0c,
    SYS_CLOCK = 0x10,
    SYS_TIME = 0x11,
    SYS_ERRNO = 0x13,
    SYS_GET_CMDLINE = 0x15,
    SYS_HEAPINFO = 0x16,
    SYS_EXIT = 0x18,
    SYS_EXIT_EXTENDED = 0x20
};

enum handle { HANDLE_NONE, HANDLE_INPUT, HANDLE_OUTPUT, HANDLE_ERROR, HANDLE_FEATURES };

enum {
    OPEN_FIRST_WRITE = 4,  /* modes 0-3 read, 4-7 write, 8-11 append */
    OPEN_FIRST_APPEND = 8, /* ":tt" for appending is standard error */
    APPLICATION_EXIT = 0x20026,
    ERROR_NO_FILE = 2,    /* ENOENT */
    ERROR_BAD_HANDLE = 9, /* EBADF */
    CYCLES_PER_CENTISECOND = 2000000,
    CYCLES_PER_SECOND = 200000000
};

#define FAILED 0xffffffffu

/* What newlib asks before it passes an exit status on: magic, and bit 0 = SYS_EXIT_EXTENDED, bit 1
 * = ":tt" distinguishes standard output and error. */
static const uint8_t FEATURES[] = {'S', 'H', 'F', 'B', 3};

/* Guest memory, or NULL when the range is not wholly RAM. */
static uint8_t *guest(const struct semihosting *semihosting, uint32_t address, uint32_t bytes)
{
    const uint32_t offset = address - semihosting->ram_base;
    if (offset >= semihosting->ram_bytes || semihosting->ram_bytes - offset < bytes) {
        return NULL;
    }
    return semihosting->ram + offset;
}

/* Word number `index` of the argument block, 0 when it is not in RAM. */
static uint32_t argument(const struct semihosting *semihosting, uint32_t block, unsigned index)
{
    uint32_t value = 0;
    const uint8_t *bytes = guest(semihosting, block + 4 * index, sizeof value);
    if (bytes != NULL) {
        memcpy(&value, bytes, sizeof value);
    }
    return value;
}

static bool put_word(struct semihosting *semihosting, uint32_t address, uint32_t value)
{
    uint8_t *bytes = guest(semihosting, address, sizeof value);
    if (bytes == NULL) {
        return false;
    }
    memcpy(bytes, &value, sizeof value);
    arm968_code_written(semihosting->cpu, address, sizeof value);
    return true;
}

static uint32_t fail(struct semihosting *semihosting, uint32_t error)
{
    semihosting->error_number = error;
    return FAILED;
}

static uint32_t open_file(struct semihosting *semihosting, uint32_t block)
{
    const uint32_t mode = argument(semihosting, block, 1);
    const uint32_t length = argument(semihosting, block, 2);
    const uint8_t *name = guest(semihosting, argument(semihosting, block, 0), length);
    static const char CONSOLE_NAME[] = ":tt";
    static const char FEATURES_NAME[] = ":semihosting-features";
    if (name == NULL) {
        return fail(semihosting, ERROR_NO_FILE);
    }
    if (length == strlen(CONSOLE_NAME) && memcmp(name, CONSOLE_NAME, length) == 0) {
        return mode < OPEN_FIRST_WRITE    ? HANDLE_INPUT
               : mode < OPEN_FIRST_APPEND ? HANDLE_OUTPUT
                                          : HANDLE_ERROR;
    }
    if (length == strlen(FEATURES_NAME) && memcmp(name, FEATURES_NAME, length) == 0) {
        semihosting->features_position = 0;
        return HANDLE_FEATURES;
    }
    return fail(semihosting, ERROR_NO_FILE);
}

static FILE *output_of(const struct semihosting *semihosting, uint32_t handle)
{
    return handle == HANDLE_OUTPUT  ? semihosting->output
           : handle == HANDLE_ERROR ? semihosting->error
                                    : NULL;
}

/* Returns the number of bytes not written. */
static uint32_t write_file(struct semihosting *semihosting, uint32_t block)
{
    const uint32_t length = argument(semihosting, block, 2);
    const uint8_t *bytes = guest(semihosting, argument(semihosting, block, 1), length);
    FILE *stream = output_of(semihosting, argument(semihosting, block, 0));
    if (stream == NULL || bytes == NULL) {
        semihosting->error_number = ERROR_BAD_HANDLE;
        return length;
    }
    return length - (uint32_t)fwrite(bytes, 1, length, stream);
}

/* Returns the number of bytes not read. */
static uint32_t read_file(struct semihosting *semihosting, uint32_t block)
{
    const uint32_t handle = argument(semihosting, block, 0);
    const uint32_t address = argument(semihosting, block, 1);
    const uint32_t length = argument(semihosting, block, 2);
    uint8_t *bytes = guest(semihosting, address, length);
    if (bytes == NULL || length == 0) {
        return length;
    }
    uint32_t got = 0;
    if (handle == HANDLE_FEATURES) {
        const uint32_t left = (uint32_t)sizeof FEATURES - semihosting->features_position;
        got = length < left ? length : left;
        memcpy(bytes, FEATURES + semihosting->features_position, got);
        semihosting->features_position += got;
    } else if (handle == HANDLE_INPUT &&
               fgets((char *)bytes, (int)(length & 0x7fffffff), semihosting->input) != NULL) {
        got = (uint32_t)strlen((const char *)bytes); /* a line at a time, as a terminal gives it */
    }
    arm968_code_written(semihosting->cpu, address, length);
    return length - got;
}

static uint32_t write_string(struct semihosting *semihosting, uint32_t address)
{
    for (;; address++) {
        const uint8_t *byte = guest(semihosting, address, 1);
        if (byte == NULL || *byte == 0) {
            return 0;
        }
        (void)fputc(*byte, semihosting->output);
    }
}

static uint32_t command_line(struct semihosting *semihosting, uint32_t block)
{
    const uint32_t buffer = argument(semihosting, block, 0);
    const uint32_t capacity = argument(semihosting, block, 1);
    const uint32_t length = (uint32_t)strlen(semihosting->command_line);
    uint8_t *bytes = guest(semihosting, buffer, length + 1);
    if (bytes == NULL || capacity < length + 1) {
        return FAILED;
    }
    memcpy(bytes, semihosting->command_line, length + 1);
    arm968_code_written(semihosting->cpu, buffer, length + 1);
    return put_word(semihosting, block + 4, length) ? 0 : FAILED;
}

/* heap base, heap limit, stack base, stack limit: the RAM behind the program, the stack from its
 * top. */
static uint32_t heap_info(struct semihosting *semihosting, uint32_t block)
{
    const uint32_t address = argument(semihosting, block, 0);
    const uint32_t top = semihosting->ram_base + semihosting->ram_bytes;
    (void)put_word(semihosting, address, semihosting->heap_base);
    (void)put_word(semihosting, address + 4, top - semihosting->ram_bytes / 4);
    (void)put_word(semihosting, address + 8, top);
    (void)put_word(semihosting, address + 12, top - semihosting->ram_bytes / 4);
    return 0;
}

static void leave(struct semihosting *semihosting, uint32_t reason, uint32_t status)
{
    semihosting->exited = true;
    semihosting->exit_status = reason == APPLICATION_EXIT ? (int)(status & 0xff) : 1;
}

static uint32_t perform(struct semihosting *semihosting, uint32_t operation, uint32_t block)
{
    const uint64_t cycles = arm968_cycle(semihosting->cpu);
    const uint32_t handle = argument(semihosting, block, 0);
    switch (operation) {
    case SYS_OPEN:
        return open_file(semihosting, block);
    case SYS_CLOSE:
        return handle >= HANDLE_INPUT && handle <= HANDLE_FEATURES ? 0 : FAILED;
    case SYS_WRITEC: {
        const uint8_t *byte = guest(semihosting, block, 1);
        if (byte != NULL) {
            (void)fputc(*byte, semihosting->output);
        }
        return 0;
    }
    case SYS_WRITE0:
        return write_string(semihosting, block);
    case SYS_WRITE:
        return write_file(semihosting, block);
    case SYS_READ:
        return read_file(semihosting, block);
    case SYS_READC:
        return (uint32_t)fgetc(semihosting->input);
    case SYS_ISERROR:
        return (int32_t)handle < 0;
    case SYS_ISTTY:
        return handle >= HANDLE_INPUT && handle <= HANDLE_ERROR;
    case SYS_SEEK:
        if (handle == HANDLE_FEATURES && argument(semihosting, block, 1) <= sizeof FEATURES) {
            semihosting->features_position = argument(semihosting, block, 1);
            return 0;
        }
        return fail(semihosting, ERROR_BAD_HANDLE);
    case SYS_FLEN:
        return handle == HANDLE_FEATURES ? (uint32_t)sizeof FEATURES : 0;
    case SYS_CLOCK:
        return (uint32_t)(cycles / CYCLES_PER_CENTISECOND);
    case SYS_TIME:
        return (uint32_t)(cycles / CYCLES_PER_SECOND);
    case SYS_ERRNO:
        return semihosting->error_number;
    case SYS_GET_CMDLINE:
        return command_line(semihosting, block);
    case SYS_HEAPINFO:
        return heap_info(semihosting, block);
    case SYS_EXIT:
        leave(semihosting, block, 0);
        return 0;
    case SYS_EXIT_EXTENDED:
        leave(semihosting, handle, argument(semihosting, block, 1));
        return 0;
    default:
        return FAILED;
    }
}

void semihosting_call(struct semihosting *semihosting)
{
    struct arm968 *cpu = semihosting->cpu;
    const uint32_t result = perform(semihosting, arm968_register(cpu, 0), arm968_register(cpu, 1));
    if (!semihosting->exited) {
        arm968_set_register(cpu, 0, result);
    }
}
