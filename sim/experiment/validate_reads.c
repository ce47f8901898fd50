/* validate_reads.c - see validate_reads.h. */
#include "sim/experiment/validate_reads.h"

#include "sim/file.h"
#include "sim/serve/reads.h"
#include "sim/serve/serve.h"
#include "sim/steps.h"

#include <stdlib.h>

/* The free middle of a chip's SDRAM. */
#define READ_ADDRESS 0x62000000u
/* Board time: SC&MP 4.0.0 is ready after 3.6 s. */
#define LIMIT_PS (60 * PS_PER_S)

static bool setup_of(const struct result_table *row, struct reads_setup *setup)
{
    char *end;
    const unsigned long x = strtoul(result_table_text(row, "chip"), &end, 10);
    const unsigned long y = *end == ',' ? strtoul(end + 1, &end, 10) : UINT8_MAX;
    const double window = result_table_number(row, "window");
    const double bytes = result_table_number(row, "bytes");
    if (*end != '\0' || x >= UINT8_MAX || y >= UINT8_MAX || !(window >= 1) ||
        window > READS_WINDOW_MAX || !(bytes >= SCP_DATA_BYTES_MAX) || bytes > INT32_MAX ||
        (uint32_t)bytes % SCP_DATA_BYTES_MAX != 0) {
        return false;
    }
    *setup = (struct reads_setup){.x = (uint8_t)x,
                                  .y = (uint8_t)y,
                                  .address = READ_ADDRESS,
                                  .bytes = (uint32_t)bytes,
                                  .window = (unsigned)window,
                                  .limit_ps = LIMIT_PS};
    return true;
}

static enum status write_table(const char *out, const char *run, const struct reads *reads,
                               struct diagnostic *diagnostic)
{
    FREED char *path = NULL;
    struct file_writer file;
    if (asprintf(&path, "%s/%s.csv", out, run) < 0) {
        return no_memory(diagnostic);
    }
    TRY(file_create(&file, path, diagnostic));
    (void)fprintf(file.stream, "bytes,seconds,requests,again\n%u,%.17g,%d,%u\n", reads->setup.bytes,
                  (double)(reads->end_ps - reads->begin_ps) / (double)PS_PER_S, reads->asked,
                  reads->again);
    return file_commit(&file, diagnostic);
}

static enum status read_board(struct serve *serve, struct experiment *experiment,
                              const struct validate_request *request, struct reads *reads,
                              struct diagnostic *diagnostic)
{
    enum { FIRST_ADDRESS = 0x7f000002 }; /* 127.0.0.2: the board's own; no socket has it */
    const struct serve_client client = reads_client(reads);
    const struct serve_options options = {.topology = &experiment->config.topology,
                                          .simulation = experiment->job.identity.sim_hash,
                                          .address = FIRST_ADDRESS,
                                          .pace = PACE_MAX,
                                          .image = request->image,
                                          .client = &client};
    TRY(serve_open(serve, &options, diagnostic));
    TRY(experiment_execute(experiment, diagnostic));
    TRY(serve_end(serve, diagnostic));
    return reads_are_complete(reads)
               ? STATUS_OK
               : file_refuse(request->image, "is it SC&MP for this board?", diagnostic,
                             "chip %u,%u answered %d of %u requests, %u of them with an error",
                             reads->setup.x, reads->setup.y, reads->read,
                             reads->setup.bytes / SCP_DATA_BYTES_MAX, reads->refused);
}

enum status validate_reads(FILE *stream, const struct validate_request *request,
                           const struct result_table *row, struct diagnostic *diagnostic)
{
    const char *set = result_table_text(row, "set");
    FREED char *file = file_join(request->run.configs_folder, result_table_text(row, "experiment"));
    RELEASED(serve_destroy) struct serve *serve = serve_create();
    RELEASED(experiment_destroy) struct experiment *experiment = calloc(1, sizeof *experiment);
    struct experiment_request of = request->run;
    struct reads_setup setup;
    struct reads reads;
    (void)stream;
    if (file == NULL || serve == NULL || experiment == NULL) {
        return no_memory(diagnostic);
    }
    if (!setup_of(row, &setup)) {
        (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                       "chip is X,Y; window a number from 1 to %d; bytes a multiple of %d",
                       READS_WINDOW_MAX, SCP_DATA_BYTES_MAX);
        diagnostic_at(diagnostic, row->path, row->line, 0);
        return STATUS_CONFIGURATION;
    }
    reads_init(&reads, &setup);
    of.file = file;
    of.sets = &set;
    of.set_count = set[0] != '\0';
    serve_follow(serve, &of.job);
    TRY(experiment_prepare(experiment, &of, diagnostic));
    TRY(read_board(serve, experiment, request, &reads, diagnostic));
    return write_table(request->out, result_table_text(row, "run"), &reads, diagnostic);
}
