/* io.c - formatted text, into a buffer in SDRAM that the host reads (SARK's IOBUF) or into an
 * array. */
#include "runtime.h"

#include <stdarg.h>

/* A buffer in SDRAM in the layout of host tools; further buffers are chained. */
struct iobuf {
    struct iobuf *next;
    uint unix_time;
    uint time_ms;
    uint used; /* bytes of text */
    uchar text[];
};

static struct iobuf *current;

static struct iobuf *new_buffer(void)
{
    struct iobuf *buffer =
        sark_xalloc(sv->sys_heap, sizeof *buffer + sv->iobuf_size, 0, ALLOC_LOCK);
    if (buffer == NULL) {
        rt_error(RTE_IOBUF);
    }
    buffer->next = NULL;
    buffer->unix_time = sv->unix_time;
    buffer->time_ms = sv->time_ms;
    buffer->used = 0;
    return buffer;
}

static void put_buffer(char c)
{
    if (current == NULL) {
        current = new_buffer();
        sark.vcpu->iobuf = current;
    } else if (current->used == sv->iobuf_size) {
        current->next = new_buffer();
        current = current->next;
    }
    current->text[current->used] = (uchar)c;
    current->used++;
}

struct sink {
    char *array; /* NULL: the buffer in SDRAM */
    uint silent;
};

static void put(struct sink *sink, char c)
{
    if (sink->array != NULL) {
        *sink->array++ = c;
    } else if (!sink->silent) {
        put_buffer(c);
    }
}

struct format {
    uint width;
    uint precision;
    char pad;
    uint left;
};

static void put_padded(struct sink *sink, const char *text, uint length,
                       const struct format *format)
{
    uint padding = format->width > length ? format->width - length : 0;
    if (!format->left) {
        if (format->pad == '0' && length > 0 && *text == '-') {
            put(sink, *text++);
            length--;
        }
        for (; padding > 0; padding--) {
            put(sink, format->pad);
        }
    }
    while (length-- > 0) {
        put(sink, *text++);
    }
    for (; padding > 0; padding--) {
        put(sink, ' ');
    }
}

enum { MOST_DIGITS = 32, FRACTION_BITS = 15, DEFAULT_PRECISION = 6 };

/* Writes the digits of a number from the end of an array backwards; returns the first digit. */
static char *digits(char *end, uint value, uint base)
{
    do {
        *--end = "0123456789abcdef"[value % base];
        value /= base;
    } while (value > 0);
    return end;
}

static void put_number(struct sink *sink, uint value, uint negative, uint base,
                       const struct format *format)
{
    char text[MOST_DIGITS];
    char *first = digits(text + MOST_DIGITS, value, base);
    if (negative) {
        *--first = '-';
    }
    put_padded(sink, first, (uint)(text + MOST_DIGITS - first), format);
}

/* Prints s16.15 (sign, 16 bits, 15 bits of fraction), truncated after the precision. */
static void put_accum(struct sink *sink, int value, const struct format *format)
{
    char text[MOST_DIGITS];
    const uint negative = value < 0;
    const uint magnitude = negative ? 0u - (uint)value : (uint)value;
    uint places = format->precision > 9 ? 9 : format->precision;
    char *at = text + MOST_DIGITS - places;
    char *end = at;
    uint fraction = magnitude & ((1u << FRACTION_BITS) - 1);
    for (; places > 0; places--) {
        fraction *= 10;
        *end++ = (char)('0' + (fraction >> FRACTION_BITS));
        fraction &= (1u << FRACTION_BITS) - 1;
    }
    if (end != at) {
        *--at = '.';
    }
    at = digits(at, magnitude >> FRACTION_BITS, 10);
    if (negative) {
        *--at = '-';
    }
    put_padded(sink, at, (uint)(end - at), format);
}

static const char *parse(const char *at, struct format *format)
{
    *format = (struct format){0, DEFAULT_PRECISION, ' ', 0};
    for (;; at++) {
        if (*at == '-') {
            format->left = 1;
        } else if (*at == '0') {
            format->pad = '0';
        } else {
            break;
        }
    }
    for (; *at >= '0' && *at <= '9'; at++) {
        format->width = 10 * format->width + (uint)(*at - '0');
    }
    if (*at == '.') {
        format->precision = 0;
        for (at++; *at >= '0' && *at <= '9'; at++) {
            format->precision = 10 * format->precision + (uint)(*at - '0');
        }
    }
    return at;
}

static uint text_length(const char *text)
{
    uint length = 0;
    while (text[length] != '\0') {
        length++;
    }
    return length;
}

/* The analyzer does not see that io_printf() has begun the arguments.
 * NOLINTBEGIN(clang-analyzer-valist.Uninitialized) */
static void put_argument(struct sink *sink, char conversion, const struct format *format,
                         va_list *arguments)
{
    switch (conversion) {
    case 'c':
        put(sink, (char)va_arg(*arguments, int));
        break;
    case 's': {
        const char *text = va_arg(*arguments, const char *);
        put_padded(sink, text, text_length(text), format);
        break;
    }
    case 'd': {
        const int value = va_arg(*arguments, int);
        put_number(sink, value < 0 ? 0u - (uint)value : (uint)value, value < 0, 10, format);
        break;
    }
    case 'u':
        put_number(sink, va_arg(*arguments, uint), 0, 10, format);
        break;
    case 'x':
        put_number(sink, va_arg(*arguments, uint), 0, 16, format);
        break;
    case 'k':
        put_accum(sink, va_arg(*arguments, int), format);
        break;
    default:
        put(sink, conversion);
        break;
    }
}
/* NOLINTEND(clang-analyzer-valist.Uninitialized) */

void io_printf(char *stream, char *text, ...)
{
    struct sink sink = {(uint)stream > (uint)IO_NULL ? stream : NULL, stream == IO_NULL};
    va_list arguments;
    va_start(arguments, text);
    for (const char *at = text; *at != '\0'; at++) {
        if (*at != '%') {
            put(&sink, *at);
            continue;
        }
        struct format format;
        at = parse(at + 1, &format);
        if (*at == '\0') {
            break;
        }
        put_argument(&sink, *at, &format, &arguments);
    }
    va_end(arguments);
    if (sink.array != NULL) {
        *sink.array = '\0';
    }
}
