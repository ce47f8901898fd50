/* hdf5_walk.c - see hdf5_walk.h: the calls of the HDF5 library that read. */
#include "sim/import/hdf5_walk.h"

#include <errno.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_DEPTH = 8,
    MOST_OBJECTS = 1 << 14, /* looked at; links may lead in circles */
    IMAGE_GROWTH = 1 << 16  /* of a file in memory; it never grows */
};

struct walk {
    int pipe;
    size_t objects, arrays, values_left;
    char path[HDF5_MOST_PATH_CHARS + 1]; /* of the object at work */
};

/* ---- records ---- */

/* The reader has gone: nobody needs this process. */
static void send_bytes(const struct walk *walk, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    while (size > 0) {
        const ssize_t sent = write(walk->pipe, at, size);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            _exit(1);
        }
        at += sent;
        size -= (size_t)sent;
    }
}

static void send(const struct walk *walk, struct hdf5_record record, const char *name,
                 const void *bytes)
{
    record.name_bytes = (uint32_t)strlen(name);
    send_bytes(walk, &record, sizeof record);
    send_bytes(walk, name, record.name_bytes);
    send_bytes(walk, bytes, record.bytes);
}

static void refuse(const struct walk *walk, const char *text)
{
    send(walk, (struct hdf5_record){.kind = HDF5_REFUSAL, .bytes = strlen(text)}, walk->path, text);
    _exit(0);
}

/* ---- attributes ---- */

/* Texts are of a fixed size, or pointers to strings. */
static char *read_string(hid_t attribute, hid_t type)
{
    char *text = NULL;
    if (H5Tis_variable_str(type) > 0) {
        return H5Aread(attribute, type, &text) >= 0 ? text : NULL;
    }
    const size_t bytes = H5Tget_size(type);
    if (bytes == 0 || bytes > HDF5_MOST_TEXT_BYTES) {
        return NULL;
    }
    text = calloc(1, bytes + 1);
    return text != NULL && H5Aread(attribute, type, text) >= 0 ? text : NULL;
}

static void send_attribute(struct walk *walk, hid_t file, const char *name)
{
    (void)snprintf(walk->path, sizeof walk->path, "%s", name);
    if (H5Aexists(file, name) <= 0) {
        return;
    }
    const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute);
    const bool is_text = H5Tget_class(type) == H5T_STRING &&
                         H5Sget_simple_extent_npoints(H5Aget_space(attribute)) == 1;
    const char *text = is_text ? read_string(attribute, type) : NULL;
    if (text == NULL || strlen(text) > HDF5_MOST_TEXT_BYTES) {
        refuse(walk, "is no text that can be read");
    } else {
        send(walk, (struct hdf5_record){.kind = HDF5_TEXT, .bytes = strlen(text)}, name, text);
    }
}

/* ---- arrays ---- */

/* Whether the data lie in the file itself. */
static bool is_inside(hid_t dataset)
{
    const hid_t properties = H5Dget_create_plist(dataset);
    const H5D_layout_t layout = H5Pget_layout(properties);
    return H5Pget_external_count(properties) == 0 &&
           (layout == H5D_COMPACT || layout == H5D_CONTIGUOUS || layout == H5D_CHUNKED);
}

static void send_array(struct walk *walk, hid_t dataset)
{
    struct hdf5_record record = {.kind = HDF5_ARRAY};
    hsize_t sides[H5S_MAX_RANK];
    const H5T_class_t numbers = H5Tget_class(H5Dget_type(dataset));
    const hid_t space = H5Dget_space(dataset);
    if (numbers != H5T_FLOAT && numbers != H5T_INTEGER) {
        return; /* flags and texts are no weights */
    }
    const int rank = H5Sget_simple_extent_dims(space, sides, NULL);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    if (rank < 0 || rank > MODEL_MOST_RANK || count < 0) {
        refuse(walk, "has a shape that cannot be read");
    }
    if ((size_t)count > walk->values_left || ++walk->arrays > HDF5_MOST_ARRAYS) {
        refuse(walk, "is more than can be read: too many weights");
    }
    if (!is_inside(dataset)) {
        refuse(walk, "lies in another file");
    }
    walk->values_left -= (size_t)count;
    double *value = calloc((size_t)count + 1, sizeof *value);
    if (value == NULL ||
        H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) < 0) {
        refuse(walk, "cannot be read: it is damaged, or packed by a filter that is not here");
    }
    record.rank = (uint32_t)rank;
    record.bytes = (uint64_t)count * sizeof *value;
    for (int i = 0; i < rank; i++) {
        record.shape[i] = sides[i];
    }
    send(walk, record, walk->path, value);
    free(value);
    (void)H5Sclose(space);
}

