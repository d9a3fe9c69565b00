# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
# Installs the build into a folder of its own, follows the links of its pages, then configures, builds and runs the sample project
# against it. usage: cmake -DBUILD=... -DSOURCE=... -DWORK=... -DCOMPILER=... -DGENERATOR=... -DPYTHON=... -P run.cmake
file(REMOVE_RECURSE ${WORK})
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${PYTHON} -B ${SOURCE}/links.py ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)
run(${WORK}/prefix/bin/revisit --version)
# Two laps of the town: the database picture of every place, then its query. The saved map is asked by the installed program.
run(${WORK}/prefix/bin/revisit synth ${WORK}/town --places 30 --views 2 --seed 3 -q)
file(GLOB first_lap ${WORK}/town/database/*)
file(GLOB second_lap ${WORK}/town/queries/*)
run(${WORK}/build/loop ${WORK}/map.rvs ${first_lap} ${second_lap})
# The same with a stand-in for the default model, which the library finds beside itself and the map remembers by name.
set(models ${WORK}/prefix/share/revisit/models)
if(NOT EXISTS ${models}/revisit-open.safetensors)
  run(${CMAKE_COMMAND} -E make_directory ${models})
  run(${CMAKE_COMMAND} -E copy ${SOURCE}/../../models/revisit-tiny.safetensors ${models}/revisit-open.safetensors)
  run(${CMAKE_COMMAND} -E rename ${WORK}/map.rvs ${WORK}/tiny.rvs)
  run(${WORK}/build/loop ${WORK}/map.rvs ${first_lap} ${second_lap})
endif()
execute_process(COMMAND ${WORK}/prefix/bin/revisit index info ${WORK}/map.rvs --json OUTPUT_VARIABLE info COMMAND_ERROR_IS_FATAL ANY)
if(NOT info MATCHES "\"model\": *\"revisit-open\"")
  message(FATAL_ERROR "the map does not name revisit-open: ${info}")
endif()
list(GET second_lap 7 photo)
run(${WORK}/prefix/bin/revisit query ${WORK}/map.rvs ${photo})
