/* dataset.c - see dataset.h. */
#include "sim/data/dataset.h"

#include "sim/data/digits.h"
#include "sim/data/idx.h"
#include "sim/data/image_file.h"
#include "sim/data/known_key.h"
#include "sim/data/mnist_files.h"
#include "sim/file.h"
#include "sim/steps.h"

#include <zlib.h>

#include <stdlib.h>
#include <string.h>

static const char MNIST[] = "mnist";
static const char SYNTHETIC[] = "synthetic";
static const char FILES[] = "files";
static const char FETCH_HINT[] = "fetch the files again with scripts/fetch_mnist.sh";

static const struct {
    const char *text, *key;
    enum dataset_split published; /* the set from which its images are: training or test */
    bool last;                    /* that set's last images, not its first */
} SPLIT[] = {
    [DATASET_TRAIN] = {"training", "data.train_images", DATASET_TRAIN, false},
    [DATASET_TEST] = {"test", "data.test_images", DATASET_TEST, false},
    [DATASET_VALIDATION] = {"validation", "data.validation_images", DATASET_TRAIN, true},
};

/* The synthetic set is fixed, like MNIST: its seed is not a parameter, and the number of the
 * published set is the number of the stream. */
enum { SYNTHETIC_SEED = 1 };

static const uint32_t SYNTHETIC_COUNT[] = {[DATASET_TRAIN] = 60000, [DATASET_TEST] = 10000};

/* CRC-32 of the elements of the four published files. */
static const struct {
    uint32_t images;
    uint32_t labels;
} MNIST_CRC32[] = {
    [DATASET_TRAIN] = {0xf3639b56, 0xba07e8ef}, [DATASET_TEST] = {0xe4ca5f57, 0xee8604d9}};

/* The number of images to use. */
static enum status choose_count(struct dataset *dataset, const struct dataset_request *request,
                                uint32_t available, struct diagnostic *diagnostic)
{
    dataset->available = available;
    dataset->count = request->limit == 0 ? available : request->limit;
    if (dataset->count <= available) {
        return STATUS_OK;
    }
    const enum status status = diagnose(
        diagnostic, STATUS_CONFIGURATION, "%u %s images are asked for, %s%s has %u", request->limit,
        SPLIT[request->split].text, request->file == NULL ? "the set " : "",
        request->file == NULL ? request->set : request->file, available);
    diagnostic_key(diagnostic, SPLIT[request->split].key);
    diagnostic_hint(diagnostic, "the most is %u", available);
    return status;
}

/* MNIST's, and those of the generator. */
static void be_digits(struct dataset *dataset)
{
    dataset->channels = 1;
    dataset->height = DIGITS_SIDE;
    dataset->width = DIGITS_SIDE;
    dataset->classes = DIGITS_CLASSES;
}

/* The first image to use. */
static uint32_t first_image(const struct dataset *dataset)
{
    return SPLIT[dataset->split].last ? dataset->available - dataset->count : 0;
}

/* Keeps the images to use, of all that were read. */
static void keep_chosen(struct dataset *dataset)
{
    const size_t first = first_image(dataset);
    const size_t pixels = dataset_pixels(dataset);
    if (first > 0) {
        memmove(dataset->images, dataset->images + first * pixels, dataset->count * pixels);
        memmove(dataset->labels, dataset->labels + first, dataset->count);
    }
}

void dataset_sign(struct dataset *dataset)
{
    struct sha256 hash;
    sha256_init(&hash);
    sha256_update(&hash, dataset->images, dataset->count * dataset_pixels(dataset));
    sha256_update(&hash, dataset->labels, dataset->count);
    sha256_final(&hash, dataset->digest);
    sha256_hex(dataset->digest, dataset->digest_hex);
}

/* ---- mnist ---- */

enum { FILE_IMAGES_MOST = 1 << 18 }; /* MNIST has 60,000, sets of its form up to 240,000 */

