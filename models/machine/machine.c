/* machine.c - a machine as its users see it; chip.c and core.c do the work. */
#include "models/machine/machine.h"

#include "models/machine/machine_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- life cycle ---- */

static enum status check_parameters(const struct machine_parameters *parameters,
                                    struct diagnostic *diagnostic)
{
    enum status status = STATUS_OK;
    if (parameters->chip_monitor_cores >= parameters->chip_cores) {
        status = diagnose(diagnostic, STATUS_CONFIGURATION,
                          "no application core is left: %llu cores, %llu of them for the monitor",
                          (unsigned long long)parameters->chip_cores,
                          (unsigned long long)parameters->chip_monitor_cores);
        diagnostic_key(diagnostic, "chip.monitor_cores");
    } else if (parameters->chip_itcm_bytes % RAM_PAGE_BYTES != 0 ||
               parameters->chip_dtcm_bytes % RAM_PAGE_BYTES != 0 ||
               parameters->chip_system_ram_bytes % RAM_PAGE_BYTES != 0 ||
               parameters->sdram_bytes % RAM_PAGE_BYTES != 0) {
        status = diagnose(diagnostic, STATUS_CONFIGURATION,
                          "the size of a memory must be a multiple of %d bytes", RAM_PAGE_BYTES);
        diagnostic_key(diagnostic, "chip.itcm, chip.dtcm, chip.system_ram, sdram.size");
    }
    return status;
}

static enum status make_topology(struct machine *machine, struct diagnostic *diagnostic)
{
    struct topology_request request = machine->config.topology;
    if (request.shape == TOPOLOGY_RECTANGLE && request.width == 0 && request.height == 0) {
        request.width = (uint32_t)machine->config.parameters.board_width;
        request.height = (uint32_t)machine->config.parameters.board_height;
    }
    memset(&machine->config.topology, 0, sizeof machine->config.topology); /* the caller's lists */
    return topology_make(&machine->topology, &request, diagnostic);
}

static enum status make_chips(struct machine *machine)
{
    machine->chip_count = (unsigned)machine->topology.count;
    machine->chip = (void *)ram_map_dense(machine->chip_count * sizeof *machine->chip);
    machine->library = arm968_code_library_create();
    machine->translator = arm968_translator_for(machine->config.tier);
    const bool lacks_translator =
        machine->translator == NULL && machine->config.tier != TIER_INTERPRETER;
    if (machine->chip == NULL || machine->library == NULL || lacks_translator) {
        return STATUS_INTERNAL;
    }
    for (unsigned i = 0; i < machine->chip_count; i++) {
        if (chip_init(&machine->chip[i], machine, &machine->config, &machine->topology.chip[i]) !=
            STATUS_OK) {
            return STATUS_INTERNAL;
        }
    }
    return schedule_init(machine);
}

