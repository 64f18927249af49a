#!/usr/bin/env bash
# What `./bootstrap.sh demo` shows once everything is built. test/examples/demo.test runs it.
# usage: demo.sh BUILD [FOLDER [TRIALS]]   FOLDER is where it writes (default: BUILD/demo)

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "$1" && pwd)
out=${2:-$build/demo}
trials=${3:-12}
example=test/examples/readme.mlir
known=test/tools/Inputs/shipped.mlir
tall=test/examples/Inputs/tall.mlir

say() { printf '\n==> %s\n' "$*"; }

# Prints a command as one would type it, then runs it.
show() {
  local word
  printf '\n$'
  for word in "$@"; do
    if [[ $word =~ ^[A-Za-z0-9_./=,:@%+-]+$ ]]; then printf ' %s' "$word"; else printf " '%s'" "$word"; fi
  done
  printf '\n'
  "$@"
}

# The loop of a consumer, in which tiles are multiplied: kernel IR, without its types.
main_loop() {
  awk '/kernel\.await/ { inside = 1 }
       inside && /kernel\./ { sub(/ : .*/, ""); sub(/^ +/, "  "); print }
       /kernel\.mma\.wait/ { exit }' "$1"
}

# Where the device code of a module starts, and one line of each kind in it.
device_code() {
  sed -n 's/.*gpu\.binary.*assembly = "//p' | sed 's/\\0A/\n/g; s/\\09/  /g' |
    awk '/^\.(version|target)|\.entry/ { print; next }
         match($0, /(cp\.async\.[a-z]+|ldmatrix|mma\.sync|wgmma[a-z.]+|bar\.sync|st\.global)/) {
           kind = substr($0, RSTART, RLENGTH)
           if (!(kind in seen)) print substr($0, 1, 100)
           seen[kind]
         }'
}

# The median of a call, from the output of `hone run`.
median() { awk '$2 == "host" { print $7, $8 }' "$1"; }

mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$root"
export PATH=$build/bin:$PATH

say "1. Schedules for an H200, with no GPU here"
show grep -v '^//' "$example"
printf '\nThis one was not measured, so the policy chooses, instead of the cost model:\n'
show hone explain "$example" --arch=h200
printf '\nThis one was measured on an H200, and Hone brings the result along:\n'
show hone explain "$known" --arch=h200
printf '\nA schedule becomes kernel IR: what the tensor cores of the first one do, again and again\n'
show hone-opt "$example" '--pass-pipeline=builtin.module(hone-match{arch=h200},one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},hone-select-schedule{arch=h200},hone-build-kernel)' -o "$out/kernel.mlir"
main_loop "$out/kernel.mlir"
printf '\nand that becomes PTX:\n'
show hone-opt "$example" '--hone-pipeline=arch=h200' -o "$out/ptx.mlir"
device_code <"$out/ptx.mlir"

say "2. A search, on this CPU: every candidate is compiled, checked and timed"
rm -f "$out/tuned.db"
printf 'A matrix of few columns, for which the default was not made:\n'
show cat "$tall"
printf '\nThe default schedule:\n'
show hone run "$tall" --arch=host | tee "$out/before"
printf '\nThe search, which ends with the choice and how much faster than the default it is:\n'
show hone tune "$tall" --arch=host --trials="$trials" --db="$out/tuned.db"
printf '\nEverything that was tried:\n'
show hone db show "$out/tuned.db"

say "3. The build that uses the result"
show hone explain "$tall" --arch=host --database="$out/tuned.db"
show hone run "$tall" --arch=host --database="$out/tuned.db" | tee "$out/after"
printf '\nA call of the function took %s before the search and takes %s now.\n' \
  "$(median "$out/before")" "$(median "$out/after")"
if command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q GPU; then
  say "4. On this GPU: compiled, checked and timed"
  show hone run "$example" --arch=native
else
  say "nvidia-smi finds no GPU, so nothing ran on one"
fi
