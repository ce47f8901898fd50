/* events.c - event callbacks: interrupts queue them, spin1_start() runs them by priority. */
#include "exit_note.h"
#include "runtime.h"
#include "spin1_api.h"

enum { QUEUES = 4, QUEUE_LENGTH = 16, DMA_QUEUE_LENGTH = 16 };

struct task {
    callback_t callback;
    uint arg0, arg1;
};

struct task_queue {
    struct task task[QUEUE_LENGTH];
    uint first, count;
};

struct event {
    callback_t callback;
    int priority;
};

struct transfer {
    uint id, tag;
    uint system_address, tcm_address, description;
};

static struct {
    struct event event[NUM_EVENTS];
    int fast_event; /* -1: none */
    struct task_queue queue[QUEUES];
    volatile uint running;
    uint exit_code;
    uint tick_us;
    volatile uint ticks;
    volatile uint user_pending;
    uint user_arg0, user_arg1;
    struct transfer transfer[DMA_QUEUE_LENGTH]; /* the first is the active one */
    uint transfer_first;
    volatile uint transfer_count;
    uint transfers;
} api = {.fast_event = -1};

_Static_assert(sizeof api == API_BYTES &&
                   __builtin_offsetof(__typeof__(api), exit_code) == API_EXIT_CODE,
               "exit_note.h says where it lies");

/* ---- callbacks ---- */

static const uint SOURCE[NUM_EVENTS] = {[DMA_TRANSFER_DONE] = DMA_DONE_INT,
                                        [TIMER_TICK] = TIMER1_INT,
                                        [USER_EVENT] = SOFTWARE_INT,
                                        [MC_PACKET_RECEIVED] = CC_MC_INT,
                                        [MCPL_PACKET_RECEIVED] = CC_MC_INT};

static uint source_bit(uint event_id)
{
    return SOURCE[event_id] == 0 ? 0 : 1u << SOURCE[event_id];
}

void(spin1_callback_on)(uint event_id, callback_t callback, int priority)
{
    if (event_id >= NUM_EVENTS || SOURCE[event_id] == 0 || priority > QUEUES) {
        rt_error(RTE_API);
    }
    if (priority < 0) {
        if (api.fast_event >= 0 && source_bit((uint)api.fast_event) != source_bit(event_id)) {
            rt_error(RTE_API); /* there is one fast interrupt */
        }
        api.fast_event = (int)event_id;
    }
    api.event[event_id] = (struct event){callback, priority};
    if (api.running) {
        vic[VIC_ENABLE] = source_bit(event_id);
    }
}

void(spin1_callback_off)(uint event_id)
{
    api.event[event_id].callback = NULL;
    if (api.fast_event == (int)event_id) {
        api.fast_event = -1;
    }
    if (event_id != DMA_TRANSFER_DONE) { /* the DMA queue needs its interrupt */
        vic[VIC_DISABLE] = source_bit(event_id);
    }
}

static uint push(struct task_queue *queue, struct task task)
{
    if (queue->count == QUEUE_LENGTH) {
        return FAILURE;
    }
    queue->task[(queue->first + queue->count++) % QUEUE_LENGTH] = task;
    return SUCCESS;
}

uint spin1_schedule_callback(callback_t callback, uint arg0, uint arg1, uint priority)
{
    if (priority == 0 || priority > QUEUES) {
        rt_error(RTE_API);
    }
    const uint cpsr = cpu_int_disable();
    const uint result = push(&api.queue[priority - 1], (struct task){callback, arg0, arg1});
    cpu_int_restore(cpsr);
    return result;
}

void deliver_event(uint event_id, uint arg0, uint arg1)
{
    const struct event *event = &api.event[event_id];
    if (event->callback == NULL) {
        return;
    }
    if (event->priority <= 0) {
        event->callback(arg0, arg1);
    } else if (push(&api.queue[event->priority - 1], (struct task){event->callback, arg0, arg1}) ==
               FAILURE) {
        rt_error(RTE_EVENT); /* an event would be lost */
    }
}

/* ---- interrupts ---- */

static void serve_timer(void)
{
    tc[T1_INT_CLR] = 1;
    api.ticks++;
    deliver_event(TIMER_TICK, api.ticks, 0);
}

static void serve_user(void)
{
    vic[VIC_SOFT_CLR] = 1u << SOFTWARE_INT;
    api.user_pending = 0;
    deliver_event(USER_EVENT, api.user_arg0, api.user_arg1);
}

static void start_transfer(const struct transfer *transfer)
{
    dma[DMA_ADRS] = transfer->system_address;
    dma[DMA_ADRT] = transfer->tcm_address;
    dma[DMA_DESC] = transfer->description;
}

static void serve_dma(void)
{
    dma[DMA_CTRL] = 0x8; /* acknowledge one transfer */
    const struct transfer done = api.transfer[api.transfer_first];
    api.transfer_first = (api.transfer_first + 1) % DMA_QUEUE_LENGTH;
    api.transfer_count--;
    if (api.transfer_count > 0) {
        start_transfer(&api.transfer[api.transfer_first]);
    }
    deliver_event(DMA_TRANSFER_DONE, done.id, done.tag);
}

void timer_isr(void)
{
    serve_timer();
    vic[VIC_VADDR] = 0;
}

