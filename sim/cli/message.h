/* message.h - what the program tells its user on standard error. */
#ifndef SIM_CLI_MESSAGE_H
#define SIM_CLI_MESSAGE_H
#include "models/common/status.h"
#ifdef __cplusplus
extern "C" {
#endif

/* file:line:column: error: key: text, and the hint on a line of its own.  Returns the exit status
 * that belongs to `status`. */
int message_error(enum status status, const struct diagnostic *diagnostic);

/* The same for what a run can live with. */
void message_warning(const struct diagnostic *diagnostic);

#ifdef __cplusplus
}
#endif
#endif
