// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-carry-buffers)' | FileCheck %s
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-carry-buffers{arch=host})' | FileCheck %s --check-prefix=HOST

// HOST-LABEL: func @turns(
// HOST: scf.for
// HOST: memref.alloc

// CHECK-LABEL: func @turns(
// CHECK-SAME: %[[FIRST:[a-z0-9]*]]: memref<8x8xf16>
// CHECK: %[[A:.*]] = memref.alloc() : memref<8x8xf16>
// CHECK: %[[B:.*]] = memref.alloc() : memref<8x8xf16>
// CHECK: %[[R:.*]]:3 = scf.for {{.*}} iter_args(%[[X:.*]] = %[[FIRST]], %[[NEXT:.*]] = %[[A]], %[[SPARE:.*]] = %[[B]])
// CHECK-NOT: memref.alloc
// CHECK: hone.matmul ins(%[[X]], %{{.*}}) outs(%[[NEXT]] :
// CHECK: scf.yield %[[NEXT]], %[[SPARE]], %[[NEXT]]
// CHECK: memref.copy %[[R]]#0
func.func @turns(%first: memref<8x8xf16>, %w: memref<8x8xf16>, %out: memref<8x8xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %first) -> (memref<8x8xf16>) {
    %next = memref.alloc() : memref<8x8xf16>
    hone.matmul ins(%x, %w : memref<8x8xf16>, memref<8x8xf16>) outs(%next : memref<8x8xf16>) init(zero) acc(f32)
    scf.yield %next : memref<8x8xf16>
  }
  memref.copy %r, %out : memref<8x8xf16> to memref<8x8xf16>
  return
}

// The state of the iteration before the last is still in use.
// CHECK-LABEL: func @two_back(
// CHECK-NOT: memref.alloc
// CHECK: scf.for
// CHECK: memref.alloc
func.func @two_back(%first: memref<8x8xf16>, %w: memref<8x8xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %first, %y = %first) -> (memref<8x8xf16>, memref<8x8xf16>) {
    %next = memref.alloc() : memref<8x8xf16>
    hone.matmul ins(%x, %y : memref<8x8xf16>, memref<8x8xf16>) outs(%next : memref<8x8xf16>) init(zero) acc(f32)
    scf.yield %next, %x : memref<8x8xf16>, memref<8x8xf16>
  }
  return
}

// After deallocation: no iteration owns the buffers.
// CHECK-LABEL: func @owns_nothing(
// CHECK: %[[FALSE:false_[0-9]+]] = arith.constant false
// CHECK: scf.for
// CHECK: bufferization.dealloc ({{.*}}) if (%[[FALSE]])
// CHECK: scf.yield %{{.*}}, %[[FALSE]]
func.func @owns_nothing(%a: memref<8xf32>, %b: memref<8xf32>, %n: index) {
  %false = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b, %own = %false) -> (memref<8xf32>, memref<8xf32>, i1) {
    %p, %o, %s, %t = memref.extract_strided_metadata %x : memref<8xf32> -> memref<f32>, index, index, index
    %k = bufferization.dealloc (%p : memref<f32>) if (%own) retain (%y : memref<8xf32>)
    scf.yield %y, %x, %k : memref<8xf32>, memref<8xf32>, i1
  }
  return
}

// A buffer that an iteration hands on belongs to the next one.
// CHECK-LABEL: func @owns_the_next(
// CHECK: scf.for {{.*}}%[[OWN:[a-z0-9]*]] = %{{.*}}) -> (memref<?xf32>, i1)
// CHECK: bufferization.dealloc ({{.*}}) if (%[[OWN]])
func.func @owns_the_next(%a: memref<?xf32>, %n: index) {
  %false = arith.constant false
  %true = arith.constant true
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %own = %false) -> (memref<?xf32>, i1) {
    %next = memref.alloc(%n) : memref<?xf32>
    %p, %o, %s, %t = memref.extract_strided_metadata %x : memref<?xf32> -> memref<f32>, index, index, index
    bufferization.dealloc (%p : memref<f32>) if (%own)
    scf.yield %next, %true : memref<?xf32>, i1
  }
  return
}
