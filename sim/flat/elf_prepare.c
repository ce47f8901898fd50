/* elf_prepare.c - see elf_session.h: everything before the first instruction. */
#include "sim/flat/elf_session.h"

#include "sim/file.h"
#include "sim/flat/guest_arguments.h"
#include "sim/steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = 4096 };

static enum status resolve(struct session *session, const char *option, const char *text,
                           struct region_end *end, struct diagnostic *diagnostic)
{
    if (text == NULL) {
        return STATUS_OK;
    }
    const struct elf_symbol *symbol = elf_image_find(&session->image, text);
    end->wanted = true;
    if (symbol != NULL) {
        end->address = symbol->address;
        return STATUS_OK;
    }
    char *rest;
    errno = 0;
    const unsigned long value = strtoul(text, &rest, 0);
    if (errno != 0 || *rest != '\0' || rest == text || value > UINT32_MAX) {
        return file_refuse(session->options->file,
                           "give a symbol of the ELF file or an address such as 0x8000", diagnostic,
                           "%s: no symbol '%s' in the program", option, text);
    }
    end->address = (uint32_t)value & ~1u;
    return STATUS_OK;
}

/* Parses the start of the trace: an instruction number, or a symbol or address. */
static enum status resolve_trace(struct session *session, struct diagnostic *diagnostic)
{
    const char *text = session->options->trace_from;
    struct region_end *from = &session->trace_from;
    session->tracing = session->options->trace != NULL && text == NULL;
    if (session->options->trace == NULL || text == NULL) {
        return STATUS_OK;
    }
    char *rest;
    errno = 0;
    from->instructions = strtoull(text, &rest, 10);
    if (errno == 0 && *rest == '\0' && *text >= '0' && *text <= '9') {
        return STATUS_OK;
    }
    return resolve(session, "--trace-from", text, from, diagnostic);
}

/* The address ranges of a core's memories on a chip. */
enum { CHIP_ITCM_BYTES = 32 << 10, CHIP_DTCM_FIRST = 0x00400000, CHIP_DTCM_BYTES = 64 << 10 };

/* Whether a program is linked for a core of a chip: it has c_main() instead of main(), and lies
 * wholly in ITCM and DTCM. */
static bool is_for_chip(const struct elf_image *image)
{
    const struct elf_symbol *c_main = elf_image_find(image, "c_main");
    bool in_data_memory = false;
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segment[i];
        const uint32_t offset = segment->address - CHIP_DTCM_FIRST;
        if (offset < CHIP_DTCM_BYTES && segment->memory_bytes <= CHIP_DTCM_BYTES - offset) {
            in_data_memory = true;
        } else if (segment->address >= CHIP_ITCM_BYTES ||
                   segment->memory_bytes > CHIP_ITCM_BYTES - segment->address) {
            return false;
        }
    }
    return in_data_memory && image->entry < CHIP_ITCM_BYTES && c_main != NULL && c_main->function &&
           elf_image_find(image, "main") == NULL;
}

static enum status refuse_for_chip(const struct session *session, struct diagnostic *diagnostic)
{
    const struct elf_image *image = &session->image;
    if (!image->is_aplx && !is_for_chip(image)) {
        return STATUS_OK;
    }
    (void)file_refuse(session->options->file, NULL, diagnostic,
                      "a program for a core of a chip: %s",
                      image->is_aplx ? "APLX" : "c_main() in ITCM, data in DTCM");
    diagnostic_hint(diagnostic, "`spinnsim run %s` runs it on a chip; `elf` has none",
                    session->options->file);
    return STATUS_CONFIGURATION;
}

static enum status load(struct session *session, struct diagnostic *diagnostic)
{
    const struct elf_image *image = &session->image;
    const struct flat_core *flat = &session->flat;
    uint32_t end = flat->base;
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segment[i];
        const uint32_t offset = segment->address - flat->base;
        if (offset >= flat->bytes || flat->bytes - offset < segment->memory_bytes) {
            return file_refuse(
                image->path,
                session->options->sdram_base ? "link it to 0x60000000, or leave out --base sdram"
                                             : "link it below 0x10000000, or use --base sdram",
                diagnostic, "the segment 0x%08x..0x%08x does not fit the RAM 0x%08x..0x%08x",
                segment->address, segment->address + segment->memory_bytes - 1, flat->base,
                flat->base + flat->bytes - 1);
        }
        memcpy(flat->ram + offset, segment->bytes, segment->file_bytes);
        arm968_code_loaded(flat->cpu, segment->address, segment->file_bytes);
        const uint32_t segment_end = segment->address + segment->memory_bytes;
        end = segment_end > end ? segment_end : end;
    }
    session->semihosting.heap_base = (end + PAGE - 1) & ~(uint32_t)(PAGE - 1);
    return STATUS_OK;
}

