/* amount.h - how many cases a test with random ones tries: the usual number, or what a variable of
 * the environment says, for a long run. */
#pragma once
#include <cstdint>
#include <cstdlib>

inline uint64_t amount(const char *variable, uint64_t usual)
{
    const char *text = getenv(variable);
    return text == nullptr ? usual : strtoull(text, nullptr, 10);
}
