/* status.h - how functions report errors that a user can cause.
 * Libraries never print and never exit: they return a status and, if a person is to be told, fill
 * in a diagnostic. sim/cli prints it and chooses the exit status. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/compiler.h"
#include <stdarg.h>
API_BEGIN

enum status {
    STATUS_OK = 0,
    STATUS_INTERNAL,      /* a fault of the simulator, or out of memory: exit 1 */
    STATUS_CONFIGURATION, /* an error in the user's input: exit 2 */
    STATUS_GUEST,         /* the guest program failed: exit 3 */
    STATUS_LIMIT,         /* a stated limit was reached: exit 4 */
    STATUS_REJECTED       /* outside `accept` or different from a golden: exit 5 */
};

enum { DIAGNOSTIC_PATH_CHARS = 512, DIAGNOSTIC_KEY_CHARS = 128, DIAGNOSTIC_TEXT_CHARS = 768 };

/* One message: where (file, line, column from 1; 0 = none), which key, what, and what to do. */
struct diagnostic {
    char file[DIAGNOSTIC_PATH_CHARS];
    int line;
    int column;
    char key[DIAGNOSTIC_KEY_CHARS];
    char text[DIAGNOSTIC_TEXT_CHARS];
    char hint[DIAGNOSTIC_TEXT_CHARS];
};

/* Fills text (printf format) and, from what stands behind a \v in it, hint; clears the other fields
 * and returns `status`, so that a caller can `return diagnose(...)`.  `diagnostic` may be NULL.
 * Long texts are cut, never overrun. */
enum status diagnose(struct diagnostic *diagnostic, enum status status, const char *format, ...)
    PRINTF_LIKE(3, 4);
/* The same for functions that take a format themselves. */
enum status diagnose_list(struct diagnostic *diagnostic, enum status status, const char *format,
                          va_list arguments);
/* As the function above, in a form that shows compilers and analysers that the result is the status
 * given. */
#define diagnose(to, why, ...) /* NOLINT(readability-identifier-naming) */                         \
    ((void)diagnose(to, why, __VA_ARGS__), (enum status)(why))

/* Adds the place, the key or the advice to a diagnostic already filled in; NULL is ignored. */
void diagnostic_at(struct diagnostic *diagnostic, const char *file, int line, int column);
void diagnostic_key(struct diagnostic *diagnostic, const char *key);
void diagnostic_hint(struct diagnostic *diagnostic, const char *format, ...) PRINTF_LIKE(2, 3);

/* The exit status of the command line for a status: 0 done .. 5 rejected. */
int status_exit_code(enum status status);

API_END
