// The experts of a mixture, for docs/Ragged.md: the rows of a group are multiplied by its
// matrix. The ends of the groups are known when the program runs.

// DEFINE: %{ws} = ws, tile = 64x64x64, consumers = 1x1, store = threads

// RUN: hone run %s --arch=host --repeat=1 --json | FileCheck %s --check-prefix=WRONG
// RUN: hone run %s --arch=sm_80 --stand-in --repeat=1 --json | FileCheck %s --check-prefix=WRONG
// RUN: hone run %s --arch=sm_90a --stand-in --repeat=1 --json --schedule="%{ws}" | FileCheck %s --check-prefix=WRONG
// WRONG: "wrong": 0

// RUN: hone simulate %s --arch=sm_80 | FileCheck %s
// RUN: hone simulate %s --arch=sm_90a --schedule="%{ws}" | FileCheck %s
// CHECK: right
// RUN: hone-opt %s --hone-pipeline="arch=sm_90a schedule='%{ws}'" | FileCheck %s --check-prefix=PTX
// PTX: wgmma.mma_async

func.func @experts(%tokens: tensor<203x72xf16>, %weights: tensor<6x72x136xf16>,
                   %ends: tensor<6xi32>) -> tensor<203x136xf16> {
  %empty = tensor.empty() : tensor<203x136xf16>
  %result = hone.matmul ins(%tokens, %weights : tensor<203x72xf16>, tensor<6x72x136xf16>)
    outs(%empty : tensor<203x136xf16>) ragged(%ends : tensor<6xi32>) init(zero) acc(f32) -> tensor<203x136xf16>
  return %result : tensor<203x136xf16>
}
