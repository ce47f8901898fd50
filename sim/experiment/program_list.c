/* program_list.c - see program_list.h. */
#include "sim/experiment/program_list.h"

#include "sim/run_control/job.h"
#include "sim/steps.h"

#include <inttypes.h>

/* ITCM is at address 0, DTCM above it. */
static uint32_t bytes_of(const struct elf_image *program, bool code)
{
    uint32_t bytes = 0;
    for (size_t i = 0; i < program->segment_count; i++) {
        bytes += (program->segment[i].address == 0) == code ? program->segment[i].memory_bytes : 0;
    }
    return bytes;
}

static enum status ship(const struct sim_config *config, const char *workloads, FILE *stream,
                        struct diagnostic *diagnostic)
{
    struct job job;
    const struct job_options options = {.workloads_folder = workloads, .threads = 1};
    TRY(job_ship_program(&job, config, &options, diagnostic));
    const struct elf_image *program = &job.program->image;
    const uint32_t code = bytes_of(program, true);
    const char *way = job.program->way;
    (void)fprintf(stream, "%s,%s,%s,%" PRIu32 ",%" PRId64 ",%" PRIu32 ",%s\n", config->name,
                  job.program->name, way == NULL ? "" : way, code,
                  (int64_t)config->machine.chip_itcm_bytes - code, bytes_of(program, false),
                  program->path);
    job_deinit(&job);
    return STATUS_OK;
}

/* Whether an experiment has a program that is linked for it, and can be before it runs. */
static bool is_linked(const struct sim_config *config)
{
    return !config->has_app && config->stage_count == 0 &&
           config->backend == CONFIG_BACKEND_SPINNAKER &&
           config->mapping_kind != CONFIG_MAPPING_KIND_AUTO;
}

enum status program_list(const char *const *files, size_t count,
                         const struct config_request *request, const char *workloads, FILE *stream,
                         struct diagnostic *diagnostic)
{
    enum status status = STATUS_OK;
    (void)fputs("experiment,program,way,code_bytes,code_free_bytes,data_bytes,path\n", stream);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct sim_config config;
        struct config_request of_file = *request;
        of_file.path = files[i];
        status = config_load(&of_file, &config, diagnostic);
        if (status == STATUS_OK && is_linked(&config)) {
            status = ship(&config, workloads, stream, diagnostic);
        }
        config_deinit(&config);
    }
    return status;
}
