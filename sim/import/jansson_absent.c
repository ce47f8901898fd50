/* jansson_absent.c - a build without jansson reads no model of Keras (keras_files.h). */
#include "sim/file.h"
#include "sim/import/keras_files.h"

static enum status refuse(const struct model *model, struct diagnostic *diagnostic)
{
    return file_refuse(model->path, "install libjansson-dev, and build spinnsim once more",
                       diagnostic, "this spinnsim was built without jansson, which reads JSON");
}

enum status keras_archive_read(struct model *model, const uint8_t *bytes, size_t size,
                               struct diagnostic *diagnostic)
{
    (void)bytes;
    (void)size;
    return refuse(model, diagnostic);
}

enum status keras_h5_read(struct model *model, const uint8_t *bytes, size_t size,
                          struct diagnostic *diagnostic)
{
    (void)bytes;
    (void)size;
    return refuse(model, diagnostic);
}

enum status tfjs_read(struct model *model, const uint8_t *bytes, size_t size,
                      struct diagnostic *diagnostic)
{
    (void)bytes;
    (void)size;
    return refuse(model, diagnostic);
}
