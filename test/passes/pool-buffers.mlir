// RUN: mlir-opt %plugin %s --split-input-file --pass-pipeline='builtin.module(hone-pool-buffers,canonicalize,cse)' | FileCheck %s --check-prefixes=CHECK,OWN
// RUN: hone-opt %s --split-input-file --hone-pool-buffers=workspace=argument --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,TAKEN
// RUN: hone-opt %s --split-input-file --hone-pool-buffers=arch=host | FileCheck %s --check-prefix=HOST
// HOST-NOT: memref.view
// HOST-NOT: _workspace

!h = memref<64x64xf16>
!s = memref<64x64xf32>

// The first and the third buffer are never in use at once; the second is in use with both.
// CHECK-LABEL: func @takes_turns(
// OWN-SAME: %{{.*}}: memref<64x64xf16>) attributes
// TAKEN-SAME: %[[POOL:[^:]*]]: memref<24576xi8> {hone.workspace}) attributes
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C16:.*]] = arith.constant 16384 : index
// OWN: %[[POOL:.*]] = gpu.alloc () : memref<24576xi8>
func.func @takes_turns(%a: !h, %r: !h) attributes {hone.memory = {arguments = "device"}} {
  // CHECK: %[[X:.*]] = memref.view %[[POOL]][%[[C16]]][] : memref<24576xi8> to memref<64x64xf16>
  // CHECK: %[[Y:.*]] = memref.view %[[POOL]][%[[C0]]][] : memref<24576xi8> to memref<64x64xf32>
  // CHECK: hone.matmul {{.*}} outs(%[[X]] :
  // CHECK: hone.matmul ins(%[[X]], {{.*}} outs(%[[Y]] :
  // CHECK: hone.matmul {{.*}} outs(%[[X]] :
  // CHECK: hone.matmul ins(%[[X]], %[[X]] {{.*}} outs(%[[Y]] :
  %x = gpu.alloc () : !h
  %y = gpu.alloc () : !s
  %z = gpu.alloc () : !h
  hone.matmul ins(%a, %a : !h, !h) outs(%x : !h) init(zero) acc(f32)
  hone.matmul ins(%x, %a : !h, !h) outs(%y : !s) init(zero) acc(f32)
  hone.matmul ins(%a, %a : !h, !h) outs(%z : !h) init(zero) acc(f32)
  hone.matmul ins(%z, %z : !h, !h) outs(%y : !s) init(read) acc(f32)
  gpu.memcpy %r, %z : !h, !h
  // CHECK: gpu.memcpy
  // OWN: gpu.dealloc %[[POOL]]
  // TAKEN-NOT: gpu.dealloc
  // CHECK-NEXT: return
  gpu.dealloc %x : !h
  gpu.dealloc %y : !s
  gpu.dealloc %z : !h
  return
}
// OWN-NOT: _workspace
// TAKEN-LABEL: func @takes_turns_workspace(
// TAKEN-SAME: memref<64x64xf16>, %{{.*}}: memref<64x64xf16>) -> i64
// TAKEN: %[[BYTES:.*]] = arith.constant 24576 : i64
// TAKEN: return %[[BYTES]]

// -----

!h = memref<64x64xf16>

// Both are in use in the product that reads one and writes the other, so they lie side by side.
// CHECK-LABEL: func @chains(
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8192 : index
// CHECK: memref.view %{{.*}}[%[[C0]]][] : memref<16384xi8> to memref<64x64xf16>
// CHECK: memref.view %{{.*}}[%[[C8]]][] : memref<16384xi8> to memref<64x64xf16>
func.func @chains(%a: !h, %r: !h) attributes {hone.memory = {arguments = "device"}} {
  %x = gpu.alloc () : !h
  %y = gpu.alloc () : !h
  hone.matmul ins(%a, %a : !h, !h) outs(%x : !h) init(zero) acc(f32)
  hone.matmul ins(%x, %a : !h, !h) outs(%y : !h) init(zero) acc(f32)
  hone.matmul ins(%y, %a : !h, !h) outs(%r : !h) init(zero) acc(f32)
  gpu.dealloc %x : !h
  gpu.dealloc %y : !h
  return
}

