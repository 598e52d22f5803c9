# What `cmake --install` puts where: headers, libraries, the CMake package "sstfilter", a pkg-config
# file, and the command with its man page and completion. Without RocksDB only sstfilter::core is
# there.

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sstfilter)

install(TARGETS sstfilter_core EXPORT sstfilterTargets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/filter/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(SSTFILTER_WITH_ROCKSDB)
  install(TARGETS sstfilter EXPORT sstfilterTargets)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/integration/include/
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  if(TARGET sstfilter_preload)
    # Side by side: the first finds the second in its own folder.
    install(TARGETS sstfilter_preload sstfilter_preload_policy
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
  if(TARGET sstfilter_command)
    install(TARGETS sstfilter_command)
    install(FILES ${sstfilter_man_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
            RENAME sstfilter.1)
    # bash looks for a file named after the command.
    install(FILES ${sstfilter_bash_completion} RENAME sstfilter
            DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions)
  endif()
  # Relative, so that the installed tree may be moved.
  file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/sstfilter.pc.in ${PROJECT_BINARY_DIR}/sstfilter.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/sstfilter.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

install(EXPORT sstfilterTargets NAMESPACE sstfilter:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/sstfilterConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/sstfilterConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sstfilterConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sstfilterConfig.cmake
              ${PROJECT_BINARY_DIR}/sstfilterConfigVersion.cmake
        DESTINATION ${package_dir})
