# Installs everything, hides checkout and build, and builds and runs the installed examples; then what is used wrongly.
#     cmake -DBUILD=folder -DSOURCE=checkout -DC=compiler -DCXX=compiler -DGENERATOR=Ninja -DHAVE_WORKLOADS=0|1 -DSANITIZE=kinds or empty
#         -DPYTHON=python3 or empty -P check_installed.cmake
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

# Outside of what will be hidden.
execute_process(COMMAND mktemp -d /tmp/spinnsim-installed-XXXXXX OUTPUT_VARIABLE work OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
function(fail text)
    file(REMOVE_RECURSE ${work})
    message(FATAL_ERROR "${text}")
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/installed)
file(RENAME ${work}/installed ${work}/moved)
set(moved ${work}/moved)
set(share ${moved}/share/spinnsim)

# Commands run where both folders are empty, in mounts of their own, if this system lets us.
set(hidden)
execute_process(COMMAND unshare --user --map-root-user --mount sh -c "mount -t tmpfs none /mnt" RESULT_VARIABLE cannot OUTPUT_QUIET ERROR_QUIET)
if(cannot)
    message(STATUS "checkout and build are not hidden: unshare --user --mount does not work here")
else()
    file(WRITE ${work}/hidden.sh "mount -t tmpfs none '${BUILD}' && mount -t tmpfs none '${SOURCE}' || exit 1\n[ ! -e '${SOURCE}/models' ] || exit 1\nexec \"$@\"\n")
    set(hidden unshare --user --map-root-user --mount sh ${work}/hidden.sh)
endif()

# try(STATUS TEXT COMMAND...): the command's exit status (0, or anything else) and its output are these.
function(try status text)
    execute_process(COMMAND ${hidden} ${ARGN} WORKING_DIRECTORY ${work} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE got)
    string(REGEX REPLACE "[ \n]+" " " line "${output}") # CMake folds messages
    if((status EQUAL 0 AND NOT got EQUAL 0) OR (NOT status EQUAL 0 AND got EQUAL 0) OR NOT line MATCHES "${text}")
        fail("${ARGN}: status ${got}, without \"${text}\":\n${output}")
    endif()
endfunction()

set(flags)
if(SANITIZE) # what the libraries were built with; then their users are, too
    set(flags "-DCMAKE_C_FLAGS=-fsanitize=${SANITIZE}" "-DCMAKE_CXX_FLAGS=-fsanitize=${SANITIZE}")
endif()
set(configure ${CMAKE_COMMAND} -G ${GENERATOR} -DCMAKE_C_COMPILER=${C} -DCMAKE_CXX_COMPILER=${CXX} ${flags} -DCMAKE_PREFIX_PATH=${moved})

# ---- the examples ----

if(HAVE_WORKLOADS)
    try(0 "" ${configure} -S ${share}/examples -B ${work}/examples)
    try(0 "" ${CMAKE_COMMAND} --build ${work}/examples)
    try(0 "100% tests passed" ${CMAKE_CTEST_COMMAND} --test-dir ${work}/examples --output-on-failure)
    foreach(name accelerator generator responder)
        file(STRINGS ${share}/examples/${name}.cpp lines)
        list(LENGTH lines count)
        if(count GREATER 60)
            fail("${name}.cpp has ${count} lines, more than 60")
        endif()
    endforeach()
    # The program finds configurations, programs and guests of its own tree, and those that were built here.
    try(0 "ring: done" ${moved}/bin/spinnsim run ${share}/configs/experiments/ring.yaml --out ${work}/ring)
    try(0 "tick 2" sh -c "${moved}/bin/spinnsim run ${work}/examples/step_guest.elf --set run.simulated_time_limit='3 ms' --out ${work}/step; cat ${work}/step/console.txt")
    try(0 "2 points: 2 done" ${moved}/bin/spinnsim sweep ${share}/configs/experiments/xor_train.yaml --set train.epochs=2 --set accept=null
        --axis seed=1,2 --out ${work}/sweep)
    if(PYTHON AND NOT SANITIZE)
        execute_process(COMMAND ${PYTHON} -c "import numpy" RESULT_VARIABLE absent OUTPUT_QUIET ERROR_QUIET)
        if(NOT absent)
            try(0 "two machines interleaved: the results of two separate runs" ${CMAKE_COMMAND} -E env PYTHONPATH=${share}/python
                PYTHONDONTWRITEBYTECODE=1 ${PYTHON} ${share}/examples/python/standing.py ${work})
        endif()
    endif()
endif()

# ---- what is used wrongly ----