/* ---- groups ---- */

static void walk_group(struct walk *walk, hid_t group, unsigned depth);

/* The object of a link of the group, which must be in this file. */
static void walk_link(struct walk *walk, hid_t group, const char *name, unsigned depth)
{
    H5L_info_t about;
    if (H5Lget_info(group, name, &about, H5P_DEFAULT) < 0 || about.type != H5L_TYPE_HARD) {
        refuse(walk, "is a link, or damaged");
    }
    const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    const H5I_type_t kind = object < 0 ? H5I_BADID : H5Iget_type(object);
    if (++walk->objects > MOST_OBJECTS || (kind == H5I_GROUP && depth >= MOST_DEPTH)) {
        refuse(walk, "is one object too many, or lies too deep");
    }
    if (kind == H5I_GROUP) {
        walk_group(walk, object, depth + 1);
    } else if (kind == H5I_DATASET) {
        send_array(walk, object);
    } else {
        refuse(walk, "is neither a group nor an array");
    }
    (void)H5Oclose(object);
}

static void walk_group(struct walk *walk, hid_t group, unsigned depth)
{
    H5G_info_t about;
    const size_t used = strlen(walk->path);
    if (H5Gget_info(group, &about) < 0) {
        refuse(walk, "is a damaged group");
    }
    for (hsize_t i = 0; i < about.nlinks; i++) {
        char *name = walk->path + used + 1;
        const size_t room = sizeof walk->path - used - 1;
        const ssize_t length =
            H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, room, H5P_DEFAULT);
        if (length <= 0 || (size_t)length >= room) {
            walk->path[used] = '\0';
            refuse(walk, "has a name that is damaged, or too long");
        }
        walk->path[used] = '/';
        walk_link(walk, group, name, depth);
        walk->path[used] = '\0';
    }
}

/* ---- */

static hid_t open_image(const uint8_t *bytes, size_t size)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    (void)H5Pset_fapl_core(access, IMAGE_GROWTH, 0);
    void *image; /* the library copies the bytes, and does not write to these */
    memcpy(&image, &bytes, sizeof image);
    return H5Pset_file_image(access, image, size) < 0 ? H5I_INVALID_HID
                                                      : H5Fopen("model", H5F_ACC_RDONLY, access);
}

void hdf5_walk(const uint8_t *bytes, size_t size, const struct hdf5_wanted *wanted, int pipe)
{
    struct walk walk = {.pipe = pipe, .values_left = MODEL_MOST_VALUES};
    (void)H5Eset_auto(H5E_DEFAULT, NULL, NULL);
    (void)H5PLset_loading_state(0); /* no code that a file names */
    const hid_t file = open_image(bytes, size);
    if (file < 0) {
        refuse(&walk, "the HDF5 library cannot open it");
    }
    for (size_t i = 0; wanted->attribute[i] != NULL; i++) {
        send_attribute(&walk, file, wanted->attribute[i]);
    }
    for (size_t i = 0; wanted->group[i] != NULL; i++) {
        (void)snprintf(walk.path, sizeof walk.path, "%s", wanted->group[i]);
        if (H5Lexists(file, wanted->group[i], H5P_DEFAULT) > 0) {
            walk_link(&walk, file, wanted->group[i], 0);
        }
    }
    send(&walk, (struct hdf5_record){.kind = HDF5_END}, "", NULL);
}
