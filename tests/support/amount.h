/* amount.h - how many random cases a test tries: the default, or the value of an environment
 * variable, for a long run. */
#pragma once
#include <cstdint>
#include <cstdlib>

inline uint64_t amount(const char *variable, uint64_t usual)
{
    const char *text = getenv(variable);
    return text == nullptr ? usual : strtoull(text, nullptr, 10);
}
