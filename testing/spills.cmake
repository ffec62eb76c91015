# cmake -DFOLDER=… [-DFILT=…] -P spills.cmake
#
# What the compiler reported of the kernels (cmake/ptxas-report left it in FOLDER): a table of the
# hot ones, none of which may use the stack, where spilled registers go. FILT demangles names.
cmake_minimum_required(VERSION 3.25)

# Where the factorizations spend their time: products, and the chains of panels and diagonal tiles.
set(hot "(product|single|split|potrf|strip|beside|qr_update|turn|invert)[a-z_]*_kernel|laswp_kernel")

# Kernels that use the stack as far as is known and no further, by architecture and name: `bytes` of a
# frame, which holds what is spilled, too. To be shortened.
function(known name bytes why)
  set(known_names "${known_names}" "${name}" PARENT_SCOPE)
  set(known_bytes "${known_bytes}" "${bytes}" PARENT_SCOPE)
endfunction()
set(known_names "none")
set(known_bytes 0)
known("^sm_[0-9a]+ (qr_)?strip_kernel<.*, 352>" 552
  "384 threads leave 168 registers each, and the tallest panels have to be held in them")
known("^sm_[0-9a]+ qr_strip_kernel<(float|double)2, .*, 256>" 256 "an array, nothing spilled")
known("^sm_[0-9a]+ qr_strip_kernel<double, 8, 4, 256>" 8 "not looked into")
known("^sm_[0-9a]+ strip_kernel<double, 8, 1, 256>" 8 "not looked into")
known("^sm_[0-9a]+ beside_kernel<double2>" 32 "not looked into")
known("^sm_90 product_kernel<double, product_shape<128, 128, 2>" 296
  "for a Hopper there is code for sm_90a, too, which moves registers between warps; newer devices compile this")
known("^sm_90 product_kernel<double2, product_shape<(128, 64, 4|64, 128, 2)>" 544 "the same")
known("^sm_90a product_kernel<double2, product_shape<(128, 64, 4|64, 128, 2)>" 72
  "two fragments of complex operands at a time")
known("^sm_[0-9a]+ potrf_tile_kernel<double2?>" 136
  "the diagonal task keeps two tiles of sums in registers")
known("^sm_[0-9a]+ potrf_tile_kernel<float2>" 432 "the same")

if(NOT FILT)
  message(STATUS "skipped: neither cu++filt nor c++filt here")
  return()
endif()
file(GLOB_RECURSE reports ${FOLDER}/*.ptxas)
if(NOT reports)
  message(STATUS "skipped: the compiler left no report in ${FOLDER}")
  return()
endif()

# Of every hot kernel, its name and "arch registers stack stores loads"
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
    elseif(name MATCHES "${hot}" AND line MATCHES "Used ([0-9]+) registers")
      list(APPEND names ${name})
      list(APPEND figures "${arch} ${CMAKE_MATCH_1} ${memory}")
    endif()
  endforeach()
endforeach()
if(NOT names)
  message(FATAL_ERROR "no kernel's name is like ${hot}")
endif()
list(JOIN names "\n" mangled)
file(WRITE ${FOLDER}/names.txt "${mangled}\n")
execute_process(COMMAND ${FILT} -p INPUT_FILE ${FOLDER}/names.txt OUTPUT_VARIABLE clear
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" names "${clear}")

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
  set(row "${arch} ${name}: ${registers} registers, ${stack} bytes of stack, ${stores} + ${loads} spilled")
  list(APPEND rows "${row}")
  set(allowed 0)
  foreach(known bytes IN ZIP_LISTS known_names known_bytes)
    if("${arch} ${name}" MATCHES "${known}")
      set(allowed ${bytes})
    endif()
  endforeach()
  # Older devices run the same code, but nobody tunes for them.
  if(arch MATCHES "sm_9|sm_1" AND stack GREATER allowed)
    list(APPEND bad "${row}")
  endif()
endforeach()
list(SORT rows)
list(JOIN rows "\n" table)
message("${table}")
if(bad)
  list(JOIN bad "\n  " list_of_bad)
  message(FATAL_ERROR "these use more stack than is known:\n  ${list_of_bad}")
endif()
