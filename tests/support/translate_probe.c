/* translate_probe.c - see translate_probe.h. */
#include "tests/support/translate_probe.h"

#include "models/arm968/code.h"
#include "models/arm968/translate/emit_access.h"
#include "models/arm968/translate/leaving.h"
#include "models/arm968/translate/op_registers.h"
#include "models/arm968/translate/region.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static void add(char text[TRANSLATE_PROBE_CHARS], const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    /* The analyzer does not know va_start() here.
     * NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
    (void)vsnprintf(text + used, TRANSLATE_PROBE_CHARS - used, format, arguments);
    va_end(arguments);
}

void translate_probe_leaving(struct code *code, const uint8_t *memory, uint32_t pc, bool thumb,
                             char text[TRANSLATE_PROBE_CHARS])
{
    static const char *const HOW[] = {
        [LEAVES_BY_EDGES] = "by edges",   [LEAVES_CALLING] = "calling",
        [LEAVES_RETURNING] = "returning", [LEAVES_CALLING_REGISTER] = "calling register",
        [LEAVES_JUMPING] = "jumping",     [LEAVES_OTHERWISE] = "otherwise"};
    const struct block *block = code_block(code, memory, pc, thumb, NULL);
    const struct leaving leaving = leaving_of(block, memory, code_memory(code).base);
    text[0] = 0;
    add(text, "%s", HOW[leaving.how]);
    if (leaving.how == LEAVES_CALLING || leaving.how == LEAVES_CALLING_REGISTER) {
        add(text, " lr %" PRIx32, leaving.lr);
    }
    if (leaving.by_link) {
        add(text, " by link");
    }
    if (leaving.keeps_state) {
        add(text, " in this state");
    }
    if (leaving.kind != TABLE_NONE) {
        add(text, leaving.kind == TABLE_OF_WORDS ? " words" : " branches");
        add(text, " %" PRIx32, leaving.table);
        add(text, leaving.last == UINT32_MAX ? " any" : " %" PRIx32, leaving.last);
    }
}

void translate_probe_accesses(struct code *code, const uint8_t *memory, uint32_t pc, bool flat,
                              uint32_t asks, char text[TRANSLATE_PROBE_CHARS])
{
    struct emit_accesses accesses;
    const struct block *block = code_block(code, memory, pc, false, NULL);
    emit_accesses_find(&accesses, block, flat, asks);
    text[0] = 0;
    for (unsigned i = 0; i < block->op_count; i++) {
        const struct emit_access *access = &accesses.op[i];
        if (access->group != NULL) {
            add(text, "%u:%td+%" PRIu32 " ", block->op_insn[i], access->group - accesses.groups,
                access->at);
        }
    }
    for (unsigned n = 0; n < EMIT_GROUPS && accesses.groups[n].bytes != 0; n++) {
        const struct emit_group *group = &accesses.groups[n];
        bool used = false;
        for (unsigned i = 0; i < block->op_count; i++) {
            used = used || accesses.op[i].group == group;
        }
        if (used) {
            add(text, "%u=%" PRId32 ",%" PRIu32 ",%u%s ", n, group->first, group->bytes,
                group->alignment, group->stores ? "s" : "");
        }
    }
    if (text[0] != 0) {
        text[strlen(text) - 1] = 0; /* the blank behind the last */
    }
}

unsigned translate_probe_function(struct code *code, const uint8_t *memory, uint32_t pc,
                                  unsigned blocks)
{
    struct block *root = code_block(code, memory, pc, false, NULL);
    const struct block *last = root;
    for (unsigned i = 1; i < blocks && last != NULL; i++) {
        last = code_block(code, memory, last->edge[1].pc, false, last->edge[1].pending);
    }
    struct region region = {.code = code, .memory = memory};
    region_add_function(&region, root);
    const unsigned insns = region.functions[0].insns;
    region_forget(&region);
    region_free(&region);
    return insns;
}

uint32_t translate_probe_set(const struct insn_op *op)
{
    const struct op fields = {
        .rd = op->rd, .rn = op->rn, .rm = op->rm, .rs = op->rs, .imm = op->imm};
    return op_registers_set(&fields, op->code);
}
