/* collectives_network.cpp - see collectives_network.h. */
#include "tests/unit/collectives_network.h"

#include <cmath>
#include <cstddef>

namespace
{

enum : uint32_t {
    FREE = 0,
    TIMEOUT = 1,
    DELAY = 20,    /* ticks of a packet */
    PERIOD = 2000, /* ticks between timeouts */
    TRIES = 6,
    CORES = 17, /* on a chip */
    CORE_BITS = 5
};
constexpr uint64_t TIME_MOST = UINT64_C(4000000000);

} // namespace

struct collectives_network::rank {
    struct frames frames = {}; /* first: frames_port_send() knows its rank by it */
    collectives_network *network = nullptr;
    struct collectives_plan plan = {};
    std::vector<uint32_t> memory;
    collective_step *step = nullptr;
    struct collective_call call = {};
    uint32_t steps = 0;
    bool finished = true;
    uint64_t free_at = 0;
};

collectives_network::collectives_network(uint32_t size, const network_conditions &conditions)
    : conditions_(conditions), state_(conditions.seed * UINT64_C(0x9e3779b97f4a7c15))
{
    /* On the chips of a mesh, in rows; a link leads to the rank of the next place. */
    const auto width = static_cast<uint32_t>(std::ceil(std::sqrt(size)));
    static const int LINK[COLLECTIVES_LINKS][2] = {{1, 0},  {1, 1},   {0, 1},
                                                   {-1, 0}, {-1, -1}, {0, -1}};
    for (uint32_t i = 0; i < size; i++) {
        auto at = std::make_unique<rank>();
        at->network = this;
        at->plan.magic = COLLECTIVES_MAGIC;
        at->plan.rank = i;
        at->plan.size = size;
        at->plan.cores = CORES;
        at->plan.core_bits = CORE_BITS;
        at->plan.timeout_cycles = PERIOD;
        at->plan.tries = TRIES;
        for (uint32_t link = 0; link < COLLECTIVES_LINKS; link++) {
            const int x = static_cast<int>(i % width) + LINK[link][0];
            const int y = static_cast<int>(i / width) + LINK[link][1];
            const int to = y * static_cast<int>(width) + x;
            const bool there =
                x >= 0 && x < static_cast<int>(width) && to >= 0 && to < static_cast<int>(size);
            at->plan.neighbour[link] = there ? static_cast<uint32_t>(to) : COLLECTIVES_NOBODY;
        }
        at->memory.resize(frames_bytes(size) / sizeof(uint32_t));
        frames_begin(&at->frames, &at->plan, at->memory.data());
        ranks_.push_back(std::move(at));
        add(PERIOD, i, TIMEOUT, 0);
    }
}

collectives_network::~collectives_network() = default;

uint32_t collectives_network::draw(uint32_t below)
{
    state_ = state_ * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return static_cast<uint32_t>((state_ >> 33) % below);
}

bool collectives_network::drawn(double share)
{
    return share > 0 && draw(1U << 30) < share * (1U << 30);
}

void collectives_network::add(uint64_t time, uint32_t rank, uint32_t key, uint32_t payload)
{
    events_.push({time, numbers_++, rank, key, payload});
}

void collectives_network::inject(uint32_t rank, uint32_t key, uint32_t payload)
{
    add(now_, rank, key, payload);
}

const frames &collectives_network::of(uint32_t rank) const
{
    return ranks_[rank]->frames;
}

uint64_t collectives_network::late() const
{
    uint64_t sum = 0;
    for (const auto &at : ranks_) {
        sum += at->frames.late;
    }
    return sum;
}

uint64_t collectives_network::again() const
{
    uint64_t sum = 0;
    for (const auto &at : ranks_) {
        sum += at->frames.again;
    }
    return sum;
}

uint32_t collectives_network::send(rank &from, uint32_t key, uint32_t payload)
{
    const uint32_t sender = from.plan.rank;
    if (from.free_at > now_) {
        return 0;
    }
    if (conditions_.transmit > 0) {
        from.free_at = now_ + conditions_.transmit;
        add(from.free_at, sender, FREE, 0);
    }
    const uint32_t address = (key & COLLECTIVES_RECEIVER) >> COLLECTIVES_RECEIVER_SHIFT;
    const uint32_t to = (address >> CORE_BITS) * CORES + (address & ((1U << CORE_BITS) - 1));
    const bool lost = ++sent_ == conditions_.lose_one || drawn(conditions_.lose) ||
                      sender == conditions_.dead || to == conditions_.dead;
    for (int copies = drawn(conditions_.repeat) ? 2 : 1; copies > 0 && !lost; copies--) {
        const uint32_t more = conditions_.jitter > 0 ? draw(conditions_.jitter) : 0;
        add(now_ + DELAY + more, to, key, payload);
    }
    return 1;
}

/* Sends what there is to send; begins the next steps of the operation. */
void collectives_network::advance(rank &at)
{
    for (;;) {
        const enum frames_sent sent = frames_pump(&at.frames);
        if (sent == FRAMES_FULL) {
            return;
        }
        if (sent == FRAMES_SENT) {
            continue;
        }
        if (at.frames.busy != 0 || at.finished) {
            return;
        }
        struct frames_transfer transfer;
        if (at.frames.lost.from == COLLECTIVES_NOBODY &&
            at.step(&at.call, at.steps++, &transfer) != 0) {
            frames_start(&at.frames, &transfer);
        } else {
            at.finished = true;
            finished_++;
        }
    }
}

bool collectives_network::run(collective_step *step, std::vector<collective_call> calls)
{
    return run_each(std::vector<collective_step *>(ranks_.size(), step), std::move(calls));
}

bool collectives_network::run_each(const std::vector<collective_step *> &steps,
                                   std::vector<collective_call> calls)
{
    const auto size = static_cast<uint32_t>(ranks_.size());
    const uint64_t until = now_ + TIME_MOST;
    finished_ = 0;
    for (uint32_t i = 0; i < size; i++) {
        rank &at = *ranks_[i];
        at.step = steps[i];
        at.call = calls[i];
        at.call.rank = i;
        at.call.size = size;
        at.call.neighbour = at.plan.neighbour;
        at.steps = 0;
        at.finished = at.step == nullptr;
        finished_ += at.finished ? 1 : 0;
    }
    for (auto &at : ranks_) {
        advance(*at);
    }
    while (finished_ < size && !events_.empty() && now_ < until) {
        const event next = events_.top();
        events_.pop();
        rank &at = *ranks_[next.rank];
        now_ = next.time;
        if (next.key == TIMEOUT) {
            frames_timeout(&at.frames);
            add(now_ + PERIOD, next.rank, TIMEOUT, 0);
        } else if (next.key != FREE) {
            frames_packet(&at.frames, next.key, next.payload);
        }
        advance(at);
    }
    bool good = finished_ == size;
    for (const auto &at : ranks_) {
        good &= at->frames.lost.from == COLLECTIVES_NOBODY;
    }
    return good;
}

extern "C" uint32_t frames_port_send(struct frames *frames, uint32_t key, uint32_t payload)
{
    auto *at = reinterpret_cast<collectives_network::rank *>(frames);
    return at->network->send(*at, key, payload);
}

extern "C" void frames_port_lost(struct frames *frames)
{
    (void)frames; /* frames->lost says it */
}
