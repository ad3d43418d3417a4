#!/bin/sh
# run.sh FOLDER: other ways to build, to install and to find the library, in FOLDER. CARGO_TARGET_DIR says where cargo
# has built.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
cd "$1"
printf '#include <keylane.h>\nint main(void) { return keylane_startup(); }\n' >program.c
# Another user has no cargo.
printf '#!/bin/sh\ntest ! -e "%s/installing" && exec cargo "$@"\n' "$PWD" >cargo
chmod +x cargo
project() {
  printf 'cmake_minimum_required(VERSION 3.18)\nproject(program C)\nadd_executable(program program.c)\n'
  printf '%s\n' "$@"
}
with_cmake() {
  rm -rf program
  cmake -S . -B program -DCARGO_TARGET_DIR="$CARGO_TARGET_DIR" "$@" >log 2>&1 && cmake --build program >log 2>&1
}

# Folders that are relative or absolute. A program finds the header and the libraries by pkg-config and by CMake.
for lib in lib "$PWD/libraries"; do
  for include in include/keylane "$PWD/headers"; do
    rm -rf build installing prefix libraries headers
    cmake -S "$source" -B build -DCARGO="$PWD/cargo" -DCARGO_TARGET_DIR="$CARGO_TARGET_DIR" \
      -DCMAKE_INSTALL_PREFIX="$PWD/prefix" -DCMAKE_INSTALL_LIBDIR="$lib" -DCMAKE_INSTALL_INCLUDEDIR="$include" >log
    cmake --build build >log
    touch installing
    cmake --install build >log
    case $lib in /*) at=$lib ;; *) at=$PWD/prefix/$lib ;; esac
    export PKG_CONFIG_PATH="$at/pkgconfig" LD_LIBRARY_PATH="$at"
    cc program.c $(pkg-config --cflags --libs keylane) -o by-pkg-config
    ./by-pkg-config
    for kind in keylane static; do
      project "find_package(keylane REQUIRED COMPONENTS $kind)" "target_link_libraries(program keylane::$kind)" \
        >CMakeLists.txt
      with_cmake -Dkeylane_DIR="$at/cmake/keylane"
      program/program
    done
  done
done
project 'find_package(keylane REQUIRED COMPONENTS static nothing)' >CMakeLists.txt
with_cmake -Dkeylane_DIR="$at/cmake/keylane" && exit 1
grep -q 'keylane has no component nothing' log

# A project that the library is a part of: that of docs/c.md, and one that fetches it and links the static library.
unset LD_LIBRARY_PATH
awk '$0 == "```cmake" { block++; inside = 1; next } /^```/ { inside = 0 } inside && block == 2' \
  "$source/../../docs/c.md" >CMakeLists.txt
ln -s "$source/../.." keylane
with_cmake
program/program
# Its variables are not the library's.
project 'set(features parents)' 'set(functions "parents (")' 'include(FetchContent)' \
  'FetchContent_Declare(keylane GIT_REPOSITORY none SOURCE_SUBDIR crates/keylane-ffi)' \
  'FetchContent_MakeAvailable(keylane)' 'target_link_libraries(program keylane::static)' >CMakeLists.txt
with_cmake -DFETCHCONTENT_SOURCE_DIR_KEYLANE="$source/../.."
program/program
