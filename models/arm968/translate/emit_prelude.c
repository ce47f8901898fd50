/* emit_prelude.c - see emit_prelude.h. */
#include "models/arm968/translate/emitter.h"

#include "models/arm968/arm968_state.h"
#include "models/arm968/native.h"

/* What prelude.h has to know of a core: offsets in bytes. */
#define EACH_OFFSET(DO)                                                                            \
    DO(REGISTERS, r)                                                                               \
    DO(FLAG_N, flag_n)                                                                             \
    DO(FLAG_Z, flag_z)                                                                             \
    DO(FLAG_C, flag_c)                                                                             \
    DO(FLAG_V, flag_v)                                                                             \
    DO(FLAG_Q, flag_q)                                                                             \
    DO(FLAGS_KIND, native_flags.kind)                                                              \
    DO(FLAGS_A, native_flags.a)                                                                    \
    DO(FLAGS_B, native_flags.b)                                                                    \
    DO(COUNTS, counts.lanes)                                                                       \
    DO(LITERALS, counts.literals)                                                                  \
    DO(MEMORY, load.bytes)                                                                         \
    DO(STORE_BASE, store.base)                                                                     \
    DO(UNDO_LOG, undo_log)                                                                         \
    DO(UNDO_LOG_END, undo_log_end)                                                                 \
    DO(STACK_END, native_stack_end)                                                                \
    DO(LOWEST_SP, lowest_sp)                                                                       \
    DO(LEFT, native_left)                                                                          \
    DO(ACCESS, access_from_native)                                                                 \
    DO(CODE, code_bytes)

/* The same of a translated function. */
#define EACH_ROOT_OFFSET(DO)                                                                       \
    DO(PC, pc)                                                                                     \
    DO(NEEDS, needs)                                                                               \
    DO(RUN, run)                                                                                   \
    DO(NUMBER, number)

/* The header is a part of this program, too, so that compiler and linter see it. */
enum {
#define OFFSET(name, member) CORE_##name = offsetof(struct arm968, member),
    EACH_OFFSET(OFFSET)
#undef OFFSET
#define OFFSET(name, member) ROOT_##name = offsetof(struct native_entry, member),
        EACH_ROOT_OFFSET(OFFSET)
#undef OFFSET
};
#include "models/arm968/translate/prelude.h"

_Static_assert(sizeof(struct result) == sizeof(struct native_result) &&
                   offsetof(struct result, where) == offsetof(struct native_result, where),
               "generated code and the interpreter agree on how a run ends");

/* prelude.h by lines: embed_header.cmake. */
static const char *const LINES[] = {
#include "prelude_lines.inc"
};

static void add_number(struct text *text, const char *name, size_t value)
{
    text_add(text, "#define %s %zu\n", name, value);
}

void emit_prelude(struct text *text)
{
#define OFFSET(name, member) add_number(text, "CORE_" #name, CORE_##name);
    EACH_OFFSET(OFFSET)
#undef OFFSET
#define OFFSET(name, member) add_number(text, "ROOT_" #name, ROOT_##name);
    EACH_ROOT_OFFSET(OFFSET)
#undef OFFSET
    text_add(text, "#define NATIVE_ROOT_MULTIPLIER %uu\n", NATIVE_ROOT_MULTIPLIER);
    add_number(text, "NATIVE_ROOT_SHIFT", NATIVE_ROOT_SHIFT);
    add_number(text, "NATIVE_FLAGS_MADE_OF", NATIVE_FLAGS_MADE_OF);
    add_number(text, "NATIVE_FLAGS_SUBTRACTED", NATIVE_FLAGS_SUBTRACTED);
    add_number(text, "NATIVE_FLAGS_NZ_APART", NATIVE_FLAGS_NZ_APART);
    add_number(text, "NATIVE_FLAGS_C_APART", NATIVE_FLAGS_C_APART);
    for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++) {
        text_add(text, "%s\n", LINES[i]);
    }
}
