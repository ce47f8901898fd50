/* mutate.cpp - see mutate.h. */
#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <cstring>
#include <sstream>

namespace
{

enum : size_t { LEAST_ROOM = 4096, CHUNK_BYTES = 64, CHANGES = 6 };

/* Numbers at which programs go wrong. */
constexpr uint64_t BOUND[] = {0,
                              1,
                              2,
                              3,
                              4,
                              7,
                              8,
                              15,
                              16,
                              31,
                              32,
                              63,
                              64,
                              100,
                              127,
                              128,
                              255,
                              256,
                              1000,
                              1023,
                              4096,
                              32767,
                              32768,
                              65535,
                              65536,
                              0x7fffffff,
                              0x80000000,
                              0xfffffffe,
                              0xffffffff,
                              0x7fffffffffffffff,
                              0x8000000000000000,
                              0xffffffffffffffff};

} // namespace

mutator::mutator(std::vector<fuzz_input> seeds, std::vector<fuzz_input> words, uint64_t seed)
    : seeds_(std::move(seeds)), words_(std::move(words)), random_(seed), most_bytes_(LEAST_ROOM)
{
    for (const fuzz_input &input : seeds_) {
        most_bytes_ = std::max(most_bytes_, 2 * input.size());
    }
}

size_t mutator::below(size_t bound)
{
    return bound == 0 ? 0 : static_cast<size_t>(random_() % bound);
}

const fuzz_input &mutator::any_seed()
{
    return seeds_[below(seeds_.size())];
}

const fuzz_input &mutator::next()
{
    input_ = any_seed();
    change();
    for (size_t more = 0; more < CHANGES && below(2) == 0; more++) {
        change();
    }
    if (input_.size() > most_bytes_) {
        input_.resize(most_bytes_);
    }
    return input_;
}

void mutator::change()
{
    switch (below(12)) {
    case 0:
    case 1:
        return change_bits();
    case 2:
    case 3:
        return change_number();
    case 4:
        return remove_chunk();
    case 5:
        return repeat_chunk();
    case 6:
        return move_chunk();
    case 7:
        return put_from_other();
    case 8:
        return change_digit();
    case 9:
        return change_lines();
    default:
        return put_word();
    }
}

void mutator::change_bits()
{
    if (!input_.empty()) {
        uint8_t &byte = input_[below(input_.size())];
        byte = static_cast<uint8_t>(below(2) == 0 ? byte ^ 1u << below(8) : random_());
    }
}

/* A number of 1 to 8 bytes, in either order of bytes: another one, or one more or less. */
void mutator::change_number()
{
    const size_t bytes = size_t{1} << below(4);
    if (input_.size() < bytes) {
        return;
    }
    uint8_t *at = &input_[below(input_.size() - bytes + 1)];
    const bool big = below(2) == 0;
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++) {
        value |= static_cast<uint64_t>(at[big ? bytes - 1 - i : i]) << 8 * i;
    }
    value = below(2) == 0 ? BOUND[below(sizeof BOUND / sizeof *BOUND)] : value + below(33) - 16;
    for (size_t i = 0; i < bytes; i++) {
        at[big ? bytes - 1 - i : i] = static_cast<uint8_t>(value >> 8 * i);
    }
}

void mutator::remove_chunk()
{
    const size_t from = below(input_.size());
    const size_t most = below(8) == 0 ? input_.size() : CHUNK_BYTES;
    const size_t bytes = std::min(1 + below(most), input_.size() - from);
    input_.erase(input_.begin() + static_cast<std::ptrdiff_t>(from),
                 input_.begin() + static_cast<std::ptrdiff_t>(from + bytes));
}

void mutator::insert(size_t at, const uint8_t *bytes, size_t size)
{
    if (input_.size() + size <= most_bytes_) {
        const fuzz_input copy(bytes, bytes + size);
        input_.insert(input_.begin() + static_cast<std::ptrdiff_t>(at), copy.begin(), copy.end());
    }
}

