# What is installed: headers, both libraries, the program, its page and completion, and the files by
# which CMake and pkg-config find them.
include(CMakePackageConfigHelpers)

# A static library names what it needs itself: there is no target of ours where it is used.
set(link_names ffi m dl pthread)
foreach(library ${tm_optional_libraries} ${ZLIB_LIBRARY})
  get_filename_component(name ${library} NAME_WE)
  string(REGEX REPLACE "^lib" "" name ${name})
  list(APPEND link_names ${name})
endforeach()
target_link_libraries(transmute_static INTERFACE "$<INSTALL_INTERFACE:${link_names}>")
list(TRANSFORM link_names PREPEND -l OUTPUT_VARIABLE transmute_private_libs)
list(JOIN transmute_private_libs " " transmute_private_libs)

set_target_properties(transmute_shared PROPERTIES EXPORT_NAME transmute)
set_target_properties(transmute_static PROPERTIES EXPORT_NAME static)
install(TARGETS transmute_shared transmute_static EXPORT transmuteTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS transmute RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES docs/transmute.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES tools/completion.bash RENAME transmute
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(DIRECTORY include/transmute ${generated}/include/transmute
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/transmute)
install(EXPORT transmuteTargets NAMESPACE transmute:: DESTINATION ${package_dir})
configure_package_config_file(cmake/transmuteConfig.cmake.in ${generated}/transmuteConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${generated}/transmuteConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${generated}/transmuteConfig.cmake ${generated}/transmuteConfigVersion.cmake
  DESTINATION ${package_dir})
# By its own place, since the prefix is known at installation only.
set(pc_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pc_to_prefix ${pc_dir} ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH pc_to_include ${pc_dir} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(cmake/transmute.pc.in ${generated}/transmute.pc @ONLY)
install(FILES ${generated}/transmute.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
