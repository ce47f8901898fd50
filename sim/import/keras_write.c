/* keras_write.c - see keras_write.h. */
#include "sim/import/keras_write.h"

#include "sim/file.h"
#include "sim/networks/layer.h"
#include "sim/networks/weights.h"
#include "sim/steps.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGE_GROWTH = 1 << 16 };

static const char ENDING[] = ".weights.h5";

/* Keras' class of a layer with weights, in the spelling of its groups. */
static const struct {
    enum network_layer_type type;
    const char *group;
} CLASSES[] = {
    {NETWORK_CONV2D, "conv2d"},
    {NETWORK_DENSE, "dense"},
};
enum { CLASS_COUNT = sizeof CLASSES / sizeof *CLASSES };

struct writing {
    const char *path;
    const struct network *network;
    const double *parameters;
    struct diagnostic *diagnostic;
    hid_t file;
    size_t written[CLASS_COUNT]; /* layers of each class */
};

static void close_file(struct writing *writing)
{
    if (writing->file >= 0) {
        (void)H5Fclose(writing->file);
    }
}

static enum status fail(const struct writing *writing)
{
    return diagnose(writing->diagnostic, STATUS_INTERNAL,
                    "%s: the HDF5 library cannot make the file", writing->path);
}

/* ---- values in Keras' order ---- */

/* Ours [map][input][row][column] as [row][column][input][map]. */
static void turn_kernel(const struct network_layer *layer, const double *weights, float *to)
{
    const size_t inputs = layer->input.channels, window = (size_t)layer->kernel * layer->kernel;
    for (size_t i = 0; i < window; i++) {
        for (size_t input = 0; input < inputs; input++) {
            for (size_t map = 0; map < layer->outputs; map++) {
                *to++ = (float)weights[(map * inputs + input) * window + i];
            }
        }
    }
}

/* Ours [output][channel][row][column] as [row][column][channel][output]: the order of Flatten. */
static void turn_dense(const struct network_layer *layer, const double *weights, float *to)
{
    const size_t channels = layer->input.channels,
                 pixels = (size_t)layer->input.height * layer->input.width;
    for (size_t i = 0; i < pixels; i++) {
        for (size_t channel = 0; channel < channels; channel++) {
            for (size_t output = 0; output < layer->outputs; output++) {
                *to++ = (float)weights[(output * channels + channel) * pixels + i];
            }
        }
    }
}

/* ---- the file ---- */

