# Writes a digest of source files as a C string:  cmake -D ROOT=... -D FILES=... -D OUTPUT=... -P digest_sources.cmake
#   ROOT   the folder that FILES, a list, is relative to: where it stands makes no difference
# Ends of lines are as they are; the file is written anew only if the digest has changed.
cmake_minimum_required(VERSION 3.25)
set(all "")
foreach(name IN LISTS FILES)
    file(SHA256 "${ROOT}/${name}" digest)
    string(APPEND all "${name} ${digest}\n")
endforeach()
string(SHA256 digest "${all}")
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "\"${digest}\"\n")
file(TOUCH "${OUTPUT}")
