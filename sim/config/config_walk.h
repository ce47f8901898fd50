/* config_walk.h - visits all values of a configuration, each as dotted key and YAML text.  The
 * dump, the explanation and the canonical text are written with it. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config_schema.h"
#include "sim/config/config_tree.h"
C_LINKAGE_BEGIN

struct config_entry {
    const char *path;  /* "clock.cpu", "app[0].file", "energy.core_cycle.per" */
    const char *value; /* as in YAML: 200 MHz, "a text", [a, b] */
    const struct config_key *key;
};

struct config_visitor {
    void (*visit)(void *context, const struct config_entry *entry);
    void *context;
    bool quiet_keys; /* visits keys that dumps omit at their default, too */
    enum { CONFIG_WALK_ALL, CONFIG_WALK_ENERGY, CONFIG_WALK_REST } part;
};

/* Visits every value that has an effect, in the order of the rows.  Skips keys that are absent and
 * have no default.  Texts of an entry hold during the visit only. */
enum status config_walk(const struct sim_config *config, struct config_arena *arena,
                        const struct config_visitor *visitor);

C_LINKAGE_END
