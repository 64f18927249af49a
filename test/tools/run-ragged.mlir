// Products of ragged rows, compared with f64 by the command, for ends that it draws and for
// others. On the CPU, and as a program for a GPU on the stand-in, by kernels of both kinds.

// DEFINE: %{arch} = host
// DEFINE: %{run} = hone run %s --repeat=1 --json --arch=%{arch} --function
// RUN: %{run}=plain | FileCheck %s
// RUN: %{run}=plain --seed=2 | FileCheck %s
// RUN: %{run}=plain --range=2:-9:-1 | FileCheck %s
// RUN: %{run}=plain --range=2:90:400 | FileCheck %s
// RUN: %{run}=columns | FileCheck %s
// RUN: %{run}=fused | FileCheck %s
// RUN: %{run}=open --dims=70,5,31 | FileCheck %s
// RUN: %{run}=open --dims=3,40,31 | FileCheck %s
// REDEFINE: %{arch} = sm_80 --stand-in
// RUN: %{run}=plain | FileCheck %s
// RUN: %{run}=plain --range=2:-9:-1 | FileCheck %s
// RUN: %{run}=plain --range=2:90:400 | FileCheck %s
// RUN: %{run}=columns | FileCheck %s
// RUN: %{run}=fused | FileCheck %s
// RUN: %{run}=open --dims=70,5,31 | FileCheck %s
// REDEFINE: %{arch} = sm_90a --stand-in --schedule="ws, tile = 64x64x64, consumers = 1x1, store = threads"
// RUN: %{run}=plain | FileCheck %s
// RUN: %{run}=plain --range=2:90:400 | FileCheck %s
// RUN: %{run}=columns | FileCheck %s
// RUN: %{run}=fused | FileCheck %s
// REDEFINE: %{arch} = sm_90a --stand-in --schedule="ws, tile = 128x64x64, consumers = 2x1"
// RUN: %{run}=plain | FileCheck %s
// RUN: %{run}=plain --range=2:90:400 | FileCheck %s
// RUN: %{run}=columns | FileCheck %s

// CHECK: "matmuls": 1,
// CHECK: "wrong": 0{{$}}

func.func @plain(%a: tensor<83x40xf16>, %b: tensor<7x40x56xf16>, %ends: tensor<7xi32>) -> tensor<83x56xf32> {
  %c = tensor.empty() : tensor<83x56xf32>
  %d = hone.matmul ins(%a, %b : tensor<83x40xf16>, tensor<7x40x56xf16>) outs(%c : tensor<83x56xf32>) ragged(%ends : tensor<7xi32>) init(zero) acc(f32) -> tensor<83x56xf32>
  return %d : tensor<83x56xf32>
}

func.func @columns(%a: tensor<40x88xbf16>, %b: tensor<7x56x40xbf16>, %ends: tensor<7xi32>) -> tensor<88x56xbf16> {
  %c = tensor.empty() : tensor<88x56xbf16>
  %d = hone.matmul ins(col %a, col %b : tensor<40x88xbf16>, tensor<7x56x40xbf16>) outs(%c : tensor<88x56xbf16>) ragged(%ends : tensor<7xi32>) init(zero) acc(f32) -> tensor<88x56xbf16>
  return %d : tensor<88x56xbf16>
}

func.func @fused(%a: tensor<83x40xf16>, %b: tensor<7x40x56xf16>, %c: tensor<83x56xf32>, %bias: tensor<56xf32>, %scale: tensor<83xf32>, %ends: tensor<7xi32>) -> tensor<83x56xf32> {
  %d = hone.matmul ins(%a, %b : tensor<83x40xf16>, tensor<7x40x56xf16>) outs(%c : tensor<83x56xf32>) ragged(%ends : tensor<7xi32>) init(read) acc(f32) epilogue(%bias[n], %scale[m] : tensor<56xf32>, tensor<83xf32>) {
  ^bb0(%sum: f32, %x: f32, %y: f32):
    %0 = arith.addf %sum, %x : f32
    %1 = arith.mulf %0, %y : f32
    hone.yield %1 : f32
  } -> tensor<83x56xf32>
  return %d : tensor<83x56xf32>
}

func.func @open(%a: tensor<?x?xf32>, %b: tensor<?x?x24xf32>, %ends: tensor<?xi32>) -> tensor<?x24xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %c = tensor.empty(%m) : tensor<?x24xf32>
  %d = hone.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?x24xf32>) outs(%c : tensor<?x24xf32>) ragged(%ends : tensor<?xi32>) init(zero) acc(f32) -> tensor<?x24xf32>
  return %d : tensor<?x24xf32>
}
