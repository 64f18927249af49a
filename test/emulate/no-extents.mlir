// Extents of 0, open and static: results without elements, and sums of nothing.
//
// DEFINE: %{run} = hone run %s --arch=sm_90a --stand-in --rest=gpu --json --function
// RUN: %{run}=open --pipeline=ranges=1 --dims=0,40,24 | FileCheck %s
// RUN: %{run}=open --schedule=mma_sync --dims=24,0,40 | FileCheck %s
// RUN: %{run}=open --schedule='ws, tile = 128x64x64' --dims=24,40,0 | FileCheck %s
// RUN: %{run}=static | FileCheck %s
// RUN: %{run}=destination --arguments=host --dims=0,8,16 | FileCheck %s
// CHECK: "wrong": 0

func.func @open(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf16>
  %n = tensor.dim %b, %c1 : tensor<?x?xf16>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %c = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%i : tensor<?x?xf32>) -> tensor<?x?xf32>
  %f = tensor.empty(%n) : tensor<?xf32>
  %j = linalg.fill ins(%z : f32) outs(%f : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.reduce { arith.addf } ins(%c : tensor<?x?xf32>) outs(%j : tensor<?xf32>) dimensions = [0]
  return %s : tensor<?xf32>
}

func.func @static(%a: tensor<0x16xf16>, %b: tensor<16x24xf16>, %x: tensor<8x0xf16>, %y: tensor<0x24xf16>) -> (tensor<0x24xf32>, tensor<8x24xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<0x24xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<0x24xf32>) -> tensor<0x24xf32>
  %c = linalg.matmul ins(%a, %b : tensor<0x16xf16>, tensor<16x24xf16>) outs(%i : tensor<0x24xf32>) -> tensor<0x24xf32>
  %f = tensor.empty() : tensor<8x24xf32>
  %j = linalg.fill ins(%z : f32) outs(%f : tensor<8x24xf32>) -> tensor<8x24xf32>
  %d = linalg.matmul ins(%x, %y : tensor<8x0xf16>, tensor<0x24xf16>) outs(%j : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %c, %d : tensor<0x24xf32>, tensor<8x24xf32>
}

// The host's copy of C, and the shared memory that takes its place, have no bytes.
func.func @destination(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