static enum status check_labels(const struct mnist_files *files, const struct idx *images,
                                const struct idx *labels, struct diagnostic *diagnostic)
{
    if (images->shape[0] != labels->shape[0]) {
        return file_refuse(files->labels, FETCH_HINT, diagnostic,
                           "%u labels, but %u images beside them", labels->shape[0],
                           images->shape[0]);
    }
    for (uint32_t i = 0; i < labels->shape[0]; i++) {
        if (labels->data[i] >= DIGITS_CLASSES) {
            return file_refuse(files->labels, FETCH_HINT, diagnostic,
                               "label %u of image %u is not one of 0 to 9", labels->data[i], i);
        }
    }
    return STATUS_OK;
}

static enum status check_images(const struct mnist_files *files, const struct idx *images,
                                struct diagnostic *diagnostic)
{
    return images->shape[1] == DIGITS_SIDE && images->shape[2] == DIGITS_SIDE
               ? STATUS_OK
               : file_refuse(files->images, FETCH_HINT, diagnostic,
                             "the images are %ux%u, expected 28x28", images->shape[1],
                             images->shape[2]);
}

static uint32_t crc32_of(const struct idx *idx)
{
    return (uint32_t)crc32_z(0, idx->data, idx->size_bytes);
}

struct mnist {
    struct mnist_files files;
    struct idx images, labels;
};

static const struct idx_form IMAGES = {.rank = 3, .most = (size_t)DIGITS_PIXELS * FILE_IMAGES_MOST};
static const struct idx_form LABELS = {.rank = 1, .most = FILE_IMAGES_MOST};

/* What is remembered of a whole file of images: its checksum, as a text. */
struct known_file {
    struct files_state state;
    struct known_key now, crc;
    char of[SHA256_HEX_CHARS];
};

static struct known_key crc_text(uint32_t crc)
{
    struct known_key text = {""};
    (void)snprintf(text.text, sizeof text.text, "crc %08x", crc);
    return text;
}

/* A few images of a file that was read and checked before; false: it must be read as a whole. */
static bool read_first_images(struct mnist *mnist, const struct dataset_request *request,
                              struct known_file *file)
{
    enum { FEW = 2000 };
    struct sha256 hash;
    uint8_t digest[SHA256_BYTES];
    sha256_init(&hash);
    sha256_update(&hash, mnist->files.images, strlen(mnist->files.images));
    sha256_final(&hash, digest);
    sha256_hex(digest, file->of);
    files_state_begin(&file->state);
    files_state_add(&file->state, mnist->files.images);
    file->now = files_state_end(&file->state);
    return request->limit > 0 && request->limit <= FEW && !SPLIT[request->split].last &&
           known_key_find(file->of, &file->now, &file->crc) &&
           idx_read_first(&mnist->images, mnist->files.images, &IMAGES,
                          (size_t)request->limit * DIGITS_PIXELS);
}

static enum status read_images(struct mnist *mnist, const struct dataset_request *request,
                               enum dataset_split published, bool *original,
                               struct diagnostic *diagnostic)
{
    struct known_file file;
    const time_t began = time(NULL);
    const struct known_key wanted = crc_text(MNIST_CRC32[published].images);
    if (!read_first_images(mnist, request, &file)) {
        TRY(idx_read(&mnist->images, mnist->files.images, &IMAGES, diagnostic));
        file.crc = crc_text(crc32_of(&mnist->images));
        if (!file.state.missing) {
            known_key_keep(file.of, &file.now, &file.crc, file.state.latest, began);
        }
    }
    *original = strcmp(file.crc.text, wanted.text) == 0;
    return check_images(&mnist->files, &mnist->images, diagnostic);
}

