/* The DMA controller's CRC: against the usual one, of reads and of writes. */
#include "tests/unit/chip_dma_ctrl_fixture.h"

namespace
{

/* ---- CRC ---- */

constexpr uint32_t WITH_CRC = 1u << 20;

/* The rows of CRC-32 as the datasheet prints them. */
constexpr uint32_t CRC32_ROWS[] = {
    0xfb808b20, 0x7dc04590, 0xbee022c8, 0x5f701164, 0x2fb808b2, 0x97dc0459, 0xb06e890c, 0x58374486,
    0xac1ba243, 0xad8d5a01, 0xad462620, 0x56a31310, 0x2b518988, 0x95a8c4c4, 0xcad46262, 0x656a3131,
    0x493593b8, 0x249ac9dc, 0x924d64ee, 0xc926b277, 0x9f13d21b, 0xb409622d, 0x21843a36, 0x90c21d1b,
    0x33e185ad, 0x627049f6, 0x313824fb, 0xe31c995d, 0x8a0ec78e, 0xc50763c7, 0x19033ac3, 0xf7011641};

/* The usual CRC-32, a bit at a time. */
uint32_t crc32(const std::vector<uint8_t> &bytes)
{
    uint32_t crc = 0xffffffff;
    for (const uint8_t byte : bytes) {
        crc ^= byte;
        for (unsigned bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
        }
    }
    return ~crc;
}

class DmaCrc : public DmaController
{
  protected:
    DmaCrc()
    {
        for (uint32_t row = 0; row < 32; row++) {
            write(CRCT0 + 4 * row, CRC32_ROWS[row]);
        }
    }

    /* 37 words: more than one burst. */
    static std::vector<uint8_t> data()
    {
        std::vector<uint8_t> bytes;
        for (uint32_t i = 0; i < 148; i++) {
            bytes.push_back(static_cast<uint8_t>(i));
        }
        return bytes;
    }

