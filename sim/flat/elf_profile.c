/* elf_profile.c - see elf_profile.h. */
#include "sim/flat/elf_profile.h"

#include "sim/csv.h"
#include "sim/steps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_ROWS = 40 };

enum status elf_profile_open(struct elf_profile *profile, const struct elf_image *image,
                             const char *functions, const char *stacks,
                             struct diagnostic *diagnostic)
{
    if (functions == NULL && stacks == NULL) {
        return STATUS_OK;
    }
    profile->calls = call_profile_create(image);
    if (profile->calls == NULL) {
        return no_memory(diagnostic);
    }
    enum status status = STATUS_OK;
    profile->table = functions != NULL && strcmp(functions, STANDARD_ERROR_NAME) == 0;
    if (functions != NULL && !profile->table) {
        status = file_create(&profile->csv, functions, diagnostic);
    }
    if (status == STATUS_OK && stacks != NULL) {
        status = file_create(&profile->stacks, stacks, diagnostic);
    }
    return status;
}

static void write_csv(FILE *out, const struct function_account *list, size_t count)
{
    (void)fprintf(out, "function,address,instructions,cycles,calls,cycles_with_callees\n");
    for (size_t i = 0; i < count; i++) {
        char room[FUNCTION_NAME_CHARS];
        csv_text(out, function_name(&list[i].range, room));
        (void)fprintf(out, ",0x%08" PRIx32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
                      list[i].range.first, list[i].instructions, list[i].cycles, list[i].calls,
                      list[i].cycles_with_callees);
    }
}

static void write_table(FILE *out, const struct function_account *list, size_t count)
{
    uint64_t total = 0;
    uint64_t rest = 0;
    for (size_t i = 0; i < count; i++) {
        total += list[i].cycles;
        rest += i < TABLE_ROWS ? 0 : list[i].cycles;
    }
    const double percent = total == 0 ? 0 : 100.0 / (double)total;
    (void)fprintf(out, "%14s %6s %14s %10s %14s  %s\n", "cycles", "%", "instructions", "calls",
                  "with callees", "function");
    for (size_t i = 0; i < count && i < TABLE_ROWS; i++) {
        char room[FUNCTION_NAME_CHARS];
        (void)fprintf(out, "%14" PRIu64 " %6.2f %14" PRIu64 " %10" PRIu64 " %14" PRIu64 "  %s\n",
                      list[i].cycles, (double)list[i].cycles * percent, list[i].instructions,
                      list[i].calls, list[i].cycles_with_callees,
                      function_name(&list[i].range, room));
    }
    if (count > TABLE_ROWS) {
        (void)fprintf(out, "%14" PRIu64 " %6.2f in %zu more functions\n", rest,
                      (double)rest * percent, count - TABLE_ROWS);
    }
}

/* A name in a list that semicolons divide and a blank ends. */
static void write_frame(FILE *out, const char *name)
{
    for (; *name != '\0'; name++) {
        const bool divides = *name == ';' || (unsigned char)*name <= ' ';
        (void)fputc(divides ? '_' : *name, out);
    }
}

static void write_stack(void *context, const struct function_range *const *stack, unsigned depth,
                        uint64_t cycles)
{
    FILE *out = context;
    for (unsigned i = 0; i < depth; i++) {
        char room[FUNCTION_NAME_CHARS];
        (void)fputs(i == 0 ? "" : ";", out);
        write_frame(out, function_name(stack[i], room));
    }
    (void)fprintf(out, " %" PRIu64 "\n", cycles);
}

/* Closes a file; the first failure counts. */
static enum status close_file(struct file_writer *file, enum status status,
                              struct diagnostic *diagnostic)
{
    if (file->stream == NULL) {
        return status;
    }
    const enum status closed = file_commit(file, status == STATUS_OK ? diagnostic : NULL);
    return status == STATUS_OK ? closed : status;
}

enum status elf_profile_finish(struct elf_profile *profile, struct diagnostic *diagnostic)
{
    if (profile->calls == NULL) {
        return STATUS_OK;
    }
    size_t count;
    struct function_account *list = call_profile_functions(profile->calls, &count);
    if (list == NULL) {
        elf_profile_discard(profile);
        return no_memory(diagnostic);
    }
    if (profile->csv.stream != NULL) {
        write_csv(profile->csv.stream, list, count);
    }
    if (profile->table) {
        write_table(stderr, list, count);
    }
    free(list);
    if (profile->stacks.stream != NULL) {
        call_profile_stacks(profile->calls, write_stack, profile->stacks.stream);
    }
    const enum status status = close_file(&profile->csv, STATUS_OK, diagnostic);
    return close_file(&profile->stacks, status, diagnostic);
}

void elf_profile_discard(struct elf_profile *profile)
{
    file_discard(&profile->csv);
    file_discard(&profile->stacks);
    call_profile_destroy(profile->calls);
    profile->calls = NULL;
}
