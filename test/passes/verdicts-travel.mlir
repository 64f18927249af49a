// A kernel is the same for memory whose strides are known and for memory whose strides are not: the
// plan asks for them, and for properties of C that types do not state. So a verdict of a search,
// where no stride is known, counts in a program with known strides.

// DEFINE: %{schedule} =
// DEFINE: %{kernels} = hone-opt --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel=fallback=false --canonicalize
// DEFINE: %{recall} = hone-opt --remark-policy=all --remark-format=emitRemark --remarks-filter=hone --hone-recall-verdicts

// RUN: split-file %s %t
// REDEFINE: %{schedule} = ws, tile = 128x128x64
// RUN: %{kernels} %t/unknown.mlir | %{recall}="database=%t/db prove" -o /dev/null 2>&1 | count 0
// RUN: %{kernels} %t/known.mlir | %{recall}="database=%t/db" -o /dev/null 2>&1 | count 0
// RUN: %{kernels} %t/batches.mlir | %{recall}="database=%t/db prove" -o /dev/null 2>&1 | count 0
// RUN: %{kernels} %t/known-batches.mlir | %{recall}="database=%t/db" -o /dev/null 2>&1 | count 0
// Another kernel has another verdict.
// REDEFINE: %{schedule} = ws, tile = 128x128x64, stages = 3
// RUN: %{kernels} %t/known.mlir | %{recall}="database=%t/db" -o /dev/null 2>&1 | FileCheck %s
// CHECK: remark: [Missed] not-proven

//--- unknown.mlir
func.func @f(%a: memref<?x?xf16, strided<[?, 1]>>, %b: memref<?x?xf16, strided<[?, 1]>>, %c: memref<?x?xf16, strided<[?, 1]>>) {
  hone.matmul ins(%a, %b : memref<?x?xf16, strided<[?, 1]>>, memref<?x?xf16, strided<[?, 1]>>) outs(%c : memref<?x?xf16, strided<[?, 1]>>) init(zero) acc(f32)
  return
}

//--- known.mlir
func.func @g(%a: memref<1024x512xf16>, %b: memref<512x768xf16>, %c: memref<1024x768xf16>) {
  hone.matmul ins(%a, %b : memref<1024x512xf16>, memref<512x768xf16>) outs(%c : memref<1024x768xf16>) init(zero) acc(f32)
  return
}

//--- batches.mlir
func.func @f(%a: memref<?x?x?xf16, strided<[?, ?, 1]>>, %b: memref<?x?x?xf16, strided<[?, ?, 1]>>, %c: memref<?x?x?xf16, strided<[?, ?, 1]>>) {
  hone.matmul ins(%a, %b : memref<?x?x?xf16, strided<[?, ?, 1]>>, memref<?x?x?xf16, strided<[?, ?, 1]>>) outs(%c : memref<?x?x?xf16, strided<[?, ?, 1]>>) init(zero) acc(f32)
  return
}

//--- known-batches.mlir
func.func @g(%a: memref<4x1024x512xf16>, %b: memref<4x512x768xf16>, %c: memref<4x1024x768xf16>) {
  hone.matmul ins(%a, %b : memref<4x1024x512xf16>, memref<4x512x768xf16>) outs(%c : memref<4x1024x768xf16>) init(zero) acc(f32)
  return
}
