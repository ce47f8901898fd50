# spinn_add_workload(NAME SOURCES file... [INCLUDES dir...] [DEFINES name[=value]...] [OPTIMIZE -O2] [SMALL] [BARE] [FLAT] [THUMB] [THUMB_ROLES])
#     Compiles a program for one ARM968E-S core into ${SPINN_WORKLOAD_DIR}/NAME.elf, beside a map and a size report.
#     It is linked with the runtime and the kernels of nn (DEFINES NN_FORMAT=NAME: of a row of nn/formats.def, else int16;
#     NN_OPERATORS: with those that few networks use, and what runs once an image or an update in Thumb code, to make room;
#     NN_1998: with those of 1998, too, and more in Thumb code); BARE leaves both out, FLAT (with BARE)
#     links it for `spinnsim elf`.
#     THUMB: its C files are compiled to Thumb code.
#     THUMB_ROLES: roles, and what they seldom call, are compiled to Thumb code; it is smaller, and the kernels have the loops.
#     SMALL: all but the kernels of nn is compiled for size, for a program that would not fit the ITCM.
#     The build prints how much of ITCM and DTCM is used and fails when either overflows (runtime/link/app.ld).
include(NumberFormats)
find_program(SPINN_ARM_GCC arm-none-eabi-gcc)
find_program(SPINN_ARM_SIZE arm-none-eabi-size)
set(SPINN_WORKLOAD_DIR ${PROJECT_BINARY_DIR}/workloads)
set(SPINN_ARM_FLAGS -mcpu=arm968e-s -marm -std=c17 -ffreestanding -ffunction-sections -fdata-sections
    -fno-common -Wall -Wextra -Wno-builtin-declaration-mismatch -Werror
    -ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -ffile-prefix-map=${PROJECT_BINARY_DIR}=.)

set(SPINN_HAVE_WORKLOADS OFF)
if(NOT SPINN_BUILD_WORKLOADS STREQUAL "OFF" AND SPINN_ARM_GCC AND SPINN_ARM_SIZE)
    set(SPINN_HAVE_WORKLOADS ON)
    execute_process(COMMAND ${SPINN_ARM_GCC} -dumpfullversion OUTPUT_VARIABLE SPINN_ARM_GCC_VERSION
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
elseif(SPINN_BUILD_WORKLOADS STREQUAL "ON")
    message(FATAL_ERROR "SPINN_BUILD_WORKLOADS is ON, but arm-none-eabi-gcc was not found: install "
                        "gcc-arm-none-eabi and libnewlib-arm-none-eabi")
else()
    message(STATUS "No ARM programs will be built: install gcc-arm-none-eabi and "
                   "libnewlib-arm-none-eabi for them")
endif()

if(NOT TARGET workloads)
    add_custom_target(workloads) # all ARM programs
endif()

# spinn_workload_object(OBJECT SOURCE FLAGS...): compiles a source with these flags, once for all programs of a folder.
function(spinn_workload_object object source)
    string(MD5 key "${source};${ARGN}")
    string(SUBSTRING ${key} 0 12 key)
    get_filename_component(base ${source} NAME)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/objects/${key})
    set(file ${folder}/${base}.o)
    set(${object} ${file} PARENT_SCOPE)
    get_property(known DIRECTORY PROPERTY SPINN_OBJECTS)
    if(file IN_LIST known)
        return()
    endif()
    set_property(DIRECTORY APPEND PROPERTY SPINN_OBJECTS ${file})
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(OUTPUT ${file}
        COMMAND ${SPINN_LAUNCHER} ${SPINN_ARM_GCC} ${SPINN_ARM_FLAGS} ${ARGN} -MMD -MF ${file}.d -c ${source} -o ${file}
        DEPENDS ${source} DEPFILE ${file}.d VERBATIM)
    list(JOIN ARGN "\", \"" flags)
    set_property(GLOBAL APPEND PROPERTY SPINN_GUEST_COMMANDS
        "{\"directory\": \"${CMAKE_CURRENT_BINARY_DIR}\", \"file\": \"${source}\", \"output\": \"${file}\", \"arguments\": [\"arm-none-eabi-gcc\", \"${flags}\", \"-std=c17\", \"-ffreestanding\", \"-mcpu=arm968e-s\", \"-c\", \"${source}\"]}")
endfunction()

# spinn_write_guest_commands(): writes the commands for the ARM to ${SPINN_WORKLOAD_DIR}/compile_commands.json, for clang-tidy and editors.
function(spinn_write_guest_commands)
    get_property(commands GLOBAL PROPERTY SPINN_GUEST_COMMANDS)
    list(JOIN commands ",\n" commands)
    file(WRITE ${SPINN_WORKLOAD_DIR}/compile_commands.json "[\n${commands}\n]\n")
