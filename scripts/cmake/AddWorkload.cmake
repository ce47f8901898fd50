# spinn_add_workload(NAME SOURCES file... [INCLUDES dir...] [DEFINES name[=value]...] [SPEED name] [SCRIPT file] [BARE] [FLAT] [THUMB])
#     Compiles a program for one ARM968E-S core into ${SPINN_WORKLOAD_DIR}/NAME.elf, beside a map and a size report.
#     It is linked with what it needs of the runtime, the collective operations and the kernels of nn (spinn_add_parts(), int16, SPEED fast).  BARE leaves both out, FLAT (with
#     BARE) links it for `spinnsim elf`, SCRIPT with a linker script of its own, THUMB compiles its C files to Thumb code.
#     The build prints how much of ITCM and DTCM is used and fails when either overflows (runtime/link/app.ld).
include(NumberFormats)
find_program(SPINN_ARM_GCC arm-none-eabi-gcc)
find_program(SPINN_ARM_SIZE arm-none-eabi-size)
find_program(SPINN_ARM_AR arm-none-eabi-ar)
set(SPINN_WORKLOAD_DIR ${PROJECT_BINARY_DIR}/workloads)
set(SPINN_ARM_FLAGS -mcpu=arm968e-s -marm -std=c17 -ffreestanding -ffunction-sections -fdata-sections
    -fno-common -Wall -Wextra -Wno-builtin-declaration-mismatch -Werror
    -ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -ffile-prefix-map=${PROJECT_BINARY_DIR}=.)

set(SPINN_HAVE_WORKLOADS OFF)
if(NOT SPINN_BUILD_WORKLOADS STREQUAL "OFF" AND SPINN_ARM_GCC AND SPINN_ARM_SIZE AND SPINN_ARM_AR)
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
    cmake_parse_arguments(arg "BARE;FLAT;THUMB" "SPEED;SCRIPT" "SOURCES;INCLUDES;DEFINES" ${ARGN})
    if(NOT SPINN_HAVE_WORKLOADS)
        return()
    endif()
    set(runtime ${PROJECT_SOURCE_DIR}/workloads/runtime)
    set(script ${runtime}/link/app.ld)
    if(arg_FLAT)
        set(script ${runtime}/link/flat.ld)
    elseif(arg_SCRIPT)
        set(script ${arg_SCRIPT})
    endif()
    set(parts)
    if(NOT arg_SPEED)
        set(arg_SPEED fast)
    endif()
    if(NOT arg_BARE)
        set(parts ${SPINN_WORKLOAD_DIR}/parts/int16/${arg_SPEED}/parts.a)
    endif()
    list(TRANSFORM arg_INCLUDES PREPEND -I)
    list(TRANSFORM arg_DEFINES PREPEND -D)
    set(objects)
    foreach(source ${arg_SOURCES})
        get_filename_component(source ${source} ABSOLUTE)
        set(flags -I${runtime}/include -I${PROJECT_SOURCE_DIR}/workloads/nn ${arg_INCLUDES} -O2)
        if(arg_THUMB AND source MATCHES "[.]c$")
            list(APPEND flags -mthumb)
        endif()
        spinn_workload_object(object ${source} ${flags} ${arg_DEFINES})
        list(APPEND objects ${object})
    endforeach()
    set(elf ${SPINN_WORKLOAD_DIR}/${name}.elf)
    add_custom_command(OUTPUT ${elf} ${SPINN_WORKLOAD_DIR}/${name}.size
        COMMAND ${SPINN_ARM_GCC} -mcpu=arm968e-s -marm -nostdlib -Wl,--gc-sections -Wl,--build-id=none
                -Xlinker -Map=${SPINN_WORKLOAD_DIR}/${name}.map -T ${script} ${objects} ${parts} -lgcc -o ${elf}
        COMMAND ${CMAKE_COMMAND} -DSIZE=${SPINN_ARM_SIZE} -DELF=${elf} -DNAME=${name}
                -DREPORT=${SPINN_WORKLOAD_DIR}/${name}.size
                -P ${PROJECT_SOURCE_DIR}/scripts/cmake/ReportSize.cmake
        DEPENDS ${objects} ${parts} ${script} ${PROJECT_SOURCE_DIR}/scripts/cmake/ReportSize.cmake VERBATIM)
    add_custom_target(workload_${name} ALL DEPENDS ${elf})
    add_dependencies(workloads workload_${name})
