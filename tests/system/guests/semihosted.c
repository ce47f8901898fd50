/* semihosted.c - a program with newlib that does what its first argument says; for what goes
 * between a guest and the host. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t call(uint32_t operation, const void *argument)
{
    register uint32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("svc 0x123456" : "+r"(r0) : "r"(r1) : "memory", "lr", "cc");
    return r0;
}

static uint32_t call3(uint32_t operation, uintptr_t a, uintptr_t b, uintptr_t c)
{
    const uintptr_t block[3] = {a, b, c};
    return call(operation, block);
}

enum {
    SYS_OPEN = 1,
    SYS_CLOSE,
    SYS_WRITEC,
    SYS_WRITE0,
    SYS_WRITE,
    SYS_READ,
    SYS_READC,
    SYS_ISERROR,
    SYS_ISTTY,
    SYS_SEEK,
    SYS_FLEN = 12,
    SYS_TMPNAM,
    SYS_REMOVE,
    SYS_RENAME,
    SYS_ERRNO = 19,
    SYS_GET_CMDLINE = 21
};

static int last_error(void)
{
    return (int)call(SYS_ERRNO, NULL);
}

/* Standard input to standard output, and how many bytes they were. */
static int copy(int argc, char **argv)
{
    static char bytes[3000];
    size_t all = 0;
    size_t got;
    (void)argc;
    (void)argv;
    while ((got = fread(bytes, 1, sizeof bytes, stdin)) > 0) {
        all += got;
        fwrite(bytes, 1, got, stdout);
    }
    fprintf(stderr, "%lu bytes\n", (unsigned long)all);
    return 0;
}

/* The same, by single calls of SYS_READ for so many bytes: how many each gave. */
static int read_calls(int argc, char **argv)
{
    static char bytes[70000];
    const uint32_t length = argc > 2 ? strtoul(argv[2], NULL, 0) : 1;
    uint32_t left;
    while ((left = call3(SYS_READ, 1, (uintptr_t)bytes, length)) != length) {
        printf("%lu ", (unsigned long)(length - left));
    }
    printf("end\n");
    return 0;
}

static int read_bytes(int argc, char **argv)
{
    uint32_t byte;
    (void)argc;
    (void)argv;
    while ((int32_t)(byte = call(SYS_READC, NULL)) >= 0) {
        printf("%lu ", (unsigned long)byte);
    }
    printf("end\n");
    return 0;
}

/* A line without end by SYS_WRITEC, then nothing but work, or an end of another kind. */
static int unfinished(int argc, char **argv)
{
    (void)argc;
    call(SYS_WRITE0, "whole\n");
    for (const char *at = "begun"; *at != '\0'; at++) {
        call(SYS_WRITEC, at);
    }
    if (strcmp(argv[2], "undefined") == 0) {
        __asm__ volatile(".word 0xe7f000f0");
    }
    for (volatile int for_ever = 1; for_ever;) {
    }
    return 0;
}

static int numbers(int argc, char **argv)
{
    const long count = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
    for (long i = 0; count == 0 || i < count; i++) {
        printf("%ld\n", i);
    }
    return 0;
}

/* What a write that fails looks like. */
static int write_fails(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    const uint32_t left = call3(SYS_WRITE, 2, (uintptr_t) "lost\n", 5);
    fprintf(stderr, "%lu left, error %d\n", (unsigned long)left, last_error());
    return 0;
}

static int arguments(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        printf("[%s]", argv[i]);
    }
    printf("\n");
    return 0;
}

static int short_command_line(int argc, char **argv)
{
    char room[4] = "";
    const uintptr_t block[2] = {(uintptr_t)room, sizeof room};
    (void)argc;
    (void)argv;
    const int32_t result = (int32_t)call(SYS_GET_CMDLINE, block);
    printf("%ld %d '%s'\n", (long)result, last_error(), room);
    return 0;
}

/* fopen() of each name in this mode: what comes of it. */
static int open_each(int argc, char **argv)
{
    for (int i = 3; i < argc; i++) {
        FILE *file = fopen(argv[i], argv[2]);
        printf("%s %d\n", argv[i], file == NULL ? errno : 0);
        if (file != NULL) {
            fclose(file);
        }
    }
    return 0;
}

static int open_many(int argc, char **argv)
{
    int count = 0;
    (void)argc;
    (void)argv;
    while ((int32_t)call3(SYS_OPEN, (uintptr_t) "many", 4, 4) >= 0) {
        count++;
    }
    printf("%d then %d\n", count, last_error());
    return 0;
}