enum status machine_create(const struct machine_config *config, struct machine **machine,
                           struct diagnostic *diagnostic)
{
    *machine = NULL;
    enum status status = check_parameters(&config->parameters, diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    struct machine *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    made->config = *config;
    status = make_topology(made, diagnostic);
    if (status == STATUS_OK && make_chips(made) != STATUS_OK) {
        status = diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    if (status != STATUS_OK) {
        machine_destroy(made);
        return status;
    }
    *machine = made;
    return STATUS_OK;
}

void machine_destroy(struct machine *machine)
{
    if (machine == NULL) {
        return;
    }
    schedule_deinit(machine);
    arm968_translator_destroy(machine->translator);
    for (unsigned i = 0; machine->chip != NULL && i < machine->chip_count; i++) {
        chip_deinit(&machine->chip[i]);
    }
    ram_unmap((uint8_t *)machine->chip, machine->chip_count * sizeof *machine->chip);
    arm968_code_library_destroy(machine->library);
    topology_deinit(&machine->topology);
    purposes_deinit(&machine->purposes);
    free(machine);
}

unsigned machine_chip_count(const struct machine *machine)
{
    return machine->chip_count;
}

unsigned machine_board_count(const struct machine *machine)
{
    return machine->topology.boards;
}

struct machine_chip machine_chip_at(const struct machine *machine, unsigned index)
{
    return (struct machine_chip){machine->chip[index].x, machine->chip[index].y};
}

static struct chip *find_chip(const struct machine *machine, uint8_t x, uint8_t y)
{
    const int32_t index = topology_find(&machine->topology, x, y);
    return index == TOPOLOGY_NO_CHIP ? NULL : &machine->chip[index];
}

struct core *machine_find_core(const struct machine *machine, struct machine_core id)
{
    struct chip *chip = find_chip(machine, id.x, id.y);
    const bool there =
        chip != NULL && id.p < chip->core_count && (chip->working_cores >> id.p & 1) != 0;
    return there ? &chip->core[id.p] : NULL;
}

/* ---- memory ---- */

enum status machine_write(struct machine *machine, struct machine_core core, uint32_t address,
                          const void *bytes, uint32_t count)
{
    struct core *at = machine_find_core(machine, core);
    return at != NULL && chip_poke(at->chip, at, address, bytes, count) ? STATUS_OK
                                                                        : STATUS_CONFIGURATION;
}

enum status machine_read(const struct machine *machine, struct machine_core core, uint32_t address,
                         void *bytes, uint32_t count)
{
    const struct core *at = machine_find_core(machine, core);
    return at != NULL && chip_peek(at->chip, at, address, bytes, count) ? STATUS_OK
                                                                        : STATUS_CONFIGURATION;
}

/* ---- cores ---- */

bool machine_has_core(const struct machine *machine, struct machine_core core)
{
    return machine_find_core(machine, core) != NULL;
}

enum status machine_start_core(struct machine *machine, struct machine_core core, uint32_t entry,
                               uint32_t argument)
{
    struct core *at = machine_find_core(machine, core);
    if (at == NULL) {
        return STATUS_CONFIGURATION;
    }
    core_start(at, entry, argument, machine->time_ps);
    return STATUS_OK;
}

bool machine_core_started(const struct machine *machine, struct machine_core core)
{
    const struct core *at = machine_find_core(machine, core);
    return at != NULL && at->d.started;
}

enum status machine_signal_cores(struct machine *machine, uint8_t x, uint8_t y, uint32_t cores)
{
    struct chip *chip = find_chip(machine, x, y);
    if (chip == NULL) {
        return STATUS_CONFIGURATION;
    }
    chip_signal(chip, cores, machine->time_ps);
    return STATUS_OK;
}

enum status machine_add_mark(struct machine *machine, struct machine_core core, uint32_t address)
{
    struct core *at = machine_find_core(machine, core);
    return at == NULL ? STATUS_CONFIGURATION : arm968_add_mark(at->cpu, address);
}

uint32_t machine_core_register(const struct machine *machine, struct machine_core core,
                               unsigned index)
{
    const struct core *at = machine_find_core(machine, core);
    return at == NULL ? 0 : arm968_register(at->cpu, index);
}

uint64_t machine_core_time_ps(const struct machine *machine, struct machine_core core)
{
    const struct core *at = machine_find_core(machine, core);
    return at == NULL ? 0 : core_time_ps(at);
}

const struct arm968_counters *machine_core_counters(const struct machine *machine,
                                                    struct machine_core core)
{
    const struct core *at = machine_find_core(machine, core);
    return at == NULL ? NULL : arm968_counters(at->cpu);
}

/* ---- running: schedule.c ---- */

uint64_t machine_time_ps(const struct machine *machine)
{
    return machine->time_ps;
}

uint64_t machine_late_interrupts(const struct machine *machine)
{
    uint64_t late = 0;
    for (unsigned i = 0; i < machine->chip_count; i++) {
        late += machine->chip[i].d.late_interrupts;
    }
    return late;
}

struct machine_native machine_native(const struct machine *machine)
{
    struct machine_native native = {0};
    if (machine->translator != NULL) {
        native.translations = arm968_translator_counts(machine->translator).translations;
    }
    for (unsigned i = 0; i < machine->chip_count; i++) {
        for (unsigned n = 0; n < machine->chip[i].core_count; n++) {
            native.runs += arm968_native_runs(machine->chip[i].core[n].cpu);
        }
    }
    return native;
}

/* ---- what was counted: counters in machine_counters.c ---- */

size_t machine_unmodelled_count(const struct machine *machine)
{
    size_t count = 0;
    for (unsigned i = 0; i < machine->chip_count; i++) {
        count += machine->chip[i].d.unmodelled_count;
    }
    return count;
}

struct machine_unmodelled machine_unmodelled(const struct machine *machine, size_t index)
{
    unsigned i = 0;
    while (index >= machine->chip[i].d.unmodelled_count) {
        index -= machine->chip[i++].d.unmodelled_count;
    }
    const struct chip *chip = &machine->chip[i];
    const struct unmodelled_place *place = &chip->d.unmodelled[index];
    return (struct machine_unmodelled){.x = chip->x,
                                       .y = chip->y,
                                       .block = memory_block_name(place->block),
                                       .offset = place->offset,
                                       .write = place->write,
                                       .count = place->count,
                                       .first_core = place->first_core};
}

struct written_sink {
    void (*each)(void *context, uint8_t x, uint8_t y, uint32_t address, int instance,
                 const uint8_t *bytes, uint32_t count);
    void *context;
};

static void written_pages(const struct written_sink *sink, const struct chip *chip,
                          const struct ram *ram, uint32_t base)
{
    for (uint32_t page = 0; page < ram->size / RAM_PAGE_BYTES; page++) {
        if (ram->written[page] != 0) {
            const uint32_t offset = page * RAM_PAGE_BYTES;
            sink->each(sink->context, chip->x, chip->y, base + offset, -1, ram->bytes + offset,
                       RAM_PAGE_BYTES);
        }
    }
}

void machine_each_written(const struct machine *machine,
                          void (*each)(void *context, uint8_t x, uint8_t y, uint32_t address,
                                       int instance, const uint8_t *bytes, uint32_t count),
                          void *context)
{
    const struct written_sink sink = {each, context};
    for (unsigned i = 0; i < machine->chip_count; i++) {
        const struct chip *chip = &machine->chip[i];
        written_pages(&sink, chip, &chip->sdram_content, CHIP_SDRAM_BASE);
        written_pages(&sink, chip, &chip->system_ram, CHIP_SYSTEM_RAM_BASE);
        for (unsigned p = 0; p < chip->core_count; p++) {
            const struct core *core = &chip->core[p];
            if (core->d.started) {
                each(context, chip->x, chip->y, 0, (int)p, core->itcm,
                     (uint32_t)chip->parameters.chip_itcm_bytes);
                each(context, chip->x, chip->y, CORE_DTCM_BASE, (int)p, core->dtcm,
                     (uint32_t)chip->parameters.chip_dtcm_bytes);
            }
        }
    }
}

/* ---- seams ---- */

struct machine_memory_port machine_builtin_memory(struct machine *machine, uint8_t x, uint8_t y)
{
    return chip_builtin_memory(find_chip(machine, x, y));
}

void machine_set_memory_port(struct machine *machine, uint8_t x, uint8_t y,
                             struct machine_memory_port port)
{
    find_chip(machine, x, y)->memory = port;
}

/* ---- state ---- */

/* A stream of bytes, written or read in one order: the layout is whatever visit_*() visits. */
struct stream {
    uint8_t *bytes;
    size_t size, at, capacity;
    bool saving, failed;
};

static void visit(struct stream *stream, void *data, size_t size)
{
    if (!stream->saving) {
        stream->failed = stream->failed || stream->size - stream->at < size;
        if (!stream->failed) {
            memcpy(data, stream->bytes + stream->at, size);
            stream->at += size;
        }
        return;
    }
    if (stream->failed) {
        return;
    }
    if (stream->capacity - stream->size < size) {
        const size_t capacity = 2 * stream->capacity + size;
        uint8_t *bytes = realloc(stream->bytes, capacity);
        if (bytes == NULL) {
            stream->failed = true;
            return;
        }
        stream->bytes = bytes;
        stream->capacity = capacity;
    }
    memcpy(stream->bytes + stream->size, data, size);
    stream->size += size;
}

static bool page_is_zero(const uint8_t *page)
{
    static const uint8_t ZERO[RAM_PAGE_BYTES];
    return memcmp(page, ZERO, sizeof ZERO) == 0;
}

/* Only pages that hold something. */
static void visit_ram(struct stream *stream, struct ram *ram)
{
    const uint32_t pages = ram->size / RAM_PAGE_BYTES;
    for (uint32_t page = 0; page < pages && !stream->failed; page++) {
        uint8_t *bytes = ram->bytes + (size_t)page * RAM_PAGE_BYTES;
        uint8_t present = stream->saving && !page_is_zero(bytes);
        visit(stream, &present, sizeof present);
        visit(stream, &ram->written[page], sizeof ram->written[page]);
        if (present != 0) {
            visit(stream, bytes, RAM_PAGE_BYTES);
        } else if (!stream->saving && !page_is_zero(bytes)) {
            memset(bytes, 0, RAM_PAGE_BYTES);
        }
    }
}

static void visit_core(struct stream *stream, struct core *core)
{
    struct arm968_snapshot snapshot;
    if (stream->saving) {
        memset(&snapshot, 0, sizeof snapshot); /* the gaps too: equal states are equal bytes */
        arm968_save(core->cpu, &snapshot);
    }
    visit(stream, &snapshot, sizeof snapshot);
    visit(stream, &core->d, sizeof core->d);
    visit(stream, core->itcm, core->chip->parameters.chip_itcm_bytes);
    visit(stream, core->dtcm, core->chip->parameters.chip_dtcm_bytes);
    if (!stream->saving && !stream->failed) {
        arm968_load(core->cpu, &snapshot);
    }
}

static void visit_drops(struct stream *stream, struct drops *drops)
{
    uint64_t count = drops->count;
    visit(stream, &drops->unrecorded, sizeof drops->unrecorded);
    visit(stream, &count, sizeof count);
    if (!stream->saving) {
        const bool fits = !stream->failed && count <= UINT32_MAX &&
                          count <= (stream->size - stream->at) / sizeof *drops->record &&
                          drops_reserve(drops, (uint32_t)count);
        stream->failed = !fits;
        drops->count = fits ? (uint32_t)count : 0;
    }
    if (drops->count > 0) {
        visit(stream, drops->record, drops->count * sizeof *drops->record);
    }
}

static void visit_machine(struct stream *stream, struct machine *machine)
{
    visit(stream, &machine->time_ps, sizeof machine->time_ps);
    for (unsigned i = 0; i < machine->chip_count; i++) {
        struct chip *chip = &machine->chip[i];
        uint8_t place[2] = {chip->x, chip->y};
        visit(stream, place, sizeof place);
        stream->failed = stream->failed || place[0] != chip->x || place[1] != chip->y;
        visit(stream, &chip->d, sizeof chip->d);
        visit_drops(stream, &chip->drops);
        visit_ram(stream, &chip->sdram_content);
        visit_ram(stream, &chip->system_ram);
        for (unsigned p = 0; p < chip->core_count; p++) {
            visit_core(stream, &chip->core[p]);
        }
    }
}

/* What a state must agree on with the machine it is loaded into. */
struct state_identity {
    struct machine_parameters parameters;
    struct arm968_timing timing;
    uint64_t chips;
};

static struct state_identity identity_of(const struct machine *machine)
{
    struct state_identity identity;
    memset(&identity, 0, sizeof identity);
    identity.parameters = machine->config.parameters;
    identity.timing = machine->config.timing;
    identity.chips = machine->chip_count;
    return identity;
}

uint8_t *machine_save(const struct machine *machine, size_t *size)
{
    struct stream stream = {.saving = true};
    struct state_identity identity = identity_of(machine);
    visit(&stream, &identity, sizeof identity);
    visit_machine(&stream, (struct machine *)machine);
    *size = stream.size;
    if (stream.failed) {
        free(stream.bytes);
        return NULL;
    }
    return stream.bytes;
}

enum status machine_load(struct machine *machine, const uint8_t *bytes, size_t size)
{
    struct stream stream = {.bytes = (uint8_t *)bytes, .size = size};
    struct state_identity saved;
    const struct state_identity identity = identity_of(machine);
    memset(&saved, 0, sizeof saved);
    visit(&stream, &saved, sizeof saved);
    if (stream.failed || memcmp(&saved, &identity, sizeof saved) != 0) {
        return STATUS_CONFIGURATION;
    }
    visit_machine(&stream, machine);
    return stream.failed || stream.at != size ? STATUS_CONFIGURATION : STATUS_OK;
}