endfunction()

# spinn_add_parts(FORMAT MANY LOOSE...): compiles all sources of which spinnsim links programs for an experiment (sim/load/program_link.h) into
# ${SPINN_WORKLOAD_DIR}/parts/FORMAT/SPEED, for each SPEED below: parts.a, and an object for each of the LOOSE sources, of which a program
# names its own, and for each rule of an update.  What runs for each product and each value is compiled for speed always (SPINN_HOT).
#   fast   the rest for speed, too
#   small  the rest for size
#   thumb  the rest for size, to Thumb code, but for what runs for each packet or each word (SPINN_WARM)
#   tight  all of the rest to Thumb code, but for what serves interrupts
# If MANY, the parts are for networks of many classes (workloads/nn/layer_table.h) and the folder is FORMAT_many; only what has arrays of classes
# is compiled again.
set(SPINN_SPEEDS fast small thumb tight)
set(SPINN_HOT conv2d dense pooling rounding words forward) # and all of nn/layers
set(SPINN_WARM exchange frames activation average dropout softmax barrier sark) # and all of nn/activations, nn/optimizers and nn/losses
set(SPINN_COLD competitive) # whose programs are full
set(SPINN_SERVES_INTERRUPTS events packets)
function(spinn_part_options options source speed)
    get_filename_component(base ${source} NAME_WE)
    string(REGEX REPLACE "_.*" "" kind ${base})
    if(kind IN_LIST SPINN_WARM OR source MATCHES "/nn/(activations|optimizers|losses)/" AND NOT kind IN_LIST SPINN_COLD)
        set(warm TRUE)
    else()
        set(warm FALSE)
    endif()
    set(chosen -O2)
    if(source MATCHES "[.]c$" AND NOT kind IN_LIST SPINN_HOT AND NOT source MATCHES "/nn/layers/" AND NOT speed STREQUAL fast)
        set(chosen -Os)
        if(NOT speed STREQUAL small AND NOT kind IN_LIST SPINN_SERVES_INTERRUPTS AND NOT (speed STREQUAL thumb AND warm))
            list(APPEND chosen -mthumb)
        endif()
    endif()
    set(${options} ${chosen} PARENT_SCOPE)
endfunction()

# spinn_class_flags(FLAGS SOURCE MANY)
function(spinn_class_flags flags source many)
    set(${flags} PARENT_SCOPE)
    file(STRINGS ${source} lines REGEX "NN_MAX_CLASSES|NN_RESULT_CLASSES|struct nn_result")
    if(many AND lines)
        set(${flags} -DNN_MANY PARENT_SCOPE)
    endif()
endfunction()

