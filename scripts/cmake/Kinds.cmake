# Kinds that are one file each.  A file of a kind has the kind's rows, and the build collects the rows of all files into tables.
#
# Rows of mappings, exchanges, distributions and their programs (sim/mapping/rows.h) stand in sim/mapping/plan_*.c, exchange_*.c and
# distribution_*.c.
#
# A type of layer (sim/networks/layer.h) is sim/networks/layer_NAME.c, whose row is its descriptor, `struct layer_kind LAYER_...`.  Kernels of
# layers (workloads/nn/layers/layer_kernels.h) are workloads/nn/layers/NAME.c.
#
# Result files (sim/results/result_files.h) are sim/results/files/*.def.
#
# spinn_collect_kinds(FOLDER [FILE...]): writes ${FOLDER}/tables/mappings.def and result_files.def.  A FILE is one more of a kind, whatever its
# folder: a test's.
set(SPINN_KINDS ${PROJECT_BINARY_DIR}/kinds)

# The order of tables, menus and messages is that of the files below; files that are not named follow by name.
set(SPINN_MAPPING_ORDER plan_replicas plan_maps plan_groups plan_blocks plan_columns plan_neurons exchange_rings exchange_tree
    distribution_server distribution_neighbours distribution_gossip distribution_average distribution_local)
set(SPINN_LAYER_ORDER layer_conv2d layer_max_pool2d layer_average_pool2d layer_subsample2d layer_dense layer_rbf)
set(SPINN_RESULT_ORDER config counters phases traffic energy learning placement keys tensors console predictions drops waits profile intervals timeline trace
    parameters stages votes sampled operations)
set(SPINN_RESULT_LAST weights checkpoint manifest summary) # behind the others

# spinn_order_files(FILES NAME...): moves the files with these names to the front.
function(spinn_order_files list)
    set(first)
    set(rest ${${list}})
    foreach(name ${ARGN})
        foreach(file ${rest})
            get_filename_component(base ${file} NAME_WE)
            if(base STREQUAL name)
                list(APPEND first ${file})
                list(REMOVE_ITEM rest ${file})
            endif()
        endforeach()
    endforeach()
    set(${list} ${first} ${rest} PARENT_SCOPE)
endfunction()

# spinn_rows_of(ROWS FILE): the rows of a file, each as one line.
function(spinn_rows_of rows file)
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    string(REGEX MATCHALL "\n(MAPPING|EXCHANGE|DISTRIBUTION|PROGRAM)[(][^()]*[)]" found "${text}")
    set(lines)
    foreach(row ${found})
        string(REGEX REPLACE "\"[ \n]+\"" "" row "${row}") # parts of one text
        string(REGEX REPLACE "[ \n]+" " " row "${row}")
        string(STRIP "${row}" row)
        list(APPEND lines "${row}")
    endforeach()
    set(${rows} ${lines} PARENT_SCOPE)
endfunction()

# spinn_write_table(FILE LINE...): leaves a file alone that has these lines.
function(spinn_write_table file)
    list(JOIN ARGN "\n" text)
    file(CONFIGURE OUTPUT ${file} CONTENT "/* Made by scripts/cmake/Kinds.cmake. */\n${text}\n" @ONLY)
endfunction()

function(spinn_collect_rows folder)
    file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/sim/mapping/plan_*.c ${PROJECT_SOURCE_DIR}/sim/mapping/exchange_*.c
        ${PROJECT_SOURCE_DIR}/sim/mapping/distribution_*.c)
    spinn_order_files(files ${SPINN_MAPPING_ORDER})
    set(rows)
    foreach(file ${files} ${ARGN})
        spinn_rows_of(found ${file})
        list(APPEND rows ${found})
    endforeach()
    # The values of mapping.kind: those for training, then those that only classify.
    set(kinds)
    foreach(mode TRAIN INFER)
        foreach(row ${rows})
            if(row MATCHES "^MAPPING[(]([A-Z0-9_]+), ${mode},")
                string(TOLOWER ${CMAKE_MATCH_1} text)
                list(APPEND kinds "MAPPING_KIND(${CMAKE_MATCH_1}, \"${text}\")")
            endif()
        endforeach()
    endforeach()
    list(REMOVE_DUPLICATES kinds)
    set(columns_MAPPING_KIND NAME text)
    set(columns_MAPPING KIND MODE descriptor lever)
    set(columns_EXCHANGE NAME text descriptor)
    set(columns_DISTRIBUTION NAME text descriptor)
    set(columns_PROGRAM name descriptor exchange formats operators of_1998 sources)
    set(begin)
    set(end)
    foreach(row MAPPING_KIND MAPPING EXCHANGE DISTRIBUTION PROGRAM)
        list(JOIN columns_${row} ", " columns)
        list(APPEND begin "#ifndef ${row}" "#define ${row}(${columns})" "#endif")
        list(APPEND end "#undef ${row}")
    endforeach()
    spinn_write_table(${folder}/tables/mappings.def ${begin} ${kinds} ${rows} ${end})
