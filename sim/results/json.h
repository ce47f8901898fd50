/* json.h - writes indented JSON, members in the order of the calls.  Invalid UTF-8 bytes in texts
 * become U+FFFD. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
C_LINKAGE_BEGIN

enum { JSON_DEPTH_MAX = 16 };

struct json {
    FILE *stream;
    unsigned depth;
    bool has_member[JSON_DEPTH_MAX];
};

/* Begins the outermost object; json_end() ends it. */
void json_begin(struct json *json, FILE *stream);

/* name is NULL inside an array. */
void json_object(struct json *json, const char *name);
void json_array(struct json *json, const char *name);
void json_end_object(struct json *json);
void json_end_array(struct json *json);
void json_end(struct json *json);

void json_text(struct json *json, const char *name, const char *text);
void json_whole(struct json *json, const char *name, uint64_t value);
void json_real(struct json *json, const char *name, double value); /* null when not finite */
void json_flag(struct json *json, const char *name, bool value);
void json_null(struct json *json, const char *name);

/* The shortest decimal text that reads back as the same double. */
enum { REAL_TEXT_CHARS = 32 };
const char *real_text(double value, char text[REAL_TEXT_CHARS]);

C_LINKAGE_END
