/* host_facts.h - what stands beside times that depend on the computer. */
#pragma once
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

enum { FACT_CHARS = 128 };

struct host_facts {
    char cpu[FACT_CHARS];      /* the processor's model; "unknown" */
    char compiler[FACT_CHARS]; /* name, version, flags of the build */
    double load;               /* processes that wanted to run, mean of the last minute; NAN */
};

void host_facts_of(struct host_facts *facts);

C_LINKAGE_END
