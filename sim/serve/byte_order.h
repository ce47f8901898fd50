/* byte_order.h - numbers in messages: big-endian in Ethernet, IP and UDP headers, little-endian in
 * SDP and SCP. */
#pragma once
#include <stdint.h>

static inline uint16_t big_get16(const uint8_t *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t big_get32(const uint8_t *at)
{
    return (uint32_t)big_get16(at) << 16 | big_get16(at + 2);
}

static inline void big_put16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static inline void big_put32(uint8_t *at, uint32_t value)
{
    big_put16(at, (uint16_t)(value >> 16));
    big_put16(at + 2, (uint16_t)value);
}

static inline uint16_t little_get16(const uint8_t *at)
{
    return (uint16_t)(at[1] << 8 | at[0]);
}

static inline uint32_t little_get32(const uint8_t *at)
{
    return (uint32_t)little_get16(at + 2) << 16 | little_get16(at);
}

static inline void little_put16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static inline void little_put32(uint8_t *at, uint32_t value)
{
    little_put16(at, (uint16_t)value);
    little_put16(at + 2, (uint16_t)(value >> 16));
}
