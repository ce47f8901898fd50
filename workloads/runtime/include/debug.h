/* debug.h - lines of a log in the core's buffer (IO_BUF), with file and line.  Names, levels and
 * the form of a line follow the header of the same name of spinn_common, so that a program compiles
 * against either. */
#pragma once
#include "sark.h"

#define LOG_ERROR   10
#define LOG_WARNING 20
#define LOG_INFO    30
#define LOG_DEBUG   40

/* What is above this level is left out of the program. */
#ifndef LOG_LEVEL
#if defined(PRODUCTION_CODE) || defined(NDEBUG)
#define LOG_LEVEL LOG_INFO
#else
#define LOG_LEVEL LOG_DEBUG
#endif
#endif

#ifndef __FILENAME__
#define __FILENAME__ __FILE__ /* NOLINT(bugprone-reserved-identifier): users define it */
#endif

/* A line: the level's name, (file:line), the text with its arguments as io_printf() takes them. */
#define LOG_LINE(level, name, ...)                                                                 \
    do {                                                                                           \
        if ((level) <= LOG_LEVEL) {                                                                \
            io_printf(IO_BUF, name "(%s:%4d): ", __FILENAME__, __LINE__);                          \
            io_printf(IO_BUF, __VA_ARGS__);                                                        \
            io_printf(IO_BUF, "\n");                                                               \
        }                                                                                          \
    } while (0)

/* NOLINTBEGIN(readability-identifier-naming): functions to programs */
#define log_error(...)   LOG_LINE(LOG_ERROR, "[ERROR]   ", __VA_ARGS__)
#define log_warning(...) LOG_LINE(LOG_WARNING, "[WARNING] ", __VA_ARGS__)
#define log_info(...)    LOG_LINE(LOG_INFO, "[INFO]    ", __VA_ARGS__)
#define log_debug(...)   LOG_LINE(LOG_DEBUG, "[DEBUG]   ", __VA_ARGS__)
/* NOLINTEND(readability-identifier-naming) */
