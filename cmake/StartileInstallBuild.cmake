# `cmake --install` first builds the files to be installed that are missing, because tools/quickstart builds
# only the library and one example. Installation rules run in the order of their calls, so this file must be
# included before all others that install.
add_custom_target(startile_installed)

# startile_install(TARGET ARGUMENT...): calls install(TARGETS TARGET ARGUMENT...). The target is built at
# installation if it is missing.
function(startile_install target)
  startile_build_for_install(${target} $<TARGET_FILE:${target}>)
  install(TARGETS ${target} ${ARGN})
endfunction()

# startile_build_for_install(TARGET FILE): builds TARGET at installation if FILE is missing.
function(startile_build_for_install target file)
  add_dependencies(startile_installed ${target})
  set_property(TARGET startile_installed APPEND PROPERTY STARTILE_FILES ${file})
endfunction()

set(files $<TARGET_GENEX_EVAL:startile_installed,$<TARGET_PROPERTY:startile_installed,STARTILE_FILES>>)
install(CODE "foreach(file IN ITEMS ${files})
  if(NOT EXISTS \"\${file}\")
    execute_process(COMMAND \"${CMAKE_COMMAND}\" --build \"${CMAKE_BINARY_DIR}\" --target startile_installed
      COMMAND_ERROR_IS_FATAL ANY)
    break()
  endif()
endforeach()")
