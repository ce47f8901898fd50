/* maps_infer.c - role: some maps of a network, on a chip whose cores share the network.
 *
 * The core's part (part_plan.h) says what the core computes.  For each image it takes the pixels,
 * or the values that other cores have computed, computes its layers for its maps, and sends the
 * output values or stores the result.  Interrupts send and receive the packets while the core
 * computes (value_stream.h).  A part's input has room for two images, used in turn.  A window keeps
 * the third image away: the cores with the first layers send the values of image i only when the
 * core with the last layer has finished image i - 2, and every core between them has finished it by
 * then. */
#include "marks.h"

#include <chip_sync.h>
#include <int8.h>
#include <kernels.h>
#include <layer_table.h>
#include <part_plan.h>
#include <run_plan.h>
#include <spin1_api.h>
#include <value_stream.h>

enum { TAG = 1, PRIORITY = 1, ROUNDS = NN_PART_ROUNDS };

static struct {
    struct nn_part part;
    struct nn_plan plan;
    const struct nn_table *table;
    uint8_t *parameters, *activations;
    int16_t *input;          /* place 0: values received in packets */
    uint8_t *pixels[ROUNDS]; /* or images from SDRAM */
    void *output[ROUNDS];    /* values that are sent, or logits */
    struct nn_result *result[ROUNDS];
    uint32_t *exp_table;
    struct nn_wait_note *note;
    struct nn_numerics numerics;
    uint32_t image; /* number of the image being computed */
    volatile uint32_t transfers_done;
    uint32_t transfers;
    nn_value *came, *made; /* values of an image in 8 bits; packets carry them as int16 */
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

/* A copy in DTCM of what the host has put into SDRAM. */
static void *fetch(uint32_t address, uint32_t bytes)
{
    void *memory = allocate(bytes);
    sark_word_cpy(memory, (const void *)address, bytes);
    return memory;
}

/* ---- transfers: images in, results out, one at a time ---- */

static void transfer_done(uint id, uint tag)
{
    (void)id;
    (void)tag;
    role.transfers_done++;
}

static void start_transfer(uint32_t address, void *tcm, uint direction, uint bytes)
{
    if (spin1_dma_transfer(TAG, (void *)address, tcm, direction, bytes) == 0) {
        rt_error(RTE_API);
    }
    role.transfers++;
}

static uint transfers_are_over(void)
{
    return role.transfers_done == role.transfers;
}

static void fetch_image(uint32_t image)
{
    if (image < role.plan.image_count) {
        start_transfer(role.plan.images + image * role.plan.image_bytes,
                       role.pixels[image % ROUNDS], DMA_READ, role.plan.image_bytes);
    }
}

/* ---- input ---- */

static nn_value *take_image(void)
{
    nn_value *values = (nn_value *)(void *)(role.activations + role.table->layer[0].from);
    mark_wait();
    chip_wait(transfers_are_over);
    fetch_image(role.image + 1);
    nn_load_image(role.table, role.pixels[role.image % ROUNDS], values);
    return values;
}

static nn_value *take_values(void)
{
    mark_packets();
    chip_wait(value_receive_complete);
    int16_t *const values = role.input - role.image % ROUNDS * role.part.input_places;
    if (!NN_NARROW) {
        return (nn_value *)(void *)values;
    }
    const uint32_t count = nn_values(role.table->layer[0].input);
    mark_layer(role.part.first_layer);
    for (uint32_t i = 0; i < count; i++) {
        role.came[i] = (nn_value)values[i];
    }
    return role.came;
}

/* ---- output ---- */

static uint window_is_open(void)
{
    const volatile uint32_t *done = (const volatile uint32_t *)role.plan.counter;
    return !role.part.starts_network || *done + ROUNDS > role.image;
}

static void send_values(void)
{
    const uint32_t odd = role.image % ROUNDS;
    const int place = (int)role.part.place - (int)(odd * role.part.output_places);
    mark_window();
    chip_wait(value_send_idle);
    chip_wait(window_is_open);
    value_send(role.output[odd], role.part.output_values, odd ? role.part.odd_key : role.part.key,
               place);
}

static void classify(const int32_t *logits, struct nn_result *result)
{
    const struct nn_layer *last = &role.table->layer[role.table->layers - 1];
    uint32_t probability[NN_MAX_CLASSES];
    result->label = nn_softmax(logits, role.table->classes,
                               (uint32_t)last->weight_fraction + last->input_fraction,
                               role.exp_table, probability);
    result->confidence = probability[result->label];
    result->core = sark_core_id();
    result->done = 1;
    for (uint32_t c = 0; c < NN_RESULT_CLASSES; c++) {
        result->logits[c] = c < role.table->classes ? logits[c] : 0;
    }
}

/* The values of this image have been used: there is room for those of image + 2. */
static void open_window(void)
{
    *(volatile uint32_t *)role.plan.counter = role.image + 1;
    if (role.part.told != 0) {
        chip_wake(role.part.told);
    }
}

static void store_result(void)
{
    struct nn_result *result = role.result[role.image % ROUNDS];
    mark_result();
    open_window();
    chip_wait(transfers_are_over);
    classify(role.output[role.image % ROUNDS], result);
    start_transfer(role.plan.results + role.image * sizeof *result, result, DMA_WRITE,
                   sizeof *result);
}

/* ---- the whole ---- */

static void mark_part(uint32_t layer)
{
    mark_layer(role.part.first_layer + layer);
}

/* Computes all layers of the part. */
static void make_output(const nn_value *input, void *output)
{
    const bool narrow = NN_NARROW && !role.part.ends_network;
    nn_forward_values(role.table, role.parameters, role.activations, input,
                      narrow ? role.made : output, mark_part, &role.numerics);
    if (narrow) {
        nn_int8_widen((const int8_t *)role.made, output, role.part.output_values);
    }
}

static void work_on_image(void)
{
    const nn_value *input = role.part.starts_network ? take_image() : take_values();
    make_output(input, role.output[role.image % ROUNDS]);
    if (!role.part.starts_network) {
        value_receive_next();
    }
    if (role.part.ends_network) {
        store_result();
    } else {
        send_values();
    }
}

static void leave_totals(void)
{
    volatile struct nn_part_totals *totals = (volatile struct nn_part_totals *)role.part.totals;
    totals->saturations = role.numerics.saturations;
    totals->overflows = role.numerics.overflows;
    totals->images = role.image;
}

static void set_up_input(void)
{
    const uint32_t bytes = role.part.input_places * sizeof *role.input;
    if (role.part.starts_network) {
        for (uint32_t i = 0; i < ROUNDS; i++) {
            role.pixels[i] = allocate(role.plan.image_bytes);
        }
        return;
    }
    role.input = (int16_t *)allocate(ROUNDS * bytes) + role.part.input_places;
    const uint32_t rows = role.part.wait_count * sizeof(struct nn_wait);
    role.note = allocate(sizeof *role.note + rows);
    *role.note = (struct nn_wait_note){.magic = NN_WAIT_MAGIC, .count = role.part.wait_count};
    sark_word_cpy(role.note->wait, (const void *)role.part.waits, rows);
    sark.vcpu->user1 = (uint)role.note;
}

static void set_up_output(void)
{
    for (uint32_t i = 0; i < ROUNDS; i++) {
        const uint32_t values = role.part.output_values;
        role.output[i] =
            allocate(values * (role.part.ends_network ? sizeof(int32_t) : sizeof(int16_t)));
        if (role.part.ends_network) {
            role.result[i] = allocate(sizeof *role.result[i]);
            *role.result[i] = (struct nn_result){0};
        }
    }
    if (role.part.ends_network) {
        role.exp_table = allocate((NN_EXP_STEPS + 1) * sizeof *role.exp_table);
        nn_exp_table(role.exp_table);
    }
}

static void set_up(void)
{
    sark_word_cpy(&role.part, (const void *)sark.vcpu->user0, sizeof role.part);
    if (role.part.magic != NN_PART_MAGIC || role.part.version != NN_PART_VERSION) {
        io_printf(IO_BUF, "no part at 0x%08x\n", sark.vcpu->user0);
        rt_error(RTE_SWERR);
    }
    sark_word_cpy(&role.plan, (const void *)role.part.plan, sizeof role.plan);
    role.table = fetch(role.part.table, role.part.table_bytes);
    role.parameters = fetch(role.part.parameters, role.part.parameter_bytes);
    role.activations = allocate(role.table->activation_bytes);
    set_up_input();
    set_up_output();
    if (NN_NARROW) {
        role.came =
            role.part.starts_network ? NULL : allocate(nn_values(role.table->layer[0].input));
        role.made = role.part.ends_network ? NULL : allocate(role.part.output_values);
    }
}

static void begin(uint unused0, uint unused1)
{
    (void)unused0;
    (void)unused1;
    if (!role.part.starts_network) {
        value_receive_begin(role.input, role.note, role.part.wait_shift);
    }
    chip_barrier();
    stage_test();
    if (role.part.starts_network) {
        fetch_image(0);
    }
    for (; role.image < role.plan.image_count; role.image++) {
        work_on_image();
    }
    mark_window();
    chip_wait(value_send_idle);
    chip_wait(transfers_are_over);
    leave_totals();
    spin1_exit(0);
}

void c_main(void)
{
    mark_load();
    set_up();
    spin1_callback_on(DMA_TRANSFER_DONE, transfer_done, 0);
    (void)spin1_schedule_callback(begin, 0, 0, PRIORITY);
    (void)spin1_start(SYNC_NOWAIT);
}