void user_isr(void)
{
    serve_user();
    vic[VIC_VADDR] = 0;
}

void dma_isr(void)
{
    serve_dma();
    vic[VIC_VADDR] = 0;
}

void fast_isr(void)
{
    switch (api.fast_event) {
    case TIMER_TICK:
        serve_timer();
        break;
    case USER_EVENT:
        serve_user();
        break;
    case DMA_TRANSFER_DONE:
        serve_dma();
        break;
    case MC_PACKET_RECEIVED:
    case MCPL_PACKET_RECEIVED:
        serve_packet();
        break;
    default:
        rt_error(RTE_FIQ);
    }
}

/* ---- DMA ---- */

enum {
    DESC_DOUBLE_WORD = 1 << 24,
    DESC_BURST_16 = 4 << 21,
    DESC_DIRECTION_SHIFT = 19,
    GCTL_DONE = 0xc00
};

uint spin1_dma_transfer(uint tag, void *system_address, void *tcm_address, uint direction,
                        uint length)
{
    const uint cpsr = cpu_int_disable();
    uint id = 0;
    if (api.transfer_count < DMA_QUEUE_LENGTH) {
        id = ++api.transfers;
        const uint slot = (api.transfer_first + api.transfer_count) % DMA_QUEUE_LENGTH;
        api.transfer[slot] = (struct transfer){id, tag, (uint)system_address, (uint)tcm_address,
                                               DESC_DOUBLE_WORD | DESC_BURST_16 |
                                                   direction << DESC_DIRECTION_SHIFT | length};
        api.transfer_count++;
        if (api.transfer_count == 1) {
            start_transfer(&api.transfer[slot]);
        }
    }
    cpu_int_restore(cpsr);
    return id;
}

/* ---- the rest ---- */

uint spin1_trigger_user_event(uint arg0, uint arg1)
{
    const uint cpsr = cpu_int_disable();
    const uint result = api.user_pending ? FAILURE : SUCCESS;
    if (!api.user_pending) {
        api.user_pending = 1;
        api.user_arg0 = arg0;
        api.user_arg1 = arg1;
        vic[VIC_SOFT_SET] = 1u << SOFTWARE_INT;
    }
    cpu_int_restore(cpsr);
    return result;
}

void spin1_set_timer_tick(uint microseconds)
{
    api.tick_us = microseconds;
}

uint spin1_get_simulation_time(void)
{
    return api.ticks;
}

void spin1_exit(uint error)
{
    vic[VIC_DISABLE] = 1u << TIMER1_INT | 1u << DMA_DONE_INT | 1u << SOFTWARE_INT | 1u << CC_MC_INT;
    api.exit_code = error;
    api.running = 0;
}

static void configure(void)
{
    enum { TIMER_OFF = 0, TIMER_PERIODIC = 0xe2 };
    vic_slot(SLOT_TIMER, TIMER1_INT, timer_interrupt);
    vic_slot(SLOT_DMA, DMA_DONE_INT, dma_interrupt);
    vic_slot(SLOT_PACKET, CC_MC_INT, packet_interrupt);
    vic_slot(SLOT_TRANSMIT, CC_TNF_INT, transmit_interrupt);
    vic_slot(SLOT_USER, SOFTWARE_INT, user_interrupt);
    vic[VIC_SELECT] = api.fast_event >= 0 ? source_bit((uint)api.fast_event) : 0;
    uint enable = 1u << DMA_DONE_INT;
    for (uint i = 0; i < NUM_EVENTS; i++) {
        enable |= api.event[i].callback != NULL ? source_bit(i) : 0;
    }
    dma[DMA_GCTL] = GCTL_DONE;
    tc[T1_CONTROL] = TIMER_OFF;
    tc[T1_INT_CLR] = 1;
    if (api.tick_us != 0) {
        tc[T1_LOAD] = sark.cpu_clk * api.tick_us;
        tc[T1_CONTROL] = TIMER_PERIODIC;
    }
    vic[VIC_ENABLE] = enable;
}

/* Removes the next task by priority.  Call with interrupts masked. */
static uint next_task(struct task *task)
{
    for (uint i = 0; i < QUEUES; i++) {
        struct task_queue *queue = &api.queue[i];
        if (queue->count > 0) {
            *task = queue->task[queue->first];
            queue->first = (queue->first + 1) % QUEUE_LENGTH;
            queue->count--;
            return 1;
        }
    }
    return 0;
}

/* Interrupts stay masked from the check of the queues to the wait, so that no event is lost: a
 * pending interrupt ends the wait. */
static void dispatch(void)
{
    while (api.running) {
        struct task task;
        const uint cpsr = cpu_int_disable();
        const uint found = next_task(&task);
        if (!found && api.running) {
            cpu_wfi();
        }
        cpu_int_restore(cpsr);
        if (found) {
            task.callback(task.arg0, task.arg1);
        }
    }
}

uint spin1_start(sync_bool sync)
{
    if (sync == SYNC_WAIT) {
        barrier_wait();
    }
    sark_cpu_state(CPU_STATE_RUN);
    api.running = 1;
    api.ticks = 0;
    configure();
    dispatch();
    tc[T1_CONTROL] = 0;
    dma[DMA_GCTL] = 0;
    return api.exit_code;
}
