/* mutate.h - inputs made from other inputs: a few small changes at random places, the same for the
 * same seed on every host. */
#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <vector>

using fuzz_input = std::vector<uint8_t>;

class mutator
{
  public:
    /* `seeds` is not empty; `words` are put into inputs as they are. */
    mutator(std::vector<fuzz_input> seeds, std::vector<fuzz_input> words, uint64_t seed);

    /* The next input; it is good until the next call. */
    const fuzz_input &next();

  private:
    size_t below(size_t bound); /* a random number; 0 when there is no other */
    const fuzz_input &any_seed();
    void change();
    void change_bits();
    void change_number();
    void remove_chunk();
    void repeat_chunk();
    void move_chunk();
    void put_word();
    void put_from_other();
    void change_digit();
    void change_lines();
    void insert(size_t at, const uint8_t *bytes, size_t size);

    std::vector<fuzz_input> seeds_, words_;
    std::mt19937_64 random_;
    fuzz_input input_;
    size_t most_bytes_;
};

/* The words of a dictionary in libFuzzer's form, a line each: "text", with \xNN, \\ and \". */
std::vector<fuzz_input> fuzz_words(const std::string &text);
