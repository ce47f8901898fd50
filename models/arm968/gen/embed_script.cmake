# Makes a shell script into a C string:  cmake -D SCRIPT=... -D OUTPUT=... -P embed_script.cmake
# Lines that are comments go.
cmake_minimum_required(VERSION 3.25)
file(READ "${SCRIPT}" text)
string(REGEX REPLACE "(^|\n)(#[^\n]*\n|\n)+" "\\1" text "${text}")
string(REGEX REPLACE "([\\\\\"])" "\\\\\\1" text "${text}")
string(REGEX REPLACE "([^\n]*)\n" "\"\\1\\\\n\"\n" text "${text}")
file(WRITE "${OUTPUT}" "${text}")
