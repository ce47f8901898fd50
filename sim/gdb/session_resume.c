/* session_resume.c - see session_state.h: commands that let the target run, or let it go. */
#include "sim/gdb/session_state.h"

#include <errno.h>
#include <string.h>

/* ---- running ---- */

bool gdb_session_runs(const struct gdb_session *session)
{
    return session->runs && session->end == GDB_GOES_ON;
}

static void resume(struct gdb_session *session, enum gdb_resume how, unsigned process)
{
    const struct gdb_target *target = session->target;
    session->runs = true;
    session->interrupted = false;
    target->resume(target->context, how, process);
}

static void tell(struct gdb_session *session)
{
    session->runs = false;
    if (session->stop.text != NULL) {
        gdb_show(session, session->stop.text, strlen(session->stop.text));
        gdb_show(session, "\n", 1);
        session->stop.text = NULL;
    }
    if (session->stop.why == GDB_EXITED || session->stop.why == GDB_KILLED) {
        session->end = GDB_FINISHED;
        if (!session->known[session->stop.process - 1].attached) { /* GDB 13 breaks down */
            session->stop.process = session->selected;
        }
    } else {
        session->selected = session->stop.process;
        session->known[session->selected - 1].attached = true;
    }
    gdb_send_stop(session);
}

void gdb_session_run(struct gdb_session *session)
{
    const struct gdb_target *target = session->target;
    const struct gdb_stop stop = target->run(target->context);
    if (stop.why != GDB_RUNS) {
        session->stop = stop;
        tell(session);
    } else if (session->interrupted) {
        session->stop = (struct gdb_stop){.why = GDB_INTERRUPTED, .process = session->selected};
        tell(session);
    }
}

void gdb_session_finish(struct gdb_session *session, const struct gdb_stop *stop)
{
    if (gdb_session_runs(session)) {
        session->stop = *stop;
        tell(session);
    }
}

/* Tells the user, once, of a client that lets only some of its processes run: it does not expect
 * the others to change, and shows what their registers were. */
static void hint(struct gdb_session *session)
{
    static const char TEXT[] =
        "All cores run, not only this one: `set schedule-multiple on` lets GDB know, which may "
        "otherwise show old registers of the others.\n";
    const unsigned first = gdb_next_attached(session, 1);
    if (!session->hinted && first != 0 && gdb_next_attached(session, first + 1) != 0) {
        session->hinted = true;
        gdb_show(session, TEXT, sizeof TEXT - 1);
    }
}

/* An action of vCont, "s:p1.1": its letter, and the process or GDB_ALL. */
struct action {
    char letter;
    unsigned process;
};

static bool take_action(const struct gdb_session *session, const char **at, struct action *action)
{
    uint64_t signal;
    action->letter = **at;
    action->process = GDB_ALL;
    if (action->letter == '\0' || strchr("cCsS", action->letter) == NULL) {
        return false;
    }
    (*at)++;
    const bool with_signal = action->letter == 'C' || action->letter == 'S';
    return (!with_signal || gdb_take_number(at, &signal)) &&
           (!gdb_take_char(at, ':') || gdb_take_thread(session, at, &action->process));
}

/* vCont;ACTION;ACTION...  All processes run together, as the cores of a machine do in time; so only
 * the first step matters, if there is one. */
static void resume_by_list(struct gdb_session *session, const char *at)
{
    unsigned stepped = 0;
    bool any = false;
    bool all = false;
    while (gdb_take_char(&at, ';')) {
        struct action action;
        if (!take_action(session, &at, &action)) {
            gdb_send_error(session, EINVAL);
            return;
        }
        any = true;
        all = all || action.process == GDB_ALL;
        if ((action.letter == 's' || action.letter == 'S') && stepped == 0) {
            stepped = action.process == GDB_ALL ? session->selected : action.process;
        }
    }
    if (!any || *at != '\0') {
        gdb_send_error(session, EINVAL);
        return;
    }
    if (!all && stepped == 0) { /* GDB steps one process, whatever is set */
        hint(session);
    }
    resume(session, stepped != 0 ? GDB_STEP : GDB_CONTINUE,
           stepped != 0 ? stepped : session->selected);
}

static void list_resumes(struct gdb_session *session, const char *arguments)
{
    (void)arguments;
    gdb_send_text(session, "vCont;c;C;s;S");
}

