/* model.c - see model.h: finding things by name, and refusing. */
#include "sim/import/model.h"

#include "sim/config/config_arena.h"
#include "sim/file.h"
#include "sim/import/readers.h"
#include "sim/steps.h"

#include <string.h>

void model_deinit(struct model *model)
{
    config_arena_destroy(model->arena);
    *model = (struct model){0};
}

const struct model_tensor *model_find_tensor(const struct model *model, const char *name)
{
    for (size_t i = 0; i < model->tensor_count; i++) {
        if (strcmp(model->tensor[i].name, name) == 0) {
            return &model->tensor[i];
        }
    }
    return NULL;
}

const struct model_attribute *model_find_attribute(const struct model_node *node, const char *name)
{
    for (size_t i = 0; i < node->attribute_count; i++) {
        if (strcmp(node->attribute[i].name, name) == 0) {
            return &node->attribute[i];
        }
    }
    return NULL;
}

const char *model_text(struct model *model, const void *bytes, size_t count)
{
    const char *text = config_arena_text(model->arena, bytes, count);
    for (const char *at = text; *at != '\0'; at++) {
        if ((unsigned char)*at < ' ' || *at == 0x7f) {
            return NULL;
        }
    }
    return text;
}

void model_refuse_at(const struct model *model, const struct model_node *node, const char *hint,
                     struct diagnostic *diagnostic)
{
    diagnostic_at(diagnostic, model->path, 0, 0);
    if (node != NULL) {
        diagnostic_key(diagnostic, node->name);
    }
    if (hint != NULL) {
        diagnostic_hint(diagnostic, "%s", hint);
    }
}
