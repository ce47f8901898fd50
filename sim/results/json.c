/* json.c - see json.h. */
#include "sim/results/json.h"

#include "models/common/check.h"
#include "sim/config/config_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 2, LEAST_DIGITS = 6, MOST_DIGITS = 17 };

const char *real_text(double value, char text[REAL_TEXT_CHARS])
{
    char shortest[REAL_TEXT_CHARS];
    for (int digits = LEAST_DIGITS; digits <= MOST_DIGITS; digits++) {
        (void)snprintf(shortest, sizeof shortest, "%.*g", digits, value);
        if (strtod(shortest, NULL) == value) {
            break;
        }
    }
    return memcpy(text, shortest, sizeof shortest);
}

static void put_text(FILE *stream, const char *text)
{
    const size_t bytes = strlen(text);
    (void)fputc('"', stream);
    for (size_t at = 0; at < bytes;) {
        uint32_t code = 0;
        const size_t length = config_text_character(text, bytes, at, &code);
        if (length == 0) {
            (void)fputs("\\ufffd", stream);
        } else if (config_text_is_control(code)) {
            (void)fprintf(stream, "\\u%04x", (unsigned)code);
        } else {
            (void)fprintf(stream, "%s%.*s", code == '"' || code == '\\' ? "\\" : "", (int)length,
                          text + at);
        }
        at += length > 0 ? length : 1;
    }
    (void)fputc('"', stream);
}

static void begin_member(struct json *json, const char *name)
{
    bool *has_member = &json->has_member[json->depth];
    (void)fprintf(json->stream, "%s\n%*s", *has_member ? "," : "", (int)(INDENT * json->depth), "");
    *has_member = true;
    if (name != NULL) {
        put_text(json->stream, name);
        (void)fputs(": ", json->stream);
    }
}

static void open_level(struct json *json, char bracket)
{
    (void)fputc(bracket, json->stream);
    json->depth++;
    CHECK(json->depth < JSON_DEPTH_MAX, "JSON nested too deep");
    json->has_member[json->depth] = false;
}

static void close_level(struct json *json, char bracket)
{
    const bool empty = !json->has_member[json->depth];
    json->depth--;
    if (!empty) {
        (void)fprintf(json->stream, "\n%*s", (int)(INDENT * json->depth), "");
    }
    (void)fputc(bracket, json->stream);
}

void json_begin(struct json *json, FILE *stream)
{
    *json = (struct json){.stream = stream};
    open_level(json, '{');
}

void json_end(struct json *json)
{
    close_level(json, '}');
    (void)fputc('\n', json->stream);
}

void json_object(struct json *json, const char *name)
{
    begin_member(json, name);
    open_level(json, '{');
}

void json_array(struct json *json, const char *name)
{
    begin_member(json, name);
    open_level(json, '[');
}

void json_end_object(struct json *json)
{
    close_level(json, '}');
}

void json_end_array(struct json *json)
{
    close_level(json, ']');
}

void json_text(struct json *json, const char *name, const char *text)
{
    begin_member(json, name);
    put_text(json->stream, text);
}

void json_whole(struct json *json, const char *name, uint64_t value)
{
    begin_member(json, name);
    (void)fprintf(json->stream, "%" PRIu64, value);
}

void json_real(struct json *json, const char *name, double value)
{
    char text[REAL_TEXT_CHARS];
    if (!isfinite(value)) {
        json_null(json, name);
        return;
    }
    begin_member(json, name);
    (void)fputs(real_text(value, text), json->stream);
}

void json_flag(struct json *json, const char *name, bool value)
{
    begin_member(json, name);
    (void)fputs(value ? "true" : "false", json->stream);
}

void json_null(struct json *json, const char *name)
{
    begin_member(json, name);
    (void)fputs("null", json->stream);
}
