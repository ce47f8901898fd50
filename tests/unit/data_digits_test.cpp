/* The synthetic digits: the same bytes everywhere, whatever part is asked for, and digits indeed.
 */
#include "tests/unit/data_fixture.h"

extern "C" {
#include "sim/data/digits.h"
}

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

namespace
{

struct digits {
    byte_string images;
    byte_string labels;

    byte_string image(size_t i) const
    {
        return byte_string(images.begin() + static_cast<ptrdiff_t>(i * DIGITS_PIXELS),
                           images.begin() + static_cast<ptrdiff_t>((i + 1) * DIGITS_PIXELS));
    }
};

digits make(uint64_t seed, uint32_t stream, uint32_t first, uint32_t count)
{
    digits made;
    /* Filled with a pattern: every pixel must be written. */
    made.images.assign(static_cast<size_t>(count) * DIGITS_PIXELS, 0xa5);
    made.labels.assign(count, 0xa5);
    const struct digits_range range = {seed, stream, first, count};
    digits_generate(&range, made.images.data(), made.labels.data());
    return made;
}

/* The goldens: a difference here is a difference of compiler, host or generator, and every result
 * obtained on the synthetic set changes with it. */
TEST(Digits, AreTheSameBytesOnEveryHost)
{
    const digits first = make(1, 0, 0, 100);
    EXPECT_EQ(sha256_of(first.images.data(), first.images.size()),
              "23407f69b75577e0fb9ee00c9cbe1bf50e2c9df0e4a89c3d6c4133aabe9acb38");
    EXPECT_EQ(sha256_of(first.labels.data(), first.labels.size()),
              "3bf5bc82578ff44b6947d7f520b4964a936634758117b0dc464e9e0d92449fb4");
    const digits other = make(0xfedcba9876543210, 7, 123456789, 100);
    EXPECT_EQ(sha256_of(other.images.data(), other.images.size()),
              "0166e78b45f6206b56ed6e11ee683f8306e9d13b82de725c13f73ef6f1373960");
}

TEST(Digits, FirstLabels)
{
    const byte_string expected = {7, 8, 6, 2, 5, 0, 4, 9, 3, 1, 4, 5, 2, 7, 9, 6, 3, 1, 8, 0};
    EXPECT_EQ(make(1, 0, 0, 20).labels, expected);
}

TEST(Digits, DoNotDependOnHowManyAreMade)
{
    const digits many = make(1, 0, 0, 300);
    for (const uint32_t count : {1u, 7u, 299u}) {
        const digits few = make(1, 0, 0, count);
        EXPECT_TRUE(std::equal(few.images.begin(), few.images.end(), many.images.begin()));
        EXPECT_TRUE(std::equal(few.labels.begin(), few.labels.end(), many.labels.begin()));
    }
    const digits later = make(1, 0, 123, 50);
    for (size_t i = 0; i < 50; i++) {
        EXPECT_EQ(later.image(i), many.image(123 + i)) << i;
        EXPECT_EQ(later.labels[i], many.labels[123 + i]) << i;
    }
}

TEST(Digits, NothingIsMadeOfNothing)
{
    const struct digits_range range = {1, 0, 0, 0};
    digits_generate(&range, nullptr, nullptr);
}

TEST(Digits, EveryTenImagesHoldEveryDigit)
{
    const digits made = make(1, 1, 0, 2000);
    std::set<byte_string> orders;
    for (size_t ten = 0; ten < 200; ten++) {
        const auto begin = made.labels.begin() + static_cast<ptrdiff_t>(10 * ten);
        byte_string order(begin, begin + 10);
        orders.insert(order);
        std::sort(order.begin(), order.end());
        EXPECT_EQ(order, byte_string({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    }
    EXPECT_GT(orders.size(), 195u);
}

TEST(Digits, NoTwoImagesAreEqual)
{
    std::set<byte_string> seen;
    for (const uint32_t stream : {0u, 1u}) {
        const digits made = make(1, stream, 0, 3000);
        for (size_t i = 0; i < 3000; i++) {
            EXPECT_TRUE(seen.insert(made.image(i)).second) << stream << " " << i;
        }
    }
    const digits other_seed = make(2, 0, 0, 100);
    for (size_t i = 0; i < 100; i++) {
        EXPECT_TRUE(seen.insert(other_seed.image(i)).second) << i;
    }
}

/* Statistics like MNIST's: mean 33, a fifth of the pixels inked, ink in the middle. */
TEST(Digits, LookLikeMnist)
{
    const uint32_t count = 5000;
    const digits made = make(1, 0, 0, count);
    uint64_t sum = 0;
    uint64_t inked = 0;
    uint64_t x_sum = 0;
    uint64_t y_sum = 0;
    uint64_t corner = 0;
    for (size_t i = 0; i < made.images.size(); i++) {
        const unsigned pixel = made.images[i];
        const size_t x = i % DIGITS_SIDE;
        const size_t y = i % DIGITS_PIXELS / DIGITS_SIDE;
        sum += pixel;
        inked += pixel > 0 ? 1 : 0;
        x_sum += pixel * x;
        y_sum += pixel * y;
        corner += x < 2 && y < 2 ? pixel : 0;
    }
    const double pixels = static_cast<double>(made.images.size());
    EXPECT_NEAR(static_cast<double>(sum) / pixels, 33, 2);
    EXPECT_NEAR(static_cast<double>(inked) / pixels, 0.2, 0.02);
    EXPECT_NEAR(static_cast<double>(x_sum) / static_cast<double>(sum), 13.5, 0.3);
    EXPECT_NEAR(static_cast<double>(y_sum) / static_cast<double>(sum), 13.5, 0.3);
    EXPECT_LT(static_cast<double>(corner) / count, 10);
    for (uint32_t i = 0; i < count; i++) {
        const byte_string image = made.image(i);
        EXPECT_GT(*std::max_element(image.begin(), image.end()), 180) << i;
    }
}

/* Learnable, but not by a mere look at mean images: the nearest class mean is right more often than
 * chance by far, and wrong often enough that training is worth something. */
TEST(Digits, AreLearnableAndNotTrivial)
{
    const digits train = make(1, 0, 0, 6000);
    std::vector<std::array<double, DIGITS_PIXELS>> mean(DIGITS_CLASSES);
    for (size_t i = 0; i < train.images.size(); i++) {
        mean[train.labels[i / DIGITS_PIXELS]][i % DIGITS_PIXELS] += train.images[i] / 600.0;
    }
    const digits test = make(1, 1, 0, 2000);
    unsigned right = 0;
    for (size_t i = 0; i < 2000; i++) {
        unsigned best = 0;
        double best_distance = 1e300;
        for (unsigned digit = 0; digit < DIGITS_CLASSES; digit++) {
            double distance = 0;
            for (size_t p = 0; p < DIGITS_PIXELS; p++) {
                const double difference = test.images[i * DIGITS_PIXELS + p] - mean[digit][p];
                distance += difference * difference;
            }
            if (distance < best_distance) {
                best_distance = distance;
                best = digit;
            }
        }
        right += best == test.labels[i] ? 1 : 0;
    }
    EXPECT_GT(right, 1200u);
    EXPECT_LT(right, 1700u);
}

} // namespace
