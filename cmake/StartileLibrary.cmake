# Builds the library: kernels, codelets and algorithms as object libraries, each with the include paths of its
# layer only, and a shared and a static library from these objects.

set(warnings $<$<COMPILE_LANGUAGE:C>:-Wall;-Wextra;-Wpedantic>)

# startile_layer(NAME [DTYPE LETTER] SOURCES ... INCLUDES ... [LINK ...]): adds the object library of a
# layer, or of a part of a layer, for one element type if DTYPE is given.
function(startile_layer name)
  cmake_parse_arguments(layer "" "DTYPE" "SOURCES;INCLUDES;LINK" ${ARGN})
  add_library(${name} OBJECT ${layer_SOURCES})
  target_include_directories(${name} PRIVATE ${layer_INCLUDES})
  target_compile_options(${name} PRIVATE ${warnings})
  target_link_libraries(${name} PRIVATE ${layer_LINK})
  if(layer_DTYPE)
    target_compile_definitions(${name} PRIVATE STARTILE_TYPE_${layer_DTYPE})
  endif()
  set_property(GLOBAL APPEND PROPERTY startile_objects $<TARGET_OBJECTS:${name}>)
endfunction()

# startile_small_kernels(NAME DTYPE [MACRO OPTION...]): adds the kernels for small matrices of one element
# type, compiled for one instruction set with the definition MACRO and the compiler options.
# kernels/cpu/small.c chooses among the instruction sets at run time.
function(startile_small_kernels name dtype)
  set(sources potrf together iamax getrf_together qr_together)
  if(NOT STARTILE_AVX512 IN_LIST ARGN) # small.c takes the AVX2 variants of these there
    list(APPEND sources getrf qr)
  endif()
  list(TRANSFORM sources REPLACE "(.+)" "kernels/cpu/small_variants/small_\\1.c")
  startile_layer(${name} DTYPE ${dtype} SOURCES ${sources}
    INCLUDES kernels/cpu kernels include LINK PrivateBLAS::BLAS)
  target_compile_options(${name} PRIVATE -ffp-contract=fast -fno-math-errno)
  set_property(GLOBAL APPEND PROPERTY startile_small_objects $<TARGET_OBJECTS:${name}>)
  if(ARGN)
    list(POP_FRONT ARGN instructions)
    target_compile_definitions(${name} PRIVATE ${instructions})
    target_compile_options(${name} PRIVATE ${ARGN})
  endif()
endfunction()

# -- kernels: no StarPU ---------------------------------------------------------------------------
file(GLOB kernel_sources CONFIGURE_DEPENDS kernels/cpu/*.c kernels/cpu/batch/*.c kernels/cpu/sytrf/*.c)
foreach(dtype S D C Z)
  startile_layer(startile_kernels_${dtype} DTYPE ${dtype} SOURCES ${kernel_sources}
    INCLUDES kernels/cpu kernels include LINK PrivateBLAS::BLAS)
  startile_small_kernels(startile_small_${dtype} ${dtype})
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    target_compile_definitions(startile_kernels_${dtype} PRIVATE STARTILE_X86)
    startile_small_kernels(startile_small_avx2_${dtype} ${dtype} STARTILE_AVX2 -mavx2 -mfma)
    startile_small_kernels(startile_small_avx512_${dtype} ${dtype} STARTILE_AVX512 -mavx512f
                           -mprefer-vector-width=512)
  endif()
endforeach()
file(GLOB kernel_common_sources CONFIGURE_DEPENDS kernels/cpu/common/*.c)
startile_layer(startile_kernels SOURCES ${kernel_common_sources} ${startile_blas_source}
  INCLUDES kernels/cpu kernels include LINK PrivateBLAS::BLAS)
if(STARTILE_HAVE_CUDA)
  file(GLOB cuda_sources CONFIGURE_DEPENDS kernels/cuda/*/*.cu)
  # These files use the instruction wgmma, which exists in sm_90a only.
  set(cuda_sources_90a ${PROJECT_SOURCE_DIR}/kernels/cuda/gemm/product_emulated.cu
      ${PROJECT_SOURCE_DIR}/kernels/cuda/gemm/product_split.cu)
  list(REMOVE_ITEM cuda_sources ${cuda_sources_90a})
  # These two files also get code for sm_90a, where their kernels move registers between warps (setmaxnreg).
  # The preset sm80-ptx builds PTX only, without code for any device.
  if(NOT CMAKE_CUDA_ARCHITECTURES MATCHES "^[0-9]+-virtual$")
    set_source_files_properties(
      kernels/cuda/gemm/product_double.cu kernels/cuda/gemm/product_complex.cu PROPERTIES
      COMPILE_OPTIONS --generate-code=arch=compute_90a,code=sm_90a)
  endif()
  startile_layer(startile_kernels_cuda SOURCES ${cuda_sources} INCLUDES kernels/cuda kernels include
    LINK CUDA::cudart CUDA::cublas CUDA::cusolver)
  startile_layer(startile_kernels_cuda_90a SOURCES ${cuda_sources_90a}
    INCLUDES kernels/cuda kernels include
    LINK CUDA::cudart CUDA::cublas CUDA::cusolver)
  set_target_properties(startile_kernels_cuda_90a PROPERTIES CUDA_ARCHITECTURES 90a-real)
  startile_ptxas_report(startile_kernels_cuda)
  startile_ptxas_report(startile_kernels_cuda_90a)