static void show(const char *what, uint32_t result)
{
    printf("%s %ld", what, (long)(int32_t)result);
    if ((int32_t)result < 0) {
        printf(" error %d", last_error());
    }
    printf("\n");
}

static uint32_t rename_file(const char *from, const char *to)
{
    const uintptr_t block[4] = {(uintptr_t)from, strlen(from), (uintptr_t)to, strlen(to)};
    return call(SYS_RENAME, block);
}

/* Everything newlib has for files. */
static int use_files(int argc, char **argv)
{
    char text[32] = "";
    char name[L_tmpnam];
    (void)argc;
    (void)argv;
    FILE *file = fopen("a.txt", "w+");
    fputs("0123456789", file);
    fseek(file, 3, SEEK_SET);
    fwrite("abc", 1, 3, file);
    fseek(file, 0, SEEK_END);
    printf("length %ld\n", ftell(file));
    rewind(file);
    printf("read %s\n", fgets(text, sizeof text, file));
    fclose(file);
    file = fopen("a.txt", "a");
    fputs("!", file);
    fclose(file);
    show("rename", rename_file("a.txt", "b.txt")); /* newlib's rename() wants links */
    show("again", rename_file("a.txt", "b.txt"));
    file = fopen("b.txt", "rb");
    printf("got %lu\n", (unsigned long)fread(text, 1, sizeof text, file));
    printf("now %s, end %d\n", text, feof(file));
    fclose(file);
    file = fopen(tmpnam(name), "w");
    printf("temporary %d\n", file != NULL && fputs("x", file) >= 0 && fclose(file) == 0);
    printf("remove %d %d\n", remove(name), remove(name));
    return 0;
}

/* Handles that are none, and what the console's cannot do. */
static int handles(int argc, char **argv)
{
    char byte = 0;
    char name[8] = "";
    static const uint32_t BAD[] = {0, 77, 0xffffffff};
    (void)argc;
    (void)argv;
    for (unsigned i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        show("close", call3(SYS_CLOSE, BAD[i], 0, 0));
        show("length", call3(SYS_FLEN, BAD[i], 0, 0));
        show("terminal", call3(SYS_ISTTY, BAD[i], 0, 0));
        show("seek", call3(SYS_SEEK, BAD[i], 0, 0));
        show("read", call3(SYS_READ, BAD[i], (uintptr_t)&byte, 1));
        show("write", call3(SYS_WRITE, BAD[i], (uintptr_t)&byte, 1));
    }
    show("is error", call3(SYS_ISERROR, 0xffffffff, 0, 0));
    show("is none", call3(SYS_ISERROR, 5, 0, 0));
    show("console length", call3(SYS_FLEN, 2, 0, 0));
    show("console terminal", call3(SYS_ISTTY, 2, 0, 0));
    show("console seek", call3(SYS_SEEK, 2, 0, 0));
    show("console close", call3(SYS_CLOSE, 2, 0, 0));
    show("read of output", call3(SYS_READ, 2, (uintptr_t)&byte, 1));
    show("write of input", call3(SYS_WRITE, 1, (uintptr_t)&byte, 1));
    show("huge read", call3(SYS_READ, 1, (uintptr_t)&byte, 0xffffffff));
    show("huge write", call3(SYS_WRITE, 2, (uintptr_t)&byte, 0xfffffff0));
    show("wrong mode", call3(SYS_OPEN, (uintptr_t) ":tt", 12, 3));
    show("huge name", call3(SYS_OPEN, (uintptr_t)name, 0, 0x100000));
    show("temporary name", call3(SYS_TMPNAM, (uintptr_t)name, 7, sizeof name));
    printf("%s\n", name);
    show("too short for it", call3(SYS_TMPNAM, (uintptr_t)name, 7, 6));
    show("unknown", call(0x12, NULL));
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*act)(int argc, char **argv);
    } ACTS[] = {{"copy", copy},
                {"read_calls", read_calls},
                {"read_bytes", read_bytes},
                {"unfinished", unfinished},
                {"numbers", numbers},
                {"write_fails", write_fails},
                {"arguments", arguments},
                {"short_command_line", short_command_line},
                {"open_each", open_each},
                {"open_many", open_many},
                {"use_files", use_files},
                {"handles", handles}};
    for (unsigned i = 0; argc > 1 && i < sizeof ACTS / sizeof *ACTS; i++) {
        if (strcmp(argv[1], ACTS[i].name) == 0) {
            return ACTS[i].act(argc, argv);
        }
    }
    return 99;
}
