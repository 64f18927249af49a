// A matmul as hone-match leaves it, with B transposed: the input of the
// commands in README.md, docs/Rewrites.md and docs/Simulate.md.
func.func @matmul(%a: memref<768x768xf16>, %b: memref<768x768xf16>, %c: memref<768x768xf16>) {
  hone.matmul ins(%a, col %b : memref<768x768xf16>, memref<768x768xf16>) outs(%c : memref<768x768xf16>) init(zero) acc(f32)
  return
}
// RUN: %python %hone_src/test/docs/commands.py %hone_src README.md docs/KernelIR.md docs/Rewrites.md docs/Simulate.md | FileCheck %s
// CHECK: commands build kernels