endif()

# -- codelets: StarPU, kernels ------------------------------------------------------------------
file(GLOB codelet_sources CONFIGURE_DEPENDS codelets/library/*.c codelets/data/*.c codelets/task/*.c
     codelets/request/*.c codelets/memory/*.c codelets/grid/*.c codelets/trace/*.c codelets/journal/*.c
     codelets/models/*.c codelets/operations/*.c codelets/batch/*.c)
# Only StartileSimulation.cmake compiles simulation.c.
list(REMOVE_ITEM codelet_sources ${PROJECT_SOURCE_DIR}/codelets/models/simulation.c)
startile_layer(startile_codelets SOURCES ${codelet_sources}
  INCLUDES codelets kernels include LINK StarPU::StarPU Threads::Threads)
file(RELATIVE_PATH models_from_library /${CMAKE_INSTALL_LIBDIR} /${CMAKE_INSTALL_DATADIR}/startile/perf_models)
target_compile_definitions(startile_codelets PRIVATE
  STARTILE_MODELS_FROM_LIBRARY="${models_from_library}")
if(STARTILE_HAVE_CUDA)
  target_compile_definitions(startile_codelets PRIVATE STARTILE_HAVE_CUDA)
  target_link_libraries(startile_codelets PRIVATE CUDA::cudart)
endif()

# -- algorithms: the headers of .ci/check-layers, and neither StarPU nor kernels ----------------------------------------
file(GLOB algorithm_sources CONFIGURE_DEPENDS algorithms/*.c algorithms/grid/*.c
     algorithms/mixed/*.c)
startile_layer(startile_algorithms SOURCES ${algorithm_sources} INCLUDES algorithms codelets include)
# The algorithms for batches are a separate object library. The tests of the other algorithms' DAGs replace
# the functions that submit tasks, and so need no replacements for the tasks of batches.
startile_layer(startile_batch_algorithms
  SOURCES algorithms/batch/operands.c algorithms/batch/potrf.c algorithms/batch/getrf.c
          algorithms/batch/geqrf.c algorithms/batch/geqp3.c algorithms/batch/gemm.c
          algorithms/batch/vectors.c algorithms/batch/blocking.c
  INCLUDES algorithms/batch algorithms codelets include)

# -- entries: LAPACK's arguments, compiled once per type -------------------------------------------
foreach(dtype S D C Z)
  startile_layer(startile_lapack_${dtype} DTYPE ${dtype}
    SOURCES entries/blas.c entries/potrf.c entries/hegst.c entries/symmetric.c entries/aasen.c entries/getrf.c
            entries/geqrf.c
    INCLUDES entries algorithms codelets include)
  startile_layer(startile_batch_lapack_${dtype} DTYPE ${dtype}
    SOURCES entries/batch_potrf.c entries/batch_getrf.c entries/batch_geqrf.c entries/batch_geqp3.c
            entries/batch_gemm.c entries/batch_vectors.c
    INCLUDES entries include)
endforeach()
startile_layer(startile_lapack SOURCES entries/entries.c entries/mixed.c entries/batch_call.c
  INCLUDES entries codelets include)

get_property(startile_objects GLOBAL PROPERTY startile_objects)

# -- shared ---------------------------------------------------------------------------------------
add_library(startile SHARED ${startile_objects})
add_library(startile::startile ALIAS startile)
set_target_properties(startile PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LINKER_LANGUAGE C)
target_include_directories(startile INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(startile INTERFACE c_std_11)
target_link_libraries(startile PRIVATE StarPU::StarPU PrivateBLAS::BLAS Threads::Threads m
                                              ${CMAKE_DL_LIBS})
target_link_options(startile PRIVATE -Wl,--exclude-libs,ALL -Wl,--no-undefined)
if(STARTILE_HAVE_CUDA)
  target_link_libraries(startile PRIVATE CUDA::cudart CUDA::cublas CUDA::cusolver stdc++)
endif()

# -- static: contains BLAS; only symbols startile_* stay visible ------------------------------
set(static_library ${PROJECT_BINARY_DIR}/libstartile.a)
set(joined ${PROJECT_BINARY_DIR}/startile_joined.o)
add_custom_command(OUTPUT ${static_library}
  COMMAND ${CMAKE_LINKER} -r ${startile_blas_wrap} -o ${joined} ${startile_objects} ${startile_blas_archives}
  COMMAND ${CMAKE_OBJCOPY} --localize-hidden --wildcard --keep-global-symbol=startile_* ${joined}
  COMMAND ${CMAKE_COMMAND} -E rm -f ${static_library}
  COMMAND ${CMAKE_AR} rcs ${static_library} ${joined}
  COMMAND ${CMAKE_COMMAND} -E rm -f ${joined}
  DEPENDS ${startile_objects} COMMAND_EXPAND_LISTS VERBATIM
  COMMENT "Linking static library libstartile.a")
add_custom_target(startile_static_file ALL DEPENDS ${static_library})
