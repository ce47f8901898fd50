/* stream.c - see stream.h. */
#include "sim/stages/stream.h"

#include "sim/load/sark_layout.h"
#include "sim/steps.h"
#include "workloads/nn/deform_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t fixed(double value)
{
    return (uint32_t)floor(value * NN_DEFORM_ONE + 0.5);
}

static struct nn_deformation limits_of(const struct config_stage *stage)
{
    return (struct nn_deformation){.shift = fixed(stage->shift),
                                   .scale = fixed(stage->scale),
                                   .squeeze = fixed(stage->squeeze),
                                   .shear = fixed(stage->shear)};
}

bool stream_is_deformed(const struct config_stage *stage)
{
    const struct nn_deformation limits = limits_of(stage);
    return (limits.shift | limits.scale | limits.squeeze | limits.shear) != 0;
}

enum status stream_take(const struct config_stage *stage, const struct dataset *source,
                        uint32_t first, uint32_t count, struct dataset *images,
                        struct diagnostic *diagnostic)
{
    *images = (struct dataset){.count = 0};
    if (stream_is_deformed(stage) && source->channels > 1) {
        (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                       "stage %s deforms images, and these have %u channels", stage->name,
                       source->channels);
        diagnostic_key(diagnostic, "stages");
        diagnostic_hint(diagnostic, "only images of one channel are deformed");
        return STATUS_CONFIGURATION;
    }
    *images = (struct dataset){.split = DATASET_TRAIN,
                               .count = count,
                               .channels = source->channels,
                               .height = source->height,
                               .width = source->width,
                               .classes = source->classes,
                               .original = source->original && !stream_is_deformed(stage)};
    const size_t pixels = dataset_pixels(source);
    images->images = malloc(count * pixels);
    images->labels = malloc(count);
    if (images->images == NULL || images->labels == NULL) {
        dataset_deinit(images);
        return no_memory(diagnostic);
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t from = (first + i) % source->count;
        images->labels[i] = source->labels[from];
        memcpy(images->images + i * pixels, source->images + from * pixels, pixels);
    }
    return STATUS_OK;
}

bool stream_deform(const struct config_stage *stage, uint32_t first, struct dataset *images)
{
    const struct nn_deformation limits = limits_of(stage);
    const size_t pixels = dataset_pixels(images);
    uint8_t *from = malloc(pixels);
    for (uint32_t i = 0; i < images->count && from != NULL; i++) {
        uint8_t *to = images->images + i * pixels;
        const struct nn_affine affine =
            nn_affine_draw(&limits, (uint32_t)stage->stream_seed, first + i);
        memcpy(from, to, pixels);
        nn_deform(&affine, images->width, images->height, from, to);
    }
    free(from);
    return from != NULL;
}

/* ---- on the machine ---- */

enum {
    PLAN_ADDRESS = SARK_SDRAM_HEAP,
    IMAGES_ADDRESS = PLAN_ADDRESS + 64,
    LOCK = 8, /* the first lock that has no conventional use */
    APP_ID = 30
};
_Static_assert(sizeof(struct nn_deform_plan) <= IMAGES_ADDRESS - PLAN_ADDRESS, "a plan has room");

/* Deals the images to the chips: of each a plan and its share of the images. */
static void deal(const struct config_stage *stage, uint32_t first, const struct dataset *images,
                 const struct topology *topology, struct nn_deform_plan *plan,
                 struct job_block *block)
{
    const size_t pixels = dataset_pixels(images);
    uint32_t next = 0;
    for (size_t i = 0; i < topology->count; i++) {
        const struct topology_chip *chip = &topology->chip[i];
        const struct machine_core core = {chip->x, chip->y, 0};
        const uint32_t left = (uint32_t)(topology->count - i);
        const uint32_t count = (images->count - next + left - 1) / left;
        plan[i] = (struct nn_deform_plan){.magic = NN_DEFORM_MAGIC,
                                          .lock = LOCK,
                                          .images = IMAGES_ADDRESS,
                                          .image_count = count,
                                          .width = images->width,
                                          .height = images->height,
                                          .seed = (uint32_t)stage->stream_seed,
                                          .first = first + next,
                                          .limits = limits_of(stage)};
        block[2 * i] = (struct job_block){core, PLAN_ADDRESS, sizeof plan[i], (uint8_t *)&plan[i]};
        block[2 * i + 1] = (struct job_block){core, IMAGES_ADDRESS, (uint32_t)(count * pixels),
                                              images->images + next * pixels};
        next += count;
    }
}

static enum status run_on(const struct job *whole, const struct topology *topology,
                          const struct job_block *block, struct stage_run *run,
                          struct diagnostic *diagnostic)
{
    const uint32_t end = IMAGES_ADDRESS + block[1].count; /* the first chip has most */
    const struct job_memory memory = {block, 2 * topology->count, PLAN_ADDRESS, end};
    const struct job_given given = {.memory = &memory};
    const struct machine_parameters *machine = &run->config.machine;
    const uint32_t all = (uint32_t)((UINT64_C(1) << machine->chip_cores) - 1);
    const uint32_t monitors = (uint32_t)((UINT64_C(1) << machine->chip_monitor_cores) - 1);
    if (end - SARK_SDRAM_BASE + SARK_SYSTEM_HEAP_BYTES > machine->sdram_bytes) {
        return config_refuse(whole->config, "sdram.size", "smaller parts of the stream", diagnostic,
                             "%u bytes of images do not fit a chip", block[1].count);
    }
    run->app = (struct config_app){
        .file = "deform_images.elf", .all_chips = true, .cores = all & ~monitors, .app_id = APP_ID};
    run->config.has_app = true;
    run->config.app = &run->app;
    run->config.app_count = 1;
    run->config.stage_count = 0;
    TRY(stage_run_prepare(run, whole, &given, diagnostic));
    const enum status status = stage_run_execute(run, diagnostic);
    run->job.options.given.memory = NULL; /* ends here */
    return status;
}

enum status stream_deform_on_machine(const struct job *whole, const struct config_stage *stage,
                                     uint32_t first, struct dataset *images, struct stage_run *run,
                                     struct diagnostic *diagnostic)
{
    RELEASED(topology_deinit) struct topology topology = {0};
    *run = (struct stage_run){.config = *whole->config};
    TRY(config_topology(whole->config, &topology, diagnostic));
    FREED struct nn_deform_plan *plan = calloc(topology.count, sizeof *plan);
    FREED struct job_block *block = calloc(2 * topology.count, sizeof *block);
    if (plan == NULL || block == NULL) {
        return no_memory(diagnostic);
    }
    deal(stage, first, images, &topology, plan, block);
    return run_on(whole, &topology, block, run, diagnostic);
}
