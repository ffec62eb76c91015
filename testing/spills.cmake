# cmake -DFOLDER=… [-DFILT=…] -P spills.cmake
#
# What the compiler reported of the kernels (cmake/ptxas-report left it in FOLDER): a table of the
# hot ones, none of which may spill registers. FILT demangles names.
cmake_minimum_required(VERSION 3.25)

# Where the factorizations spend their time: products, and the chains of panels and diagonal tiles.
set(hot "(product|single|split|potrf|strip|beside|qr_update|turn|invert)[a-z_]*_kernel|laswp_kernel")

# Kernels that may use the stack, as regular expressions of their names, and why:
#   column_kernel  by a run-time index into a few values; runs only where the strips do not
set(may_use_stack "column_kernel")

file(GLOB_RECURSE reports ${FOLDER}/*.ptxas)
if(NOT reports)
  message(STATUS "skipped: the compiler left no report in ${FOLDER}")
  return()
endif()

# "name;arch;stack;stores;loads;registers" of every kernel, as one list
set(names)
set(figures)
foreach(report IN LISTS reports)
  file(STRINGS ${report} lines)
  foreach(line IN LISTS lines)
    if(line MATCHES "entry function '([^']*)' for '([^']*)'")
      set(name ${CMAKE_MATCH_1})
      set(arch ${CMAKE_MATCH_2})
    elseif(line MATCHES "([0-9]+) bytes stack frame, ([0-9]+) bytes spill stores, ([0-9]+) bytes")
      set(memory "${CMAKE_MATCH_1} ${CMAKE_MATCH_2} ${CMAKE_MATCH_3}")
    elseif(line MATCHES "Used ([0-9]+) registers" AND name MATCHES "${hot}")
      list(APPEND names ${name})
      list(APPEND figures "${arch} ${CMAKE_MATCH_1} ${memory}")
    endif()
  endforeach()
endforeach()
if(NOT names)
  message(FATAL_ERROR "no kernel's name is like ${hot}")
endif()
if(FILT)
  list(JOIN names "\n" mangled)
  file(WRITE ${FOLDER}/names.txt "${mangled}\n")
  execute_process(COMMAND ${FILT} -p INPUT_FILE ${FOLDER}/names.txt OUTPUT_VARIABLE clear
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE ";" "," clear "${clear}")
  string(REPLACE "\n" ";" names "${clear}")
endif()

set(rows)
set(bad)
foreach(name figure IN ZIP_LISTS names figures)
  string(REGEX REPLACE "^void |startile_cuda::" "" name "${name}")
  string(REPLACE " " ";" f "${figure}")
  list(GET f 0 arch)
  list(GET f 1 registers)
  list(GET f 2 stack)
  list(GET f 3 stores)
  list(GET f 4 loads)
  set(row "${name}: ${arch}, ${registers} registers, stack ${stack}, spills ${stores} + ${loads}")
  list(APPEND rows "${row}")
  if(stores OR loads OR (stack AND NOT name MATCHES "${may_use_stack}"))
    list(APPEND bad "${row}")
  endif()
endforeach()
list(SORT rows)
list(JOIN rows "\n" table)
message("${table}")
if(bad)
  list(JOIN bad "\n  " list_of_bad)
  message(FATAL_ERROR "these use local memory (bytes):\n  ${list_of_bad}")
endif()
