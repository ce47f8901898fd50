/* recorder_traffic_test.cpp - keys.csv says which keys are for what, traffic.csv what passed. */
#include "tests/unit/routing_fixture.h"

#include <gtest/gtest.h>

#include "sim/results/traffic.h"

using namespace routes;

namespace
{

/* What `write` writes. */
template <typename Write> std::string written(Write write)
{
    char *text = nullptr;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    write(stream);
    EXPECT_EQ(fclose(stream), 0);
    const std::string all(text, size);
    free(text);
    return all;
}

} // namespace

TEST(RecorderTraffic, KeysHaveARowForEachEdge)
{
    const Chips chips(rectangle(2, 2));
    Edges edges;
    edges.add("maps", {0, 1, 2}, {{1, 1, 3}, {1, 0, 17}}, 256);
    edges.add("back", {1, 0, 17}, {{0, 1, 2}}, 3).last().purpose = ROUTING_ERROR;
    edges.fixed("sync", {0, 0, 1}, {{0, 0, 2}}, 0xffffff00, 0xffffff00).last().purpose =
        ROUTING_CONTROL;
    const Routes made = make(chips, edges);
    EXPECT_EQ(written([&](FILE *stream) { traffic_write_keys(stream, made.get()); }),
              "key,mask,purpose,source,targets\n"
              "0x00000000,0xffffff00,forward,0:1:2,1:0:17 1:1:3\n"
              "0x00000100,0xfffffffc,error,1:0:17,0:1:2\n"
              "0xffffff00,0xffffff00,control,0:0:1,0:0:2\n");
}

TEST(RecorderTraffic, NoKeysAreAHeadAlone)
{
    const routing none = {};
    EXPECT_EQ(written([&](FILE *stream) { traffic_write_keys(stream, &none); }),
              "key,mask,purpose,source,targets\n");
}

TEST(RecorderTraffic, RowsNameTypeAndPurpose)
{
    const machine_traffic rows[] = {
        {1, 2, 0, 0, 1 + ROUTING_CONTROL, {}, 3, 4, 5, 6, 7000},
        {1, 2, 5, 0, 0, {}, 1, 0, 0, 0, 0},
        {1, 2, MACHINE_TRAFFIC_CORES, 1, 0, {}, 0, 2, 0, 0, 0},
        {7, 7, 3, 3, 0, {}, 0, 0, 9, 0, 0},
    };
    EXPECT_EQ(written([&](FILE *stream) { traffic_write(stream, rows, 4); }),
              "x,y,link,packet_type,purpose,sent,received,dropped,refused,busy\n"
              "1,2,0,mc,control,3,4,5,6,7000\n"
              "1,2,5,mc,none,1,0,0,0,0\n"
              "1,2,cores,p2p,none,0,2,0,0,0\n"
              "7,7,3,fr,none,0,0,9,0,0\n");
}

TEST(RecorderTraffic, NoTrafficIsAHeadAlone)
{
    EXPECT_EQ(written([](FILE *stream) { traffic_write(stream, nullptr, 0); }),
              "x,y,link,packet_type,purpose,sent,received,dropped,refused,busy\n");
}
