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

/* ---- console ---- */

static int write_byte(struct semihosting *semihosting, struct semihosting_call *call)
{
    const uint8_t *byte = flat_core_bytes(semihosting->core, call->block, 1);
    if (byte != NULL) {
        console_put(&semihosting->console, *byte);
    }
    return 0;
}

static int write_string(struct semihosting *semihosting, struct semihosting_call *call)
{
    const struct flat_core *core = semihosting->core;
    struct console *console = &semihosting->console;
    const uint8_t *bytes = flat_core_bytes(core, call->block, 1);
    int error;
    if (bytes != NULL) {
        const size_t most = core->bytes - (call->block - core->base);
        (void)console_write(console, console->output, bytes, strnlen((const char *)bytes, most),
                            &error);
    }
    return 0;
}

static int read_byte(struct semihosting *semihosting, struct semihosting_call *call)
{
    uint8_t byte;
    int error;
    const bool got = console_read(&semihosting->console, &byte, 1, &error) == 1;
    call->result = got ? byte : SEMIHOSTING_FAILED;
    return error;
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

static int command_line(struct semihosting *semihosting, struct semihosting_call *call)
{
    const uint32_t capacity = call->argument[1];
    const uint32_t needed = (uint32_t)strlen(semihosting->command_line) + 1;
    const uint32_t length = needed - 1;
    if (capacity < needed) {
        tell_too_long(semihosting, needed, capacity);
        return E2BIG;
    }
    if (!semihosting_put(semihosting, call->argument[0], semihosting->command_line, needed)) {
        return EFAULT;
    }
    if (!semihosting_put(semihosting, call->block + 4, &length, sizeof length)) {
        call->result = SEMIHOSTING_FAILED;
    }
    return 0;
}

/* Heap and stack share the RAM behind the program; the stack begins at its top. */
static int heap_info(struct semihosting *semihosting, struct semihosting_call *call)
{
    const uint32_t top = semihosting->core->base + semihosting->core->bytes;
    const uint32_t limit = top - semihosting->core->bytes / 4;
    /* heap base, heap limit, stack base, stack limit */
    const uint32_t info[] = {semihosting->heap_base, limit, top, limit};
    for (uint32_t i = 0; i < 4; i++) {
        if (!semihosting_put(semihosting, call->argument[0] + 4 * i, &info[i], sizeof info[i])) {
            return EFAULT;
        }
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

static int perform_other(struct semihosting *semihosting, uint32_t operation,
                         struct semihosting_call *call)
{
    static int (*const CALLS[])(struct semihosting *, struct semihosting_call *) = {
        [SYS_OPEN] = semihosting_open,     [SYS_CLOSE] = semihosting_close,
        [SYS_WRITEC] = write_byte,         [SYS_WRITE0] = write_string,
        [SYS_WRITE] = semihosting_write,   [SYS_READ] = semihosting_read,
        [SYS_READC] = read_byte,           [SYS_ISTTY] = semihosting_is_terminal,
        [SYS_SEEK] = semihosting_seek,     [SYS_FLEN] = semihosting_length,
        [SYS_REMOVE] = semihosting_remove, [SYS_TMPNAM] = semihosting_temporary_name,
        [SYS_RENAME] = semihosting_rename, [SYS_GET_CMDLINE] = command_line,
        [SYS_HEAPINFO] = heap_info,
    };
    const bool known = operation < sizeof CALLS / sizeof *CALLS && CALLS[operation] != NULL;
    const int error = known ? CALLS[operation](semihosting, call) : ENOSYS;
    if (error != 0) {
        semihosting_note_error(semihosting, error);
    }
    return error;
}

static uint32_t perform(struct semihosting *semihosting, uint32_t operation,
                        struct semihosting_call *call)
{
    const uint64_t cycles = arm968_cycle(semihosting->core->cpu);
    switch (operation) {
    case SYS_ISERROR:
        return (int32_t)call->argument[0] < 0;
    case SYS_CLOCK:
        return (uint32_t)(cycles / CYCLES_PER_CENTISECOND);
    case SYS_TIME:
        return (uint32_t)(cycles / CYCLES_PER_SECOND);
    case SYS_ERRNO:
        return semihosting->error_number;
    case SYS_EXIT:
        leave(semihosting, call->block, 0);
        return 0;
    case SYS_EXIT_EXTENDED:
        leave(semihosting, call->argument[0], call->argument[1]);
        return 0;
    default:
        return perform_other(semihosting, operation, call) == 0 ? call->result : SEMIHOSTING_FAILED;
    }
}

void semihosting_perform(struct semihosting *semihosting)
{
    struct arm968 *cpu = semihosting->core->cpu;
    struct semihosting_call call = {.block = arm968_register(cpu, 1)};
    for (uint32_t i = 0; i < 4; i++) {
        const uint8_t *word = flat_core_bytes(semihosting->core, call.block + 4 * i, 4);
        if (word != NULL) {
            memcpy(&call.argument[i], word, 4);
        }
    }
    const uint32_t result = perform(semihosting, arm968_register(cpu, 0), &call);
    if (!semihosting->exited) {
        arm968_set_register(cpu, 0, result);
    }
}

bool semihosting_writes(uint32_t operation)
{
    return operation == SYS_READ || operation == SYS_TMPNAM || operation == SYS_GET_CMDLINE ||
           operation == SYS_HEAPINFO;
}
