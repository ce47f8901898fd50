/* marks.c - the phase markers that all roles share; those of layers are in layer_marks.S. */
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
MARK(transfers_wait)
MARK(signals_wait)
MARK(gradients_exchange)
MARK(weights_exchange)
MARK(parameters_update)
MARK(values_exchange)
MARK(record_store)
MARK(commands_wait)
MARK(stage_train)
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

void mark_transfers(void)
{
    transfers_wait();
}

void mark_signals(void)
{
    signals_wait();
}

void mark_exchange_gradients(void)
{
    gradients_exchange();
}

void mark_exchange_weights(void)
{
    weights_exchange();
}

void mark_update(void)
{
    parameters_update();
}

void mark_exchange_values(void)
{
    values_exchange();
}

void mark_record(void)
{
    record_store();
}

void mark_command(void)
{
    commands_wait();
}
