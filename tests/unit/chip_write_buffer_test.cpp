/* The write buffer: entries, order and times of posted stores. */
extern "C" {
#include "models/chip/write_buffer.h"
}

#include <gtest/gtest.h>

namespace
{

class WriteBuffer : public testing::Test
{
  protected:
    void post(uint64_t ready_ps, uint32_t address = 0, uint8_t words = 1)
    {
        posted_store store = {};
        store.ready_ps = ready_ps;
        store.address = address;
        store.size = 4;
        store.words = words;
        *write_buffer_post(&buffer_, ring_) = store;
    }

    bool room(unsigned words)
    {
        return write_buffer_has_room(&buffer_, ring_, words, 12);
    }

    const posted_store *next(uint64_t *start)
    {
        return write_buffer_next(&buffer_, ring_, start);
    }

    write_buffer buffer_ = {};
    posted_store ring_[WRITE_BUFFER_STORES] = {};
};

TEST_F(WriteBuffer, HoldsSixSingleStoresInTwelveEntries)
{
    for (int i = 0; i < 6; i++) {
        EXPECT_TRUE(room(1)) << i;
        post(0);
    }
    EXPECT_FALSE(room(1));
    EXPECT_EQ(buffer_.counters.writes, 6u);
}

TEST_F(WriteBuffer, ABurstTakesOneEntryMoreThanItsWords)
{
    EXPECT_TRUE(room(11));
    EXPECT_FALSE(room(12));
    post(0, 0, 9); /* 10 entries */
    EXPECT_TRUE(room(1));
    EXPECT_FALSE(room(2));
}

TEST_F(WriteBuffer, SendsStoresInOrderAndOneAfterTheOther)
{
    uint64_t start = 0;
    EXPECT_EQ(next(&start), nullptr);
    post(100, 0x10);
    post(150, 0x20);
    ASSERT_NE(next(&start), nullptr);
    EXPECT_EQ(next(&start)->address, 0x10u);
    EXPECT_EQ(start, 100u) << "at once";
    write_buffer_started(&buffer_, ring_, 400);
    EXPECT_EQ(next(&start)->address, 0x20u);
    EXPECT_EQ(start, 400u) << "when the one before has been answered";
    write_buffer_started(&buffer_, ring_, 700);
    EXPECT_EQ(next(&start), nullptr);
    EXPECT_EQ(buffer_.last_done_ps, 700u);
}

TEST_F(WriteBuffer, AStorePostedLaterStartsWhenItIsReady)
{
    uint64_t start = 0;
    post(100);
    (void)next(&start);
    write_buffer_started(&buffer_, ring_, 400);
    post(900);
    (void)next(&start);
    EXPECT_EQ(start, 900u);
}

TEST_F(WriteBuffer, FreesAnEntryWhenItsStoreHasBeenAnswered)
{
    for (int i = 0; i < 6; i++) {
        post(0);
    }
    write_buffer_started(&buffer_, ring_, 400);
    EXPECT_EQ(write_buffer_room_ps(&buffer_, ring_), 400u);
    write_buffer_expire(&buffer_, ring_, 399);
    EXPECT_FALSE(room(1));
    write_buffer_expire(&buffer_, ring_, 400);
    EXPECT_TRUE(room(1));
    EXPECT_EQ(buffer_.count, 5u);
}

TEST_F(WriteBuffer, AStoreNotYetSentDoesNotExpire)
{
    post(0);
    write_buffer_expire(&buffer_, ring_, UINT64_MAX);
    EXPECT_EQ(buffer_.count, 1u);
}

TEST_F(WriteBuffer, ListsTheStoresThatWait)
{
    post(0, 0x10);
    post(0, 0x20);
    post(0, 0x30);
    write_buffer_started(&buffer_, ring_, 400);
    ASSERT_NE(write_buffer_waiting(&buffer_, ring_, 1), nullptr);
    EXPECT_EQ(write_buffer_waiting(&buffer_, ring_, 0)->address, 0x20u);
    EXPECT_EQ(write_buffer_waiting(&buffer_, ring_, 1)->address, 0x30u);
    EXPECT_EQ(write_buffer_waiting(&buffer_, ring_, 2), nullptr);
}

TEST_F(WriteBuffer, GoesRoundItsRing)
{
    uint64_t start = 0;
    for (uint32_t i = 0; i < 100; i++) {
        post(10 * i, i);
        ASSERT_NE(next(&start), nullptr);
        EXPECT_EQ(next(&start)->address, i);
        write_buffer_started(&buffer_, ring_, 10 * i + 5);
        write_buffer_expire(&buffer_, ring_, 10 * i + 5);
        EXPECT_EQ(buffer_.count, 0u);
    }
}

TEST_F(WriteBuffer, HasABoundEvenForManyEntries)
{
    for (int i = 0; i < WRITE_BUFFER_STORES; i++) {
        EXPECT_TRUE(write_buffer_has_room(&buffer_, ring_, 1, 64));
        post(0);
    }
    EXPECT_FALSE(write_buffer_has_room(&buffer_, ring_, 1, 1000));
}

} // namespace
