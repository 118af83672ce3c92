#!/usr/bin/env bash
# run.sh BUILD_DIR: installs the build into an empty directory and builds a program against it, with
# CMake's package and with pkg-config, linked to either library.
set -euo pipefail
build=$1 here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
cmake --install "$build" --prefix "$prefix" >"$work/log" || { cat "$work/log"; exit 1; }
libdir=$(dirname "$(find "$prefix" -name libtransmute.a)")

printf '[[1. 2. 3.]\n [7. 8. 9.]]\n' >"$work/expected"
check() { # NAME COMMAND...
  local name=$1
  shift
  "$@" >"$work/printed" && cmp -s "$work/expected" "$work/printed" && echo "$name: ok" && return
  echo "$name: printed something else:"
  cat "$work/printed"
  exit 1
}

cmake -S "$here" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release >"$work/log" 2>&1 &&
  cmake --build "$work/cmake" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
check "CMake, shared" "$work/cmake/shared"
check "CMake, static" "$work/cmake/static"

# The prefix is chosen at installation: the package's file says where it is by its own place.
export PKG_CONFIG_PATH=$libdir/pkgconfig
# The flags are words of their own.
# shellcheck disable=SC2046
{
  ${CC:-cc} "$here/consumer.c" -o "$work/dynamic" $(pkg-config --cflags --libs transmute)
  ${CC:-cc} "$here/consumer.c" -o "$work/whole" $(pkg-config --cflags transmute) \
    "$libdir/libtransmute.a" $(pkg-config --libs --static transmute | sed 's/-ltransmute//')
}
check "pkg-config, shared" env LD_LIBRARY_PATH="$libdir" "$work/dynamic"
check "pkg-config, static" "$work/whole"

# The SONAME carries the version, and the program runs from where it was put.
readelf -d "$work/dynamic" | grep -q 'NEEDED.*\[libtransmute\.so\.0\.1\]' || { echo "no versioned SONAME"; exit 1; }
"$prefix/bin/transmute" ops triu >/dev/null
echo "program: ok"
