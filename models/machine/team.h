/* team.h - host threads that do the parts of a round together.  Which thread does which part is
 * left open, so a part writes only where no other one does.  Private to models/machine. */
#pragma once
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

enum { TEAM_THREADS_MAX = 64 };

struct team;

typedef void team_part(void *context, unsigned part);

/* `threads` with the caller's, 2 to TEAM_THREADS_MAX.  Fewer are started when the host gives no
 * more; NULL when it gives none, or no memory. */
struct team *team_create(unsigned threads);
void team_destroy(struct team *team);

/* Calls part(context, 0) to part(context, parts - 1), each once, and returns when all are done.
 * For rounds of microseconds: threads stay awake between them for a while. */
void team_run(struct team *team, unsigned parts, team_part *part, void *context);

C_LINKAGE_END
