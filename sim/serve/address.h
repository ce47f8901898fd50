/* address.h - IPv4 addresses as text, "127.0.0.2", and with a port, "127.0.0.2:17893". */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/serve/frame.h"
#include <stdbool.h>
C_LINKAGE_BEGIN

enum { ADDRESS_CHARS = 24 }; /* with port and the final zero */

/* False: the text is no such address. */
bool address_read(const char *text, uint32_t *address);
bool address_read_endpoint(const char *text, struct frame_endpoint *endpoint);

void address_print(uint32_t address, char text[ADDRESS_CHARS]);
void address_print_endpoint(struct frame_endpoint endpoint, char text[ADDRESS_CHARS]);

/* 127.0.0.0 to 127.255.255.255: this computer's own. */
bool address_is_loopback(uint32_t address);

C_LINKAGE_END
