/* hdf5_absent.c - a build without the HDF5 library reads and writes no HDF5 files (hdf5_read.h,
 * keras_write.h). */
#include "sim/file.h"
#include "sim/import/hdf5_read.h"
#include "sim/import/keras_write.h"

static enum status refuse(const char *path, struct diagnostic *diagnostic)
{
    return file_refuse(path, "install libhdf5-dev, and build spinnsim once more", diagnostic,
                       "this spinnsim was built without HDF5, the format of Keras' weights");
}

enum status hdf5_read(struct model *model, const uint8_t *bytes, size_t size,
                      const struct hdf5_wanted *wanted, struct hdf5_content *content,
                      struct diagnostic *diagnostic)
{
    (void)bytes;
    (void)size;
    (void)wanted;
    *content = (struct hdf5_content){.text_count = 0};
    return refuse(model->path, diagnostic);
}

enum status keras_export(const char *path, const struct network *network, const double *parameters,
                         struct diagnostic *diagnostic)
{
    (void)network;
    (void)parameters;
    return refuse(path, diagnostic);
}
