// The same file and the same IR give the same schedules in any order of threads: modules that
// are selected for at once, one after the other, and on their own.

// RUN: rm -f %t.db && hone db import %t.db --from=%S/../tools/db-records.jsonl
// DEFINE: %{select} = hone-select-schedule{arch=h200 database=%t.db}
// RUN: hone-opt %s --pass-pipeline='builtin.module(builtin.module(%{select}))' -o %t.parallel
// RUN: hone-opt %s --pass-pipeline='builtin.module(builtin.module(%{select}))' --mlir-disable-threading | diff %t.parallel -
// RUN: hone-opt %s --pass-pipeline='builtin.module(%{select})' | diff %t.parallel -
// RUN: FileCheck %s --input-file=%t.parallel

// Ranks that decide alike have the same digest, which needs no file of the others'.
// DEFINE: %{digest} = --remark-policy=all --remark-format=emitRemark --remarks-filter=hone 2>&1 | grep -o 'digest [0-9a-f]*'
// RUN: hone-opt %s --pass-pipeline='builtin.module(%{select})' %{digest} > %t.one
// RUN: hone db export %t.db --output=%t.mlir
// RUN: hone-opt %s --pass-pipeline='builtin.module(hone-select-schedule{arch=h200 database=%t.mlir})' %{digest} | diff %t.one -
// RUN: hone-opt %s --pass-pipeline='builtin.module(hone-select-schedule{arch=h200})' %{digest} | not diff %t.one -

// CHECK-COUNT-6: schedule(#hone.schedule<
module @a {
  func.func @f(%a: memref<512x512xf16>, %b: memref<512x512xf16>, %c: memref<512x512xf16>) {
    hone.matmul ins(%a, %b : memref<512x512xf16>, memref<512x512xf16>) outs(%c : memref<512x512xf16>) init(zero) acc(f32)
    hone.matmul ins(%a, %b : memref<512x512xf16>, memref<512x512xf16>) outs(%c : memref<512x512xf16>) init(read) acc(f32)
    return
  }
}
module @b {
  func.func @f(%a: memref<?x512xf16>, %b: memref<512x512xf16>, %c: memref<?x512xf16>) {
    hone.matmul ins(%a, %b : memref<?x512xf16>, memref<512x512xf16>) outs(%c : memref<?x512xf16>) init(zero) acc(f32)
    return
  }
}
module @c {
  func.func @f(%a: memref<600x512xf16>, %b: memref<512x512xf16>, %c: memref<600x512xf16>) {
    hone.matmul ins(%a, %b : memref<600x512xf16>, memref<512x512xf16>) outs(%c : memref<600x512xf16>) init(zero) acc(f32)
    return
  }
}
module @d {
  func.func @f(%a: memref<4096x4096xf16>, %b: memref<4096x4096xf16>, %c: memref<4096x4096xf16>) {
    hone.matmul ins(%a, %b : memref<4096x4096xf16>, memref<4096x4096xf16>) outs(%c : memref<4096x4096xf16>) init(zero) acc(f32)
    hone.matmul ins(%a, col %b : memref<4096x4096xf16>, memref<4096x4096xf16>) outs(%c : memref<4096x4096xf16>) init(zero) acc(f32)
    return
  }
}
