/* port_owner.h - who has a UDP port of this computer, for a message that names the process. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/serve/frame.h"
C_LINKAGE_BEGIN

enum { PORT_OWNER_CHARS = 64 };

/* Writes "process 1234 (spinnsim)"; "a process of user 1001" when the process is another user's and
 * so not to be seen; "another process" when the host does not tell (Linux: /proc). */
void port_owner_print(struct frame_endpoint port, char text[PORT_OWNER_CHARS]);

C_LINKAGE_END
