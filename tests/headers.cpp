/* headers.cpp - nothing of its own: the headers that tests include are parsed for it, once. */