static enum status read_mnist(struct mnist *mnist, struct dataset *dataset,
                              const struct dataset_request *request, struct diagnostic *diagnostic)
{
    const enum dataset_split published = SPLIT[request->split].published;
    bool original = false;
    TRY(mnist_files_find(&mnist->files, request->data_dir, published, diagnostic));
    TRY(read_images(mnist, request, published, &original, diagnostic));
    TRY(idx_read(&mnist->labels, mnist->files.labels, &LABELS, diagnostic));
    TRY(check_labels(&mnist->files, &mnist->images, &mnist->labels, diagnostic));
    TRY(choose_count(dataset, request, mnist->images.shape[0], diagnostic));
    dataset->original = original && crc32_of(&mnist->labels) == MNIST_CRC32[published].labels;
    dataset->images = mnist->images.data;
    dataset->labels = mnist->labels.data;
    dataset->folder = mnist->files.folder;
    be_digits(dataset);
    keep_chosen(dataset);
    mnist->images.data = mnist->labels.data = NULL;
    mnist->files.folder = NULL;
    return STATUS_OK;
}

static enum status load_mnist(struct dataset *dataset, const struct dataset_request *request,
                              struct diagnostic *diagnostic)
{
    struct mnist mnist = {.images = {0}};
    const enum status status = read_mnist(&mnist, dataset, request, diagnostic);
    idx_deinit(&mnist.images);
    idx_deinit(&mnist.labels);
    mnist_files_deinit(&mnist.files);
    return status;
}

/* ---- synthetic ---- */

static enum status make_synthetic(struct dataset *dataset, const struct dataset_request *request,
                                  struct diagnostic *diagnostic)
{
    const enum dataset_split published = SPLIT[request->split].published;
    TRY(choose_count(dataset, request, SYNTHETIC_COUNT[published], diagnostic));
    be_digits(dataset);
    dataset->images = malloc(dataset->count * dataset_pixels(dataset));
    dataset->labels = malloc(dataset->count);
    if (dataset->images == NULL || dataset->labels == NULL) {
        return no_memory(diagnostic);
    }
    const struct digits_range range = {.seed = SYNTHETIC_SEED,
                                       .stream = (uint32_t)published,
                                       .first = first_image(dataset),
                                       .count = dataset->count};
    digits_generate(&range, dataset->images, dataset->labels);
    dataset->original = true;
    return STATUS_OK;
}

/* ---- files ---- */

static enum status load_file(struct dataset *dataset, const struct dataset_request *request,
                             struct diagnostic *diagnostic)
{
    struct image_file file;
    TRY(image_file_read(&file, request->file, request->classes, diagnostic));
    dataset->channels = file.channels;
    dataset->height = file.height;
    dataset->width = file.width;
    dataset->classes = request->classes;
    dataset->images = file.images;
    dataset->labels = file.labels;
    dataset->original = true;
    TRY(choose_count(dataset, request, file.count, diagnostic));
    keep_chosen(dataset);
    return STATUS_OK;
}

/* ---- */

static const struct {
    const char *set;
    bool digits; /* the images are always as large */
    enum status (*load)(struct dataset *dataset, const struct dataset_request *request,
                        struct diagnostic *diagnostic);
} SETS[] = {
    {MNIST, true, load_mnist}, {SYNTHETIC, true, make_synthetic}, {FILES, false, load_file}};
enum { SET_COUNT = sizeof SETS / sizeof *SETS };

/* SET_COUNT: there is none of this name. */
static size_t set_of(const char *name)
{
    size_t i = 0;
    while (i < SET_COUNT && strcmp(SETS[i].set, name) != 0) {
        i++;
    }
    return i;
}

bool dataset_shape(const char *set, struct dataset *dataset)
{
    const size_t row = set_of(set);
    const bool known = row < SET_COUNT && SETS[row].digits;
    if (known) {
        be_digits(dataset);
    }
    return known;
}

