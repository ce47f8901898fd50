/* port_owner.h - who has a port of this computer, for a message that names the process. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdint.h>
C_LINKAGE_BEGIN

enum { PORT_OWNER_CHARS = 64 };

enum port_protocol {
    PORT_UDP,
    PORT_TCP /* the owner is who listens */
};

/* Writes "process 1234 (spinnsim)"; "a process of user 1001" when the process is another user's and
 * so not to be seen; "another process" when the host does not tell (Linux: /proc).  The address has
 * the host's order of bytes. */
void port_owner_print(enum port_protocol protocol, uint32_t address, uint16_t port,
                      char text[PORT_OWNER_CHARS]);

C_LINKAGE_END
