# `cmake --install` first builds the files to be installed that are missing, because tools/quickstart builds
# only the library and one example. Installation rules run in the order of their calls, so this file must be
# included before all others that install.
set(build_missing "if(NOT EXISTS \"${PROJECT_BINARY_DIR}/libstartile.a\")
  set(missing startile_static_file)
endif()
")
foreach(target startile startile_mpi startile_command startile_simulate startile_lapack_dropin
        startile_lapack64_dropin startile_scalapack_dropin)
  string(APPEND build_missing "$<$<TARGET_EXISTS:${target}>:if(NOT EXISTS \"$<TARGET_FILE:${target}>\")
  list(APPEND missing ${target})
endif()
>")
endforeach()
string(APPEND build_missing "if(missing)
  execute_process(COMMAND \"${CMAKE_COMMAND}\" --build \"${PROJECT_BINARY_DIR}\" --target \${missing}
    COMMAND_ERROR_IS_FATAL ANY)
endif()
")
install(CODE "${build_missing}")
