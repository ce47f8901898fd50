# Installs the simulator and its library, builds caller/ against the installed tree alone, and runs it.
#     cmake -DBUILD=folder -DSOURCE=this folder -DWORK=folder -DC=compiler -DCXX=compiler -DGENERATOR=Ninja -DHAVE_WORKLOADS=0|1
#         -DSANITIZE=kinds of sanitizers, or empty -P check_caller.cmake
file(REMOVE_RECURSE ${WORK})

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

foreach(component spinnsim library)
    run(${CMAKE_COMMAND} --install ${BUILD} --component ${component} --prefix ${WORK}/installed)
endforeach()
# Moved, so that no path of the build or of the installation can be left in it.
file(RENAME ${WORK}/installed ${WORK}/moved)
set(flags)
if(SANITIZE) # what the library was built with; then its callers are, too
    set(flags -DCMAKE_C_FLAGS=-fsanitize=${SANITIZE} -DCMAKE_CXX_FLAGS=-fsanitize=${SANITIZE})
endif()
run(${CMAKE_COMMAND} -G "${GENERATOR}" -S ${SOURCE}/caller -B ${WORK}/caller -DCMAKE_PREFIX_PATH=${WORK}/moved
    -DCMAKE_C_COMPILER=${C} -DCMAKE_CXX_COMPILER=${CXX} ${flags})
run(${CMAKE_COMMAND} --build ${WORK}/caller)
set(experiments lenet1_reference_train:seed=1)
if(HAVE_WORKLOADS)
    list(APPEND experiments lenet1_train:mapping.chips=1)
endif()
foreach(experiment ${experiments})
    string(REPLACE ":" ";" arguments ${WORK}/moved/share/spinnsim/configs/experiments/${experiment})
    string(REPLACE "train;" "train.yaml;" arguments "${arguments}")
    run(${WORK}/caller/train_spinnsim ${arguments})
    set(shared "${output}")
    run(${WORK}/caller/train_static ${arguments})
    if(NOT output MATCHES "^epoch -?0[.][0-9]+\nepoch -?0[.][0-9]+\nended -?0[.][0-9]+\n$" OR NOT output STREQUAL shared)
        message(FATAL_ERROR "shared: ${shared}\nstatic: ${output}")
    endif()
endforeach()
# What the shared library exports is what its header declares.
run(nm -D --defined-only ${WORK}/moved/lib/libspinnsim.so)
string(REGEX MATCHALL " T [A-Za-z_]+" exported "${output}")
string(REGEX REPLACE " T " "" exported "${exported}")
file(STRINGS ${WORK}/moved/include/spinnsim.h declared REGEX "spinnsim_[a-z_]+[(]")
foreach(name ${exported})
    if(NOT "${declared}" MATCHES "${name}[(]")
        message(FATAL_ERROR "libspinnsim.so exports ${name}")
    endif()
endforeach()
