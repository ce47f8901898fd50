/* board_breaks.c - breakpoints on all cores of a program: `monitor break-all`.  GDB does not know
 * them, and shows such a stop as SIGTRAP.  See board_state.h. */
#include "sim/debug/board_state.h"

#include "sim/grow.h"

#include <inttypes.h>
#include <stdlib.h>

static size_t find(const struct board_debugger *debugger, const struct job_program *program,
                   uint32_t address)
{
    size_t at = 0;
    while (at < debugger->wide_count &&
           (debugger->wide[at].program != program || debugger->wide[at].address != address)) {
        at++;
    }
    return at;
}

bool board_breaks_all(const struct board_debugger *debugger, unsigned process, uint32_t address)
{
    const struct job_program *program = board_core_of(debugger, process)->program;
    return find(debugger, program, address) < debugger->wide_count;
}

/* An address, or the name of a function of the program.  False: neither. */
static bool take_place(const struct job_program *program, const char *text, uint32_t *address)
{
    char *behind;
    const unsigned long number = strtoul(text, &behind, 0);
    if (behind != text && *behind == '\0' && number <= UINT32_MAX) {
        *address = (uint32_t)number;
        return true;
    }
    const struct elf_symbol *symbol = elf_image_find(&program->image, text);
    *address = symbol == NULL ? 0 : symbol->address;
    return symbol != NULL && symbol->function;
}

/* The program and address that a command names; NULL: it names none, as `out` says. */
static const struct job_program *take(const struct board_debugger *debugger, unsigned process,
                                      const char *arguments, uint32_t *address, FILE *out)
{
    const struct board_core *core = board_core_of(debugger, board_selected(debugger, process));
    if (core->program == NULL) {
        (void)fprintf(out, "%s has no program of this run; `monitor core X,Y,P` selects another\n",
                      core->name);
        return NULL;
    }
    if (!take_place(core->program, arguments, address)) {
        (void)fprintf(out, "name a function of %s, or an address\n", core->program->name);
        return NULL;
    }
    return core->program;
}

/* Sets or removes the breakpoint on each core of the program; the number of cores. */
static unsigned each_core(struct board_debugger *debugger, const struct job_program *program,
                          uint32_t address,
                          enum status (*perform)(struct machine_history *history,
                                                 struct machine_core core, uint32_t address))
{
    unsigned count = 0;
    for (unsigned i = 1; i <= debugger->target.processes; i++) {
        const struct board_core *core = board_core_of(debugger, i);
        if (core->program == program &&
            perform(debugger->history, core->core, address) == STATUS_OK) {
            count++;
        }
    }
    return count;
}

void board_break_all(void *context, unsigned process, const char *arguments, FILE *out)
{
    struct board_debugger *debugger = context;
    uint32_t address;
    const struct job_program *program = take(debugger, process, arguments, &address, out);
    if (program == NULL) {
        return;
    }
    if (find(debugger, program, address) == debugger->wide_count) {
        struct board_break *list =
            grow(debugger->wide, &debugger->wide_room, debugger->wide_count, sizeof *list);
        if (list == NULL) {
            (void)fputs("out of memory\n", out);
            return;
        }
        debugger->wide = list;
        list[debugger->wide_count++] = (struct board_break){program, address};
    }
    (void)fprintf(out, "breakpoint at 0x%08" PRIx32 " on %u cores of %s\n", address,
                  each_core(debugger, program, address, machine_history_break), program->name);
}

void board_unbreak_all(void *context, unsigned process, const char *arguments, FILE *out)
{
    struct board_debugger *debugger = context;
    uint32_t address;
    const struct job_program *program = take(debugger, process, arguments, &address, out);
    if (program == NULL) {
        return;
    }
    const size_t at = find(debugger, program, address);
    if (at == debugger->wide_count) {
        (void)fprintf(out, "break-all has set none at 0x%08" PRIx32 "\n", address);
        return;
    }
    debugger->wide[at] = debugger->wide[--debugger->wide_count];
    (void)fprintf(out, "removed on %u cores of %s\n",
                  each_core(debugger, program, address, machine_history_unbreak), program->name);
}
