# Packages that only Keras' files need.  Without them all else is built, and spinnsim refuses these files with the package's name.
#   jansson (libjansson-dev)   reads JSON: .keras, .h5, TensorFlow.js
#   HDF5 (libhdf5-dev)         reads and writes HDF5: .keras, .h5, weights for Keras
option(SPINN_JANSSON "read models of TensorFlow.js and Keras, if libjansson-dev is installed" ON)
option(SPINN_HDF5 "read and write Keras' HDF5 files, if libhdf5-dev is installed" ON)

find_path(SPINN_JANSSON_INCLUDE jansson.h)
find_library(SPINN_JANSSON_LIBRARY jansson)
find_path(SPINN_HDF5_INCLUDE hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(SPINN_HDF5_LIBRARY NAMES hdf5_serial hdf5)
mark_as_advanced(SPINN_JANSSON_INCLUDE SPINN_JANSSON_LIBRARY SPINN_HDF5_INCLUDE SPINN_HDF5_LIBRARY)

foreach(package JANSSON HDF5)
    set(SPINN_HAS_${package} OFF)
    if(SPINN_${package} AND SPINN_${package}_INCLUDE AND SPINN_${package}_LIBRARY)
        set(SPINN_HAS_${package} ON)
    endif()
endforeach()

# spinn_choose_model_files(SOURCES): leaves out what the packages that are here, or absent, make superfluous.
function(spinn_choose_model_files list)
    set(of_JANSSON "import/(keras_build|keras_graph|keras_json|keras_layers|keras_model|keras_windows|keras_archive|keras_h5|tfjs)\\.c$")
    set(absent_JANSSON "import/jansson_absent\\.c$")
    set(of_HDF5 "import/(hdf5_child|hdf5_walk|keras_write)\\.c$")
    set(absent_HDF5 "import/hdf5_absent\\.c$")
    set(files ${${list}})
    foreach(package JANSSON HDF5)
        if(SPINN_HAS_${package})
            list(FILTER files EXCLUDE REGEX ${absent_${package}})
        else()
            list(FILTER files EXCLUDE REGEX ${of_${package}})
        endif()
    endforeach()
    set(${list} ${files} PARENT_SCOPE)
endfunction()

# spinn_link_model_packages(TARGET): headers and libraries of the packages that are here.
function(spinn_link_model_packages target)
    foreach(package JANSSON HDF5)
        if(SPINN_HAS_${package})
            target_include_directories(${target} SYSTEM PRIVATE ${SPINN_${package}_INCLUDE})
            target_link_libraries(${target} PRIVATE ${SPINN_${package}_LIBRARY})
        endif()
    endforeach()
endfunction()