endfunction()

function(spinn_add_workload name)
    cmake_parse_arguments(arg "BARE;FLAT;SMALL;THUMB;THUMB_ROLES" "OPTIMIZE" "SOURCES;INCLUDES;DEFINES" ${ARGN})
    if(NOT SPINN_HAVE_WORKLOADS)
        return()
    endif()
    if(NOT arg_OPTIMIZE)
        set(arg_OPTIMIZE -O2)
    endif()
    set(runtime ${PROJECT_SOURCE_DIR}/workloads/runtime)
    set(nn ${PROJECT_SOURCE_DIR}/workloads/nn)
    set(sources ${arg_SOURCES})
    set(script ${runtime}/link/app.ld)
    if(arg_FLAT)
        set(script ${runtime}/link/flat.ld)
    endif()
    set(format int16)
    if(arg_DEFINES MATCHES "NN_FORMAT=([^;]*)")
        set(format ${CMAKE_MATCH_1})
    endif()
    set(operators)
    if(NN_OPERATORS IN_LIST arg_DEFINES)
        set(operators OPERATORS)
    endif()
    if(NOT arg_BARE)
        list(APPEND sources ${runtime}/startup.S ${runtime}/sark.c ${runtime}/events.c
             ${runtime}/barrier.c ${runtime}/io.c ${runtime}/packets.c)
        spinn_format_kernels(kernels ${format} ${operators})
        list(APPEND sources ${kernels})
        if(format STREQUAL int16)
            list(APPEND sources ${nn}/tiles_arm968.S)
        elseif(format STREQUAL int8)
            list(APPEND sources ${nn}/conv2d_int16.c ${nn}/int16_map.c)
        endif()
    endif()
    set(kinds ${arg_DEFINES})
    list(FILTER kinds INCLUDE REGEX "^NN_")
    set(objects)
    foreach(source ${sources})
        get_filename_component(source ${source} ABSOLUTE)
        get_filename_component(base ${source} NAME)
        set(optimize ${arg_OPTIMIZE})
        if(arg_SMALL AND NOT base MATCHES "^(conv2d|dense|pooling|rounding|words|forward)")
            set(optimize -Os)
        endif()
        if((arg_THUMB AND source MATCHES "[.]c$") OR (NN_OPERATORS IN_LIST arg_DEFINES AND base MATCHES "^(exchange|io|loss|softmax|square_loss|update)[.]c$") OR
           (NN_1998 IN_LIST arg_DEFINES AND base MATCHES "^(average_[a-z]+|dropout|order|pooling|rbf|schedule)[.]c$") OR
           (arg_THUMB_ROLES AND (source MATCHES "/roles/(train_[a-z]+|circle)[.]c$" OR base MATCHES "^(io|sark|barrier|exchange_tree)[.]c$")))
            list(APPEND optimize -mthumb)
        endif()
        set(includes ${arg_INCLUDES})
        set(defines ${arg_DEFINES})
        cmake_path(IS_PREFIX runtime ${source} of_runtime)
        cmake_path(IS_PREFIX nn ${source} of_nn)
        if(of_runtime OR of_nn) # know nothing of the program
            set(includes)
            set(defines ${kinds})
        endif()
        if(base MATCHES "_int16.c$|^int16_")
            list(REMOVE_ITEM defines NN_FORMAT=int8) # which borrows its loops
        endif()
        list(TRANSFORM includes PREPEND -I)
        list(TRANSFORM defines PREPEND -D)
        spinn_workload_object(object ${source} -I${runtime}/include -I${nn} ${includes} ${optimize} ${defines})
        list(APPEND objects ${object})
    endforeach()
    set(elf ${SPINN_WORKLOAD_DIR}/${name}.elf)
    add_custom_command(OUTPUT ${elf} ${SPINN_WORKLOAD_DIR}/${name}.size
        COMMAND ${SPINN_ARM_GCC} -mcpu=arm968e-s -marm -nostdlib -Wl,--gc-sections -Wl,--build-id=none
                -Xlinker -Map=${SPINN_WORKLOAD_DIR}/${name}.map -T ${script} ${objects} -lgcc -o ${elf}
        COMMAND ${CMAKE_COMMAND} -DSIZE=${SPINN_ARM_SIZE} -DELF=${elf} -DNAME=${name}
                -DREPORT=${SPINN_WORKLOAD_DIR}/${name}.size
                -P ${PROJECT_SOURCE_DIR}/scripts/cmake/ReportSize.cmake
        DEPENDS ${objects} ${script} ${PROJECT_SOURCE_DIR}/scripts/cmake/ReportSize.cmake VERBATIM)
    add_custom_target(workload_${name} ALL DEPENDS ${elf})
    add_dependencies(workloads workload_${name})
endfunction()