// -----

!h = memref<64x64xf16>

// A buffer used in a loop is in use in all iterations, one made in an iteration in that one alone.
// CHECK-LABEL: func @loops(
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8192 : index
// CHECK: memref.view %[[POOL:.*]][%[[C0]]][] : memref<16384xi8>
// CHECK: scf.for
// CHECK: memref.view %[[POOL]][%[[C8]]][] : memref<16384xi8>
func.func @loops(%a: !h, %r: !h, %n: index) attributes {hone.memory = {arguments = "device"}} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %x = gpu.alloc () : !h
  hone.matmul ins(%a, %a : !h, !h) outs(%x : !h) init(zero) acc(f32)
  scf.for %i = %zero to %n step %one {
    %y = gpu.alloc () : !h
    hone.matmul ins(%x, %a : !h, !h) outs(%y : !h) init(zero) acc(f32)
    hone.matmul ins(%y, %a : !h, !h) outs(%r : !h) init(read) acc(f32)
    gpu.dealloc %y : !h
  }
  gpu.dealloc %x : !h
  return
}

// -----

!h = memref<?x64xf16>

// The sizes that arguments determine are computed when the function begins. The first
// and the third buffer share a slot, which is as large as the larger one.
// CHECK-LABEL: func @opens(
// TAKEN-SAME: memref<?xi8> {hone.workspace})
// CHECK: %[[N:.*]] = memref.dim
// CHECK: %[[SLOT:.*]] = arith.maxui
// OWN: gpu.alloc (%{{.*}}) : memref<?xi8>
// CHECK: memref.view %{{.*}}[%[[ZERO:.*]]][%[[N]]] : memref<?xi8> to memref<?x64xf16>
// CHECK: memref.view %{{.*}}[%[[SLOT]]][%[[N]]] : memref<?xi8> to memref<?x64xf16>
// CHECK: memref.view %{{.*}}[%[[ZERO]]][%{{.*}}] : memref<?xi8> to memref<?x64xf16>
func.func @opens(%a: !h, %b: memref<64x64xf16>, %r: !h) attributes {hone.memory = {arguments = "device"}} {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %n = memref.dim %a, %zero : !h
  %twice = arith.muli %n, %two : index
  %x = gpu.alloc (%n) : !h
  %y = gpu.alloc (%n) : !h
  %z = gpu.alloc (%twice) : !h
  hone.matmul ins(%a, %b : !h, memref<64x64xf16>) outs(%x : !h) init(zero) acc(f32)
  hone.matmul ins(%x, %b : !h, memref<64x64xf16>) outs(%y : !h) init(zero) acc(f32)
  hone.matmul ins(%y, %b : !h, memref<64x64xf16>) outs(%z : !h) init(zero) acc(f32)
  hone.matmul ins(%z, %b : !h, memref<64x64xf16>) outs(%r : !h) init(zero) acc(f32)
  gpu.dealloc %x : !h
  gpu.dealloc %y : !h
  gpu.dealloc %z : !h
  return
}
// TAKEN-LABEL: func @opens_workspace(
// TAKEN: memref.dim %arg0
// TAKEN: arith.maxui
// TAKEN: return %{{.*}} : i64

// -----

!h = memref<64x64xf16>

// A result is the caller's, memory that the host shares is not ordered by the stream, and a size
// that the device or the host computes is not known in time.
// CHECK-LABEL: func @keeps(
// CHECK: gpu.alloc () : memref<64x64xf16>
// CHECK: gpu.alloc host_shared () : memref<64x64xf16>
// CHECK: gpu.alloc (%{{.*}}) : memref<?x64xf16>
// CHECK-NOT: gpu.alloc
// CHECK: return
func.func @keeps(%a: !h, %i: memref<index>) -> !h attributes {hone.memory = {arguments = "device", results = "device"}} {
  %x = gpu.alloc () : !h
  %y = gpu.alloc host_shared () : !h
  %n = memref.load %i[] : memref<index>
  %z = gpu.alloc (%n) : memref<?x64xf16>
  hone.matmul ins(%a, %a : !h, !h) outs(%y : !h) init(zero) acc(f32)
  hone.matmul ins(%y, %a : !h, !h) outs(%x : !h) init(zero) acc(f32)
  gpu.dealloc %y : !h
  gpu.dealloc %z : memref<?x64xf16>
  return %x : !h
}

