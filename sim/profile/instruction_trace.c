/* instruction_trace.c - see instruction_trace.h. */
#include "sim/profile/instruction_trace.h"

#include "models/arm968/disassemble.h"
#include "sim/file.h"
#include "sim/steps.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Of the CPSR (ARM DDI 0100I, A2.5). */
enum { THUMB_BIT = 1u << 5, MODE_BITS = 0x1f, MODE_FIQ = 0x11, MODE_IRQ = 0x12 };

enum { ARM_BYTES = 4, THUMB_BYTES = 2, TEXT_COLUMNS = 31, DIGITS_CHARS = 16 };

struct trace_view trace_view_of(const struct arm968 *cpu)
{
    struct trace_view view = {.pc = arm968_register(cpu, 15),
                              .cpsr = arm968_cpsr(cpu),
                              .instructions = arm968_counters(cpu)->instructions,
                              .cycle = arm968_cycle(cpu)};
    for (unsigned i = 0; i < TRACE_REGISTERS; i++) {
        view.r[i] = arm968_register(cpu, i);
    }
    return view;
}

static enum status cannot_write(const struct instruction_trace *trace,
                                struct diagnostic *diagnostic)
{
    return file_refuse(trace->path, NULL, diagnostic, "cannot write: %s", strerror(errno));
}

enum status instruction_trace_begin(struct instruction_trace *trace, const struct elf_image *image,
                                    FILE *stream, uint64_t count, struct diagnostic *diagnostic)
{
    trace->stream = stream;
    trace->left = count;
    (void)fprintf(stream, "# cycle  takes  address  word      instruction and what it changed\n");
    return function_map_init(&trace->map, image) == STATUS_OK ? STATUS_OK : no_memory(diagnostic);
}

enum status instruction_trace_open(struct instruction_trace *trace, const struct elf_image *image,
                                   const char *path, uint64_t count, struct diagnostic *diagnostic)
{
    if (path == NULL) {
        return STATUS_OK;
    }
    FILE *stream = strcmp(path, "-") == 0 ? stderr : fopen(path, "w");
    trace->path = path;
    return stream == NULL ? cannot_write(trace, diagnostic)
                          : instruction_trace_begin(trace, image, stream, count, diagnostic);
}

/* A line when another function goes on. */
static void write_function(struct instruction_trace *trace, uint32_t pc)
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

/* What the core was to execute, as text, with its digits; "nothing": it is no memory. */
static void describe(trace_read read, const void *context, const struct trace_view *at,
                     char text[ARM968_TEXT_CHARS], char digits[DIGITS_CHARS])
{
    const bool thumb = (at->cpsr & THUMB_BIT) != 0;
    uint8_t byte[ARM_BYTES] = {0};
    static const char NOTHING[] = "nothing";
    memcpy(text, NOTHING, sizeof NOTHING);
    digits[0] = '\0';
    /* the second half of BL in Thumb state may not be there */
    if (read(context, at->pc, byte, ARM_BYTES) ||
        (thumb && read(context, at->pc, byte, THUMB_BYTES))) {
        const uint32_t word =
            byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
        arm968_disassemble(word, at->pc, thumb, text);
        (void)snprintf(digits, DIGITS_CHARS, thumb ? "%04" PRIx32 : "%08" PRIx32,
                       thumb ? word & UINT16_MAX : word);
    }
}

/* Whether the core has taken an interrupt instead of an instruction. */
static bool is_interrupted(const struct trace_view *before, const struct trace_view *after)
{
    const uint32_t mode = after->cpsr & MODE_BITS;
    return after->instructions == before->instructions && (mode == MODE_FIQ || mode == MODE_IRQ);
}

void instruction_trace_step(struct instruction_trace *trace, trace_read read, const void *context,
                            const struct trace_view *before, const struct trace_view *after)
{
    if (trace->stream == NULL || trace->left == 0 || after->cycle == before->cycle) {
        return;
    }
    trace->left--;
    write_function(trace, before->pc);
    char text[ARM968_TEXT_CHARS] = "(interrupt)";
    char digits[DIGITS_CHARS] = "";
    if (!is_interrupted(before, after)) {
        describe(read, context, before, text, digits);
    }
    (void)fprintf(trace->stream, "%7" PRIu64 " %6" PRIu64 " %8" PRIx32 "  %-8s  %s", before->cycle,
                  after->cycle - before->cycle, before->pc, digits, text);
    write_changes(trace->stream, text, before, after);
    (void)fputc('\n', trace->stream);
}

enum status instruction_trace_close(struct instruction_trace *trace, struct diagnostic *diagnostic)
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
