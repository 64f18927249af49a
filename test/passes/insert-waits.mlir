// DEFINE: %{remarks} = --remark-policy=all --remark-format=emitRemark --remarks-filter=hone
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-insert-waits)' | FileCheck %s
// RUN: hone-opt %s --hone-insert-waits %{remarks} 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: hone-opt %s --hone-insert-waits=arch=host | FileCheck %s --check-prefix=HOST
// HOST-NOT: hone.wait

!s = memref<64x64xf32>
!h = memref<64x64xf16>

// CHECK-LABEL: func @reads_result(
func.func @reads_result(%a: !h, %t: !s, %i: index) -> f32 {
  // CHECK: hone.matmul
  // CHECK-NEXT: hone.wait
  // CHECK-NEXT: memref.load
  // REMARK: [Missed] wait | Category:hone | Function=reads_result | Remark="the host waits in front of 'memref.load' for 'hone.matmul'"
  hone.matmul ins(%a, %a : !h, !h) outs(%t : !s) init(zero) acc(f32)
  %x = memref.load %t[%i, %i] : !s
  // One wait serves all that follows.
  // CHECK-NEXT: memref.load
  %y = memref.load %t[%i, %i] : !s
  %z = arith.addf %x, %y : f32
  return %z : f32
}

// A kernel may still read memory that the host overwrites.
// CHECK-LABEL: func @overwrites_operand(
func.func @overwrites_operand(%a: !h, %t: !s, %x: f16) {
  // CHECK: hone.matmul
  // CHECK-NEXT: hone.wait
  // CHECK-NEXT: linalg.fill
  hone.matmul ins(%a, %a : !h, !h) outs(%t : !s) init(zero) acc(f32)
  linalg.fill ins(%x : f16) outs(%a : !h)
  return
}

// Both read.
// CHECK-LABEL: func @reads_operand(
func.func @reads_operand(%a: !h, %t: !s, %i: index) -> f16 {
  // CHECK-NOT: hone.wait
  hone.matmul ins(%a, %a : !h, !h) outs(%t : !s) init(zero) acc(f32)
  %x = memref.load %a[%i, %i] : !h
  return %x : f16
}

// The device does its work in order.
// CHECK-LABEL: func @chain(
func.func @chain(%a: !h, %t: !h, %c: !s) {
  // CHECK-NOT: hone.wait
  hone.matmul ins(%a, %a : !h, !h) outs(%t : !h) init(zero) acc(f32)
  hone.matmul ins(%t, %t : !h, !h) outs(%c : !s) init(zero) acc(f32)
  gpu.memcpy %a, %t : !h, !h
  return
}

// Another buffer.
// CHECK-LABEL: func @unrelated(
func.func @unrelated(%a: !h, %t: !s, %x: f32) -> !s {
  // CHECK-NOT: hone.wait
  hone.matmul ins(%a, %a : !h, !h) outs(%t : !s) init(zero) acc(f32)
  %u = memref.alloc() : !s
  linalg.fill ins(%x : f32) outs(%u : !s)
  return %u : !s
}

// Through a view.
// CHECK-LABEL: func @view(
func.func @view(%a: !h, %t: !s, %i: index) -> f32 {
  %v = memref.collapse_shape %t [[0, 1]] : !s into memref<4096xf32>
  hone.matmul ins(%a, %a : !h, !h) outs(%t : !s) init(zero) acc(f32)
  // CHECK: hone.wait
  // CHECK-NEXT: memref.load
  %x = memref.load %v[%i] : memref<4096xf32>
  return %x : f32
}

// A transpose is a view, too.
// CHECK-LABEL: func @transposed(
func.func @transposed(%a: !h, %t: !s, %i: index) -> f32 {
  %v = memref.transpose %t (i, j) -> (j, i) : memref<64x64xf32> to memref<64x64xf32, strided<[1, 64]>>
  hone.matmul ins(%a, %a : !h, !h) outs(%t : !s) init(zero) acc(f32)
  // CHECK: hone.wait
  // CHECK-NEXT: memref.load
  %x = memref.load %v[%i, %i] : memref<64x64xf32, strided<[1, 64]>>
  return %x : f32
}

// A loop of the host's waits once, in front.
// CHECK-LABEL: func @host_loop(
func.func @host_loop(%a: !h, %t: !s, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  hone.matmul ins(%a, %a : !h, !h) outs(%t : !s) init(zero) acc(f32)
  // CHECK: hone.wait
  // CHECK-NEXT: scf.for
  // CHECK-NOT: hone.wait
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 {
    %x = memref.load %t[%i, %i] : !s
    %y = arith.addf %s, %x : f32
    scf.yield %y : f32
  }
  return %r : f32
}

// A loop that runs kernels: the host reads results of the previous iteration.
// CHECK-LABEL: func @round_before(
func.func @round_before(%a: !h, %t: !s, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  // CHECK: scf.for
  // CHECK-NEXT: hone.wait
  // CHECK-NEXT: memref.store
  scf.for %i = %c0 to %n step %c1 {
    memref.store %one, %t[%i, %i] : !s
    hone.matmul ins(%a, %a : !h, !h) outs(%t : !s) init(read) acc(f32)
  }
  return
}

