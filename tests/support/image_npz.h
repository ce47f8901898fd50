/* image_npz.h - writes data sets of one's own (sim/data/image_file.h), right and wrong ones. */
#pragma once
#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

extern "C" {
#include "sim/data/npz.h"
}

struct image_npz {
    std::vector<size_t> shape; /* of x: the images, then one image */
    std::vector<uint8_t> x;
    std::vector<uint8_t> y;
};

/* An array as npz_add() takes it; `data` must outlive it. */
inline struct npz_array image_array(const char *name, enum npz_type type,
                                    const std::vector<size_t> &shape, const void *data)
{
    struct npz_array array = {};
    array.name = name;
    array.type = type;
    array.rank = static_cast<unsigned>(shape.size());
    std::copy(shape.begin(), shape.end(), array.shape);
    array.data = data;
    return array;
}

inline void write_arrays(const std::string &path, const std::vector<struct npz_array> &arrays)
{
    struct npz_writer writer = {};
    struct diagnostic diagnostic = {};
    ASSERT_EQ(npz_create(&writer, path.c_str(), &diagnostic), STATUS_OK) << diagnostic.text;
    for (const struct npz_array &array : arrays) {
        ASSERT_EQ(npz_add(&writer, &array, &diagnostic), STATUS_OK) << diagnostic.text;
    }
    ASSERT_EQ(npz_commit(&writer, &diagnostic), STATUS_OK) << diagnostic.text;
}

inline void write_images(const std::string &path, const image_npz &images)
{
    write_arrays(path, {image_array("x", NPZ_UINT8, images.shape, images.x.data()),
                        image_array("y", NPZ_UINT8, {images.y.size()}, images.y.data())});
}

/* The four cases of XOR, 1 x 2 pixels each: configs/data/xor.npz. */
inline image_npz xor_images()
{
    return {{4, 1, 2}, {0, 0, 0, 255, 255, 0, 255, 255}, {0, 1, 1, 0}};
}

/* `count` images in as many classes: noise below a quarter, and for each class a block of its own
 * pixels that is bright in one of the channels. */
inline image_npz drawn_images(uint32_t count, uint32_t channels, uint32_t height, uint32_t width,
                              uint32_t classes, uint32_t seed)
{
    image_npz images = {{count, channels, height, width}, {}, {}};
    const uint32_t pixels = channels * height * width;
    uint32_t state = seed;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t label = i % classes;
        images.y.push_back(static_cast<uint8_t>(label));
        for (uint32_t p = 0; p < pixels; p++) {
            state = state * 1664525u + 1013904223u;
            const bool own = p * classes / pixels == label;
            images.x.push_back(static_cast<uint8_t>((state >> 26) + (own ? 160u : 0u)));
        }
    }
    return images;
}
