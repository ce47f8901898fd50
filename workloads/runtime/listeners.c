/* listeners.c - see listeners.h. */
#include "listeners.h"

enum { LEAST_URGENT = 4, AT_ONCE = 1 };

static void schedule(callback_t callback, uint arg0, uint arg1, uint priority)
{
    if (spin1_schedule_callback(callback, arg0, arg1, priority) == FAILURE) {
        rt_error(RTE_EVENT); /* it would be lost */
    }
}

void listener_set(struct listener *listener, callback_t callback, int priority,
                  void (*enable)(uint, uint))
{
    if (priority < 0 || priority > LEAST_URGENT) {
        rt_error(RTE_API);
    }
    const uint cpsr = cpu_int_disable();
    *listener = (struct listener){callback, priority};
    cpu_int_restore(cpsr);
    if (callback != NULL) {
        schedule(enable, 0, 0, AT_ONCE);
    }
}

void listener_call(const struct listener *listener, uint arg0, uint arg1)
{
    if (listener->priority == 0) {
        listener->callback(arg0, arg1);
    } else {
        schedule(listener->callback, arg0, arg1, (uint)listener->priority);
    }
}