void mutator::repeat_chunk()
{
    const size_t from = below(input_.size());
    const size_t bytes = std::min(1 + below(CHUNK_BYTES), input_.size() - from);
    for (size_t times = below(16) == 0 ? 200 : 1 + below(3); times > 0 && bytes > 0; times--) {
        insert(from, &input_[from], bytes);
    }
}

/* From one place over another. */
void mutator::move_chunk()
{
    if (!input_.empty()) {
        const size_t from = below(input_.size());
        const size_t to = below(input_.size());
        const size_t most = input_.size() - std::max(from, to);
        memmove(&input_[to], &input_[from], std::min(1 + below(CHUNK_BYTES), most));
    }
}

/* A word of the dictionary, between others or over them. */
void mutator::put_word()
{
    if (words_.empty()) {
        return change_number();
    }
    const fuzz_input &word = words_[below(words_.size())];
    const size_t at = below(input_.size() + 1);
    if (below(2) == 0 && input_.size() - at >= word.size()) {
        std::copy(word.begin(), word.end(), input_.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
        insert(at, word.data(), word.size());
    }
}

/* A part of another seed, or the rest of the input from one. */
void mutator::put_from_other()
{
    const fuzz_input &other = any_seed();
    if (other.empty()) {
        return;
    }
    const size_t from = below(other.size());
    const size_t at = below(input_.size() + 1);
    size_t bytes = other.size() - from;
    if (below(2) == 0) {
        bytes = std::min(bytes, 1 + below(CHUNK_BYTES));
    } else {
        input_.resize(at);
    }
    insert(at, &other[from], bytes);
}

/* In texts: a digit becomes another number. */
void mutator::change_digit()
{
    const auto is_digit = [](uint8_t byte) { return byte >= '0' && byte <= '9'; };
    const auto count = std::count_if(input_.begin(), input_.end(), is_digit);
    size_t skip = below(static_cast<size_t>(count));
    for (size_t at = 0; at < input_.size(); at++) {
        if (is_digit(input_[at]) && skip-- == 0) {
            const std::string number = below(2) == 0
                                           ? std::to_string(below(10))
                                           : std::to_string(BOUND[below(sizeof BOUND / 8)]);
            input_.erase(input_.begin() + static_cast<std::ptrdiff_t>(at));
            insert(at, reinterpret_cast<const uint8_t *>(number.data()), number.size());
            return;
        }
    }
}

/* In texts: a line is left out, said twice, or comes from another seed. */
void mutator::change_lines()
{
    const auto line_of = [this](const fuzz_input &text, size_t *first, size_t *last) {
        *first = *last = below(text.size());
        while (*first > 0 && text[*first - 1] != '\n') {
            --*first;
        }
        while (*last < text.size() && text[(*last)++] != '\n') {
        }
    };
    size_t first = 0;
    size_t last = 0;
    const size_t what = below(3);
    const fuzz_input from = what == 2 ? any_seed() : input_;
    line_of(from, &first, &last);
    const fuzz_input line(from.begin() + static_cast<std::ptrdiff_t>(first),
                          from.begin() + static_cast<std::ptrdiff_t>(last));
    if (what == 0) {
        input_.erase(input_.begin() + static_cast<std::ptrdiff_t>(first),
                     input_.begin() + static_cast<std::ptrdiff_t>(last));
        return;
    }
    line_of(input_, &first, &last);
    insert(first, line.data(), line.size());
}

std::vector<fuzz_input> fuzz_words(const std::string &text)
{
    std::vector<fuzz_input> words;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        const size_t first = line.find('"');
        const size_t last = line.rfind('"');
        if (line.empty() || line[0] == '#' || first == std::string::npos || first == last) {
            continue;
        }
        fuzz_input word;
        for (size_t at = first + 1; at < last; at++) {
            if (line[at] != '\\') {
                word.push_back(static_cast<uint8_t>(line[at]));
            } else if (line[at + 1] == 'x') {
                word.push_back(
                    static_cast<uint8_t>(std::stoul(line.substr(at + 2, 2), nullptr, 16)));
                at += 3;
            } else {
                word.push_back(static_cast<uint8_t>(line[++at]));
            }
        }
        words.push_back(word);
    }
    return words;
}
