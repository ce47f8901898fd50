/* emit.c - functions of a region, and all of it.  See emit.h. */
#include "models/arm968/translate/emitter.h"

#include "models/common/check.h"
#include "models/common/memory.h"

#include <inttypes.h>
#include <stdlib.h>

_Static_assert((int)EMIT_FLAGS_EACH == NATIVE_FLAGS_EACH &&
                   (int)EMIT_FLAGS_SUBTRACTED == NATIVE_FLAGS_SUBTRACTED &&
                   (int)EMIT_FLAGS_ADDED == NATIVE_FLAGS_ADDED &&
                   (int)EMIT_FLAGS_NZ_APART == NATIVE_FLAGS_NZ_APART &&
                   (int)EMIT_FLAGS_C_APART == NATIVE_FLAGS_C_APART,
               "generated code and the interpreter agree on what flags are made of");

static void emit_locals(const struct emitter *emitter, const struct region_function *function)
{
    struct text *text = emitter->text;
    for (unsigned i = 0; i <= REGISTER_LR; i++) {
        if ((function->used >> i & 1) != 0) {
            text_add(text, "u32 r%u=R(%u);", i, i);
        }
    }
    text_add(text, "u32 r15=0,r16=0,r17=0,fn,fz,fc,fv,fk,ja,jb,fq=FQ,literals=0;\n"
                   "s64 budget=budget_in;u64 where=0;lanes counts={0};u8*const memory=MEMORY;\n"
                   "const int ahead=UNDO_LOG!=0;\n"); /* for as long as the core runs */
    for (int i = 0; i < function->count; i++) {
        const int index = emitter->region->members[function->first + i];
        if (emitter->region->blocks[index].to[1] == index) {
            text_add(text, "u32 ka%d=0,kb%d=0;s64 b%d=0;\n", index, index, index);
        }
    }
}

static void emit_entry(const struct emitter *emitter, int index)
{
    text_add(emitter->text, "%sgoto L%d;", emit_is_entered(emitter, index) ? "" : "LOAD_FLAGS;",
             index);
}

/* The start of a function is tested first, since calls lead there. */
static void emit_entries(struct emitter *emitter, const struct region_function *function)
{
    const struct region *region = emitter->region;
    text_add(emitter->text, "if(entry==%d){", region->blocks[function->root].entry);
    emit_entry(emitter, function->root);
    text_add(emitter->text, "}switch(entry){\n");
    for (int i = 0; i < function->count; i++) {
        const int index = region->members[function->first + i];
        if (region->blocks[index].entry != REGION_NONE) {
            if (emit_is_entered(emitter, index)) {
                emit_flags_stored(&emitter->blocks[index].flags);
            } else {
                emit_flags_any(&emitter->blocks[index].flags);
            }
            emitter->blocks[index].ready = true;
            emitter->stack[emitter->depth++] = index;
            text_add(emitter->text, "case %d:", region->blocks[index].entry);
            emit_entry(emitter, index);
        }
    }
    text_add(emitter->text, "default:__builtin_unreachable();}\n");
}

/* The common exit of all exits that have changed the same registers. */
static void emit_way_out(const struct emitter *emitter, unsigned set)
{
    const struct region_function *function = &emitter->region->functions[emitter->function];
    struct emit_flags flags;
    emit_flags_any(&flags);
    emit_leave_label(emitter->text, set, false);
    emit_flags_store(emitter->text, &flags);
    emit_flags_stored(&flags);
    emit_leave_label(emitter->text, set, true);
    text_add(emitter->text, "LEFT=self;");
    emit_store_state(emitter, emitter->leave.registers[set] & function->used, &flags);
    text_add(emitter->text, "return (struct result){budget,where};\n");
}

static void emit_function(struct emitter *emitter, int number)
{
    const struct region_function *function = &emitter->region->functions[number];
    emitter->function = number;
    emitter->leave.count = 0;
    emitter->temporaries = 0;
    text_add(emitter->text, "static struct result f%d(u8*cpu,s32 budget_in,u32 entry){\n", number);
    emit_locals(emitter, function);
    emit_entries(emitter, function);
    while (emitter->depth > 0) {
        const int index = emitter->stack[--emitter->depth];
        if (!emitter->blocks[index].emitted) {
            emitter->blocks[index].emitted = true;
            emit_block(emitter, index);
        }
    }
    for (unsigned i = 0; i < emitter->leave.count; i++) {
        emit_way_out(emitter, i);
    }
    text_add(emitter->text, "}\n");
}

void emit_region(struct text *text, const struct region *region, const struct emit_memory *memory)
{
    struct emitter emitter = {.text = text,
                              .region = region,
                              .memory = memory,
                              .code_base = code_memory(region->code).base,
                              .loop = REGION_NONE,
                              .blocks =
                                  calloc((size_t)region->block_count + 1, sizeof *emitter.blocks),
                              .stack = calloc(2 * (size_t)region->block_count + 1, sizeof(int))};
    memory_need(emitter.blocks);
    memory_need(emitter.stack);
    emit_prelude(text);
    for (int f = 0; f < region->function_count; f++) {
        text_add(text, "static struct result f%d(u8*,s32,u32);\n", f);
    }
    text_add(text, "static u8*const*roots;static const void*self;"
                   "void spinnsim_bind(u8*const*r,const void*s){roots=r;self=s;}\n");
    for (int f = 0; f < region->function_count; f++) {
        emit_function(&emitter, f);
    }
    text_add(text, "struct result(*const spinnsim_functions[])(u8*,s32,u32)={");
    for (int f = 0; f < region->function_count; f++) {
        text_add(text, "f%d,", f);
    }
    text_add(text, "};\nconst u32 spinnsim_function_count=%d;\n", region->function_count);
    free(emitter.blocks);
    free(emitter.stack);
    free(emitter.catch_up.at);
}
