/* expression.h - arithmetic expressions with names:
 *
 *     (a + b) / 2
 *     100 * east:seconds
 *     sum(soak:console, c2 / c5)
 *
 * Operators are + - * / and parentheses.  A name is a letter followed by letters, digits, _ . : and
 * any characters in square brackets: "east:link.packets[3,3,0]". */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
C_LINKAGE_BEGIN

enum { EXPRESSION_NAME_CHARS = 128 };

/* Resolves names to values.  The functions return false for an unknown name or a value that is not
 * a number. */
struct expression_scope {
    bool (*value)(void *context, const char *name, double *value);
    /* The sum of an expression over the rows of a table; NULL: there are no tables. */
    bool (*sum)(void *context, const char *table, const char *expression, double *value);
    void *context;
};

/* Evaluates an expression.  STATUS_CONFIGURATION, with the name or expression as key: an unknown
 * name, or a syntax error. */
enum status expression_value(const char *text, const struct expression_scope *scope, double *value,
                             struct diagnostic *diagnostic);

/* Formats the values of `expressions`, separated by ';', with a printf() format: each %...f or
 * %...g takes the next value.  So do %R, a whole number rounded to three digits (208000), and %S,
 * three digits or all before the point, but no more than three decimals (1032, 83.1, 0.051). */
enum status expression_format(char *to, size_t size, const char *format, const char *expressions,
                              const struct expression_scope *scope, struct diagnostic *diagnostic);

C_LINKAGE_END
