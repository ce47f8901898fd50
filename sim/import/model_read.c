/* model_read.c - see model.h: the table of readers, and choosing one. */
#include "sim/config/config_arena.h"
#include "sim/file.h"
#include "sim/import/readers.h"
#include "sim/steps.h"

#include <stdio.h>
#include <string.h>

/* A format more is a row more. */
static const struct model_reader *const READERS[] = {&ONNX_READER, &KERAS_READER, &KERAS_H5_READER,
                                                     &TFJS_READER};

enum { READER_COUNT = sizeof READERS / sizeof *READERS };

static enum status refuse_format(const char *path, struct diagnostic *diagnostic)
{
    char known[128] = "";
    for (size_t i = 0; i < READER_COUNT; i++) {
        const size_t length = strlen(known);
        (void)snprintf(known + length, sizeof known - length, "%s%s", i == 0 ? "" : ", ",
                       READERS[i]->format);
    }
    (void)file_refuse(path, NULL, diagnostic, "no model of a format that can be read");
    diagnostic_hint(diagnostic, "formats: %s", known);
    return STATUS_CONFIGURATION;
}

enum status model_read(struct model *model, const char *path, struct diagnostic *diagnostic)
{
    struct model_file file = {.path = path};
    *model = (struct model){0};
    file.first_bytes = file_read_first(path, file.first, sizeof file.first, &file.bytes);
    for (size_t i = 0; i < READER_COUNT; i++) {
        if (!READERS[i]->knows(&file)) {
            continue;
        }
        model->arena = config_arena_create();
        if (model->arena == NULL) {
            return no_memory(diagnostic);
        }
        model->path = config_arena_text(model->arena, path, strlen(path));
        const enum status status = READERS[i]->read(model, diagnostic);
        if (status != STATUS_OK) {
            model_deinit(model);
        }
        return status;
    }
    if (file.first_bytes == 0) {
        FREED uint8_t *bytes = NULL;
        size_t size;
        TRY(file_read(path, MODEL_MOST_FILE_BYTES, &bytes, &size, diagnostic));
    }
    return refuse_format(path, diagnostic);
}
