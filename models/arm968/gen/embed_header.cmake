# Makes a C header into lines of text that a program can hold:  cmake -D ROOT=... -D HEADER=... -D OUTPUT=... -P embed_header.cmake
#   ROOT     the folder that #include "..." starts from
#   HEADER   the header, relative to ROOT; what it includes by "..." is put in place of the directive
#   OUTPUT   a C string for each line, with a comma behind it: to be included in an array's initialiser; OUTPUT.d tells the build
#            which headers it is made of
# Comments and spare blanks go, and <stdint.h> does: the header itself declares what it needs of it.
cmake_minimum_required(VERSION 3.25)
file(READ "${ROOT}/${HEADER}" text)
set(headers "${ROOT}/${HEADER}")
while(text MATCHES "#include \"([^\"]+)\"")
    set(directive "${CMAKE_MATCH_0}")
    set(header "${ROOT}/${CMAKE_MATCH_1}")
    set(included "")
    if(NOT header IN_LIST headers) # each once
        file(READ "${header}" included)
        list(APPEND headers "${header}")
    endif()
    string(FIND "${text}" "${directive}" at)
    string(SUBSTRING "${text}" 0 ${at} before)
    string(LENGTH "${directive}" length)
    math(EXPR at "${at} + ${length}")
    string(SUBSTRING "${text}" ${at} -1 behind)
    set(text "${before}${included}${behind}")
endwhile()
string(REPLACE "#pragma once" "" text "${text}")
string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" "" text "${text}")
string(REPLACE "#include <stdint.h>" "" text "${text}")
string(REGEX REPLACE "[ \t]+" " " text "${text}")
string(REGEX REPLACE "( ?\n ?)+" "\n" text "\n${text}\n")
string(REGEX REPLACE "([\\\\\"])" "\\\\\\1" text "${text}")
string(REGEX REPLACE "\n([^\n]+)" "\"\\1\",\n" text "${text}")
file(WRITE "${OUTPUT}" "${text}")
list(TRANSFORM headers REPLACE " " "\\\\ ")
string(REPLACE " " "\\ " target "${OUTPUT}")
list(JOIN headers " " headers)
file(WRITE "${OUTPUT}.d" "${target}: ${headers}\n")
