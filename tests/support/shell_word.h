/* shell_word.h - quotes any text as one word of a shell command: the checkout may lie in a folder
 * of any name. */
#pragma once
#include <string>

inline std::string shell_word(const std::string &text)
{
    std::string word = "'";
    for (const char c : text) {
        word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return word + "'";
}
