/* semihosting.c - see semihosting.h: which call it is, and those that are not about files. */
#include "sim/flat/semihosting.h"

#include "sim/flat/semihosting_calls.h"

#include <errno.h>
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
    SYS_TMPNAM = 0x0d,
    SYS_REMOVE = 0x0e,
    SYS_RENAME = 0x0f,
    SYS_CLOCK = 0x10,
    SYS_TIME = 0x11,
    SYS_ERRNO = 0x13,
    SYS_GET_CMDLINE = 0x15,
    SYS_HEAPINFO = 0x16,
    SYS_EXIT = 0x18,
    SYS_EXIT_EXTENDED = 0x20
};

enum {
    APPLICATION_EXIT = 0x20026,
    CYCLES_PER_CENTISECOND = 2000000,
    CYCLES_PER_SECOND = 200000000
};

/* ---- guest memory ---- */

uint8_t *semihosting_guest(const struct semihosting *semihosting, uint32_t address, uint32_t bytes)
{
    const uint32_t offset = address - semihosting->ram_base;
    if (offset >= semihosting->ram_bytes || semihosting->ram_bytes - offset < bytes) {
        return NULL;
    }
    return semihosting->ram + offset;
}

uint32_t semihosting_argument(const struct semihosting *semihosting, uint32_t block, unsigned index)
{
    uint32_t value = 0;
    const uint8_t *bytes = semihosting_guest(semihosting, block + 4 * index, sizeof value);
    if (bytes != NULL) {
        memcpy(&value, bytes, sizeof value);
    }
    return value;
}

static bool put_word(struct semihosting *semihosting, uint32_t address, uint32_t value)
{
    uint8_t *bytes = semihosting_guest(semihosting, address, sizeof value);
    if (bytes == NULL) {
        return false;
    }
    memcpy(bytes, &value, sizeof value);
    arm968_code_written(semihosting->cpu, address, sizeof value);
    return true;
}

/* ---- errors ---- */

/* Up to this number newlib's errno values equal those of Linux; some of the others differ. */
enum { SAME_ERRORS_MOST = ERANGE, NEWLIB_NOT_SUPPORTED = 88, NEWLIB_NAME_TOO_LONG = 91 };

uint32_t semihosting_fail(struct semihosting *semihosting, int error)
{
    semihosting->error_number = error <= SAME_ERRORS_MOST ? (uint32_t)error
                                : error == ENAMETOOLONG   ? NEWLIB_NAME_TOO_LONG
                                : error == ENOSYS         ? NEWLIB_NOT_SUPPORTED
                                : error == EDQUOT         ? ENOSPC
                                                          : EIO;
    return SEMIHOSTING_FAILED;
}

/* ---- console ---- */

static uint32_t write_byte(struct semihosting *semihosting, uint32_t address)
{
    const uint8_t *byte = semihosting_guest(semihosting, address, 1);
    if (byte != NULL) {
        console_put(&semihosting->console, *byte);
    }
    return 0;
}

static uint32_t write_string(struct semihosting *semihosting, uint32_t address)
{
    struct console *console = &semihosting->console;
    const uint8_t *bytes = semihosting_guest(semihosting, address, 1);
    int error;
    if (bytes != NULL) {
        const size_t most = semihosting->ram_bytes - (address - semihosting->ram_base);
        (void)console_write(console, console->output, bytes, strnlen((const char *)bytes, most),
                            &error);
    }
    return 0;
}

static uint32_t read_byte(struct semihosting *semihosting)
{
    uint8_t byte;
    int error;
    if (console_read(&semihosting->console, &byte, 1, &error) == 1) {
        return byte;
    }
    return error == 0 ? SEMIHOSTING_FAILED : semihosting_fail(semihosting, error);
}

/* ---- command line, memory, exit ---- */

