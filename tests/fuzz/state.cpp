/* state.cpp - the file of a saved run, as it is, and with its digest made right: then all sections
 * and pages are unpacked. */
#include "tests/fuzz/harness.h"

#include <cstdlib>
#include <cstring>

extern "C" {
#include "sim/state/state_file.h"
#include "sim/state/state_format.h"
}

static void read_sections(const struct state_file &file)
{
    struct diagnostic diagnostic = {};
    for (size_t i = 0; i < file.sections; i++) {
        uint8_t *bytes = nullptr;
        size_t size = 0;
        if (fuzz_is_good(state_section(&file, file.section[i].name, file.section[i].version, &bytes,
                                       &size, &diagnostic),
                         diagnostic)) {
            fuzz_touch(bytes, size);
        }
        free(bytes);
    }
    struct state_pages pages = {};
    if (fuzz_is_good(state_read_pages(&file, &pages, &diagnostic), diagnostic)) {
        for (size_t i = 0; i < pages.pages; i++) {
            fuzz_touch(pages.page[i], pages.page[i] == nullptr ? 0 : STATE_PAGE_BYTES);
        }
    }
    state_pages_free(&pages);
}

static void read(const std::vector<uint8_t> &bytes, bool sealed)
{
    struct state_file file = {};
    struct diagnostic diagnostic = {};
    const enum status status =
        state_take(&file, "input", sealed, bytes.data(), bytes.size(), &diagnostic);
    if (fuzz_is_good(status, diagnostic)) {
        if (sealed) {
            fuzz_fail("a state that nobody has sealed");
        }
        read_sections(file);
        state_close(&file);
    }
}

void fuzz_one(const uint8_t *bytes, size_t size)
{
    std::vector<uint8_t> file(bytes, bytes + size);
    read(file, true);
    read(file, false);
    struct state_head head;
    if (size >= sizeof head) {
        memcpy(&head, file.data(), sizeof head);
        memcpy(head.magic, STATE_MAGIC, sizeof head.magic);
        head.version = STATE_VERSION;
        head.body_bytes = size - sizeof head;
        state_digest(&head, file.data() + sizeof head, size - sizeof head, head.digest);
        memcpy(file.data(), &head, sizeof head);
        read(file, false);
    }
}
