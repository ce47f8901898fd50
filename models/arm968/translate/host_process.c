/* host_process.c - see host_process.h. */
#include "models/arm968/translate/host_process.h"

#include "models/common/memory.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

/* Makes a path absolute: the process works in another folder. */
static bool make_absolute(char path[HOST_PATH_CHARS])
{
    char here[HOST_PATH_CHARS];
    char absolute[2 * HOST_PATH_CHARS];
    if (path[0] == '/') {
        return true;
    }
    if (getcwd(here, sizeof here) == NULL) {
        return false;
    }
    const int chars = snprintf(absolute, sizeof absolute, "%s/%s", here, path);
    if (chars <= 0 || chars >= HOST_PATH_CHARS) {
        return false;
    }
    memcpy(path, absolute, (size_t)chars + 1);
    return true;
}

bool host_program_find(const char *name, char path[HOST_PATH_CHARS])
{
    if (strchr(name, '/') != NULL) {
        return snprintf(path, HOST_PATH_CHARS, "%s", name) < HOST_PATH_CHARS &&
               access(path, X_OK) == 0 && make_absolute(path);
    }
    const char *folders = getenv("PATH");
    while (folders != NULL && *folders != '\0') {
        const size_t length = strcspn(folders, ":");
        const int chars = snprintf(path, HOST_PATH_CHARS, "%.*s/%s", (int)length, folders, name);
        if (chars > 0 && chars < HOST_PATH_CHARS && access(path, X_OK) == 0) {
            return make_absolute(path);
        }
        folders += length + (folders[length] == ':');
    }
    return false;
}

/* The environment with another TMPDIR, so that the compiler's files are there, too; the caller
 * frees the array. */
static char **environment(char *temporary)
{
    static const char NAME[] = "TMPDIR=";
    size_t count = 0;
    while (environ[count] != NULL) {
        count++;
    }
    char **copy = malloc((count + 2) * sizeof *copy);
    memory_need(copy);
    size_t used = 0;
    copy[used++] = temporary;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(environ[i], NAME, sizeof NAME - 1) != 0) {
            copy[used++] = environ[i];
        }
    }
    copy[used] = NULL;
    return copy;
}

/* Closes descriptors that this program may have left open to its children. */
static void close_others(posix_spawn_file_actions_t *actions, int first)
{
#if defined __GLIBC__
#if __GLIBC_PREREQ(2, 34)
    (void)posix_spawn_file_actions_addclosefrom_np(actions, first);
    return;
#endif
#endif
    (void)actions;
    (void)first;
}

/* The given descriptors first: they may have the numbers that are replaced behind them. */
static bool set_files(posix_spawn_file_actions_t *actions, const struct host_process *process)
{
    bool set = posix_spawn_file_actions_addfchdir_np(actions, process->folder) == 0;
    if (process->kept >= 0) {
        set = set &&
              posix_spawn_file_actions_adddup2(actions, process->kept, HOST_KEPT_DESCRIPTOR) == 0;
    }
    if (process->input >= 0) {
        set = set && posix_spawn_file_actions_adddup2(actions, process->input, STDIN_FILENO) == 0;
    } else {
        set = set && posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY,
                                                      0) == 0;
    }
    for (int output = STDOUT_FILENO; output <= STDERR_FILENO; output++) {
        set =
            set && posix_spawn_file_actions_addopen(actions, output, "/dev/null", O_WRONLY, 0) == 0;
    }
    close_others(actions, process->kept >= 0 ? HOST_KEPT_DESCRIPTOR + 1 : STDERR_FILENO + 1);
    return set;
}

bool host_process_start(const struct host_process *process, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    char temporary[HOST_PATH_CHARS];
    char **variables = NULL;
    if (posix_spawn_file_actions_init(&actions) != 0) {
        return false;
    }
    if (posix_spawnattr_init(&attributes) != 0) {
        (void)posix_spawn_file_actions_destroy(&actions);
        return false;
    }
    if (process->temporary != NULL) {
        (void)snprintf(temporary, sizeof temporary, "TMPDIR=%s", process->temporary);
        variables = environment(temporary);
    }
    (void)posix_spawnattr_setflags(&attributes,
                                   process->session ? POSIX_SPAWN_SETSID : POSIX_SPAWN_SETPGROUP);
    (void)posix_spawnattr_setpgroup(&attributes, process->group);
    const bool started =
        set_files(&actions, process) && posix_spawnp(child, process->arguments[0], &actions,
                                                     &attributes, (char *const *)process->arguments,
                                                     variables != NULL ? variables : environ) == 0;
    free((void *)variables);
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    return started;
}
