/* elf_trace.c - see elf_trace.h. */
#include "sim/flat/elf_trace.h"

#include "models/arm968/disassemble.h"
#include "sim/file.h"
#include "sim/steps.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { THUMB_BIT = 1u << 5, ARM_BYTES = 4, THUMB_BYTES = 2, TEXT_COLUMNS = 31 };

struct trace_view trace_view_of(const struct arm968 *cpu)
{
    struct trace_view view = {
        .pc = arm968_register(cpu, 15), .cpsr = arm968_cpsr(cpu), .cycle = arm968_cycle(cpu)};
    for (unsigned i = 0; i < TRACE_REGISTERS; i++) {
        view.r[i] = arm968_register(cpu, i);
    }
    return view;
}

static enum status cannot_write(const struct elf_trace *trace, struct diagnostic *diagnostic)
{
    return file_refuse(trace->path, NULL, diagnostic, "cannot write: %s", strerror(errno));
}

enum status elf_trace_open(struct elf_trace *trace, const struct elf_image *image, const char *path,
                           uint64_t count, struct diagnostic *diagnostic)
{
    if (path == NULL) {
        return STATUS_OK;
    }
    trace->path = path;
    trace->left = count;
    if (function_map_init(&trace->map, image) != STATUS_OK) {
        return no_memory(diagnostic);
    }
    trace->stream = strcmp(path, "-") == 0 ? stderr : fopen(path, "w");
    if (trace->stream == NULL) {
        return cannot_write(trace, diagnostic);
    }
    (void)fprintf(trace->stream,
                  "# cycle  takes  address  word      instruction and what it changed\n");
    return STATUS_OK;
}

/* A line when another function goes on. */
static void write_function(struct elf_trace *trace, uint32_t pc)
{
    const struct function_range *range = function_map_at(&trace->map, pc);
    if (range == NULL || (trace->begun && range->function == trace->function)) {
        return;
    }
    trace->begun = true;
    trace->function = range->function;
    char room[FUNCTION_NAME_CHARS];
    (void)fprintf(trace->stream, "%08" PRIx32 " <%s", pc, function_name(range, room));
    if (pc != range->first) {
        (void)fprintf(trace->stream, "+0x%" PRIx32, pc - range->first);
    }
    (void)fprintf(trace->stream, ">:\n");
}

/* Bytes of the RAM as a number, little-endian; those behind its end are 0. */
static uint32_t read_code(const struct flat_core *flat, uint32_t address, uint32_t bytes)
{
    uint32_t word = 0;
    for (uint32_t i = 0; i < bytes; i++) {
        const uint8_t *byte = flat_core_bytes(flat, address + i, 1);
        word |= (byte == NULL ? 0 : (uint32_t)*byte) << 8 * i;
    }
    return word;
}

/* Changed registers, in the column behind the text. */
static void write_changes(FILE *out, const char *text, const struct trace_view *before,
                          const struct trace_view *after)
{
    static const char NAME[TRACE_REGISTERS][4] = {"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7",
                                                  "r8", "r9", "sl", "fp", "ip", "sp", "lr"};
    const size_t length = strlen(text);
    int padding = length < TEXT_COLUMNS ? TEXT_COLUMNS - (int)length : 0;
    for (unsigned i = 0; i < TRACE_REGISTERS; i++) {
        if (before->r[i] != after->r[i]) {
            (void)fprintf(out, "%*s %s=%08" PRIx32, padding, "", NAME[i], after->r[i]);
            padding = 0;
        }
    }
    if (before->cpsr != after->cpsr) {
        (void)fprintf(out, "%*s cpsr=%08" PRIx32, padding, "", after->cpsr);
    }
}

void elf_trace_step(struct elf_trace *trace, const struct flat_core *flat,
                    const struct trace_view *before, const struct trace_view *after)
{
    if (trace->stream == NULL || trace->left == 0 || after->cycle == before->cycle) {
        return;
    }
    trace->left--;
    write_function(trace, before->pc);
    const bool thumb = (before->cpsr & THUMB_BIT) != 0;
    const uint32_t word = read_code(flat, before->pc, ARM_BYTES);
    char text[ARM968_TEXT_CHARS] = "nothing";
    char digits[16] = "";
    if (flat_core_bytes(flat, before->pc, thumb ? THUMB_BYTES : ARM_BYTES) != NULL) {
        arm968_disassemble(word, before->pc, thumb, text);
        (void)snprintf(digits, sizeof digits, thumb ? "%04" PRIx32 : "%08" PRIx32,
                       thumb ? word & UINT16_MAX : word);
    }
    (void)fprintf(trace->stream, "%7" PRIu64 " %6" PRIu64 " %8" PRIx32 "  %-8s  %s", before->cycle,
                  after->cycle - before->cycle, before->pc, digits, text);
    write_changes(trace->stream, text, before, after);
    (void)fputc('\n', trace->stream);
}

enum status elf_trace_close(struct elf_trace *trace, struct diagnostic *diagnostic)
{
    function_map_deinit(&trace->map);
    if (trace->stream == NULL) {
        return STATUS_OK;
    }
    errno = 0;
    bool wrong = fflush(trace->stream) != 0 || ferror(trace->stream) != 0;
    if (trace->stream != stderr && fclose(trace->stream) != 0) {
        wrong = true;
    }
    trace->stream = NULL;
    return wrong ? cannot_write(trace, diagnostic) : STATUS_OK;
}
