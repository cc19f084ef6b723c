# Writes gowarp's CMake package into OUT:
#   cmake -DVERSION=0.1.0 -DHALIDE_VERSION=21.0.0 -DOUT=DIR -P package.cmake
cmake_minimum_required(VERSION 3.28)
include(CMakePackageConfigHelpers)

string(REGEX MATCH "^[0-9]+[.][0-9]+" HALIDE_MINOR_PATTERN "${HALIDE_VERSION}")
if(NOT VERSION OR NOT OUT OR NOT HALIDE_MINOR_PATTERN)
  message(FATAL_ERROR "package.cmake: VERSION, HALIDE_VERSION and OUT are wanted")
endif()
string(REPLACE "." "[.]" HALIDE_MINOR_PATTERN "${HALIDE_MINOR_PATTERN}")

configure_file("${CMAKE_CURRENT_LIST_DIR}/gowarpConfig.cmake.in" "${OUT}/gowarpConfig.cmake" @ONLY)
# The plugin runs where the project is compiled, whatever it is compiled for.
write_basic_package_version_file("${OUT}/gowarpConfigVersion.cmake" VERSION "${VERSION}"
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
