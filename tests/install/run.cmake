# Installs BUILD into WORK/prefix, then configures, builds and runs the consumer beside this file.
# cmake -D BUILD=... -D WORK=... -D COMPILER=... -D VERSION=... -P run.cmake

file(REMOVE_RECURSE "${WORK}")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${WORK}/prefix")
run(${CMAKE_COMMAND} -G Ninja -S "${CMAKE_CURRENT_LIST_DIR}" -B "${WORK}/build"
    -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_PREFIX_PATH=${WORK}/prefix
    -D CLRKIT_WANTED=${VERSION})
run(${CMAKE_COMMAND} --build "${WORK}/build")
run("${WORK}/build/uses_clrkit")
