/* semihosting_files.c - semihosting calls about files: the console, the list of features, and what
 * host_files lends. */
#include "sim/flat/semihosting_calls.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Handles with a fixed meaning; handles of files follow. */
enum handle {
    HANDLE_NONE,
    HANDLE_INPUT,
    HANDLE_OUTPUT,
    HANDLE_ERROR,
    HANDLE_FEATURES,
    HANDLE_FIRST_FILE
};

enum {
    OPEN_FIRST_WRITE = 4,  /* modes 0-3 read, 4-7 write, 8-11 append */
    OPEN_FIRST_APPEND = 8, /* ":tt" for appending is standard error */
    OPEN_READ_BINARY = 1,
    NAME_CHARS = 4096,
    SHOWN_NAME_CHARS = 128
};

/* The content of ":semihosting-features", which newlib reads before it passes an exit status on:
 * magic number, then bit 0 = SYS_EXIT_EXTENDED, bit 1 = ":tt" distinguishes standard output and
 * error. */
static const uint8_t FEATURES[] = {'S', 'H', 'F', 'B', 3};

static bool is_console(uint32_t handle)
{
    return handle >= HANDLE_INPUT && handle <= HANDLE_ERROR;
}

/* ---- names ---- */

/* Copies a name of `length` bytes from guest memory. */
static int take_name(const struct semihosting *semihosting, uint32_t address, uint32_t length,
                     char name[NAME_CHARS])
{
    const uint8_t *bytes = flat_core_bytes(semihosting->core, address, length);
    if (bytes == NULL || length >= NAME_CHARS) {
        return bytes == NULL ? EFAULT : ENAMETOOLONG;
    }
    memcpy(name, bytes, length);
    name[length] = '\0';
    return 0;
}

static void tell_refused(struct semihosting *semihosting, const char *name)
{
    char shown[SHOWN_NAME_CHARS];
    struct diagnostic about;
    if (semihosting->told_refused || semihosting->warn == NULL) {
        return;
    }
    semihosting->told_refused = true;
    (void)snprintf(shown, sizeof shown, "%s", name);
    for (char *at = shown; *at != '\0'; at++) {
        *at = isprint((unsigned char)*at) ? *at : '?';
    }
    (void)diagnose(&about, STATUS_GUEST, "the program asked for the file '%s': refused", shown);
    diagnostic_at(&about, semihosting->program, 0, 0);
    diagnostic_hint(&about, semihosting->files.folder < 0
                                ? "no host file is opened without --files DIR"
                                : "only regular files inside the folder of --files are opened: no "
                                  "links, no \"..\", no name that begins with \"/\" but /tmp/NAME");
    semihosting->warn(&about);
}

/* The errno of a call about a named file. */
static int finish_named(struct semihosting *semihosting, const char *name, int error)
{
    if (error == HOST_FILE_REFUSED) {
        tell_refused(semihosting, name);
        return EACCES;
    }
    return error;
}

/* ---- open and close ---- */

int semihosting_open(struct semihosting *semihosting, struct semihosting_call *call)
{
    char name[NAME_CHARS];
    const uint32_t mode = call->argument[1];
    int error = take_name(semihosting, call->argument[0], call->argument[2], name);
    if (error == 0 && mode >= HOST_FILE_MODES) {
        error = EINVAL;
    }
    if (error != 0) {
        return error;
    }
    if (strcmp(name, ":tt") == 0) {
        call->result = mode < OPEN_FIRST_WRITE    ? HANDLE_INPUT
                       : mode < OPEN_FIRST_APPEND ? HANDLE_OUTPUT
                                                  : HANDLE_ERROR;
        return 0;
    }
    if (strcmp(name, ":semihosting-features") == 0) {
        if (mode > OPEN_READ_BINARY) {
            return EACCES;
        }
        semihosting->features_position = 0;
        call->result = HANDLE_FEATURES;
        return 0;
    }
    unsigned index = 0;
    error = host_files_open(&semihosting->files, name, mode, &index);
    call->result = HANDLE_FIRST_FILE + index;
    return finish_named(semihosting, name, error);
}

int semihosting_close(struct semihosting *semihosting, struct semihosting_call *call)
{
    const uint32_t handle = call->argument[0];
    return is_console(handle) || handle == HANDLE_FEATURES
               ? 0
               : host_files_close(&semihosting->files, handle - HANDLE_FIRST_FILE);
}

/* ---- read and write ---- */

static uint32_t read_features(struct semihosting *semihosting, uint8_t *bytes, uint32_t length)
{
    const uint32_t left = (uint32_t)sizeof FEATURES - semihosting->features_position;
    const uint32_t got = length < left ? length : left;
    memcpy(bytes, FEATURES + semihosting->features_position, got);
    semihosting->features_position += got;
    return got;
}

/* The result is the number of bytes not transferred, even after an error. */
static int finish_transfer(struct semihosting *semihosting, struct semihosting_call *call,
                           size_t done, int error)
{
    if (error != 0) {
        semihosting_note_error(semihosting, error);
    }
    call->result = call->argument[2] - (uint32_t)done;
    return 0;
}

