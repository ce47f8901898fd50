/* registers.c - see registers.h. */
#include "sim/gdb/registers.h"

#include <stdio.h>
#include <string.h>

static const struct gdb_register REGISTERS[] = {
#define CORE(number, name, index)         {number, name, false, (enum arm968_mode)0, index},
#define BANKED(number, name, mode, index) {number, name, true, mode, index},
#include "sim/gdb/registers.def"
};
enum { COUNT = sizeof REGISTERS / sizeof *REGISTERS };

const struct gdb_register *gdb_registers(size_t *count)
{
    *count = COUNT;
    return REGISTERS;
}

static const struct gdb_register *find(unsigned number)
{
    for (size_t i = 0; i < COUNT; i++) {
        if (REGISTERS[i].number == number) {
            return &REGISTERS[i];
        }
    }
    return NULL;
}

bool gdb_read_register(const struct arm968 *cpu, unsigned number, uint32_t *value)
{
    const struct gdb_register *at = find(number);
    if (at == NULL) {
        return false;
    }
    const bool status = at->index == GDB_PSR_INDEX;
    if (at->banked) {
        *value =
            status ? arm968_spsr(cpu, at->mode) : arm968_banked_register(cpu, at->mode, at->index);
    } else {
        *value = status ? arm968_cpsr(cpu) : arm968_register(cpu, at->index);
    }
    return true;
}

bool gdb_write_register(struct arm968 *cpu, unsigned number, uint32_t value)
{
    const struct gdb_register *at = find(number);
    if (at == NULL) {
        return false;
    }
    const bool status = at->index == GDB_PSR_INDEX;
    if (at->banked && status) {
        arm968_set_spsr(cpu, at->mode, value);
    } else if (at->banked) {
        arm968_set_banked_register(cpu, at->mode, at->index, value);
    } else if (status) {
        arm968_set_cpsr(cpu, value);
    } else {
        arm968_set_register(cpu, at->index, value);
    }
    return true;
}

/* ---- the description ---- */

struct text {
    char *to;
    size_t chars;
};

static void add(struct text *text, const char *what)
{
    const size_t chars = strlen(what);
    if (chars < GDB_DESCRIPTION_CHARS - text->chars) {
        memcpy(text->to + text->chars, what, chars + 1);
        text->chars += chars;
    }
}

static const char *type_of(const struct gdb_register *at)
{
    if (at->index == GDB_PC) {
        return "code_ptr";
    }
    return at->index == GDB_SP ? "data_ptr" : "uint32";
}

static void add_feature(struct text *text, const char *name, bool banked)
{
    enum { LINE_CHARS = 128 };
    char line[LINE_CHARS];
    (void)snprintf(line, sizeof line, "<feature name=\"%s\">\n", name);
    add(text, line);
    for (size_t i = 0; i < COUNT; i++) {
        const struct gdb_register *at = &REGISTERS[i];
        if (at->banked == banked) {
            (void)snprintf(line, sizeof line,
                           "<reg name=\"%s\" bitsize=\"32\" type=\"%s\" regnum=\"%u\"%s/>\n",
                           at->name, type_of(at), at->number,
                           banked ? " group=\"banked\" save-restore=\"no\"" : "");
            add(text, line);
        }
    }
    add(text, "</feature>\n");
}

size_t gdb_describe(char text[GDB_DESCRIPTION_CHARS])
{
    struct text description = {text, 0};
    add(&description, "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
                      "<target version=\"1.0\">\n<architecture>armv5te</architecture>\n");
    add_feature(&description, "org.gnu.gdb.arm.core", false);
    add_feature(&description, "org.spinnsim.arm.banked", true);
    add(&description, "</target>\n");
    return description.chars;
}
