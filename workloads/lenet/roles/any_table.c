/* any_table.c - for programs that take their layer table from SDRAM: no table of their own, and
 * marks by number. */
#include "marks.h"

#include <stddef.h>

const struct nn_table *const compiled_table = NULL;

/* clang-format off */
#define MARKS(DO)                                   \
    DO(00) DO(01) DO(02) DO(03) DO(04) DO(05) DO(06) DO(07) \
    DO(08) DO(09) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15) \
    DO(16) DO(17) DO(18) DO(19) DO(20) DO(21) DO(22) DO(23) \
    DO(24) DO(25) DO(26) DO(27) DO(28) DO(29) DO(30) DO(31)
/* clang-format on */

#define MARK(number)                                                                               \
    void layer_##number##_forward(void);                                                           \
    __attribute__((noipa)) void layer_##number##_forward(void)                                     \
    {                                                                                              \
        __asm__ volatile("");                                                                      \
    }
MARKS(MARK)

#define POINTER(number) layer_##number##_forward,
static void (*const MARK_OF[NN_MAX_LAYERS])(void) = {MARKS(POINTER)};

void mark_layer(uint32_t layer)
{
    MARK_OF[layer]();
}
