/* semihosting_calls.h - internal interface of the semihosting*.c files: a call, what all calls
 * need, and the file calls. */
#pragma once
#include "sim/flat/semihosting.h"

#define SEMIHOSTING_FAILED 0xffffffffu

struct semihosting_call {
    uint32_t block;       /* guest address of the arguments: r1 */
    uint32_t argument[4]; /* the words there; 0 where there is no RAM */
    uint32_t result;      /* for r0 if there is no error */
};

/* Copies to guest memory; false when the range is not wholly inside RAM. */
bool semihosting_put(struct semihosting *semihosting, uint32_t address, const void *bytes,
                     uint32_t size);

/* Records an errno of the host for SYS_ERRNO. */
void semihosting_note_error(struct semihosting *semihosting, int error);

/* They set the result and return 0, or return an errno of the host. */
int semihosting_open(struct semihosting *semihosting, struct semihosting_call *call);
int semihosting_close(struct semihosting *semihosting, struct semihosting_call *call);
int semihosting_read(struct semihosting *semihosting, struct semihosting_call *call);
int semihosting_write(struct semihosting *semihosting, struct semihosting_call *call);
int semihosting_seek(struct semihosting *semihosting, struct semihosting_call *call);
int semihosting_length(struct semihosting *semihosting, struct semihosting_call *call);
int semihosting_is_terminal(struct semihosting *semihosting, struct semihosting_call *call);
int semihosting_remove(struct semihosting *semihosting, struct semihosting_call *call);
int semihosting_rename(struct semihosting *semihosting, struct semihosting_call *call);
int semihosting_temporary_name(struct semihosting *semihosting, struct semihosting_call *call);
