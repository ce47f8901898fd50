/* keeper.h - compilations that outlive this program.  Private to models/arm968.
 *
 * What is to be compiled waits as a file in the folder waiting/ of the cache (object_cache.h).  A
 * keeper is a shell (keeper.sh) that compiles what waits, the oldest first, and ends when nothing
 * does.  A user has two at most; each holds a lock, which the kernel drops when it ends in whatever
 * way, and a folder of its own in the cache, to which it moves the request that it works on.  So
 * nothing is lost with a keeper, and nothing waits for one that has been killed: the next run of
 * any program takes over what it has left.
 *
 * A keeper begins after a second, at normal priority and in a session of its own: it outlives the
 * terminal, and the kernel, which shares processors among sessions, gives it more than one of many
 * parts of what the user's other programs have.  No process of it uses more than a minute of
 * processor time; a compiler that uses none is ended after an hour.  What could not be compiled is
 * not tried again for a day. */
#pragma once
#include "models/arm968/object_key.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

enum { KEEPERS_MOST = 2, KEEPER_REQUESTS_MOST = 64 /* that wait; the oldest are dropped */ };

struct keeper_request {
    const char *compiler; /* absolute path */
    const char *options;  /* separated by blanks */
    const char *text;
    size_t size;
    struct object_key key;
    bool later; /* to be compiled when another run asks for it, too */
};

/* Puts a request among those that wait, unless the object is there or will be.  False: there will
 * be no object. */
bool keeper_ask(const struct keeper_request *request);

/* Starts keepers if requests wait that nobody works on. */
void keeper_start(void);

/* Whether an object exists, is being made, or waits for it. */
bool keeper_awaits(struct object_key key);

C_LINKAGE_END
