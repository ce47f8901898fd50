/* last_instructions.c - see last_instructions.h. */
#include "sim/crash/last_instructions.h"

#include "sim/steps.h"

#include <string.h>

enum { ARM_BYTES = 4, THUMB_BYTES = 2 };

void last_instructions_note(struct last_instructions *last, trace_read read, const void *context,
                            const struct trace_view *before, const struct trace_view *after)
{
    if (after->cycle == before->cycle) {
        return;
    }
    struct last_instruction *to = &last->of[last->count++ % LAST_INSTRUCTIONS];
    *to = (struct last_instruction){.before = *before, .after = *after, .bytes = ARM_BYTES};
    if (!read(context, before->pc, to->code, ARM_BYTES)) {
        to->bytes = read(context, before->pc, to->code, THUMB_BYTES) ? THUMB_BYTES : 0;
    }
}

/* For instruction_trace_step(): the code as it was then. */
static bool read_kept(const void *context, uint32_t address, uint8_t *bytes, uint32_t count)
{
    const struct last_instruction *at = context;
    const bool has = address == at->before.pc && count <= at->bytes;
    if (has) {
        memcpy(bytes, at->code, count);
    }
    return has;
}

enum status last_instructions_write(const struct last_instructions *last, unsigned most,
                                    const struct elf_image *image, FILE *out)
{
    struct instruction_trace trace = {0};
    FREED char *text = NULL;
    size_t bytes = 0;
    uint64_t count = last->count < LAST_INSTRUCTIONS ? last->count : LAST_INSTRUCTIONS;
    count = count < most ? count : most;
    FILE *stream = open_memstream(&text, &bytes);
    if (stream == NULL) {
        return STATUS_INTERNAL;
    }
    enum status status = instruction_trace_begin(&trace, image, stream, count, NULL);
    for (uint64_t n = last->count - count; n < last->count && status == STATUS_OK; n++) {
        const struct last_instruction *at = &last->of[n % LAST_INSTRUCTIONS];
        instruction_trace_step(&trace, read_kept, at, &at->before, &at->after);
    }
    const enum status closed = instruction_trace_close(&trace, NULL);
    if (status == STATUS_OK && closed == STATUS_OK) {
        (void)fwrite(text, 1, bytes, out);
    }
    return status == STATUS_OK && closed == STATUS_OK ? STATUS_OK : STATUS_INTERNAL;
}
