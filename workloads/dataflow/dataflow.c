/* dataflow.c - executes a core's part of a dataflow graph, which the host has written into SDRAM
 * (dataflow_table.h); its address is in the core's block (user0; 0: this core has none).
 *
 * The fast interrupt only puts packets into an inbox, which has room for all that can come in a
 * step.  The rest is one loop: what has come is counted, then one node fires.  Parts of the table
 * that are used most are copied to DTCM, as far as there is room. */
#include "interpreter.h"

#include <spin1_api.h>

enum { TCR_NOT_FULL = 1 << 28 };

struct packet {
    uint32_t key;
    int32_t word;
};

/* Bytes of the inbox at which the next packet is put, by inbox.S, and taken. */
extern volatile uint32_t inbox_come;
volatile uint32_t inbox_come;
static uint32_t inbox_taken;
void inbox_begin(struct packet *packet, uint32_t mask_bytes); /* inbox.S */

static struct dataflow_core core;
static char *spare; /* behind the table, for what DTCM has no room for */

/* ---- packets ---- */

/* From DTCM, or where there is no more. */
static void *take(uint32_t bytes)
{
    void *memory = bytes == 0 ? NULL : sark_alloc(bytes, 1);
    if (bytes > 0 && memory == NULL) {
        memory = spare;
        spare += bytes;
    }
    return memory;
}

/* Receives from now on. */
static struct packet *open_inbox(uint32_t places)
{
    struct packet *packet = take(places * sizeof *packet);
    inbox_begin(packet, (places - 1) * sizeof *packet);
    vic[VIC_SELECT] = 1u << CC_MC_INT;
    vic[VIC_ENABLE] = 1u << CC_MC_INT;
    return packet;
}

/* Waits until the transmitter is free.  IRQ is masked meanwhile, FIQ is not. */
static void send(void *context, uint32_t key, int32_t word, bool payload)
{
    (void)context;
    const uint cpsr = cpu_irq_disable();
    while ((cc[CC_TCR] & TCR_NOT_FULL) == 0) {
        vic[VIC_ENABLE] = 1u << CC_TNF_INT;
        cpu_wfi();
        vic[VIC_DISABLE] = 1u << CC_TNF_INT;
    }
    if (payload) {
        cc[CC_TXDATA] = (uint32_t)word;
    }
    cc[CC_TXKEY] = key;
    cpu_int_restore(cpsr);
}

/* ---- memory ---- */

/* A copy in DTCM of an array, or the array where it is. */
static const void *near(const void *array, uint32_t bytes)
{
    void *copy = bytes == 0 ? NULL : sark_alloc(bytes, 1);
    if (copy == NULL) {
        return array;
    }
    sark_word_cpy(copy, array, bytes);
    return copy;
}

static void copy_table(const struct dataflow_head *head)
{
#define NEAR(array, count) core.array = near(core.array, (count) * sizeof *core.array)
    NEAR(arrival, head->arrivals);
    NEAR(slot_list, head->slots + 1);
    NEAR(list_of_slot, head->slot_lists);
    NEAR(list, head->lists);
    NEAR(waiter, head->waiters);
    NEAR(run, head->runs);
    NEAR(entry, head->entries);
    NEAR(send, head->sends);
    NEAR(parameter, head->parameters);
#undef NEAR
    core.state = (int32_t *)near(core.state, head->states * sizeof *core.state);
}

static void prepare(const struct dataflow_head *head)
{
    void *part[DATAFLOW_PARTS];
    for (uint32_t i = 0; i < DATAFLOW_PARTS; i++) {
        part[i] = take(dataflow_part_bytes(head, (enum dataflow_part)i));
    }
    dataflow_core_init(&core, head, part, send, NULL);
    copy_table(head);
}

/* The host reads the state where it wrote it. */
static void put_back(const struct dataflow_head *head)
{
    int32_t *home = (int32_t *)((char *)head + head->state);
    if (core.state != home) {
        sark_word_cpy(home, core.state, head->states * sizeof *home);
    }
}

/* ---- the loop ---- */

/* Interrupts stay masked from the look into the inbox to the wait, so that no packet is missed: a
 * pending interrupt ends the wait. */
static void wait(void)
{
    const uint cpsr = cpu_int_disable();
    if (inbox_come == inbox_taken) {
        cpu_wfi();
    }
    cpu_int_restore(cpsr);
}

static void work(const struct dataflow_head *head, const struct packet *packet)
{
    const uint32_t mask = head->inbox - 1;
    dataflow_core_begin(&core);
    while (!dataflow_core_ended(&core)) {
        while (inbox_taken != inbox_come) {
            const uint32_t place = inbox_taken / sizeof *packet;
            inbox_taken = ((place + 1) & mask) * sizeof *packet;
            dataflow_core_take(&core, packet[place].key, packet[place].word);
        }
        if (!dataflow_core_fire(&core)) {
            wait();
        }
    }
}

void c_main(void)
{
    const struct dataflow_head *head = (const struct dataflow_head *)sark.vcpu->user0;
    if (head == NULL) {
        return;
    }
    if (head->magic != DATAFLOW_MAGIC) {
        io_printf(IO_BUF, "no table at 0x%08x\n", (uint)head);
        rt_error(RTE_SWERR);
    }
    spare = (char *)head + head->bytes;
    const struct packet *packet = open_inbox(head->inbox);
    prepare(head);
    spin1_delay_us(head->ready_delay_us);
    work(head, packet);
    put_back(head);
    if (core.strange != 0) {
        io_printf(IO_BUF, "%u packets that no node waits for\n", core.strange);
        rt_error(RTE_SWERR);
    }
}
