/* system_barriers.c - programs that wait for a signal of the host go on together: when all cores of
 * an application wait, or have ended, on all chips.
 *
 * Each monitor looks at its cores at each tick, and tells the one of the first chip, the root, when
 * they wait, or have ended.  It says so again at each tick, and seldom when it has been heard, as
 * the word to go on may be lost, too. */
#include "system_monitor.h"

enum { APPLICATIONS = 256, BARRIER_SHIFT = 8, BYTE = 0xff, HEARD_TICKS = 16 };

/* An application on this chip: sv->app_data. */
struct application_data {
    uchar cores, clean, semaphore, lead;
    uint mask; /* virtual cores */
};

/* How many chips run an application: a table behind sv->app_data of the root, from the host. */
static uint chips_of(uint id)
{
    const struct application_data *table = (const struct application_data *)sv->app_data;
    return ((const uint *)(table + APPLICATIONS))[id];
}

/* The applications of this chip. */
static struct application {
    uint id, cores; /* bits of virtual cores */
    uint releases;  /* barriers so far: odd and even ones differ */
    uint quiet;     /* ticks until it may say again that it waits */
    uint is_over;   /* all have ended, and the root knows */
} application[NUM_CPUS];
static uint applications;

/* Chips: how many, and a bit for each by its number. */
struct chips {
    uint count;
    uint *bits; /* made with the first one */
};

/* At the root, for each application: barriers so far, chips that wait, and chips on which it has
 * ended. */
static struct {
    struct chips waiting, ended;
    uchar releases;
} at_root[APPLICATIONS];

static void say(uint chip, enum news kind, uint barrier, uint id)
{
    tell(chip, kind, (barrier & BYTE) << BARRIER_SHIFT | id);
}

/* A core waits for its flag in the system controller to become 0, and the next time to become 1. */
static void release(struct application *go)
{
    uint interrupts = 0;
    for (uint v = 1; v < sv->num_cpus; v++) {
        interrupts |= (go->cores >> v & 1) << sv->v2p_map[v];
    }
    sc[go->releases % 2 == 0 ? SC_CLRFLAG : SC_SETFLAG] = go->cores;
    sc[SC_SET_IRQ] = SC_CODE | interrupts; /* wakes them */
    go->releases++;
    go->quiet = 0;
}

static void add(struct chips *chips, uint chip)
{
    const uint at = chip_number(chip);
    if (chips->bits == NULL) {
        const uint words = (machine_width() * machine_height() + 31) / 32;
        chips->bits = sark_alloc(words, sizeof(uint));
        if (chips->bits == NULL) {
            rt_error(RTE_MALLOC);
        }
        sark_word_set(chips->bits, 0, words * sizeof(uint));
    }
    chips->count += (chips->bits[at / 32] >> at % 32 & 1) == 0;
    chips->bits[at / 32] |= 1u << at % 32;
}

/* At the root: where all chips of an application wait or have ended, it goes on. */
static void go_if_all_wait(uint id)
{
    struct chips *waiting = &at_root[id].waiting;
    if (waiting->count == 0 || waiting->count + at_root[id].ended.count < chips_of(id)) {
        return;
    }
    const uint barrier = at_root[id].releases++;
    waiting->count = 0;
    for (uint x = 0; x < machine_width(); x++) {
        for (uint y = 0; y < machine_height(); y++) {
            const uint chip = x << 8 | y;
            uint *word = &waiting->bits[chip_number(chip) / 32];
            const uint bit = 1u << chip_number(chip) % 32;
            if ((*word & bit) != 0) {
                *word &= ~bit;
                say(chip, NEWS_GO, barrier, id);
            }
        }
    }
}

/* At the root: a chip says that it waits, maybe again. */
static void note_waiting(uint chip, uint barrier, uint id)
{
    if (barrier != at_root[id].releases) { /* it has missed that it may go on */
        say(chip, NEWS_GO, barrier, id);
        return;
    }
    add(&at_root[id].waiting, chip);
    say(chip, NEWS_HEARD, barrier, id);
    go_if_all_wait(id);
}

static void note_ended(uint chip, uint id)
{
    add(&at_root[id].ended, chip);
    say(chip, NEWS_NOTED, 0, id);
    go_if_all_wait(id);
}

static struct application *application_of(uint id)
{
    for (uint i = 0; i < applications; i++) {
        if (application[i].id == id) {
            return &application[i];
        }
    }
    return NULL;
}

void barriers_hear(uint from, enum news kind, uint content)
{
    const uint id = content & BYTE;
    const uint barrier = content >> BARRIER_SHIFT & BYTE;
    struct application *of = application_of(id);
    if (kind == NEWS_WAITING) {
        note_waiting(from, barrier, id);
    } else if (kind == NEWS_ENDED) {
        note_ended(from, id);
    } else if (of != NULL && kind == NEWS_NOTED) {
        of->is_over = 1;
    } else if (of != NULL && (of->releases & BYTE) == barrier) {
        of->quiet = HEARD_TICKS;
        if (kind == NEWS_GO) {
            release(of);
        }
    }
}

/* Tells the root when all cores of an application that have not ended wait for a signal, or when
 * none is left. */
static void look_at(struct application *of)
{
    const uchar waits = of->releases % 2 == 0 ? CPU_STATE_SYNC0 : CPU_STATE_SYNC1;
    uint going_on = 0;
    for (uint v = 1; v < sv->num_cpus; v++) {
        if ((of->cores >> v & 1) != 0 && is_going_on(&sv->vcpu_base[v])) {
            going_on++;
            if (sv->vcpu_base[v].cpu_state != waits || !is_of_sark(&sv->vcpu_base[v])) {
                return;
            }
        }
    }
    say(sv->p2p_root, going_on > 0 ? NEWS_WAITING : NEWS_ENDED, of->releases, of->id);
}

void barriers_tick(void)
{
    for (uint i = 0; i < applications; i++) {
        if (application[i].quiet > 0) {
            application[i].quiet--;
        } else if (!application[i].is_over) {
            look_at(&application[i]);
        }
    }
}

uint barriers_are_open(void)
{
    uint open = 0;
    for (uint i = 0; i < applications; i++) {
        open |= !application[i].is_over;
    }
    return open;
}

uint barriers_begin(void)
{
    for (uint i = 0; i < APPLICATIONS; i++) {
        const uint cores = ((const struct application_data *)sv->app_data)[i].mask;
        if (cores != 0) {
            application[applications].id = i;
            application[applications++].cores = cores;
        }
    }
    return applications > 0;
}