// -----

!h = memref<64x64xf16>

// The pool of a function that is called is part of the caller's, and in use when it is called.
// CHECK-LABEL: func private @inner(
// CHECK-SAME: %[[POOL:[^:]*]]: memref<16384xi8> {hone.workspace})
// CHECK-NOT: gpu.alloc
func.func private @inner(%a: !h, %r: !h) attributes {hone.memory = {arguments = "device"}} {
  %x = gpu.alloc () : !h
  %y = gpu.alloc () : !h
  hone.matmul ins(%a, %a : !h, !h) outs(%x : !h) init(zero) acc(f32)
  hone.matmul ins(%x, %a : !h, !h) outs(%y : !h) init(zero) acc(f32)
  hone.matmul ins(%y, %a : !h, !h) outs(%r : !h) init(zero) acc(f32)
  gpu.dealloc %x : !h
  gpu.dealloc %y : !h
  return
}

// CHECK-LABEL: func @outer(
// TAKEN-SAME: %[[OUTER:[^:]*]]: memref<24576xi8> {hone.workspace}
// OWN: %[[OUTER:.*]] = gpu.alloc () : memref<24576xi8>
// CHECK: memref.view %[[OUTER]][%[[KEPT:.*]]][] : memref<24576xi8> to memref<64x64xf16>
// CHECK: %[[INNER:.*]] = memref.view %[[OUTER]][%{{.*}}][] : memref<24576xi8> to memref<16384xi8>
// CHECK-NEXT: call @inner(%{{.*}}, %{{.*}}, %[[INNER]])
func.func @outer(%a: !h, %r: !h) attributes {hone.memory = {arguments = "device"}} {
  %x = gpu.alloc () : !h
  hone.matmul ins(%a, %a : !h, !h) outs(%x : !h) init(zero) acc(f32)
  call @inner(%x, %r) : (!h, !h) -> ()
  hone.matmul ins(%x, %x : !h, !h) outs(%r : !h) init(read) acc(f32)
  gpu.dealloc %x : !h
  return
}

// -----

!h = memref<64x64xf16>

// A public function that takes a workspace gets one wherever it is called, if need be of its own.
// CHECK-LABEL: func @open_inner(
func.func @open_inner(%a: memref<?x64xf16>, %b: !h, %r: memref<?x64xf16>) attributes {hone.memory = {arguments = "device"}} {
  %zero = arith.constant 0 : index
  %n = memref.dim %a, %zero : memref<?x64xf16>
  %x = gpu.alloc (%n) : memref<?x64xf16>
  hone.matmul ins(%a, %b : memref<?x64xf16>, !h) outs(%x : memref<?x64xf16>) init(zero) acc(f32)
  hone.matmul ins(%x, %b : memref<?x64xf16>, !h) outs(%r : memref<?x64xf16>) init(zero) acc(f32)
  gpu.dealloc %x : memref<?x64xf16>
  return
}
// CHECK-LABEL: func @open_outer(
// TAKEN: %[[BYTES:.*]] = call @open_inner_workspace(
// TAKEN: %[[SIZE:.*]] = arith.index_cast %[[BYTES]]
// TAKEN: %[[FRESH:.*]] = gpu.alloc (%[[SIZE]]) : memref<?xi8>
// TAKEN: call @open_inner({{.*}}, %[[FRESH]])
// TAKEN: gpu.dealloc %[[FRESH]]
// OWN: call @open_inner(
// OWN-NOT: gpu.dealloc
func.func @open_outer(%a: memref<?x64xf16>, %b: !h, %r: memref<?x64xf16>) attributes {hone.memory = {arguments = "device"}} {
  call @open_inner(%a, %b, %r) : (memref<?x64xf16>, !h, memref<?x64xf16>) -> ()
  return
}