    static std::vector<uint8_t> with_crc(std::vector<uint8_t> bytes, uint32_t crc)
    {
        for (unsigned i = 0; i < 4; i++) {
            bytes.push_back(static_cast<uint8_t>(crc >> 8 * i));
        }
        return bytes;
    }
};

TEST_F(DmaCrc, OfEightDigitsIsTheKnownOne)
{
    const std::vector<uint8_t> digits = {'1', '2', '3', '4', '5', '6', '7', '8'};
    EXPECT_EQ(crc32(digits), 0x9ae0daafu);
    commit(0x60000000, 0x00400000, words_to_tcm(2) | WITH_CRC);
    end_with(digits, 0x60000000);
    EXPECT_EQ(read(CRCC), 0x9ae0daafu);
}

TEST_F(DmaCrc, AReadComparesItWithTheWordBehindTheData)
{
    const uint32_t crc = crc32(data());
    EXPECT_EQ(crc, 0x8b283295u);
    const std::vector<uint8_t> all = with_crc(data(), crc);
    commit(0x60000000, 0x00400000, words_to_tcm(37) | WITH_CRC);
    end_with(all, 0x60000000);
    EXPECT_FALSE(next().check_word);
    end_with(all, 0x60000000);
    EXPECT_EQ(read(STAT), CORE | TRANSFERRING) << "the check word is still to come";
    EXPECT_TRUE(next().check_word);
    EXPECT_EQ(next().system_address, 0x60000094u);
    EXPECT_EQ(next().bytes, 4u);
    EXPECT_FALSE(next().to_system);
    end_with(all, 0x60000000);
    EXPECT_EQ(read(STAT), CORE | DONE);
    EXPECT_EQ(read(CRCC), crc);
    EXPECT_EQ(read(CRCR), crc);
    EXPECT_EQ(read(AD2S), 0x60000098u);
    EXPECT_EQ(read(AD2T), 0x00400094u) << "it does not go to the TCM";
    EXPECT_EQ(dma_.counters.bursts, 3u);
    EXPECT_EQ(dma_.counters.bytes_to_tcm, 152u);
    EXPECT_EQ(dma_.counters.transfers, 1u);
}

TEST_F(DmaCrc, AWrongWordIsAnErrorThatPauses)
{
    write(GCTL, CRC_ERROR | DONE);
    const uint32_t crc = crc32(data());
    const std::vector<uint8_t> all = with_crc(data(), crc ^ 0x80000000);
    commit(0x60000000, 0x00400000, words_to_tcm(37) | WITH_CRC);
    commit(0x60003000, 0x00400300, words_to_tcm(4));
    end_with(all, 0x60000000);
    end_with(all, 0x60000000);
    EXPECT_FALSE(interrupts(&dma_, VIC_SOURCE_DMA_ERROR));
    end_with(all, 0x60000000);
    EXPECT_EQ(read(STAT), CORE | CRC_ERROR | PAUSED | QUEUE_FULL) << "and not done";
    EXPECT_TRUE(interrupts(&dma_, VIC_SOURCE_DMA_ERROR));
    EXPECT_FALSE(interrupts(&dma_, VIC_SOURCE_DMA_DONE));
    EXPECT_EQ(read(CRCC), crc);
    EXPECT_EQ(read(CRCR), crc ^ 0x80000000);
    EXPECT_EQ(dma_.counters.errors, 1u);
    EXPECT_EQ(dma_.counters.transfers, 0u);
    EXPECT_TRUE(write(CTRL, RESTART));
    EXPECT_EQ(read(STAT), CORE | TRANSFERRING);
    EXPECT_EQ(read(CRCC), crc) << "a transfer without CRC leaves it";
}

TEST_F(DmaCrc, AWriteAppendsIt)
{
    commit(0x60000000, 0x00400000, words_to_tcm(37) | WITH_CRC | TO_SYSTEM);
    end_with(data(), 0x60000000);
    end_with(data(), 0x60000000);
    EXPECT_TRUE(next().check_word);
    EXPECT_TRUE(next().to_system);
    EXPECT_EQ(next().system_address, 0x60000094u);
    uint8_t bytes[DMA_CRC_BYTES] = {};
    dma_ctrl_check_word(&dma_, bytes);
    const uint32_t crc = crc32(data());
    for (unsigned i = 0; i < 4; i++) {
        EXPECT_EQ(bytes[i], static_cast<uint8_t>(crc >> 8 * i)) << i;
    }
    end();
    EXPECT_EQ(read(STAT), CORE | DONE);
    EXPECT_EQ(read(CRCC), crc);
    EXPECT_EQ(read(CRCR), 0u) << "nothing was received";
    EXPECT_EQ(dma_.counters.bytes_from_tcm, 152u);
}

TEST_F(DmaCrc, EachTransferBeginsAnew)
{
    for (unsigned i = 0; i < 2; i++) {
        const std::vector<uint8_t> all = with_crc({1, 2, 3, 4}, crc32({1, 2, 3, 4}));
        commit(0x60000000, 0x00400000, words_to_tcm(1) | WITH_CRC);
        EXPECT_EQ(read(CRCC), 0u);
        end_with(all, 0x60000000);
        end_with(all, 0x60000000);
        EXPECT_EQ(read(STAT) & (CRC_ERROR | PAUSED), 0u) << i;
    }
    EXPECT_EQ(read(STAT), CORE | DONE | SECOND_DONE);
}

TEST_F(DmaCrc, OfNothingIsZero)
{
    commit(0x60000000, 0x00400000, words_to_tcm(0) | WITH_CRC);
    EXPECT_TRUE(next().check_word);
    end(); /* a word of zeros */
    EXPECT_EQ(read(STAT), CORE | DONE);
    EXPECT_EQ(crc32({}), 0u);
}

TEST_F(DmaCrc, AnErrorOfTheBusAtTheCheckWordIsThatError)
{
    commit(0x60000000, 0x00400000, words_to_tcm(0) | WITH_CRC);
    end(DMA_BURST_BUS_ERROR);
    EXPECT_EQ(read(STAT), CORE | BUS_ERROR | PAUSED);
}

TEST_F(DmaCrc, IsWhatTheMatrixMakesOfIt)
{
    for (uint32_t row = 0; row < 32; row++) { /* row k keeps bit k of the register */
        write(CRCT0 + 4 * row, 0x80000000u >> row);
    }
    commit(0x60000000, 0x00400000, words_to_tcm(2) | WITH_CRC);
    const std::vector<uint8_t> all = {0x78, 0x56, 0x34, 0x12, 0x01, 0x00, 0x00, 0x80};
    end_with(all, 0x60000000);
    EXPECT_EQ(read(CRCC), 0x12345678u ^ 0x80000001u) << "the words XORed, both inversions cancel";
    write(CTRL, ABORT | RESTART);
    commit(0x60000000, 0x00400000, words_to_tcm(1) | WITH_CRC);
    write(CRCT0, 0); /* row 0 gives nothing: bit 0 is 0 before the inversion */
    end_with(all, 0x60000000);
    EXPECT_EQ(read(CRCC), 0x12345679u);
}

} // namespace
