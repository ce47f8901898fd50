/* semihosting_calls.h - internal interface of the semihosting*.c files: guest memory, errors, and
 * the file calls.  Each call takes the guest address of its argument block and returns the value
 * for r0. */
#pragma once
#include "sim/flat/semihosting.h"

#define SEMIHOSTING_FAILED 0xffffffffu

/* Host pointer to guest memory; NULL when the range is not wholly inside RAM. */
uint8_t *semihosting_guest(const struct semihosting *semihosting, uint32_t address, uint32_t bytes);

/* Word `index` of the argument block; 0 when it is outside RAM. */
uint32_t semihosting_argument(const struct semihosting *semihosting, uint32_t block,
                              unsigned index);

/* Records an errno of the host for SYS_ERRNO; returns SEMIHOSTING_FAILED. */
uint32_t semihosting_fail(struct semihosting *semihosting, int error);

uint32_t semihosting_open(struct semihosting *semihosting, uint32_t block);
uint32_t semihosting_close(struct semihosting *semihosting, uint32_t block);
uint32_t semihosting_read(struct semihosting *semihosting, uint32_t block);
uint32_t semihosting_write(struct semihosting *semihosting, uint32_t block);
uint32_t semihosting_seek(struct semihosting *semihosting, uint32_t block);
uint32_t semihosting_length(struct semihosting *semihosting, uint32_t block);
uint32_t semihosting_is_terminal(struct semihosting *semihosting, uint32_t block);
uint32_t semihosting_remove(struct semihosting *semihosting, uint32_t block);
uint32_t semihosting_rename(struct semihosting *semihosting, uint32_t block);
uint32_t semihosting_temporary_name(struct semihosting *semihosting, uint32_t block);
