/* deform_images.c - role: deforms images of a stream, which lie in the chip's SDRAM.
 *
 * The chip's cores take one image after the other by a common counter, fetch it by DMA, deform it
 * and write it back to its place.  The callbacks of the DMA transfers drive a core; it never polls.
 */
#include <deform_plan.h>
#include <spin1_api.h>

enum { TAG_FETCH = 1, TAG_STORE, PRIORITY = 1, NO_IMAGE = 0xffffffff };

static struct {
    struct nn_deform_plan plan;
    uint32_t image; /* number on this chip; NO_IMAGE: all have been taken */
    uint8_t *from, *to;
} role;

static void take_image(void)
{
    volatile struct nn_deform_plan *plan = (volatile struct nn_deform_plan *)sark.vcpu->user0;
    const uint cpsr = sark_lock_get(role.plan.lock);
    const uint32_t image = plan->next;
    if (image < role.plan.image_count) {
        plan->next = image + 1;
    }
    sark_lock_free(cpsr, role.plan.lock);
    role.image = image < role.plan.image_count ? image : NO_IMAGE;
}

static void transfer(uint tag, uint8_t *tcm, uint direction)
{
    const uint bytes = role.plan.width * role.plan.height;
    void *image = (void *)(role.plan.images + role.image * bytes);
    if (spin1_dma_transfer(tag, image, tcm, direction, bytes) == 0) {
        rt_error(RTE_API);
    }
}

static void next(uint unused0, uint unused1)
{
    (void)unused0;
    (void)unused1;
    take_image();
    if (role.image == NO_IMAGE) {
        spin1_exit(0);
    } else {
        transfer(TAG_FETCH, role.from, DMA_READ);
    }
}

static void transfer_done(uint id, uint tag)
{
    const struct nn_deform_plan *plan = &role.plan;
    (void)id;
    if (tag == TAG_STORE) {
        next(0, 0);
        return;
    }
    const struct nn_affine affine =
        nn_affine_draw(&plan->limits, plan->seed, plan->first + role.image);
    nn_deform(&affine, plan->width, plan->height, role.from, role.to);
    transfer(TAG_STORE, role.to, DMA_WRITE);
}

void c_main(void)
{
    sark_word_cpy(&role.plan, (const void *)sark.vcpu->user0, sizeof role.plan);
    if (role.plan.magic != NN_DEFORM_MAGIC) {
        io_printf(IO_BUF, "no plan at 0x%08x\n", sark.vcpu->user0);
        rt_error(RTE_SWERR);
    }
    role.from = sark_alloc(role.plan.width, role.plan.height);
    role.to = sark_alloc(role.plan.width, role.plan.height);
    if (role.from == NULL || role.to == NULL) {
        io_printf(IO_BUF, "no room for images of %u x %u\n", role.plan.width, role.plan.height);
        rt_error(RTE_MALLOC);
    }
    spin1_callback_on(DMA_TRANSFER_DONE, transfer_done, PRIORITY);
    (void)spin1_schedule_callback(next, 0, 0, PRIORITY);
    (void)spin1_start(SYNC_WAIT);
}