/* An exception whose vector holds no instruction has no handler: stop there. */
static void watch_vectors(struct session *session)
{
    for (uint32_t i = 1; i < VECTORS; i++) {
        (void)arm968_add_breakpoint(session->flat.cpu, i * VECTOR_BYTES);
    }
}

static void set_up_semihosting(struct session *session)
{
    struct semihosting *semihosting = &session->semihosting;
    const struct elf_interrupt *interrupt = session->options->interrupt;
    semihosting->core = &session->flat;
    semihosting->program = session->options->file;
    semihosting->command_line = session->command_line;
    semihosting->warn = session->options->warn;
    semihosting->console.input = STDIN_FILENO;
    semihosting->console.output = STDOUT_FILENO;
    semihosting->console.error = STDERR_FILENO;
    semihosting->console.interrupt = interrupt == NULL ? -1 : interrupt->descriptor;
}

static void mark(struct arm968 *cpu, const struct region_end *end)
{
    if (end->wanted) {
        (void)arm968_add_mark(cpu, end->address);
    }
}

void session_set_stops(struct session *session)
{
    struct arm968 *cpu = session->flat.cpu;
    watch_vectors(session);
    mark(cpu, &session->from);
    mark(cpu, &session->to);
    mark(cpu, &session->trace_from);
}

static void set_up_core(struct session *session)
{
    struct arm968 *cpu = session->flat.cpu;
    session_set_stops(session);
    const uint32_t state = (session->image.entry & 1) != 0 ? 1u << 5 : 0;
    arm968_set_cpsr(cpu, ARM968_SUPERVISOR | 0xc0u | state);
    arm968_set_register(cpu, 13, session->flat.base + session->flat.bytes);
    arm968_set_register(cpu, 15, session->image.entry);
}

static enum status lend_files(struct session *session, struct diagnostic *diagnostic)
{
    const char *folder = session->options->files;
    const int error = folder == NULL ? 0 : host_files_lend(&session->semihosting.files, folder);
    return error == 0 ? STATUS_OK
                      : file_refuse(folder, NULL, diagnostic, "--files: cannot use this folder: %s",
                                    strerror(error));
}

enum status session_prepare(struct session *session, struct diagnostic *diagnostic)
{
    const struct elf_run_options *options = session->options;
    TRY(elf_image_read(&session->image, options->file, diagnostic));
    TRY(refuse_for_chip(session, diagnostic));
    TRY(resolve(session, "--count", options->count_from, &session->from, diagnostic));
    TRY(resolve(session, "--count", options->count_to, &session->to, diagnostic));
    session->translator = arm968_translator_for(options->tier);
    TRY(flat_core_init(&session->flat, options->sdram_base ? FLAT_SDRAM : FLAT_LOW,
                       session->translator, diagnostic));
    TRY(resolve_trace(session, diagnostic));
    TRY(load(session, diagnostic));
    TRY(guest_command_line(options->file, options->argument, options->argument_count,
                           &session->command_line, diagnostic));
    TRY(lend_files(session, diagnostic));
    TRY(instruction_trace_open(&session->trace, &session->image, options->trace,
                               options->trace_count, diagnostic));
    TRY(elf_profile_open(&session->profile, &session->image, options->profile, options->stacks,
                         diagnostic));
    set_up_semihosting(session);
    set_up_core(session);
    return options->gdb_port == 0 ? STATUS_OK
                                  : gdb_server_open(&session->gdb, options->gdb_port, diagnostic);
}

bool session_read(const void *context, uint32_t address, uint8_t *bytes, uint32_t count)
{
    const uint8_t *from = flat_core_bytes(context, address, count);
    if (from != NULL) {
        memcpy(bytes, from, count);
    }
    return from != NULL;
}

void session_init(struct session *session, const struct elf_run_options *options)
{
    *session = (struct session){.options = options, .gdb = {.file = -1}};
    session->scene = (struct elf_scene){.image = &session->image, .flat = &session->flat};
    host_files_init(&session->semihosting.files);
}

void session_deinit(struct session *session)
{
    gdb_server_close(&session->gdb);
    (void)instruction_trace_close(&session->trace, NULL);
    elf_profile_discard(&session->profile);
    arm968_translator_destroy(session->translator);
    flat_core_deinit(&session->flat);
    host_files_deinit(&session->semihosting.files);
    free(session->command_line);
    elf_image_deinit(&session->image);
}
