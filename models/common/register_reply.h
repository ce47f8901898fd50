/* register_reply.h - how a block of registers answers an access. */
#pragma once

enum register_reply {
    REGISTER_OK,
    REGISTER_BUS_ERROR, /* the hardware refuses the access */
    REGISTER_UNMODELLED /* the hardware's behaviour is unknown or not modelled: reads 0, writes are
                           ignored */
};
