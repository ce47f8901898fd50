/* replica_infer.c - role: one whole network in one core, which classifies images from SDRAM.
 *
 * Each core holds all parameters in DTCM.  It takes the number of the next image from a counter in
 * System RAM, fetches that image by DMA while it computes the previous one, and writes label,
 * confidence and logits back by DMA.  The callbacks of its DMA transfers drive it; it never
 * polls. */
#include "marks.h"

#include <kernels.h>
#include <layer_table.h>
#include <run_plan.h>
#include <spin1_api.h>

enum { TAG_IMAGE = 1, TAG_RESULT, PRIORITY = 1, NO_IMAGE = 0xffffffff };

/* A slot: an image that is fetched or computed, and its result that is written back. */
struct slot {
    uint32_t image; /* its number, NO_IMAGE: none */
    uint8_t *pixels;
    struct nn_result *result;
};

static struct {
    struct nn_plan plan;
    const struct nn_table *table;
    uint8_t *parameters, *activations;
    uint32_t *exp_table;
    struct slot slot[2];
    uint32_t turn; /* slot to compute next */
    uint32_t results_on_their_way;
} role;

static void *allocate(uint bytes)
{
    void *memory = sark_alloc(1, bytes);
    if (memory == NULL) {
        io_printf(IO_BUF, "no room in DTCM for %u bytes\n", bytes);
        rt_error(RTE_MALLOC);
    }
    return memory;
}

/* Number of the next image of the data set; NO_IMAGE when none is left. */
static uint32_t next_image(void)
{
    volatile uint32_t *counter = (volatile uint32_t *)role.plan.counter;
    const uint cpsr = sark_lock_get(role.plan.counter_lock);
    const uint32_t image = *counter;
    if (image < role.plan.image_count) {
        *counter = image + 1;
    }
    sark_lock_free(cpsr, role.plan.counter_lock);
    return image < role.plan.image_count ? image : NO_IMAGE;
}

static void start_transfer(uint tag, uint32_t address, void *tcm, uint direction, uint bytes)
{
    if (spin1_dma_transfer(tag, (void *)address, tcm, direction, bytes) == 0) {
        rt_error(RTE_API);
    }
}

static void fetch(struct slot *slot)
{
    slot->image = next_image();
    if (slot->image != NO_IMAGE) {
        start_transfer(TAG_IMAGE, role.plan.images + slot->image * role.plan.image_bytes,
                       slot->pixels, DMA_READ, role.plan.image_bytes);
    }
}

static void store_result(const struct slot *slot)
{
    start_transfer(TAG_RESULT, role.plan.results + slot->image * sizeof *slot->result, slot->result,
                   DMA_WRITE, sizeof *slot->result);
    role.results_on_their_way++;
}

static void classify(struct slot *slot)
{
    struct nn_result *result = slot->result;
    struct nn_numerics numerics = {0};
    const struct nn_layer *last = &role.table->layer[role.table->layers - 1];
    uint32_t probability[NN_MAX_CLASSES];
    nn_forward(role.table, role.parameters, role.activations, slot->pixels, mark_layer, &numerics);
    mark_result();
    const int32_t *logits = nn_logits(role.table, role.activations);
    result->label = nn_softmax(logits, role.table->classes,
                               (uint32_t)last->weight_fraction + last->input_fraction,
                               role.exp_table, probability);
    result->confidence = probability[result->label];
    result->saturations = numerics.saturations;
    result->overflows = numerics.overflows;
    result->core = sark_core_id();
    result->done = 1;
    for (uint32_t c = 0; c < NN_RESULT_CLASSES; c++) {
        result->logits[c] = c < role.table->classes ? logits[c] : 0;
    }
}

/* An image has arrived: fetches the next one and computes this one meanwhile. */
static void image_arrived(void)
{
    struct slot *slot = &role.slot[role.turn];
    role.turn ^= 1;
    fetch(&role.slot[role.turn]);
    classify(slot);
    store_result(slot);
    slot->image = NO_IMAGE;
    mark_wait();
}

static void transfer_done(uint id, uint tag)
{
    (void)id;
    if (tag == TAG_IMAGE) {
        image_arrived();
    } else if (tag == TAG_RESULT) {
        role.results_on_their_way--;
    }
    const int idle = role.slot[0].image == NO_IMAGE && role.slot[1].image == NO_IMAGE;
    if (idle && role.results_on_their_way == 0) {
        spin1_exit(0);
    }
}

static void set_up(void)
{
    sark_word_cpy(&role.plan, (const void *)sark.vcpu->user0, sizeof role.plan);
    if (role.plan.magic != NN_PLAN_MAGIC || role.plan.version != NN_PLAN_VERSION) {
        io_printf(IO_BUF, "no run plan at 0x%08x\n", sark.vcpu->user0);
        rt_error(RTE_SWERR);
    }
    void *table = allocate(role.plan.table_bytes);
    sark_word_cpy(table, (const void *)role.plan.table, role.plan.table_bytes);
    role.table = table;
    if (role.table->magic != NN_TABLE_MAGIC || role.table->bytes != role.plan.table_bytes ||
        nn_check(role.table, role.table->bytes) != role.plan.table_check) {
        io_printf(IO_BUF, "the program's layer table is not the planned one\n");
        rt_error(RTE_SWERR);
    }
    role.parameters = allocate(role.plan.parameter_bytes);
    sark_word_cpy(role.parameters, (const void *)role.plan.parameters, role.plan.parameter_bytes);
    role.activations = allocate(role.table->activation_bytes);
    role.exp_table = allocate((NN_EXP_STEPS + 1) * sizeof *role.exp_table);
    nn_exp_table(role.exp_table);
    for (uint32_t i = 0; i < 2; i++) {
        role.slot[i].image = NO_IMAGE;
        role.slot[i].pixels = allocate(role.plan.image_bytes);
        role.slot[i].result = allocate(sizeof *role.slot[i].result);
    }
}

static void begin(uint unused0, uint unused1)
{
    (void)unused0;
    (void)unused1;
    stage_test();
    mark_wait();
    fetch(&role.slot[0]);
    if (role.slot[0].image == NO_IMAGE) {
        spin1_exit(0);
    }
}

void c_main(void)
{
    mark_load();
    set_up();
    spin1_callback_on(DMA_TRANSFER_DONE, transfer_done, PRIORITY);
    (void)spin1_schedule_callback(begin, 0, 0, PRIORITY);
    (void)spin1_start(SYNC_WAIT);
}