/* The process of commands that name none: that of Hc, else the one that stopped. */
static unsigned named(const struct gdb_session *session)
{
    return session->stepped != GDB_ALL ? session->stepped : session->stop.process;
}

/* c, s [ADDRESS]; C, S SIGNAL[;ADDRESS]. */
static void resume_one(struct gdb_session *session, enum gdb_resume how, bool with_signal,
                       const char *at)
{
    const struct gdb_target *target = session->target;
    uint64_t signal;
    uint32_t address;
    if (with_signal && (!gdb_take_number(&at, &signal) || (*at != '\0' && *at++ != ';'))) {
        gdb_send_error(session, EINVAL);
        return;
    }
    if (*at != '\0' &&
        (!gdb_take_word(&at, &address) || *at != '\0' ||
         !target->write_register(target->context, named(session), GDB_PC, address))) {
        gdb_send_error(session, EINVAL);
        return;
    }
    resume(session, how, named(session));
}

static void continue_one(struct gdb_session *session, const char *arguments)
{
    resume_one(session, GDB_CONTINUE, false, arguments);
}

static void continue_with_signal(struct gdb_session *session, const char *arguments)
{
    resume_one(session, GDB_CONTINUE, true, arguments);
}

static void step_one(struct gdb_session *session, const char *arguments)
{
    resume_one(session, GDB_STEP, false, arguments);
}

static void step_with_signal(struct gdb_session *session, const char *arguments)
{
    resume_one(session, GDB_STEP, true, arguments);
}

static void go_back(struct gdb_session *session, enum gdb_resume how)
{
    if (session->target->goes_back) {
        resume(session, how, named(session));
    } else {
        gdb_send(session);
    }
}

static void continue_back(struct gdb_session *session, const char *arguments)
{
    (void)arguments;
    go_back(session, GDB_CONTINUE_BACK);
}

static void step_back(struct gdb_session *session, const char *arguments)
{
    (void)arguments;
    go_back(session, GDB_STEP_BACK);
}

/* ---- attaching and letting go ---- */

static void tell_stop(struct gdb_session *session, const char *arguments)
{
    (void)arguments;
    gdb_send_stop(session);
}

/* vAttach;PROCESS. */
static void attach(struct gdb_session *session, const char *at)
{
    uint64_t process;
    if (!gdb_take_number(&at, &process) || *at != '\0' || process == 0 ||
        process > session->target->processes) {
        gdb_send_error(session, ESRCH);
        return;
    }
    session->known[process - 1].attached = true;
    session->selected = (unsigned)process;
    session->stop = (struct gdb_stop){
        .why = GDB_SIGNALLED, .process = session->selected, .number = GDB_SIGNAL_TRAP};
    gdb_send_stop(session);
}

/* D: all; D;PROCESS: this one. */
static void detach(struct gdb_session *session, const char *at)
{
    const struct gdb_target *target = session->target;
    uint64_t process = 0;
    if (*at != '\0' && (!gdb_take_char(&at, ';') || !gdb_take_number(&at, &process) ||
                        *at != '\0' || process == 0 || process > target->processes)) {
        gdb_send_error(session, ESRCH);
        return;
    }
    for (unsigned i = 1; i <= target->processes; i++) {
        session->known[i - 1].attached =
            session->known[i - 1].attached && process != 0 && i != process;
    }
    const unsigned next = gdb_next_attached(session, 1);
    if (next == 0) {
        session->end = GDB_DETACHED;
    } else if (!session->known[session->selected - 1].attached) {
        session->selected = next;
    }
    gdb_send_text(session, "OK");
}

static void kill_all(struct gdb_session *session, const char *arguments)
{
    (void)arguments;
    session->end = GDB_DEAD; /* k has no answer */
}

static void kill_process(struct gdb_session *session, const char *arguments)
{
    (void)arguments;
    session->end = GDB_DEAD;
    gdb_send_text(session, "OK");
}

const struct gdb_command GDB_RUN_COMMANDS[] = {{"vCont?", true, list_resumes},
                                               {"vCont", false, resume_by_list},
                                               {"vAttach;", false, attach},
                                               {"vKill;", false, kill_process},
                                               {"bc", true, continue_back},
                                               {"bs", true, step_back},
                                               {"?", true, tell_stop},
                                               {"c", false, continue_one},
                                               {"C", false, continue_with_signal},
                                               {"s", false, step_one},
                                               {"S", false, step_with_signal},
                                               {"D", false, detach},
                                               {"k", false, kill_all},
                                               {0}};
