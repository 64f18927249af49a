// DEFINE: %{remarks} = --remark-policy=all --remark-format=emitRemark --remarks-filter=hone
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-place-buffers)' | FileCheck %s
// RUN: hone-opt %s --hone-place-buffers %{remarks} 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-place-buffers{arch=host})' | FileCheck %s --check-prefix=HOST

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

// A result is on the device, as the function says.
// CHECK-LABEL: func @returned(
// CHECK-SAME: attributes {hone.memory = {arguments = "device", results = "device"}}
func.func @returned(%a: memref<64x32xf16>, %b: memref<32x48xf16>) -> memref<64x48xf16> {
  // CHECK: gpu.alloc () : memref<64x48xf16>
  %t = memref.alloc() : memref<64x48xf16>
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%t : memref<64x48xf16>) init(zero) acc(f32)
  return %t : memref<64x48xf16>
}

// So is one that only host code writes.
// CHECK-LABEL: func @filled(
// CHECK-SAME: attributes {hone.memory = {results = "device"}}
func.func @filled(%x: f32) -> memref<8xf32> {
  // CHECK: %[[T:.*]] = gpu.alloc host_shared () : memref<8xf32>
  // CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[T]] :
  %t = memref.alloc() : memref<8xf32>
  linalg.fill ins(%x : f32) outs(%t : memref<8xf32>)
  return %t : memref<8xf32>
}

// A buffer of host code alone stays on the host.
// CHECK-LABEL: func @host_only(
// CHECK-NOT: hone.memory
func.func @host_only(%x: f32) {
  // CHECK: %[[T:.*]] = memref.alloc
  // CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[T]] :
  // CHECK: memref.dealloc %[[T]]
  %t = memref.alloc() : memref<64x48xf32>
  linalg.fill ins(%x : f32) outs(%t : memref<64x48xf32>)
  memref.dealloc %t : memref<64x48xf32>
  return
}

// The host reads an argument that a kernel reads too: a copy, made where it is
// first needed, through the same view.
// CHECK-LABEL: func @reads_argument(
// CHECK-SAME: %[[A:[a-z0-9]*]]: memref<2x32x32xf16>
func.func @reads_argument(%a: memref<2x32x32xf16>, %b: memref<32x32xf16>, %c: memref<64x32xf16>) -> f16 {
  %c0 = arith.constant 0 : index
  %v = memref.collapse_shape %a [[0, 1], [2]] : memref<2x32x32xf16> into memref<64x32xf16>
  // CHECK: %[[T:.*]] = memref.alloc() : memref<2x32x32xf16>
  // CHECK: gpu.memcpy %[[T]], %[[A]]
  // CHECK: %[[OWN:.*]] = memref.collapse_shape %[[A]]
  // CHECK: %[[COPY:.*]] = memref.collapse_shape %[[T]]
  // CHECK: hone.matmul ins(%[[OWN]], %{{.*}} :
  hone.matmul ins(%v, %b : memref<64x32xf16>, memref<32x32xf16>) outs(%c : memref<64x32xf16>) init(zero) acc(f32)
  // CHECK: memref.load %[[COPY]]
  // REMARK: copied | Category:hone | Function=reads_argument | Remark="works on a copy on the host of a buffer on the device"
  %x = memref.load %v[%c0, %c0] : memref<64x32xf16>
  // CHECK: memref.dealloc %[[T]]
  // CHECK-NEXT: return
  return %x : f16
}

// An argument that the host changes is worked on in shared memory.
// CHECK-LABEL: func @changes_argument(
// CHECK-SAME: %[[C:[a-z0-9]*]]: memref<?x32xf32>)
func.func @changes_argument(%a: memref<?x32xf16>, %b: memref<32x32xf16>, %x: f32, %c: memref<?x32xf32>) {
  // CHECK: %[[N:.*]] = memref.dim %[[C]]
  // CHECK: %[[T:.*]] = gpu.alloc host_shared (%[[N]]) : memref<?x32xf32>
  // CHECK: gpu.memcpy %[[T]], %[[C]]
  // CHECK: linalg.fill {{.*}} outs(%[[T]] :
  linalg.fill ins(%x : f32) outs(%c : memref<?x32xf32>)
  // CHECK: hone.matmul {{.*}} outs(%[[T]] :
  hone.matmul ins(%a, %b : memref<?x32xf16>, memref<32x32xf16>) outs(%c : memref<?x32xf32>) init(read) acc(f32)
  // CHECK: gpu.memcpy %[[C]], %[[T]]
  // CHECK: gpu.dealloc %[[T]]
  // CHECK-NEXT: return
  return
}

// Kernels read a constant where it is loaded once, outside of the loop.
memref.global "private" constant @weights : memref<32x32xf16> = dense<0.5>
// CHECK-LABEL: func @constant(
func.func @constant(%a: memref<64x32xf16>, %c: memref<64x32xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[T:.*]] = hone.constant @weights : memref<32x32xf16>
  // CHECK-NOT: gpu.memcpy
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 {
    %w = memref.get_global @weights : memref<32x32xf16>
    // CHECK: hone.matmul ins(%{{.*}}, %[[T]] :
    hone.matmul ins(%a, %w : memref<64x32xf16>, memref<32x32xf16>) outs(%c : memref<64x32xf16>) init(read) acc(f32)
  }
  // CHECK-NOT: gpu.dealloc
  // CHECK: return
  return
}

