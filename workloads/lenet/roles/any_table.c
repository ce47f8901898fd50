/* any_table.c - for programs that read their layer table from SDRAM: no compiled table, and phase
 * markers named by the layer's number. */
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

#define MARK(number, phase)                                                                        \
    void layer_##number##_##phase(void);                                                           \
    __attribute__((noipa)) void layer_##number##_##phase(void)                                     \
    {                                                                                              \
        __asm__ volatile("");                                                                      \
    }
#define MARK_FORWARD(number)  MARK(number, forward)
#define MARK_BACKWARD(number) MARK(number, backward)
MARKS(MARK_FORWARD)
MARKS(MARK_BACKWARD)

#define FORWARD(number)  layer_##number##_forward,
#define BACKWARD(number) layer_##number##_backward,
static void (*const FORWARD_OF[NN_MAX_LAYERS])(void) = {MARKS(FORWARD)};
static void (*const BACKWARD_OF[NN_MAX_LAYERS])(void) = {MARKS(BACKWARD)};

void mark_layer(uint32_t layer)
{
    FORWARD_OF[layer]();
}

void mark_layer_backward(uint32_t layer)
{
    BACKWARD_OF[layer]();
}
