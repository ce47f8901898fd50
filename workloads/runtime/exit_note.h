/* exit_note.h - where the argument of spin1_exit() stays: in the variable `api` of events.c. Guests
 * have no other way to tell it; sim/run_control reads it by that symbol when all have ended. */
#pragma once

enum { API_BYTES = 1228, API_EXIT_CODE = 872 };
