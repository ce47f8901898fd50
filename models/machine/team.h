/* team.h - host threads that share the parts of a round.  A thread begins with the same part of the
 * numbers in every round, so that what these parts use stays in its core's caches, and then helps
 * the others.  Which thread executes which part is not defined, so a part must write only where no
 * other part does. */
#pragma once
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

enum { TEAM_THREADS_MAX = 64 };

struct team;

typedef void team_part(void *context, unsigned part);

/* Creates a team of `threads`, the caller's included, 2 to TEAM_THREADS_MAX.  It is smaller if the
 * host provides fewer threads; NULL if the host provides none, or is out of memory. */
struct team *team_create(unsigned threads);
void team_destroy(struct team *team);

/* Calls part(context, 0) to part(context, parts - 1), each once, and returns when all are done.
 * Made for rounds of microseconds: threads stay awake for a while between rounds. */
void team_run(struct team *team, unsigned parts, team_part *part, void *context);

C_LINKAGE_END
