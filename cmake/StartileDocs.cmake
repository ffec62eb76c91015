# Target `docs`: a site of the public headers, the Markdown pages and the examples with one navigation and a search,
# and man pages of the headers. A public function without documentation and a dead reference are errors.
find_package(Doxygen QUIET)
if(DOXYGEN_FOUND)
  set(DOXYGEN_PROJECT_NAME startile)
  set(DOXYGEN_OUTPUT_DIRECTORY docs)
  set(DOXYGEN_GENERATE_MAN YES)
  # The pages have a section of their own, because group names such as cholesky may exist in other packages.
  set(DOXYGEN_MAN_EXTENSION .3startile)
  set(DOXYGEN_MAN_SUBDIR man3)
  set(DOXYGEN_OPTIMIZE_OUTPUT_FOR_C YES)
  set(DOXYGEN_HAVE_DOT NO)
  set(DOXYGEN_QUIET YES)
  set(DOXYGEN_WARN_AS_ERROR FAIL_ON_WARNINGS)
  set(DOXYGEN_DISTRIBUTE_GROUP_DOC YES)
  # Macros declare the functions of startile_lapack.h and startile_batch.h; the functions get pages, the macros do not.
  set(DOXYGEN_MACRO_EXPANSION YES)
  set(DOXYGEN_EXCLUDE_SYMBOLS STARTILE_BATCH_ENTRIES STARTILE_BATCH_TYPES STARTILE_STRIDED_* STARTILE_POINTERS_*
    STARTILE_FOUR_TYPES STARTILE_TYPES STARTILE_HERMITIAN_TYPES STARTILE_UNITARY_TYPES STARTILE_COMPLEX_TYPES
    STARTILE_ENTRY_*)
  set(DOXYGEN_USE_MDFILE_AS_MAINPAGE README.md)
  # The tree on the left is the only navigation; the layout has its order.
  set(DOXYGEN_GENERATE_TREEVIEW YES)
  set(DOXYGEN_DISABLE_INDEX YES)
  set(DOXYGEN_LAYOUT_FILE ${PROJECT_SOURCE_DIR}/cmake/doxygen-layout.xml)
  set(DOXYGEN_FILTER_PATTERNS "*.md=${PROJECT_SOURCE_DIR}/tools/docs-filter"
    "*/examples/*=${PROJECT_SOURCE_DIR}/tools/docs-filter")
  file(GLOB DOXYGEN_HTML_EXTRA_FILES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/data/*.csv)
  list(APPEND DOXYGEN_HTML_EXTRA_FILES ${PROJECT_SOURCE_DIR}/LICENSE)
  set(DOXYGEN_EXAMPLE_PATH ${PROJECT_SOURCE_DIR}/examples)
  set(DOXYGEN_EXAMPLE_RECURSIVE YES)
  set(DOXYGEN_EXCLUDE_PATTERNS */examples/numpy/compare.py */examples/numpy/sizes.py) # not examples themselves
  set(DOXYGEN_STRIP_FROM_PATH ${PROJECT_SOURCE_DIR})
  set(DOXYGEN_IMAGE_PATH ${PROJECT_SOURCE_DIR}/docs)
  set(pages README.md ARCHITECTURE.md CONTRIBUTING.md CODE_OF_CONDUCT.md SECURITY.md CHANGELOG.md docs
    perf_models/NOTES.md codelets/library/starpu_quirks.md testing/gpu-runs.md)
  list(TRANSFORM pages PREPEND ${PROJECT_SOURCE_DIR}/)
  doxygen_add_docs(docs ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/examples ${pages}
                   COMMENT "HTML and man pages in ${PROJECT_BINARY_DIR}/docs")
  add_custom_command(TARGET docs POST_BUILD COMMAND ${CMAKE_COMMAND}
    -D FOLDER=${PROJECT_BINARY_DIR}/docs/man/man3 -P ${PROJECT_SOURCE_DIR}/cmake/ManPages.cmake)
  if(STARTILE_TESTS)
    add_test(NAME docs.doxygen COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target docs)
    set_tests_properties(docs.doxygen PROPERTIES LABELS docs TIMEOUT 120)
  endif()
endif()
