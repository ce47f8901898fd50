/* listeners.h - callbacks of messages and of fixed-route packets, which the table in events.c has
 * no place for. */
#pragma once
#include "runtime.h"
#include "spin1_api.h"

struct listener {
    callback_t callback; /* NULL: none */
    int priority;
};

/* Sets the callback; rt_error() if there is no such priority, and for FIQ's.  When callbacks are
 * called, behind spin1_start()'s barrier, enable() lets its interrupt in. */
void listener_set(struct listener *listener, callback_t callback, int priority,
                  void (*enable)(uint, uint));

/* Calls the callback, or queues it. */
void listener_call(const struct listener *listener, uint arg0, uint arg1);
