// Programs by their use of memory and time: loops on the host that carry and swap
// buffers, constants, results in the caller's memory, slices, copies, several batches.
//
// DEFINE: %{options} =
// DEFINE: %{run} = hone run %s --arch=sm_90a --stand-in --json %{options} --function
// RUN: %{run}=swaps | FileCheck %s
// RUN: %{run}=adds_up | FileCheck %s
// RUN: %{run}=branches --dims=9 --schedule=mma_sync | FileCheck %s
// RUN: %{run}=slices | FileCheck %s
// RUN: %{run}=four_batches | FileCheck %s
// RUN: %{run}=weights | FileCheck %s
// RUN: %{run}=in_place | FileCheck %s
// REDEFINE: %{options} = --arguments=host
// RUN: %{run}=swaps | FileCheck %s
// RUN: %{run}=adds_up | FileCheck %s
// RUN: %{run}=weights | FileCheck %s
// RUN: %{run}=in_place | FileCheck %s
// RUN: %{run}=results_alone --schedule=mma_sync | FileCheck %s
// REDEFINE: %{options} = --rest=gpu
// RUN: %{run}=adds_up | FileCheck %s
// RUN: %{run}=weights --arguments=host | FileCheck %s
// RUN: %{run}=chain '--pipeline=results=destinations' | FileCheck %s
// RUN: %{run}=chain '--pipeline=results=destinations workspace=argument' | FileCheck %s
// RUN: %{run}=branches --dims=3 --schedule=mma_sync | FileCheck %s
// CHECK: "wrong": 0

#id = affine_map<(i, j) -> (i, j)>

func.func @swaps(%x: memref<20x20xf16>, %y: memref<20x20xf16>, %w: memref<20x20xf16>, %r: memref<20x20xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %p:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%u = %x, %v = %y) -> (memref<20x20xf16>, memref<20x20xf16>) {
    linalg.matmul ins(%u, %w : memref<20x20xf16>, memref<20x20xf16>) outs(%r : memref<20x20xf32>)
    scf.yield %v, %u : memref<20x20xf16>, memref<20x20xf16>
  }
  return
}

func.func @adds_up(%x: tensor<16x24xf16>, %w: tensor<24x24xf16>) -> tensor<16x24xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x24xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<16x24xf32>) -> tensor<16x24xf32>
  %r:2 = scf.for %n = %c0 to %c2 step %c1 iter_args(%h = %x, %sum = %i) -> (tensor<16x24xf16>, tensor<16x24xf32>) {
    %s = linalg.matmul ins(%h, %w : tensor<16x24xf16>, tensor<24x24xf16>) outs(%sum : tensor<16x24xf32>) -> tensor<16x24xf32>
    %eh = tensor.empty() : tensor<16x24xf16>
    %t = linalg.map ins(%s : tensor<16x24xf32>) outs(%eh : tensor<16x24xf16>)
      (%v: f32, %o: f16) {
        %0 = math.tanh %v : f32
        %1 = arith.truncf %0 : f32 to f16
        linalg.yield %1 : f16
      }
    scf.yield %t, %s : tensor<16x24xf16>, tensor<16x24xf32>
  }
  return %r#1 : tensor<16x24xf32>
}

func.func @branches(%x: tensor<?x32xf16>, %w: tensor<32x16xf16>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x32xf16>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %p = arith.cmpi ugt, %n, %c4 : index
  %r = scf.if %p -> tensor<?x16xf32> {
    %0 = linalg.matmul ins(%x, %w : tensor<?x32xf16>, tensor<32x16xf16>) outs(%i : tensor<?x16xf32>) -> tensor<?x16xf32>
    scf.yield %0 : tensor<?x16xf32>
  } else {
    scf.yield %i : tensor<?x16xf32>
  }
  return %r : tensor<?x16xf32>
}

