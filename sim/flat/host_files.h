/* host_files.h - a guest's access to the regular files inside one folder of the host (the folder
 * that is lent to the guest).
 *
 * Names are resolved relative to that folder, one component after the other.  Links are not
 * followed; names with ".." or a leading "/" are refused, except "/tmp/NAME", which newlib's
 * tmpnam() makes: that is NAME in the folder.  Folders, FIFOs and devices are refused.  The size of
 * files is limited by the host only.  Functions return 0, an errno of the host, or
 * HOST_FILE_REFUSED: the guest may not use that file. */
#pragma once
#include "models/common/c_linkage.h"
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum { HOST_FILES_MOST = 64, HOST_FILE_REFUSED = -1 };

struct host_files {
    int folder;                      /* file descriptor; -1: none is lent */
    int descriptor[HOST_FILES_MOST]; /* of open files; -1: free */
};

void host_files_init(struct host_files *files);
int host_files_lend(struct host_files *files, const char *folder);
void host_files_deinit(struct host_files *files);

/* `mode` numbers the modes of fopen() as SYS_OPEN does: r rb r+ r+b w wb w+ w+b a ab a+ a+b. *index
 * gets the file's index for the functions below. */
enum { HOST_FILE_MODES = 12 };
int host_files_open(struct host_files *files, const char *name, unsigned mode, unsigned *index);
int host_files_remove(const struct host_files *files, const char *name);
int host_files_rename(const struct host_files *files, const char *from, const char *to);

/* These return EBADF if `index` is not an open file. */
int host_files_close(struct host_files *files, unsigned index);
int host_files_read(const struct host_files *files, unsigned index, uint8_t *bytes, size_t room,
                    size_t *got);
int host_files_write(const struct host_files *files, unsigned index, const uint8_t *bytes,
                     size_t count, size_t *put);
int host_files_seek(const struct host_files *files, unsigned index, uint32_t position);
int host_files_length(const struct host_files *files, unsigned index, uint64_t *bytes);

C_LINKAGE_END
