# tw_standalone: the sources of this folder as one relocatable object inside our own programs, so that a
# library can be made ahead of time on a machine that has a linker but no compiler and no source tree.
# Compiled by a command of its own: a deployed library carries no sanitizer and no coverage code.

set(standalone_dir ${PROJECT_SOURCE_DIR}/src/runtime/standalone)
set(standalone_object ${PROJECT_BINARY_DIR}/standalone/standalone.o)
set(standalone_flags -std=c++20 -O2 -fPIC -fno-exceptions -fno-rtti -fvisibility=hidden
    -fno-stack-protector -Wall -Wextra -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src)
set(standalone_parts)
foreach(part IN ITEMS parallel_for cpu_features)
  add_custom_command(
    OUTPUT ${PROJECT_BINARY_DIR}/standalone/${part}.o
    COMMAND ${CMAKE_CXX_COMPILER} ${standalone_flags} -c ${standalone_dir}/${part}.cc
            -o ${PROJECT_BINARY_DIR}/standalone/${part}.o
    DEPENDS ${standalone_dir}/${part}.cc ${PROJECT_SOURCE_DIR}/include/tilewright/runtime/abi.h
            ${PROJECT_SOURCE_DIR}/src/support/cpu_feature_table.h
    VERBATIM)
  list(APPEND standalone_parts ${PROJECT_BINARY_DIR}/standalone/${part}.o)
endforeach()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/standalone)
add_custom_command(
  OUTPUT ${standalone_object}
  COMMAND ${CMAKE_LINKER} -r -o ${standalone_object} ${standalone_parts}
  DEPENDS ${standalone_parts}
  VERBATIM)

set(standalone_header ${PROJECT_SOURCE_DIR}/include/tilewright/runtime/abi.h)
set(standalone_source ${PROJECT_BINARY_DIR}/standalone/standalone_object.cc)
configure_file(${standalone_dir}/standalone_object.cc.in ${standalone_source} @ONLY)
set_source_files_properties(${standalone_source} PROPERTIES OBJECT_DEPENDS
                            "${standalone_object};${standalone_header}")
add_library(tw_standalone STATIC ${standalone_source} ${standalone_object})
set_source_files_properties(${standalone_object} PROPERTIES EXTERNAL_OBJECT FALSE HEADER_FILE_ONLY TRUE)
target_include_directories(tw_standalone PUBLIC ${PROJECT_SOURCE_DIR}/include)