func.func @slices(%all: memref<3x40x32xf16>, %b: memref<32x24xf16>, %c: memref<50x24xf32>) {
  %a = memref.subview %all[1, 8, 0] [1, 20, 32] [1, 1, 1] : memref<3x40x32xf16> to memref<20x32xf16, strided<[32, 1], offset: 1536>>
  %d = memref.subview %c[30, 0] [20, 24] [1, 1] : memref<50x24xf32> to memref<20x24xf32, strided<[24, 1], offset: 720>>
  linalg.matmul ins(%a, %b : memref<20x32xf16, strided<[32, 1], offset: 1536>>, memref<32x24xf16>) outs(%d : memref<20x24xf32, strided<[24, 1], offset: 720>>)
  return
}

func.func @four_batches(%a: tensor<2x3x2x9x16xf16>, %b: tensor<2x3x2x16x8xf16>) -> tensor<2x3x2x9x8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3x2x9x8xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<2x3x2x9x8xf32>) -> tensor<2x3x2x9x8xf32>
  %c = linalg.contract indexing_maps = [affine_map<(x, y, v, i, j, k) -> (x, y, v, i, k)>, affine_map<(x, y, v, i, j, k) -> (x, y, v, k, j)>, affine_map<(x, y, v, i, j, k) -> (x, y, v, i, j)>]
    ins(%a, %b : tensor<2x3x2x9x16xf16>, tensor<2x3x2x16x8xf16>) outs(%i : tensor<2x3x2x9x8xf32>) -> tensor<2x3x2x9x8xf32>
  return %c : tensor<2x3x2x9x8xf32>
}

func.func @weights(%x: tensor<8x4xf16>) -> tensor<8x4xf32> {
  %v = arith.constant dense<[[1.0, 0.0, 0.5, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [1.0, 0.0, 0.0, 0.25]]> : tensor<4x4xf16>
  %w = arith.constant dense<[[0.5, 0.0, 0.5, 1.0], [0.0, 1.0, 0.0, 0.0], [2.0, 0.0, -1.0, 0.0], [1.0, 0.0, 3.0, 0.25]]> : tensor<4x4xf16>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %0 = linalg.matmul ins(%x, %v : tensor<8x4xf16>, tensor<4x4xf16>) outs(%i : tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = linalg.matmul ins(%x, %w : tensor<8x4xf16>, tensor<4x4xf16>) outs(%0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

func.func @in_place(%a: memref<16x16xf16>, %b: memref<16x16xf16>, %c: memref<16x16xf32>) {
  linalg.map { arith.negf } ins(%c : memref<16x16xf32>) outs(%c : memref<16x16xf32>)
  linalg.matmul ins(%a, %b : memref<16x16xf16>, memref<16x16xf16>) outs(%c : memref<16x16xf32>)
  linalg.map { arith.negf } ins(%a : memref<16x16xf16>) outs(%a : memref<16x16xf16>)
  return
}

func.func @chain(%a: tensor<40x48xf16>, %b: tensor<48x56xf16>, %w: tensor<56x24xf16>) -> tensor<40x24xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x56xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<40x56xf32>) -> tensor<40x56xf32>
  %c = linalg.matmul ins(%a, %b : tensor<40x48xf16>, tensor<48x56xf16>) outs(%i : tensor<40x56xf32>) -> tensor<40x56xf32>
  %h = arith.truncf %c : tensor<40x56xf32> to tensor<40x56xf16>
  %f = tensor.empty() : tensor<40x24xf32>
  %j = linalg.fill ins(%z : f32) outs(%f : tensor<40x24xf32>) -> tensor<40x24xf32>
  %d = linalg.matmul ins(%h, %w : tensor<40x56xf16>, tensor<56x24xf16>) outs(%j : tensor<40x24xf32>) -> tensor<40x24xf32>
  return %d : tensor<40x24xf32>
}

// No argument, and one product as two results.
func.func @results_alone() -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %v = arith.constant dense<2.0> : tensor<4x8xf16>
  %w = arith.constant dense<0.5> : tensor<8x4xf16>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = linalg.matmul ins(%v, %w : tensor<4x8xf16>, tensor<8x4xf16>) outs(%i : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %c, %c : tensor<4x4xf32>, tensor<4x4xf32>
}