endfunction()

function(spinn_collect_files folder)
    file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/sim/results/files/*.def)
    spinn_order_files(files ${SPINN_RESULT_ORDER})
    list(APPEND files ${ARGN})
    foreach(name ${SPINN_RESULT_LAST})
        set(file ${PROJECT_SOURCE_DIR}/sim/results/files/${name}.def)
        list(REMOVE_ITEM files ${file})
        list(APPEND files ${file})
    endforeach()
    set(begin)
    set(end)
    foreach(row "TABLE(...)" END "OWN(...)" "FIELD(...)" "CHARS(...)" OWN_END "COLUMN(...)" "HEX(...)" "CHOICE(...)" "PRINT(...)" "OTHER(...)"
            "PART(...)" "ONLY(...)" "SERIES(...)" "WHOLE(...)")
        string(REGEX REPLACE "[(].*" "" name ${row})
        list(APPEND begin "#ifndef ${name}" "#define ${row}" "#endif")
        list(APPEND end "#undef ${name}")
    endforeach()
    set(lines)
    foreach(file ${files})
        get_filename_component(name ${file} NAME_WE)
        file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${file})
        list(APPEND lines "#define RESULT_FILE_ID ${name}" "#include \"${path}\"" "#undef RESULT_FILE_ID" "#undef ROW")
    endforeach()
    spinn_write_table(${folder}/tables/result_files.def ${begin} ${lines} ${end})
endfunction()

# spinn_write_rows(FILE ROW COLUMNS LINE...): a table of one kind of row.
function(spinn_write_rows file row columns)
    spinn_write_table(${file} "#ifndef ${row}" "#define ${row}(${columns})" "#endif" ${ARGN} "#undef ${row}")
endfunction()

# spinn_collect_layers(FOLDER [LAYERS FILE...] [KERNELS FILE...]): writes ${FOLDER}/tables/layers.def and layer_kernels.def; with types and
# kernels more, of a test.
function(spinn_collect_layers folder)
    cmake_parse_arguments(more "" "" "LAYERS;KERNELS" ${ARGN})
    file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/sim/networks/layer_*.c)
    spinn_order_files(files ${SPINN_LAYER_ORDER})
    set(rows)
    foreach(file ${files} ${more_LAYERS})
        set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
        file(READ ${file} text)
        if(text MATCHES "\nconst struct layer_kind LAYER_([A-Z0-9_]+) = {[ \n]*[.]name = \"([a-z0-9_]+)\"")
            list(APPEND rows "LAYER(${CMAKE_MATCH_1}, ${CMAKE_MATCH_2})")
        endif()
    endforeach()
    spinn_write_rows(${folder}/tables/layers.def LAYER "NAME, name" ${rows})
    file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/workloads/nn/layers/*.c)
    set(rows)
    foreach(file ${files} ${more_KERNELS})
        get_filename_component(name ${file} NAME_WE)
        string(TOUPPER ${name} upper)
        list(APPEND rows "KERNELS(${upper}, ${name})")
    endforeach()
    spinn_write_rows(${folder}/tables/layer_kernels.def KERNELS "NAME, name" ${rows})
endfunction()

function(spinn_collect_kinds folder)
    set(rows ${ARGN})
    list(FILTER rows EXCLUDE REGEX "[.]def$")
    set(files ${ARGN})
    list(FILTER files INCLUDE REGEX "[.]def$")
    spinn_collect_rows(${folder} ${rows})
    spinn_collect_files(${folder} ${files})
endfunction()

spinn_collect_kinds(${SPINN_KINDS})
spinn_collect_layers(${SPINN_KINDS})