enum status dataset_load(struct dataset *dataset, const struct dataset_request *request,
                         struct diagnostic *diagnostic)
{
    const size_t row = set_of(request->set);
    enum status status = STATUS_CONFIGURATION;
    *dataset = (struct dataset){.split = request->split};
    if (row < SET_COUNT) {
        status = SETS[row].load(dataset, request, diagnostic);
    } else {
        (void)diagnose(diagnostic, status, "there is no data set \"%s\"", request->set);
        diagnostic_key(diagnostic, "data.set");
        diagnostic_hint(diagnostic, "one of: %s, %s, %s", MNIST, SYNTHETIC, FILES);
    }
    if (status != STATUS_OK) {
        dataset_deinit(dataset);
        return status;
    }
    dataset_sign(dataset);
    return STATUS_OK;
}

enum status dataset_copy(struct dataset *copy, const struct dataset *dataset,
                         struct diagnostic *diagnostic)
{
    static const struct dataset NOTHING = {.count = 0};
    TRY(dataset_join(copy, dataset, &NOTHING, diagnostic));
    copy->original = dataset->original;
    copy->available = dataset->available;
    copy->folder = dataset->folder == NULL ? NULL : strdup(dataset->folder);
    if (dataset->folder != NULL && copy->folder == NULL) {
        dataset_deinit(copy);
        return no_memory(diagnostic);
    }
    dataset_sign(copy);
    return STATUS_OK;
}

void dataset_deinit(struct dataset *dataset)
{
    if (!dataset->borrowed) {
        free(dataset->images);
        free(dataset->labels);
        free(dataset->folder);
    }
    *dataset = (struct dataset){0};
}

struct dataset dataset_borrow(const struct dataset *dataset)
{
    struct dataset borrowed = *dataset;
    borrowed.borrowed = true;
    return borrowed;
}

enum status dataset_join(struct dataset *joined, const struct dataset *first,
                         const struct dataset *second, struct diagnostic *diagnostic)
{
    const struct dataset *const part[] = {first, second};
    const struct dataset *like = first->count > 0 ? first : second;
    const size_t count = (size_t)first->count + second->count;
    const size_t pixels = dataset_pixels(like);
    *joined = (struct dataset){.split = first->split,
                               .channels = like->channels,
                               .height = like->height,
                               .width = like->width,
                               .classes = like->classes,
                               .images = malloc(count * pixels + 1),
                               .labels = malloc(count + 1)};
    if (joined->images == NULL || joined->labels == NULL) {
        dataset_deinit(joined);
        return no_memory(diagnostic);
    }
    for (unsigned i = 0; i < 2; i++) {
        if (part[i]->count > 0) {
            memcpy(joined->images + joined->count * pixels, part[i]->images,
                   part[i]->count * pixels);
            memcpy(joined->labels + joined->count, part[i]->labels, part[i]->count);
        }
        joined->count += part[i]->count;
    }
    return STATUS_OK;
}

bool dataset_warning(const struct dataset *dataset, struct diagnostic *diagnostic)
{
    if (dataset->count == 0 || dataset->original) {
        return false;
    }
    (void)diagnose(diagnostic, STATUS_OK, "the %s images are not the published ones of MNIST",
                   SPLIT[dataset->split].text);
    diagnostic_at(diagnostic, dataset->folder, 0, 0);
    diagnostic_key(diagnostic, "data.set");
    diagnostic_hint(diagnostic, "accuracies are not those of MNIST; SHA-256 of what is used: %s",
                    dataset->digest_hex);
    return true;
}

bool dataset_available(const char *set, const char *data_dir)
{
    static const enum dataset_split PUBLISHED[] = {DATASET_TRAIN, DATASET_TEST};
    if (strcmp(set, SYNTHETIC) == 0) {
        return true;
    }
    bool available = strcmp(set, MNIST) == 0;
    for (unsigned i = 0; i < 2 && available; i++) {
        struct mnist_files files;
        available = mnist_files_find(&files, data_dir, PUBLISHED[i], NULL) == STATUS_OK;
        mnist_files_deinit(&files);
    }
    return available;
}