/* At the end of the input no bytes are read. */
int semihosting_read(struct semihosting *semihosting, struct semihosting_call *call)
{
    const uint32_t handle = call->argument[0];
    const uint32_t address = call->argument[1];
    const uint32_t length = call->argument[2];
    uint8_t *bytes = flat_core_bytes(semihosting->core, address, length);
    size_t got = 0;
    int error = 0;
    if (bytes == NULL) {
        error = EFAULT;
    } else if (handle == HANDLE_FEATURES) {
        got = read_features(semihosting, bytes, length);
    } else if (handle == HANDLE_INPUT) {
        got = console_read(&semihosting->console, bytes, length, &error);
    } else {
        error =
            host_files_read(&semihosting->files, handle - HANDLE_FIRST_FILE, bytes, length, &got);
    }
    arm968_code_written(semihosting->core->cpu, address, (uint32_t)got);
    return finish_transfer(semihosting, call, got, error);
}

int semihosting_write(struct semihosting *semihosting, struct semihosting_call *call)
{
    struct console *console = &semihosting->console;
    const uint32_t handle = call->argument[0];
    const uint32_t length = call->argument[2];
    const uint8_t *bytes = flat_core_bytes(semihosting->core, call->argument[1], length);
    size_t put = 0;
    int error = 0;
    if (bytes == NULL) {
        error = EFAULT;
    } else if (handle == HANDLE_OUTPUT || handle == HANDLE_ERROR) {
        const int to = handle == HANDLE_OUTPUT ? console->output : console->error;
        put = console_write(console, to, bytes, length, &error);
    } else {
        error =
            host_files_write(&semihosting->files, handle - HANDLE_FIRST_FILE, bytes, length, &put);
    }
    return finish_transfer(semihosting, call, put, error);
}

/* ---- position, length, kind ---- */

int semihosting_seek(struct semihosting *semihosting, struct semihosting_call *call)
{
    const uint32_t handle = call->argument[0];
    const uint32_t position = call->argument[1];
    if (is_console(handle)) {
        return ESPIPE;
    }
    if (handle != HANDLE_FEATURES) {
        return host_files_seek(&semihosting->files, handle - HANDLE_FIRST_FILE, position);
    }
    if (position > sizeof FEATURES) {
        return EINVAL;
    }
    semihosting->features_position = position;
    return 0;
}

/* The length of what a handle stands for; of the console it is 0, as newlib's fstat() expects. */
static int length_of(const struct semihosting *semihosting, uint32_t handle, uint64_t *bytes)
{
    *bytes = handle == HANDLE_FEATURES ? sizeof FEATURES : 0;
    return is_console(handle) || handle == HANDLE_FEATURES
               ? 0
               : host_files_length(&semihosting->files, handle - HANDLE_FIRST_FILE, bytes);
}

int semihosting_length(struct semihosting *semihosting, struct semihosting_call *call)
{
    uint64_t bytes;
    const int error = length_of(semihosting, call->argument[0], &bytes);
    call->result = (uint32_t)bytes;
    return error == 0 && bytes > INT32_MAX ? EFBIG : error;
}

/* The console always counts as a terminal, so that a program's behaviour does not depend on the
 * target of its output. */
int semihosting_is_terminal(struct semihosting *semihosting, struct semihosting_call *call)
{
    uint64_t bytes;
    call->result = is_console(call->argument[0]);
    return length_of(semihosting, call->argument[0], &bytes);
}

/* ---- remove, rename, a name for a file ---- */

int semihosting_remove(struct semihosting *semihosting, struct semihosting_call *call)
{
    char name[NAME_CHARS];
    const int error = take_name(semihosting, call->argument[0], call->argument[1], name);
    return error != 0
               ? error
               : finish_named(semihosting, name, host_files_remove(&semihosting->files, name));
}

int semihosting_rename(struct semihosting *semihosting, struct semihosting_call *call)
{
    char from[NAME_CHARS];
    char to[NAME_CHARS];
    int error = take_name(semihosting, call->argument[0], call->argument[1], from);
    if (error == 0) {
        error = take_name(semihosting, call->argument[2], call->argument[3], to);
    }
    return error != 0
               ? error
               : finish_named(semihosting, from, host_files_rename(&semihosting->files, from, to));
}

int semihosting_temporary_name(struct semihosting *semihosting, struct semihosting_call *call)
{
    enum { IDENTIFIERS = 256 };
    char name[sizeof "tmp000"];
    const uint32_t identifier = call->argument[1];
    if (flat_core_bytes(semihosting->core, call->argument[0], sizeof name) == NULL) {
        return EFAULT;
    }
    if (identifier >= IDENTIFIERS || call->argument[2] < sizeof name) {
        return EINVAL;
    }
    (void)snprintf(name, sizeof name, "tmp%03u", (unsigned)identifier);
    (void)semihosting_put(semihosting, call->argument[0], name, sizeof name);
    return 0;
}
