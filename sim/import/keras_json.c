/* keras_json.c - what the readers of Keras' files ask of JSON, and how they refuse (keras.h). */
#include "sim/file.h"
#include "sim/import/keras.h"
#include "sim/steps.h"

#include <stdarg.h>
#include <stdio.h>

json_t *keras_parse(const struct model *model, const char *part, const void *text, size_t bytes,
                    struct diagnostic *diagnostic)
{
    json_error_t error;
    if (bytes > KERAS_MOST_JSON_BYTES) {
        (void)file_refuse(model->path, "is it the right file?", diagnostic,
                          "%s has %zu bytes, at most %d can be read", part, bytes,
                          KERAS_MOST_JSON_BYTES);
        return NULL;
    }
    json_t *json = json_loadb(text, bytes, 0, &error);
    if (json == NULL) {
        /* The library quotes the text, which may hold anything. */
        for (char *at = error.text; *at != '\0'; at++) {
            if ((unsigned char)*at < ' ' || (unsigned char)*at >= 0x7f) {
                *at = '?';
            }
        }
        (void)file_refuse(model->path, "the file is damaged or cut short", diagnostic,
                          "%s is no JSON, line %d: %s", part, error.line, error.text);
    }
    return json;
}

static bool is_count(const json_t *value, int64_t most, int64_t *count)
{
    *count = json_integer_value(value);
    return json_is_integer(value) && *count >= 1 && *count <= most;
}

bool keras_pair(const json_t *object, const char *key, int64_t missing, int64_t most, int64_t *pair)
{
    const json_t *value = json_object_get(object, key);
    if (keras_lacks(object, key)) {
        pair[0] = pair[1] = missing;
        return true;
    }
    if (json_is_array(value)) {
        return json_array_size(value) == 2 && is_count(json_array_get(value, 0), most, &pair[0]) &&
               is_count(json_array_get(value, 1), most, &pair[1]);
    }
    const bool good = is_count(value, most, &pair[0]);
    pair[1] = pair[0];
    return good;
}

#undef keras_refuse
enum status keras_refuse(const struct keras_file *file, const struct keras_layer *layer,
                         const char *hint, const char *format, ...)
{
    char text[DIAGNOSTIC_TEXT_CHARS];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (layer == NULL) {
        return file_refuse(file->model->path, hint, file->diagnostic, "%s", text);
    }
    (void)file_refuse(file->model->path, hint, file->diagnostic, "layer \"%s\" (%s): %s",
                      layer->name, layer->class_name, text);
    diagnostic_key(file->diagnostic, layer->name);
    return STATUS_CONFIGURATION;
}
