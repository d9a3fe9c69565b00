# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
# One call describes a room of a house: every *.cpp of its folder (its name, unless FOLDER says another) but *_test.cpp becomes an
# object library, and *_test.cpp becomes one unit-test program. LINK names rooms below it and third-party targets.
function(revisit_module name)
  cmake_parse_arguments(arg "" "FOLDER" "LINK" ${ARGN})
  if(NOT arg_FOLDER)
    set(arg_FOLDER ${name})
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${arg_FOLDER}/*.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")

  foreach(source IN LISTS sources) # Highway compiles a kernel's file once for each instruction set, by including it
    file(STRINGS ${source} is_kernel REGEX "hwy/foreach_target.h")
    if(is_kernel)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
  add_library(revisit_${name} OBJECT ${sources})
  target_include_directories(revisit_${name} PUBLIC ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(revisit_${name} PUBLIC ${arg_LINK})
  if(REVISIT_TESTS AND tests)
    revisit_test(${name}_test SOURCES ${tests} MODULES revisit_${name} LABELS unit)
  endif()
endfunction()

# With CMAKE_UNITY_BUILD a module's sources are compiled a few at a time: most of a file's time goes into the headers it shares with
# its neighbours. So names in unnamed namespaces differ within a module.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)

# Objects do not travel through object libraries, so a program lists every module it needs, directly or not.
function(revisit_collect_modules out)
  set(todo ${ARGN})
  set(seen)
  while(todo)
    list(POP_FRONT todo module)
    if(NOT module IN_LIST seen)
      list(APPEND seen ${module})
      get_target_property(links ${module} INTERFACE_LINK_LIBRARIES)
      foreach(link IN LISTS links)
        if(link MATCHES "^revisit_")
          list(APPEND todo ${link})
        endif()
      endforeach()
    endif()
  endwhile()
  set(${out} ${seen} PARENT_SCOPE)
endfunction()

# revisit_program(NAME SOURCES ... MODULES ...): an executable with the objects of the modules and all below them.
function(revisit_program name)
  cmake_parse_arguments(arg "" "" "SOURCES;MODULES;LINK" ${ARGN})
  revisit_collect_modules(modules ${arg_MODULES})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${modules} ${arg_LINK})
  foreach(module IN LISTS modules)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:${module}>)
  endforeach()
endfunction()

# Headers that many sources of one target share and that take seconds to read, compiled once.
function(revisit_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess) # lets ccache look through it
  endif()
endfunction()

# revisit_test(NAME SOURCES ... MODULES ... LABELS ... [TIMEOUT s] [ENVIRONMENT_MODIFICATION m]): a GoogleTest program, one CTest
# entry a test.
function(revisit_test name)
  cmake_parse_arguments(arg "OPTIMISED" "TIMEOUT;ENVIRONMENT_MODIFICATION" "SOURCES;MODULES;LABELS;LINK" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  revisit_program(${name} SOURCES ${arg_SOURCES} MODULES ${arg_MODULES} LINK ${arg_LINK} GTest::gtest GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE REVISIT_SHARED="${REVISIT_SHARED}")
  if(NOT arg_OPTIMISED)
    target_compile_options(${name} PRIVATE -O1) # the test's own sources alone: they take a third of the build at -O2
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  set(environment)
  if(arg_ENVIRONMENT_MODIFICATION)
    set(environment ENVIRONMENT_MODIFICATION "${arg_ENVIRONMENT_MODIFICATION}")
  endif()
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}  # REVISIT_SHARED may be relative: an absolute path would spoil ccache for other clones
    # Tests run side by side, and LibTorch's waiting threads would spin on each other's cores.
    PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} ENVIRONMENT OMP_WAIT_POLICY=passive ${environment})
endfunction()