function(spinn_add_parts format many)
    if(NOT SPINN_HAVE_WORKLOADS)
        return()
    endif()
    set(folder ${PROJECT_SOURCE_DIR}/workloads)
    set(flags -I${folder}/runtime/include -I${folder}/nn -I${folder}/lenet/roles -I${folder}/exchange
        -I${folder}/collectives)
    spinn_format_kernels(sources ${format})
    list(FILTER sources EXCLUDE REGEX "/update[.]c$|/optimizers/")
    file(GLOB runtime CONFIGURE_DEPENDS ${folder}/runtime/*.c ${folder}/runtime/*.S)
    if(SPINN_FORMAT_${format}_TRAINS AND NOT SPINN_FORMAT_${format}_VALUE STREQUAL float)
        file(GLOB collectives CONFIGURE_DEPENDS ${folder}/collectives/*.c ${folder}/collectives/*.S)
        list(APPEND sources ${collectives})
    endif()
    list(APPEND sources ${runtime} ${folder}/lenet/roles/marks.c ${folder}/lenet/roles/layer_marks.S)
    if(format STREQUAL int16)
        list(APPEND sources ${folder}/nn/tiles_arm968.S)
    elseif(format STREQUAL int8)
        list(APPEND sources ${folder}/nn/conv2d_int16.c ${folder}/nn/int16_map.c) # its convolutions go through those of int16
    endif()
    set(rules ${SPINN_RULES})
    if(SPINN_FORMAT_${format}_VALUE STREQUAL float)
        set(rules ${SPINN_DESCENTS})
    elseif(NOT SPINN_FORMAT_${format}_TRAINS)
        set(rules)
    endif()
    set(name ${format})
    if(many)
        set(name ${format}_many)
    endif()
    foreach(speed ${SPINN_SPEEDS})
        set(to ${SPINN_WORKLOAD_DIR}/parts/${name}/${speed})
        set(objects)
        set(loose)
        set(copies)
        foreach(source ${sources})
            spinn_part_options(options ${source} ${speed})
            spinn_class_flags(classes ${source} ${many})
            spinn_workload_object(object ${source} ${flags} -DNN_FORMAT=${format} ${classes} ${options})
            list(APPEND objects ${object})
        endforeach()
        foreach(source ${ARGN})
            spinn_part_options(options ${source} ${speed})
            spinn_class_flags(classes ${source} ${many})
            spinn_workload_object(object ${source} ${flags} -DNN_FORMAT=${format} ${classes} ${options})
            get_filename_component(base ${source} NAME_WE)
            list(APPEND loose ${object})
            list(APPEND copies COMMAND ${CMAKE_COMMAND} -E copy ${object} ${to}/${base}.o)
        endforeach()
        foreach(rule ${rules})
            set(source ${folder}/nn/optimizers/${rule}.c)
            spinn_part_options(options ${source} ${speed})
            spinn_workload_object(object ${source} ${flags} -DNN_FORMAT=${format} ${options})
            list(APPEND loose ${object})
            list(APPEND copies COMMAND ${CMAKE_COMMAND} -E copy ${object} ${to}/update_${rule}.o)
        endforeach()
        file(MAKE_DIRECTORY ${to})
        add_custom_command(OUTPUT ${to}/parts.a
            COMMAND ${CMAKE_COMMAND} -E rm -f ${to}/parts.a
            COMMAND ${SPINN_ARM_AR} rcsD ${to}/parts.a ${objects}
            ${copies}
            DEPENDS ${objects} ${loose} VERBATIM)
        set_property(GLOBAL APPEND PROPERTY SPINN_PARTS ${to}/parts.a)
    endforeach()
endfunction()

# spinn_finish_parts(): adds them all to what is built, with libgcc and the linker script.
function(spinn_finish_parts)
    get_property(parts GLOBAL PROPERTY SPINN_PARTS)
    if(NOT parts)
        return()
    endif()
    execute_process(COMMAND ${SPINN_ARM_GCC} -mcpu=arm968e-s -marm -print-libgcc-file-name
                    OUTPUT_VARIABLE libgcc OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    set(to ${SPINN_WORKLOAD_DIR}/parts)
    set(script ${PROJECT_SOURCE_DIR}/workloads/runtime/link/app.ld)
    add_custom_command(OUTPUT ${to}/libgcc.a ${to}/app.ld
        COMMAND ${CMAKE_COMMAND} -E copy ${libgcc} ${to}/libgcc.a
        COMMAND ${CMAKE_COMMAND} -E copy ${script} ${to}/app.ld
        DEPENDS ${libgcc} ${script} VERBATIM)
    add_custom_target(workload_parts ALL DEPENDS ${parts} ${to}/libgcc.a ${to}/app.ld)
    add_dependencies(workloads workload_parts)
endfunction()
