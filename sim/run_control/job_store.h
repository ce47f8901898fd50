/* job_store.h - files that several jobs of one process read: each is read and parsed once.  What a
 * job gets is borrowed: the store must outlive it. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/data/dataset.h"
#include "sim/load/elf_image.h"
#include "sim/networks/network.h"
C_LINKAGE_BEGIN

struct job_store;

struct job_store *job_store_create(void);        /* NULL: out of memory */
void job_store_destroy(struct job_store *store); /* NULL is ignored */

/* As dataset_load(), network_load() and elf_image_read(), which they call for a request or a path
 * that is new; `store` NULL: always, and the result is not borrowed. */
enum status job_store_dataset(struct job_store *store, const struct dataset_request *request,
                              struct dataset *dataset, struct diagnostic *diagnostic);
enum status job_store_network(struct job_store *store, const char *path, struct network *network,
                              struct diagnostic *diagnostic);
/* With its digest. */
enum status job_store_image(struct job_store *store, const char *path, struct elf_image *image,
                            char digest[SHA256_HEX_CHARS], struct diagnostic *diagnostic);

C_LINKAGE_END
