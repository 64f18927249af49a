#!/usr/bin/env bash
# Sets Hone up on a bare Debian 12 and builds, shows or tests it. Runs again in seconds.

set -euo pipefail

#---- What must be installed: the one list (docs/Building.md gives each its reason) ----------

packages=(
  cmake ninja-build                                  # the build
  clang-22 lld-22                                    # compiler and linker: g++ will not do
  llvm-22-dev libmlir-22-dev mlir-22-tools           # LLVM and MLIR
  libeigen3-dev                                      # the matrices of the policy
  libsqlite3-dev                                     # the database of measurements
  libcurl4-openssl-dev                               # asking a language model
  llvm-22-tools clang-format-22 python3 libgtest-dev # the tests
  pkg-config                                         # the test of the package
  libclang-rt-22-dev valgrind                        # errors of memory: -DHONE_SANITIZE=ON, `memory`
  libzstd-dev zlib1g-dev                             # LLVM's own, for -DHONE_STATIC=ON
)
# `hone bench host` compares with it; test/tidy.test; answers of a language model in data/
optional_packages=(libopenblas0 clang-tidy-22 zstd)

#---- Settings ------------------------------------------------------------------------------

root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${BUILD_DIR:-$root/build}
[[ $build == /* ]] || build=$PWD/$build
llvm=${LLVM_PREFIX:-/usr/lib/llvm-22}
jobs=${JOBS:-}
# Compilers and tests allocate memory in huge pages where the kernel permits it: an eighth of
# the time of a build is page faults otherwise.
export GLIBC_TUNABLES=${GLIBC_TUNABLES:-glibc.malloc.hugetlb=1}

usage() {
  cat <<'TEXT'
usage: ./bootstrap.sh COMMAND [CMake options]

  build   install what is missing (apt-get, as root or through sudo), configure, build
  demo    build, then show a choice for an H200, a search on this CPU, and what a build gains
  test    build, then run every test; the last line is `N passed, N failed, N skipped`
  memory  look for errors of memory: the readers of untrusted text with sanitizers, in
          BUILD_DIR-sanitize, and the tests of matching under Valgrind; the same last line
  ci      test and memory; one last line for both
  docs    build, then write the op and pass reference to BUILD_DIR/docs
  help    this text

environment:
  BUILD_DIR     where to build                (default: build)
  JOBS          how many compilers at a time  (default: what cores and memory allow)
  LLVM_PREFIX   another LLVM and MLIR 22.1; nothing is installed then
                                              (default: /usr/lib/llvm-22)

CMake options, e.g. -DHONE_STATIC=ON or -DCMAKE_BUILD_TYPE=Debug, reconfigure the build;
-DCMAKE_UNITY_BUILD=OFF compiles every file by itself.
TEXT
}

# With the seconds since the start, so that a log says which step takes long.
say() { printf '==> %4d s: %s\n' "$SECONDS" "$*"; }

die() {
  printf 'bootstrap.sh: error: %s\n' "$*" >&2
  exit 1
}

#---- Steps ---------------------------------------------------------------------------------

# Prints the required packages that dpkg does not have.
missing_packages() {
  local package status
  for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    [[ $status == installed ]] || printf '%s\n' "$package"
  done
}

install_packages() {
  [[ -z ${LLVM_PREFIX:-} ]] || return 0
  local needed="Hone needs these Debian 12 packages: ${packages[*]}"
  command -v dpkg-query >/dev/null ||
    die "expected a Debian system, but found no dpkg. $needed. Set LLVM_PREFIX to use another LLVM and MLIR 22.1"

  local missing
  mapfile -t missing < <(missing_packages)
  if ((${#missing[@]} == 0)); then
    say "packages: all ${#packages[@]} are installed"
    return 0
  fi
  needed="missing Debian packages: ${missing[*]}"

  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q)
  command -v apt-get >/dev/null || die "found no apt-get to install them. $needed"
  if ((EUID != 0)); then
    command -v sudo >/dev/null || die "expected root or sudo to install packages. $needed"
    apt=(sudo "${apt[@]}")
    [[ -t 0 ]] || apt=(sudo -n "${apt[@]:1}")
  fi

  say "packages: installing ${missing[*]}"
  "${apt[@]}" update || say "packages: apt-get update failed, trying with the lists at hand"
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" ||
    die "apt-get could not install everything (Debian 12 has LLVM 22 in bookworm-security). $needed"
  "${apt[@]}" install -y --no-install-recommends "${optional_packages[@]}" ||
    say "packages: going on without the optional ${optional_packages[*]}"
}

# Eight files of a room compile as one: a third of the time. test/tidy.py compiles them singly.
# Where nobody edits and builds again, whole folders do: `folders`.
folders=()

configure() {
  if [[ -f $build/build.ninja ]] && (($# == 0)); then
    say "configure: $build is configured"
    return 0
  fi
  say "configure: $build"
  cmake -G Ninja -S "$root" -B "$build" \
    -DCMAKE_C_COMPILER="$llvm/bin/clang" -DCMAKE_CXX_COMPILER="$llvm/bin/clang++" \
    -DCMAKE_PREFIX_PATH="$llvm" -DLLVM_ENABLE_LLD=ON -DCMAKE_UNITY_BUILD=ON "${folders[@]}" "$@"
}

# As many compilers as there are cores, but 1.5 GB of memory for each.
default_jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable:/ { print int($2 / 1500000) }' /proc/meminfo 2>/dev/null || true)
  if [[ -n $memory ]] && ((memory < cores)); then cores=$memory; fi
  printf '%d\n' "$((cores > 0 ? cores : 1))"
}

# What to build, as `--target NAME...`; everything where it is empty.
targets=()

build() {
  install_packages
  configure "$@"
  [[ -n $jobs ]] || jobs=$(default_jobs)
  say "build: $build, $jobs at a time"
  cmake --build "$build" -j "$jobs" "${targets[@]}"
}

#---- Commands ------------------------------------------------------------------------------

run_docs() {
  build "$@"
  cmake --build "$build" -j "$jobs" --target mlir-doc
  say "docs: the op and pass reference is in $build/docs"
  find "$build/docs" -name '*.md' | sort
}

# Every part leaves a report here; the last line counts them all.
reports=()

# summarize STATUS: the last line, and the status of everything.
summarize() {
  local status=$1 report
  for report in "${reports[@]}"; do
    [[ -f $report ]] || die "the tests of ${report#"$root"/} did not run (status $status)"
  done
  python3 "$root/test/summary.py" "${reports[@]}" || status=1
  return "$status"
}

# run_lit NAME ARGUMENT...: runs tests that are built, with a report of that name.
run_lit() {
  local report=$build/test/$1.xml program
  shift
  program=$(command -v lit-22 || command -v llvm-lit || command -v lit) || die "found no lit"
  rm -f "$report"
  reports+=("$report")
  "$program" -sv -j "$jobs" --xunit-xml-output="$report" "$@"
}

all_tests() {
  build "$@" || return $?
  local report=$build/test/results.xml
  rm -f "$report"
  reports+=("$report")
  say "test: compiling the unit tests, then everything under test/"
  # Some tests wait for servers and timeouts: one more worker than cores.
  LIT_OPTS="-j $((jobs + 1)) --time-tests --xunit-xml-output=$report ${LIT_OPTS:-}" \
    cmake --build "$build" -j "$jobs" --target check-hone
}

# The tests of memory that every change runs; docs/Testing.md says how to run the rest.
memory_tests() {
  build "$@" || return $?
  local status=0
  say "memory: matching and verifying, under Valgrind"
  run_lit valgrind -D valgrind=1 "$build/test" \
    --filter='passes/match-(e|split|start|memref-fill)|dialects/Hone/invalid|pipeline/host' || status=$?
  local plain=$build
  build=$plain-sanitize
  say "memory: the readers of untrusted text, in $build"
  configure -DHONE_SANITIZE=ON
  cmake --build "$build" -j "$jobs" --target HoneReaderTests || return $?
  run_lit readers -D readers=1 "$build/test/unit" || status=$?
  build=$plain
  return "$status"
}

run_tests() {
  local status=0
  all_tests "$@" || status=$?
  summarize "$status"
}

run_memory() {
  local status=0
  memory_tests "$@" || status=$?
  summarize "$status"
}

run_ci() {
  local status=0
  folders=(-DHONE_UNITY_FOLDERS=ON)
  all_tests "$@" || status=$?
  memory_tests || status=$?
  summarize "$status"
}

run_demo() {
  targets=(--target hone-opt hone-tool)
  folders=(-DHONE_UNITY_FOLDERS=ON)
  build "$@"
  bash "$root/test/examples/demo.sh" "$build"
}

command=${1:-help}
(($# == 0)) || shift
case $command in
build)
  build "$@"
  say "done: $build/lib/libhone.so, $build/bin/hone-opt, $build/bin/hone"
  ;;
demo) run_demo "$@" ;;
test) run_tests "$@" ;;
memory) run_memory "$@" ;;
ci) run_ci "$@" ;;
docs) run_docs "$@" ;;
help | -h | --help) usage ;;
*)
  usage >&2
  die "expected build, demo, test, memory, ci, docs or help, but got '$command'"
  ;;
esac
