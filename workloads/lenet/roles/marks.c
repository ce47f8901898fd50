/* marks.c - the phases that every role has; those of layers are made with the network's table. */
#include "marks.h"

#define MARK(name)                                                                                 \
    void name(void);                                                                               \
    __attribute__((noipa)) void name(void)                                                         \
    {                                                                                              \
        __asm__ volatile("");                                                                      \
    }

MARK(setup_load)
MARK(images_wait)
MARK(packets_wait)
MARK(window_wait)
MARK(result_store)
MARK(stage_test)

void mark_load(void)
{
    setup_load();
}

void mark_wait(void)
{
    images_wait();
}

void mark_packets(void)
{
    packets_wait();
}

void mark_window(void)
{
    window_wait();
}

void mark_result(void)
{
    result_store();
}
