// DEFINE: %{remarks} = --remark-policy=all --remark-format=emitRemark --remarks-filter=hone
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-place-temporaries)' | FileCheck %s
// RUN: hone-opt %s --hone-place-temporaries %{remarks} 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-place-temporaries{arch=host})' | FileCheck %s --check-prefix=HOST

// HOST-NOT: gpu.

// CHECK-LABEL: func @chain(
func.func @chain(%a: memref<?x32xf16>, %b: memref<32x32xf16>, %c: memref<?x32xf16>, %n: index) {
  // CHECK: %[[T:.*]] = gpu.alloc (%{{.*}}) : memref<?x32xf16>
  // CHECK: hone.matmul {{.*}} outs(%[[T]] :
  // CHECK: hone.matmul ins(%[[T]], %{{.*}} :
  // CHECK: gpu.dealloc %[[T]] : memref<?x32xf16>
  %t = memref.alloc(%n) {alignment = 64 : i64} : memref<?x32xf16>
  hone.matmul ins(%a, %b : memref<?x32xf16>, memref<32x32xf16>) outs(%t : memref<?x32xf16>) init(zero) acc(f32)
  hone.matmul ins(%t, %b : memref<?x32xf16>, memref<32x32xf16>) outs(%c : memref<?x32xf16>) init(zero) acc(f32)
  memref.dealloc %t : memref<?x32xf16>
  return
}

// CHECK-LABEL: func @view(
func.func @view(%a: memref<64x32xf16>, %b: memref<32x32xf16>, %c: memref<64x32xf16>) {
  // CHECK: %[[T:.*]] = gpu.alloc () : memref<1x64x32xf16>
  // CHECK: %[[V:.*]] = memref.collapse_shape %[[T]]
  %t = memref.alloc() : memref<1x64x32xf16>
  %v = memref.collapse_shape %t [[0, 1], [2]] : memref<1x64x32xf16> into memref<64x32xf16>
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x32xf16>) outs(%v : memref<64x32xf16>) init(zero) acc(f32)
  hone.matmul ins(%v, %b : memref<64x32xf16>, memref<32x32xf16>) outs(%c : memref<64x32xf16>) init(zero) acc(f32)
  memref.dealloc %t : memref<1x64x32xf16>
  return
}

// A buffer that a loop carries.
// CHECK-LABEL: func @loop(
func.func @loop(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf16>, %n: index) {
  // CHECK: gpu.alloc () : memref<64x64xf16>
  // CHECK: gpu.alloc () : memref<64x64xf16>
  // CHECK-NOT: memref.alloc
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = memref.alloc() : memref<64x64xf16>
  %u = memref.alloc() : memref<64x64xf16>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %t, %y = %u) -> (memref<64x64xf16>, memref<64x64xf16>) {
    hone.matmul ins(%x, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%y : memref<64x64xf16>) init(zero) acc(f32)
    scf.yield %y, %x : memref<64x64xf16>, memref<64x64xf16>
  }
  hone.matmul ins(%r#0, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%c : memref<64x64xf16>) init(zero) acc(f32)
  // CHECK: gpu.dealloc
  // CHECK: gpu.dealloc
  memref.dealloc %t : memref<64x64xf16>
  memref.dealloc %u : memref<64x64xf16>
  return
}

// CHECK-LABEL: func @copy(
func.func @copy(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf16>, %d: memref<64x48xf16>) {
  // CHECK: %[[T:.*]] = gpu.alloc () : memref<64x48xf16>
  // CHECK: gpu.memcpy %[[T]], %{{.*}} : memref<64x48xf16>, memref<64x48xf16>
  // CHECK: hone.matmul
  // CHECK: gpu.memcpy %{{.*}}, %[[T]] : memref<64x48xf16>, memref<64x48xf16>
  %t = memref.alloc() : memref<64x48xf16>
  memref.copy %c, %t : memref<64x48xf16> to memref<64x48xf16>
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%t : memref<64x48xf16>) init(read) acc(f32)
  memref.copy %t, %d : memref<64x48xf16> to memref<64x48xf16>
  memref.dealloc %t : memref<64x48xf16>
  return
}

// CHECK-LABEL: func @shared_with_host(
func.func @shared_with_host(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %s: f16) -> f16 {
  // CHECK: gpu.alloc host_shared () : memref<64x48xf16>
  // REMARK: [Missed] host-shared | Category:hone | Function=shared_with_host | Remark="buffer shared with the host, because 'memref.load' may touch it"
  %c0 = arith.constant 0 : index
  %t = memref.alloc() : memref<64x48xf16>
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%t : memref<64x48xf16>) init(zero) acc(f32)
  %x = memref.load %t[%c0, %c0] : memref<64x48xf16>
  memref.dealloc %t : memref<64x48xf16>
  return %x : f16
}

// CHECK-LABEL: func @returned(
func.func @returned(%a: memref<64x32xf16>, %b: memref<32x48xf16>) -> memref<64x48xf16> {
  // CHECK: gpu.alloc host_shared () : memref<64x48xf16>
  // REMARK: Function=returned | Remark="buffer shared with the host, because 'func.return' may touch it"
  %t = memref.alloc() : memref<64x48xf16>
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%t : memref<64x48xf16>) init(zero) acc(f32)
  return %t : memref<64x48xf16>
}

// No matmul, no change.
// CHECK-LABEL: func @host_only(
func.func @host_only() {
  // CHECK: memref.alloc
  // CHECK: memref.dealloc
  %t = memref.alloc() : memref<64x48xf16>
  memref.dealloc %t : memref<64x48xf16>
  return
}
