/* job_store.c - see job_store.h. */
#include "sim/run_control/job_store.h"

#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

struct stored_dataset {
    struct stored_dataset *next;
    char *set, *data_dir, *file; /* of the request; NULL when not given */
    uint32_t classes;
    enum dataset_split split;
    uint32_t limit;
    struct dataset dataset;
};

struct stored_network {
    struct stored_network *next;
    struct network network; /* has its path */
};

struct stored_image {
    struct stored_image *next;
    struct elf_image image; /* has its path */
    char digest[SHA256_HEX_CHARS];
};

struct job_store {
    struct stored_dataset *datasets;
    struct stored_network *networks;
    struct stored_image *images;
};

struct job_store *job_store_create(void)
{
    return calloc(1, sizeof(struct job_store));
}

static void destroy_dataset(struct stored_dataset *stored)
{
    dataset_deinit(&stored->dataset);
    free(stored->set);
    free(stored->data_dir);
    free(stored->file);
    free(stored);
}

void job_store_destroy(struct job_store *store)
{
    if (store == NULL) {
        return;
    }
    while (store->datasets != NULL) {
        struct stored_dataset *stored = store->datasets;
        store->datasets = stored->next;
        destroy_dataset(stored);
    }
    while (store->networks != NULL) {
        struct stored_network *stored = store->networks;
        store->networks = stored->next;
        network_deinit(&stored->network);
        free(stored);
    }
    while (store->images != NULL) {
        struct stored_image *stored = store->images;
        store->images = stored->next;
        elf_image_deinit(&stored->image);
        free(stored);
    }
    free(store);
}

/* ---- data sets ---- */

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static enum status load_dataset(struct stored_dataset *stored,
                                const struct dataset_request *request,
                                struct diagnostic *diagnostic)
{
    stored->split = request->split;
    stored->limit = request->limit;
    stored->set = strdup(request->set);
    stored->data_dir = request->data_dir == NULL ? NULL : strdup(request->data_dir);
    stored->file = request->file == NULL ? NULL : strdup(request->file);
    stored->classes = request->classes;
    if (stored->set == NULL || (request->data_dir != NULL && stored->data_dir == NULL) ||
        (request->file != NULL && stored->file == NULL)) {
        return no_memory(diagnostic);
    }
    return dataset_load(&stored->dataset, request, diagnostic);
}

static enum status store_dataset(struct job_store *store, const struct dataset_request *request,
                                 struct diagnostic *diagnostic)
{
    struct stored_dataset *stored = calloc(1, sizeof *stored);
    if (stored == NULL) {
        return no_memory(diagnostic);
    }
    const enum status status = load_dataset(stored, request, diagnostic);
    if (status != STATUS_OK) {
        destroy_dataset(stored);
        return status;
    }
    stored->next = store->datasets;
    store->datasets = stored;
    return STATUS_OK;
}

enum status job_store_dataset(struct job_store *store, const struct dataset_request *request,
                              struct dataset *dataset, struct diagnostic *diagnostic)
{
    if (store == NULL) {
        return dataset_load(dataset, request, diagnostic);
    }
    const struct stored_dataset *stored = store->datasets;
    *dataset = (struct dataset){.split = request->split};
    while (stored != NULL &&
           !(stored->split == request->split && stored->limit == request->limit &&
             same_text(stored->set, request->set) &&
             same_text(stored->data_dir, request->data_dir) &&
             same_text(stored->file, request->file) && stored->classes == request->classes)) {
        stored = stored->next;
    }
    if (stored == NULL) {
        TRY(store_dataset(store, request, diagnostic));
        stored = store->datasets;
    }
    *dataset = dataset_borrow(&stored->dataset);
    return STATUS_OK;
}

/* ---- networks ---- */

enum status job_store_network(struct job_store *store, const char *path, struct network *network,
                              struct diagnostic *diagnostic)
{
    if (store == NULL) {
        return network_load(path, network, diagnostic);
    }
    struct stored_network *stored = store->networks;
    *network = (struct network){0};
    while (stored != NULL && strcmp(stored->network.path, path) != 0) {
        stored = stored->next;
    }
    if (stored == NULL) {
        stored = calloc(1, sizeof *stored);
        if (stored == NULL) {
            return no_memory(diagnostic);
        }
        const enum status status = network_load(path, &stored->network, diagnostic);
        if (status != STATUS_OK) {
            free(stored);
            return status;
        }
        stored->next = store->networks;
        store->networks = stored;
    }
    *network = stored->network;
    network->arena = NULL; /* the store's */
    return STATUS_OK;
}

/* ---- programs ---- */

enum status job_store_image(struct job_store *store, const char *path, struct elf_image *image,
                            char digest[SHA256_HEX_CHARS], struct diagnostic *diagnostic)
{
    if (store == NULL) {
        TRY(elf_image_read(image, path, diagnostic));
        elf_image_digest(image, digest);
        return STATUS_OK;
    }
    struct stored_image *stored = store->images;
    while (stored != NULL && strcmp(stored->image.path, path) != 0) {
        stored = stored->next;
    }
    if (stored == NULL) {
        stored = calloc(1, sizeof *stored);
        if (stored == NULL) {
            return no_memory(diagnostic);
        }
        const enum status status = elf_image_read(&stored->image, path, diagnostic);
        if (status != STATUS_OK) {
            free(stored);
            return status;
        }
        elf_image_digest(&stored->image, stored->digest);
        stored->next = store->images;
        store->images = stored;
    }
    *image = elf_image_borrow(&stored->image);
    memcpy(digest, stored->digest, sizeof stored->digest);
    return STATUS_OK;
}