// A wait for work that only the first iteration waits for is placed before the loop.
// CHECK-LABEL: func @first_round(
func.func @first_round(%a: !h, %t: !s, %u: !s, %n: index, %sum: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hone.matmul ins(%a, %a : !h, !h) outs(%t : !s) init(zero) acc(f32)
  // CHECK: hone.wait
  // CHECK-NEXT: scf.for
  // CHECK-NOT: hone.wait
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %t[%i, %i] : !s
    memref.store %x, %sum[] : memref<f32>
    hone.matmul ins(%a, %a : !h, !h) outs(%u : !s) init(read) acc(f32)
  }
  return
}

// One branch of two.
// CHECK-LABEL: func @branch(
func.func @branch(%a: !h, %t: !s, %i: index, %p: i1) -> f32 {
  scf.if %p {
    hone.matmul ins(%a, %a : !h, !h) outs(%t : !s) init(zero) acc(f32)
  }
  // CHECK: hone.wait
  // CHECK-NEXT: memref.load
  %x = memref.load %t[%i, %i] : !s
  return %x : f32
}

// Both branches have waited.
// CHECK-LABEL: func @branches_wait(
func.func @branches_wait(%a: !h, %t: !s, %i: index, %p: i1) -> f32 {
  hone.matmul ins(%a, %a : !h, !h) outs(%t : !s) init(zero) acc(f32)
  // CHECK: hone.wait
  // CHECK-NEXT: scf.if
  // CHECK-NOT: hone.wait
  %x = scf.if %p -> f32 {
    %l = memref.load %t[%i, %i] : !s
    scf.yield %l : f32
  } else {
    %one = arith.constant 1.0 : f32
    memref.store %one, %t[%i, %i] : !s
    scf.yield %one : f32
  }
  %y = memref.load %t[%i, %i] : !s
  %z = arith.addf %x, %y : f32
  return %z : f32
}

// Blocks.
// CHECK-LABEL: func @blocks(
func.func @blocks(%a: !h, %t: !s, %i: index, %p: i1) -> f32 {
  cf.cond_br %p, ^launch, ^read
^launch:
  hone.matmul ins(%a, %a : !h, !h) outs(%t : !s) init(zero) acc(f32)
  cf.br ^read
^read:
  // CHECK: hone.wait
  // CHECK-NEXT: memref.load
  %x = memref.load %t[%i, %i] : !s
  return %x : f32
}

// Copies are late, too: the host reads the target of one, and frees the source
// of one.
// CHECK-LABEL: func @copies(
func.func @copies(%t: !s, %i: index) -> f32 {
  %h = memref.alloc() : !s
  gpu.memcpy %h, %t : !s, !s
  // CHECK: hone.wait
  // CHECK-NEXT: memref.load
  %x = memref.load %h[%i, %i] : !s
  gpu.memcpy %t, %h : !s, !s
  // CHECK: hone.wait
  // CHECK-NEXT: memref.dealloc
  memref.dealloc %h : !s
  return %x : f32
}

// A function of the module may return with pending work.
// CHECK-LABEL: func @calls(
func.func @calls(%a: !h, %t: !s, %i: index) -> f32 {
  call @chain(%a, %a, %t) : (!h, !h, !s) -> ()
  // CHECK: hone.wait
  // CHECK-NEXT: memref.load
  %x = memref.load %t[%i, %i] : !s
  return %x : f32
}

// The caller of this one reads the result on the host.
// CHECK-LABEL: func @host_boundary(
func.func @host_boundary(%t: !s) attributes {hone.memory = {arguments = "host"}} {
  %d = gpu.alloc () : !s
  gpu.memcpy %t, %d : !s, !s
  gpu.dealloc %d : !s
  // CHECK: hone.wait
  // CHECK-NEXT: return
  return
}

// Memory that both sides use is freed when the device is done with everything.
// CHECK-LABEL: func @freed(
func.func @freed(%a: !h, %t: !s, %i: index) -> f32 {
  // CHECK-NOT: hone.wait
  %u = gpu.alloc host_shared () : !s
  hone.matmul ins(%a, %a : !h, !h) outs(%t : !s) init(zero) acc(f32)
  gpu.dealloc %u : !s
  %x = memref.load %t[%i, %i] : !s
  return %x : f32
}

// It may have no bytes: the free of a null pointer does not wait.
// CHECK-LABEL: func @nothing_freed(
func.func @nothing_freed(%a: !h, %t: !s, %i: index, %n: index) -> f32 {
  // CHECK: gpu.dealloc
  // CHECK-NEXT: hone.wait
  %u = gpu.alloc host_shared (%n) : memref<?xf32>
  hone.matmul ins(%a, %a : !h, !h) outs(%t : !s) init(zero) acc(f32)
  gpu.dealloc %u : memref<?xf32>
  %x = memref.load %t[%i, %i] : !s
  return %x : f32
}

// The device's own is freed in its turn.
// CHECK-LABEL: func @freed_in_turn(
func.func @freed_in_turn(%a: !h, %t: !s, %i: index) -> f32 {
  // CHECK: gpu.dealloc
  // CHECK-NEXT: hone.wait
  %u = gpu.alloc () : !s
  hone.matmul ins(%a, %a : !h, !h) outs(%t : !s) init(zero) acc(f32)
  gpu.dealloc %u : !s
  %x = memref.load %t[%i, %i] : !s
  return %x : f32
}
