/* address.c - see address.h. */
#include "sim/serve/address.h"

#include "sim/serve/byte_order.h"

#include <stdio.h>
#include <stdlib.h>

enum { PARTS = 4, PART_MAX = 255, PORT_MAX = 65535, DECIMAL = 10, LOOPBACK = 127 };

/* Reads digits up to a number, and moves behind them. */
static bool read_number(const char **at, uint32_t most, uint32_t *number)
{
    const char *begin = *at;
    *number = 0;
    while (**at >= '0' && **at <= '9' && *number <= most) {
        *number = *number * DECIMAL + (uint32_t)(**at - '0');
        (*at)++;
    }
    return *at > begin && *number <= most;
}

static bool read_address(const char **at, uint32_t *address)
{
    *address = 0;
    for (unsigned i = 0; i < PARTS; i++) {
        uint32_t part;
        if ((i > 0 && *(*at)++ != '.') || !read_number(at, PART_MAX, &part)) {
            return false;
        }
        *address = *address << 8 | part;
    }
    return true;
}

bool address_read(const char *text, uint32_t *address)
{
    return read_address(&text, address) && *text == '\0';
}

bool address_read_endpoint(const char *text, struct frame_endpoint *endpoint)
{
    uint32_t port;
    if (!read_address(&text, &endpoint->address) || *text++ != ':' ||
        !read_number(&text, PORT_MAX, &port)) {
        return false;
    }
    endpoint->port = (uint16_t)port;
    return *text == '\0';
}

void address_print(uint32_t address, char text[ADDRESS_CHARS])
{
    uint8_t part[PARTS];
    big_put32(part, address);
    (void)snprintf(text, ADDRESS_CHARS, "%u.%u.%u.%u", part[0], part[1], part[2], part[3]);
}

void address_print_endpoint(struct frame_endpoint endpoint, char text[ADDRESS_CHARS])
{
    uint8_t part[PARTS];
    big_put32(part, endpoint.address);
    (void)snprintf(text, ADDRESS_CHARS, "%u.%u.%u.%u:%u", part[0], part[1], part[2], part[3],
                   endpoint.port);
}

bool address_is_loopback(uint32_t address)
{
    return address >> 24 == LOOPBACK;
}
