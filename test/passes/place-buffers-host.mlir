// `arguments=host`: public functions take and give memory of the host.
// RUN: hone-opt %s --hone-place-buffers=arguments=host | FileCheck %s
// RUN: not hone-opt %s --hone-place-buffers=arguments=gpu 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: option 'arguments': expected one of device, host, but got 'gpu'

// CHECK-LABEL: func @copies_in_and_out(
// CHECK-SAME: %[[A:[a-z0-9]*]]: memref<64x32xf16>, %[[B:[a-z0-9]*]]: memref<32x48xf16>)
// CHECK-SAME: attributes {hone.memory = {arguments = "host", results = "host"}}
func.func @copies_in_and_out(%a: memref<64x32xf16>, %b: memref<32x48xf16>) -> memref<64x48xf16> {
  // CHECK-DAG: gpu.memcpy %[[DA:.*]], %[[A]]
  // CHECK-DAG: gpu.memcpy %[[DB:.*]], %[[B]]
  // CHECK: hone.matmul ins(%[[DA]], %[[DB]] : {{.*}} outs(%[[T:.*]] :
  %t = memref.alloc() : memref<64x48xf16>
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%t : memref<64x48xf16>) init(zero) acc(f32)
  // CHECK: %[[R:.*]] = memref.alloc() : memref<64x48xf16>
  // CHECK: gpu.memcpy %[[R]], %[[T]]
  // CHECK: gpu.dealloc %[[T]]
  // CHECK: return %[[R]]
  return %t : memref<64x48xf16>
}

// An argument that a kernel changes is copied back.
// CHECK-LABEL: func @changes(
// CHECK-SAME: %[[C:[a-z0-9]*]]: memref<64x48xf32>)
func.func @changes(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>) {
  // CHECK: gpu.memcpy %[[T:.*]], %[[C]]
  // CHECK: hone.matmul {{.*}} outs(%[[T]] :
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>) init(read) acc(f32)
  // CHECK: gpu.memcpy %[[C]], %[[T]]
  return
}

// A buffer that never leaves the host stays as it is.
// CHECK-LABEL: func @host_code(
func.func @host_code(%c: memref<64xf32>, %x: f32) -> memref<64xf32> {
  // CHECK-NOT: gpu.
  linalg.fill ins(%x : f32) outs(%c : memref<64xf32>)
  %t = memref.alloc() : memref<64xf32>
  memref.copy %c, %t : memref<64xf32> to memref<64xf32>
  return %t : memref<64xf32>
}

// Private functions are called with buffers on the device.
// CHECK-LABEL: func private @inner(
// CHECK-SAME: arguments = "device"
func.func private @inner(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf16>) {
  // CHECK-NOT: gpu.
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf16>) init(zero) acc(f32)
  return
}

// One buffer may be several results: it is copied for each, and freed once.
// CHECK-LABEL: func @returns_twice(
func.func @returns_twice(%a: memref<64x32xf16>, %b: memref<32x48xf16>) -> (memref<64x48xf16>, memref<64x48xf16>) {
  // CHECK: outs(%[[T:.*]] :
  %t = memref.alloc() : memref<64x48xf16>
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%t : memref<64x48xf16>) init(zero) acc(f32)
  // CHECK: gpu.memcpy %[[R:.*]], %[[T]]
  // CHECK-NOT: gpu.dealloc %[[T]]
  // CHECK: gpu.memcpy %[[S:.*]], %[[T]]
  // CHECK: gpu.dealloc %[[T]]
  // CHECK-NOT: gpu.dealloc %[[T]]
  // CHECK: return %[[R]], %[[S]]
  return %t, %t : memref<64x48xf16>, memref<64x48xf16>
}

// Two results may be one buffer on one of two ways.
// CHECK-LABEL: func @may_return_twice(
func.func @may_return_twice(%a: memref<64x64xf16>, %p: i1) -> (memref<64x64xf16>, memref<64x64xf16>) {
  %t = memref.alloc() : memref<64x64xf16>
  %u = memref.alloc() : memref<64x64xf16>
  hone.matmul ins(%a, %a : memref<64x64xf16>, memref<64x64xf16>) outs(%t : memref<64x64xf16>) init(zero) acc(f32)
  hone.matmul ins(%a, %t : memref<64x64xf16>, memref<64x64xf16>) outs(%u : memref<64x64xf16>) init(zero) acc(f32)
  // CHECK: %[[V:.*]] = arith.select
  %v = arith.select %p, %t, %u : memref<64x64xf16>
  // CHECK-DAG: %[[X:.*]] = memref.extract_aligned_pointer_as_index %[[V]]
  // CHECK-DAG: %[[Y:.*]] = memref.extract_aligned_pointer_as_index %[[U:.*]] :
  // CHECK: gpu.dealloc %[[V]]
  // CHECK: %[[N:.*]] = arith.cmpi ne, %[[Y]], %[[X]]
  // CHECK: scf.if %[[N]]
  // CHECK-NEXT: gpu.dealloc %[[U]]
  return %v, %u : memref<64x64xf16>, memref<64x64xf16>
}

// The side is known where there are results alone.
// CHECK-LABEL: func @makes(
// CHECK-SAME: hone.memory = {results = "host"}
func.func @makes() -> memref<64x64xf16> {
  %t = memref.alloc() : memref<64x64xf16>
  // CHECK: hone.matmul {{.*}} outs(%[[T:.*]] :
  %w = memref.get_global @w : memref<64x64xf16>
  hone.matmul ins(%w, %w : memref<64x64xf16>, memref<64x64xf16>) outs(%t : memref<64x64xf16>) init(zero) acc(f32)
  // CHECK: gpu.memcpy %[[R:.*]], %[[T]]
  // CHECK: return %[[R]]
  return %t : memref<64x64xf16>
}
memref.global "private" constant @w : memref<64x64xf16> = dense<2.0>
