/* timeline_texts.c - see timeline_files.h: words that several files have. */
#include "sim/timeline/timeline_files.h"

const char *timeline_kind_text(unsigned kind)
{
    static const char *const TEXT[TIMELINE_KINDS] = {[MACHINE_EVENT_SENT] = "packets sent",
                                                     [MACHINE_EVENT_RECEIVED] = "packets received",
                                                     [MACHINE_EVENT_DROPPED] = "packets dropped",
                                                     [MACHINE_EVENT_BURST] = "bursts",
                                                     [MACHINE_EVENT_LINK] = "packets on links",
                                                     [MACHINE_EVENT_SLEPT] = "sleeps",
                                                     [TIMELINE_PHASE] = "phases",
                                                     [TIMELINE_INTERRUPT] = "interrupts"};
    return TEXT[kind];
}

const char *timeline_wait_text(unsigned wait)
{
    static const char *const TEXT[] = {[MACHINE_WAIT_OTHER] = "sleeps",
                                       [MACHINE_WAIT_PACKET] = "waits for packets",
                                       [MACHINE_WAIT_DMA] = "waits for DMA"};
    return TEXT[wait];
}

const char *timeline_link_text(unsigned link)
{
    static const char *const TEXT[TOPOLOGY_LINKS] = {"link east", "link north-east", "link north",
                                                     "link west", "link south-west", "link south"};
    return TEXT[link];
}
