// `arguments=host`: public functions take and give memory of the host.
// RUN: hone-opt %s --hone-place-buffers=arguments=host | FileCheck %s
// RUN: not hone-opt %s --hone-place-buffers=arguments=gpu 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: expected arguments to be device or host, but got 'gpu'

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

// What never leaves the host stays as it is.
// CHECK-LABEL: func @host_code(
func.func @host_code(%c: memref<64xf32>, %x: f32) -> memref<64xf32> {
  // CHECK-NOT: gpu.
  linalg.fill ins(%x : f32) outs(%c : memref<64xf32>)
  %t = memref.alloc() : memref<64xf32>
  memref.copy %c, %t : memref<64xf32> to memref<64xf32>
  return %t : memref<64xf32>
}

// Private functions are called with what is on the device.
// CHECK-LABEL: func private @inner(
// CHECK-SAME: arguments = "device"
func.func private @inner(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf16>) {
  // CHECK-NOT: gpu.
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf16>) init(zero) acc(f32)
  return
}