static void tell_too_long(struct semihosting *semihosting, uint32_t needed, uint32_t capacity)
{
    struct diagnostic about;
    if (semihosting->told_too_long || semihosting->warn == NULL) {
        return;
    }
    semihosting->told_too_long = true;
    (void)diagnose(&about, STATUS_GUEST,
                   "the command line takes %u bytes, the program has room for %u: it gets none",
                   needed, capacity);
    diagnostic_at(&about, semihosting->program, 0, 0);
    semihosting->warn(&about);
}

static uint32_t command_line(struct semihosting *semihosting, uint32_t block)
{
    const uint32_t buffer = semihosting_argument(semihosting, block, 0);
    const uint32_t capacity = semihosting_argument(semihosting, block, 1);
    const uint32_t needed = (uint32_t)strlen(semihosting->command_line) + 1;
    uint8_t *bytes = semihosting_guest(semihosting, buffer, needed);
    if (capacity < needed) {
        tell_too_long(semihosting, needed, capacity);
        return semihosting_fail(semihosting, E2BIG);
    }
    if (bytes == NULL) {
        return semihosting_fail(semihosting, EFAULT);
    }
    memcpy(bytes, semihosting->command_line, needed);
    arm968_code_written(semihosting->cpu, buffer, needed);
    return put_word(semihosting, block + 4, needed - 1) ? 0 : SEMIHOSTING_FAILED;
}

/* SYS_HEAPINFO: heap base, heap limit, stack base, stack limit.  Heap and stack share the RAM
 * behind the program; the stack begins at its top. */
static uint32_t heap_info(struct semihosting *semihosting, uint32_t block)
{
    const uint32_t address = semihosting_argument(semihosting, block, 0);
    const uint32_t top = semihosting->ram_base + semihosting->ram_bytes;
    const uint32_t limit = top - semihosting->ram_bytes / 4;
    if (!put_word(semihosting, address, semihosting->heap_base) ||
        !put_word(semihosting, address + 4, limit) || !put_word(semihosting, address + 8, top) ||
        !put_word(semihosting, address + 12, limit)) {
        return semihosting_fail(semihosting, EFAULT);
    }
    semihosting->stack_limit = limit;
    return 0;
}

static void leave(struct semihosting *semihosting, uint32_t reason, uint32_t status)
{
    semihosting->exited = true;
    semihosting->exit_status = reason == APPLICATION_EXIT ? (int)(status & 0xff) : 1;
}

/* ---- which call it is ---- */

static uint32_t perform_file_call(struct semihosting *semihosting, uint32_t operation,
                                  uint32_t block)
{
    static uint32_t (*const CALLS[])(struct semihosting *, uint32_t) = {
        [SYS_OPEN] = semihosting_open,     [SYS_CLOSE] = semihosting_close,
        [SYS_WRITE] = semihosting_write,   [SYS_READ] = semihosting_read,
        [SYS_SEEK] = semihosting_seek,     [SYS_ISTTY] = semihosting_is_terminal,
        [SYS_FLEN] = semihosting_length,   [SYS_TMPNAM] = semihosting_temporary_name,
        [SYS_REMOVE] = semihosting_remove, [SYS_RENAME] = semihosting_rename,
    };
    const bool known = operation < sizeof CALLS / sizeof *CALLS && CALLS[operation] != NULL;
    return known ? CALLS[operation](semihosting, block) : semihosting_fail(semihosting, ENOSYS);
}

static uint32_t perform(struct semihosting *semihosting, uint32_t operation, uint32_t block)
{
    const uint64_t cycles = arm968_cycle(semihosting->cpu);
    switch (operation) {
    case SYS_WRITEC:
        return write_byte(semihosting, block);
    case SYS_WRITE0:
        return write_string(semihosting, block);
    case SYS_READC:
        return read_byte(semihosting);
    case SYS_ISERROR:
        return (int32_t)semihosting_argument(semihosting, block, 0) < 0;
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
        leave(semihosting, semihosting_argument(semihosting, block, 0),
              semihosting_argument(semihosting, block, 1));
        return 0;
    default:
        return perform_file_call(semihosting, operation, block);
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
