/* expression.h - sums with names: "(a + b) / 2", "100 * east:seconds", "sum(soak:console, c2 /
 * c5)".
 * + - * / and brackets as usual.  A name begins with a letter and goes on with letters, digits and
 * _ . : and, in square brackets, anything: "east:link.packets[3,3,0]". */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
C_LINKAGE_BEGIN

enum { EXPRESSION_NAME_CHARS = 128 };

/* Whose names they are.  False: nobody knows the name, or it is no number. */
struct expression_scope {
    bool (*value)(void *context, const char *name, double *value);
    /* The sum of an expression over the rows of a table; NULL: there are no tables. */
    bool (*sum)(void *context, const char *table, const char *expression, double *value);
    void *context;
};

/* STATUS_CONFIGURATION: a name that nobody knows, or no expression; the message has it as key. */
enum status expression_value(const char *text, const struct expression_scope *scope, double *value,
                             struct diagnostic *diagnostic);

/* The format, as printf() has it, with the values of expressions that are parted by ';': each of
 * its %...f, %...g takes the next one. */
enum status expression_format(char *to, size_t size, const char *format, const char *expressions,
                              const struct expression_scope *scope, struct diagnostic *diagnostic);

C_LINKAGE_END