/* Groups on the way to the array are made, too; no times of making are kept. */
static enum status write_array(const struct writing *writing, const char *name, int rank,
                               const hsize_t *shape, const float *value)
{
    const hid_t links = H5Pcreate(H5P_LINK_CREATE), made = H5Pcreate(H5P_DATASET_CREATE);
    (void)H5Pset_create_intermediate_group(links, 1);
    (void)H5Pset_obj_track_times(made, false);
    const hid_t space = H5Screate_simple(rank, shape, NULL);
    const hid_t array =
        H5Dcreate(writing->file, name, H5T_IEEE_F32LE, space, links, made, H5P_DEFAULT);
    const bool good =
        array >= 0 && H5Dwrite(array, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0;
    (void)H5Dclose(array);
    (void)H5Sclose(space);
    (void)H5Pclose(made);
    (void)H5Pclose(links);
    return good ? STATUS_OK : fail(writing);
}

/* "layers/conv2d_1/vars/0" */
static void name_array(char *name, size_t room, const char *group, size_t number, unsigned variable)
{
    char suffix[32] = "";
    if (number > 0) {
        (void)snprintf(suffix, sizeof suffix, "_%zu", number);
    }
    (void)snprintf(name, room, "layers/%s%s/vars/%u", group, suffix, variable);
}

static enum status write_layer(struct writing *writing, size_t index, size_t of_class)
{
    enum { NAME_CHARS = 64 };
    char name[NAME_CHARS];
    const struct network_layer *layer = &writing->network->layer[index];
    const struct weights_place place = weights_place(writing->network, index);
    const size_t count = network_layer_weights(layer), number = writing->written[of_class]++;
    const hsize_t outputs = layer->outputs;
    const hsize_t conv[] = {layer->kernel, layer->kernel, layer->input.channels, outputs};
    const hsize_t dense[] = {network_values(layer->input), outputs};
    const bool is_dense = layer->type == NETWORK_DENSE;
    FREED float *value = malloc((count + outputs) * sizeof *value);
    if (value == NULL) {
        return no_memory(writing->diagnostic);
    }
    (is_dense ? turn_dense : turn_kernel)(layer, writing->parameters + place.weights, value);
    name_array(name, sizeof name, CLASSES[of_class].group, number, 0);
    TRY(write_array(writing, name, is_dense ? 2 : 4, is_dense ? dense : conv, value));
    for (size_t i = 0; i < outputs; i++) {
        value[i] = (float)writing->parameters[place.biases + i];
    }
    name_array(name, sizeof name, CLASSES[of_class].group, number, 1);
    return write_array(writing, name, 1, &outputs, value);
}

static enum status write_layers(struct writing *writing)
{
    for (size_t i = 0; i < writing->network->layer_count; i++) {
        const struct network_layer *layer = &writing->network->layer[i];
        size_t of_class = 0;
        while (of_class < CLASS_COUNT && CLASSES[of_class].type != layer->type) {
            of_class++;
        }
        if (network_is_pool(layer)) {
            continue;
        }
        if (of_class == CLASS_COUNT || layer->links != NULL) {
            return layer_refuse(writing->network, layer,
                                "the weights are in weights.npz and, for ONNX, in --onnx",
                                writing->diagnostic, "Keras has no class for it");
        }
        TRY(write_layer(writing, i, of_class));
    }
    return STATUS_OK;
}

/* The file's bytes, malloc'ed. */
static enum status take_image(const struct writing *writing, uint8_t **bytes, size_t *size)
{
    const ssize_t length = H5Fflush(writing->file, H5F_SCOPE_GLOBAL) < 0
                               ? -1
                               : H5Fget_file_image(writing->file, NULL, 0);
    if (length < 0) {
        return fail(writing);
    }
    *size = (size_t)length;
    *bytes = malloc(*size + 1);
    if (*bytes == NULL) {
        return no_memory(writing->diagnostic);
    }
    return H5Fget_file_image(writing->file, *bytes, *size) == length ? STATUS_OK : fail(writing);
}

static enum status write_file(const char *path, const uint8_t *bytes, size_t size,
                              struct diagnostic *diagnostic)
{
    struct file_writer writer;
    TRY(file_create(&writer, path, diagnostic));
    (void)fwrite(bytes, 1, size, writer.stream); /* file_commit() sees what fails */
    return file_commit(&writer, diagnostic);
}

/* An empty file in memory. */
static hid_t create_image(const char *path)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    (void)H5Pset_fapl_core(access, IMAGE_GROWTH, false);
    (void)H5Pset_fclose_degree(access, H5F_CLOSE_STRONG); /* also what a failure has left open */
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    (void)H5Pclose(access);
    return file;
}

enum status keras_export(const char *path, const struct network *network, const double *parameters,
                         struct diagnostic *diagnostic)
{
    FREED uint8_t *bytes = NULL;
    size_t size = 0;
    if (!file_ends_in(path, ENDING)) {
        return file_refuse(path, "Keras demands this ending", diagnostic,
                           "weights for Keras must have a name that ends in %s", ENDING);
    }
    (void)H5Eset_auto(H5E_DEFAULT, NULL, NULL);
    RELEASED(close_file)
    struct writing writing = {.path = path,
                              .network = network,
                              .parameters = parameters,
                              .diagnostic = diagnostic,
                              .file = create_image(path)};
    if (writing.file < 0) {
        return fail(&writing);
    }
    TRY(write_layers(&writing));
    TRY(take_image(&writing, &bytes, &size));
    return write_file(path, bytes, size, diagnostic);
}
