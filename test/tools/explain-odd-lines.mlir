// Lines whose length is odd are copied by way of registers: neither their default nor the
// sibling of a kernel of the copy engine spills, in any layout.

// REQUIRES: ptxas
// RUN: hone explain %s --arch=h200 --assemble | FileCheck %s
// RUN: hone explain %s --arch=h200 --assemble --schedule='ws, side = a, tile = 128x128x64, consumers = 2x1, stages = 6' | FileCheck %s

// CHECK-NOT: {{^ +fault }}
// CHECK: {{^matmul 4$}}
// CHECK-NOT: {{^ +fault }}
// CHECK: assembled {{.*}} 0 bytes spilled
// CHECK-NOT: {{^ +fault }}

func.func @nn(%a: memref<513x1023xf16>, %b: memref<1023x4097xf16>, %c: memref<513x4097xf16>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
                ins(%a, %b : memref<513x1023xf16>, memref<1023x4097xf16>) outs(%c : memref<513x4097xf16>)
  return
}
func.func @nt(%a: memref<513x1023xf16>, %b: memref<4097x1023xf16>, %c: memref<513x4097xf16>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
                ins(%a, %b : memref<513x1023xf16>, memref<4097x1023xf16>) outs(%c : memref<513x4097xf16>)
  return
}
func.func @tn(%a: memref<1023x513xf16>, %b: memref<1023x4097xf16>, %c: memref<513x4097xf16>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
                ins(%a, %b : memref<1023x513xf16>, memref<1023x4097xf16>) outs(%c : memref<513x4097xf16>)
  return
}
func.func @tt(%a: memref<1023x513xf16>, %b: memref<4097x1023xf16>, %c: memref<513x4097xf16>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
                ins(%a, %b : memref<1023x513xf16>, memref<4097x1023xf16>) outs(%c : memref<513x4097xf16>)
  return
}