# project(FOLDER LANGUAGES FIND MORE): a project that finds the package.
function(project folder languages find)
    file(WRITE ${work}/${folder}/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(wrong LANGUAGES ${languages})\nfind_package(spinnsim ${find})\n${ARGN}\n")
    file(WRITE ${work}/${folder}/guest.c "void c_main(void) {}\n")
endfunction()
project(version C "0.9 REQUIRED COMPONENTS machine")
try(1 "requested version \"0.9\".*version: 0.3" ${configure} -S ${work}/version -B ${work}/version/out)
project(unknown C "REQUIRED COMPONENTS router")
try(1 "there is no component \"router\"; there are core, machine, guest, systemc, library" ${configure} -S ${work}/unknown -B ${work}/unknown/out)
project(optional C "COMPONENTS router" "message(STATUS \"found: \${spinnsim_router_FOUND}\")")
try(0 "found: FALSE" ${configure} -S ${work}/optional -B ${work}/optional/out)
project(languages C "REQUIRED COMPONENTS systemc")
try(1 "needs C\\+\\+: project" ${configure} -S ${work}/languages -B ${work}/languages/out)
project(parts "C CXX" "REQUIRED COMPONENTS core machine systemc library"
    "foreach(target core machine machine_static systemc spinnsim)\nif(NOT TARGET spinnsim::\${target})\nmessage(FATAL_ERROR \${target})\nendif()\nendforeach()")
try(0 "" ${configure} -S ${work}/parts -B ${work}/parts/out)
if(HAVE_WORKLOADS)
    project(toolchain C "REQUIRED COMPONENTS guest" "spinnsim_add_guest(guest guest.c)")
    try(1 "makes programs for .*, not for arm-none-eabi: install gcc-arm-none-eabi" ${configure} -DSPINNSIM_ARM_GCC=${C} -S ${work}/toolchain -B ${work}/toolchain/out)
    try(1 "cannot be run: /nowhere/gcc" ${configure} -DSPINNSIM_ARM_GCC=/nowhere/gcc -S ${work}/toolchain -B ${work}/toolchain/out2)
    try(1 "there is no arm-none-eabi-gcc: install" ${configure} -DSPINNSIM_ARM_GCC=SPINNSIM_ARM_GCC-NOTFOUND -DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF
        -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF -S ${work}/toolchain -B ${work}/toolchain/out3)
    project(sources C "REQUIRED COMPONENTS guest" "spinnsim_add_guest(guest)")
    try(1 "guest has no sources" ${configure} -S ${work}/sources -B ${work}/sources/out)
    project(absent C "REQUIRED COMPONENTS guest" "spinnsim_add_guest(guest absent.c)")
    try(1 "there is no file .*absent.c" ${configure} -S ${work}/absent -B ${work}/absent/out)
    project(large C "REQUIRED COMPONENTS guest" "spinnsim_add_guest(guest guest.c)")
    file(WRITE ${work}/large/guest.c "char much[100000];\nvoid c_main(void) { much[much[0]] = 1; }\n")
    try(0 "" ${configure} -S ${work}/large -B ${work}/large/out)
    try(1 "DTCM" ${CMAKE_COMMAND} --build ${work}/large/out)
endif()
# A component that is not installed: only the machine is here.
run(${CMAKE_COMMAND} --install ${BUILD} --component machine --prefix ${work}/machine)
set(configure ${CMAKE_COMMAND} -G ${GENERATOR} -DCMAKE_C_COMPILER=${C} -DCMAKE_CXX_COMPILER=${CXX} ${flags} -DCMAKE_PREFIX_PATH=${work}/machine)
project(missing "C CXX" "REQUIRED COMPONENTS machine systemc")
try(1 "the component \"systemc\" is not installed; in spinnsim's build: cmake --install BUILD --component systemc" ${configure} -S ${work}/missing -B ${work}/missing/out)
project(default C "REQUIRED")
try(1 "the component \"library\" is not installed" ${configure} -S ${work}/default -B ${work}/default/out)

# ---- what the shared library offers: what its headers declare ----

run(nm -D --defined-only ${moved}/lib/libspinnsim_machine.so)
string(REGEX MATCHALL " T [A-Za-z_0-9]+" exported "${output}")
list(TRANSFORM exported REPLACE " T " "")
file(GLOB_RECURSE headers ${work}/machine/include/*.h)
set(declared)
foreach(header ${headers})
    file(READ ${header} text)
    string(APPEND declared "${text}")
endforeach()
foreach(name ${exported})
    string(FIND "${declared}" "${name}(" at)
    if(at EQUAL -1)
        fail("libspinnsim_machine.so exports ${name}")
    endif()
endforeach()
foreach(name machine_run_until machine_attach_link arm968_run elf_image_read machine_load_program)
    if(NOT name IN_LIST exported)
        fail("libspinnsim_machine.so does not export ${name}")
    endif()
endforeach()
# Each installed header can be included alone, from C and from C++.
file(GLOB_RECURSE headers RELATIVE ${moved}/include/spinnsim ${moved}/include/spinnsim/models/*.h ${moved}/include/spinnsim/sim/*.h)
file(WRITE ${work}/headers/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(headers LANGUAGES C CXX)\nfind_package(spinnsim 0.3 REQUIRED COMPONENTS machine systemc)\n"
    "set(CMAKE_CXX_STANDARD 17)\nfile(GLOB sources *.c *.cpp)\nadd_library(headers STATIC \${sources})\ntarget_link_libraries(headers PRIVATE spinnsim::systemc)\n"
    "target_compile_options(headers PRIVATE -Wall -Wextra -Wpedantic -Werror)\n")
foreach(header ${headers})
    string(MAKE_C_IDENTIFIER ${header} name)
    file(WRITE ${work}/headers/${name}.cpp "#include \"${header}\"\n")
    if(NOT header MATCHES "systemc/")
        file(WRITE ${work}/headers/${name}.c "#include \"${header}\"\ntypedef int anything;\n")
    endif()
endforeach()
set(configure ${CMAKE_COMMAND} -G ${GENERATOR} -DCMAKE_C_COMPILER=${C} -DCMAKE_CXX_COMPILER=${CXX} ${flags} -DCMAKE_PREFIX_PATH=${moved})
try(0 "" ${configure} -S ${work}/headers -B ${work}/headers/out)
try(0 "" ${CMAKE_COMMAND} --build ${work}/headers/out)
file(REMOVE_RECURSE ${work})
