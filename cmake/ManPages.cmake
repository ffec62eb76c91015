# cmake -D FOLDER=man3 -P ManPages.cmake: completes the man pages of Doxygen.
# - Doxygen 1.9 does not escape a quote at the beginning of a line, and man does not show such a line.
# - Doxygen 1.9 ends a @brief of @copydoc with a line break inside a quoted argument, and man shows the closing quote.
# - A man page for each function shows the page of the function's group. Doxygen's own links (MAN_LINKS) would show the
#   page of the whole header.
file(GLOB pages "${FOLDER}/*.3startile")
foreach(page ${pages})
  get_filename_component(name "${page}" NAME)
  file(READ "${page}" text)
  string(REGEX REPLACE "\n'" "\n\\\\&'" text "${text}")
  string(REPLACE "\n.br\n \"\n" "\"\n" text "${text}")
  file(WRITE "${page}" "${text}")
  if(NOT name MATCHES "^md_|\\.h\\.3startile$")
    string(REGEX MATCHALL "startile_[a-z0-9_]+(\\\\fP)? \\(" functions "${text}")
    foreach(function ${functions})
      string(REGEX MATCH "^[a-z0-9_]+" function "${function}")
      file(WRITE "${FOLDER}/${function}.3startile" ".so man3/${name}\n")
    endforeach()
  endif()
endforeach()