// The host reads the same constant in its own memory.
// CHECK-LABEL: func @constant_on_both_sides(
func.func @constant_on_both_sides(%a: memref<64x32xf16>, %c: memref<64x32xf16>) -> f16 {
  %c0 = arith.constant 0 : index
  // CHECK: %[[T:.*]] = hone.constant @weights : memref<32x32xf16>
  // CHECK: %[[W:.*]] = memref.get_global @weights
  %w = memref.get_global @weights : memref<32x32xf16>
  // CHECK-NOT: gpu.memcpy
  // CHECK: hone.matmul ins(%{{.*}}, %[[T]] :
  hone.matmul ins(%a, %w : memref<64x32xf16>, memref<32x32xf16>) outs(%c : memref<64x32xf16>) init(read) acc(f32)
  // CHECK: memref.load %[[W]]
  %x = memref.load %w[%c0, %c0] : memref<32x32xf16>
  return %x : f16
}

// A buffer that starts as a constant is copied on the device.
// CHECK-LABEL: func @starts_as_constant(
func.func @starts_as_constant(%a: memref<32x32xf16>) -> memref<32x32xf16> {
  // CHECK: %[[W:.*]] = hone.constant @weights
  // CHECK: %[[T:.*]] = gpu.alloc () : memref<32x32xf16>
  // CHECK: gpu.memcpy %[[T]], %[[W]]
  %w = memref.get_global @weights : memref<32x32xf16>
  %t = memref.alloc() : memref<32x32xf16>
  memref.copy %w, %t : memref<32x32xf16> to memref<32x32xf16>
  hone.matmul ins(%a, %a : memref<32x32xf16>, memref<32x32xf16>) outs(%t : memref<32x32xf16>) init(read) acc(f32)
  return %t : memref<32x32xf16>
}

// A global that may change is copied in each call.
memref.global "private" @state : memref<32x32xf16> = dense<0.5>
// CHECK-LABEL: func @changing(
func.func @changing(%a: memref<64x32xf16>, %c: memref<64x32xf16>) {
  // CHECK: memref.get_global @state
  // CHECK: gpu.memcpy
  // CHECK-NOT: hone.constant
  // CHECK: return
  %w = memref.get_global @state : memref<32x32xf16>
  hone.matmul ins(%a, %w : memref<64x32xf16>, memref<32x32xf16>) outs(%c : memref<64x32xf16>) init(read) acc(f32)
  return
}

// The result of a function of the module is on the device; the host reads a
// copy of it.
// CHECK-LABEL: func @caller(
func.func @caller(%a: memref<64x32xf16>, %b: memref<32x48xf16>) -> f16 {
  %c0 = arith.constant 0 : index
  // CHECK: %[[R:.*]] = call @returned
  // CHECK: %[[T:.*]] = memref.alloc() : memref<64x48xf16>
  // CHECK: gpu.memcpy %[[T]], %[[R]]
  %r = call @returned(%a, %b) : (memref<64x32xf16>, memref<32x48xf16>) -> memref<64x48xf16>
  // CHECK: memref.load %[[T]]
  %x = memref.load %r[%c0, %c0] : memref<64x48xf16>
  // CHECK: gpu.dealloc %[[R]]
  memref.dealloc %r : memref<64x48xf16>
  return %x : f16
}

// A function that the module does not define is host code.
func.func private @print(memref<*xf16>)
// CHECK-LABEL: func @prints(
func.func @prints(%a: memref<64x32xf16>, %b: memref<32x48xf16>) {
  // CHECK: gpu.alloc host_shared () : memref<64x48xf16>
  %t = memref.alloc() : memref<64x48xf16>
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%t : memref<64x48xf16>) init(zero) acc(f32)
  %u = memref.cast %t : memref<64x48xf16> to memref<*xf16>
  call @print(%u) : (memref<*xf16>) -> ()
  memref.dealloc %t : memref<64x48xf16>
  return
}

// A stack allocation that a kernel uses.
// CHECK-LABEL: func @stack(
func.func @stack(%a: memref<64x32xf16>, %b: memref<32x32xf16>, %c: memref<64x32xf16>) {
  // CHECK: %[[T:.*]] = gpu.alloc () : memref<64x32xf16>
  // CHECK-NOT: memref.alloca
  %t = memref.alloca() : memref<64x32xf16>
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x32xf16>) outs(%t : memref<64x32xf16>) init(zero) acc(f32)
  hone.matmul ins(%t, %b : memref<64x32xf16>, memref<32x32xf16>) outs(%c : memref<64x32xf16>) init(zero) acc(f32)
  // CHECK: gpu.dealloc %[[T]]
  return
}

// A buffer that is only copied is on the device if the other side of a copy is,
// and no other buffer is moved with it.
// CHECK-LABEL: func @only_copied(
func.func @only_copied(%a: memref<8xf32>, %b: memref<8xf32>, %x: f32) {
  // CHECK: %[[D:.*]] = gpu.alloc () : memref<8xf32>
  // CHECK: gpu.memcpy %[[D]], %{{.*}}
  // CHECK: gpu.memcpy %{{.*}}, %[[D]]
  %d = memref.alloc() : memref<8xf32>
  memref.copy %a, %d : memref<8xf32> to memref<8xf32>
  memref.copy %d, %b : memref<8xf32> to memref<8xf32>
  memref.dealloc %d : memref<8xf32>
  // CHECK: %[[S:.*]] = memref.alloc() : memref<8xf32>
  // CHECK: %[[T:.*]] = memref.alloc() : memref<8xf32>
  // CHECK: memref.copy %[[S]], %[[T]]
  %s = memref.alloc() : memref<8xf32>
  linalg.fill ins(%x : f32) outs(%s : memref<8xf32>)
  %t = memref.alloc() : memref<8xf32>
  memref.copy %s, %t : memref<8xf32> to memref<8xf32>
  memref.dealloc %s : memref<8xf32>
  memref.dealloc %t : memref<8xf32>
  return
}
