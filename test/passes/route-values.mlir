// The tables that hone.route becomes, and the loops, by stock passes: experts 2, 0, -1, 2, 0, 9, 1, 0 of eight pairs,
// and 600 pairs in ten chunks, where 3 * i mod 4 - 1 is the expert of pair i.

// DEFINE: %{lower} = mlir-opt --pass-pipeline='builtin.module(one-shot-bufferize{bufferize-function-boundaries},convert-linalg-to-loops,expand-strided-metadata,lower-affine,convert-scf-to-cf,arith-expand,convert-to-llvm,reconcile-unrealized-casts)'
// DEFINE: %{run} = mlir-runner -e main --entry-point-result=void --shared-libs=%mlir_lib_dir/libmlir_runner_utils.so,%mlir_lib_dir/libmlir_c_runner_utils.so
// RUN: hone-opt %s --hone-match=arch=sm_90a | %{lower} | %{run} | FileCheck %s
// RUN: hone-opt %s --hone-match=arch=host | %{lower} | %{run} | FileCheck %s

// CHECK: [0,  2,  3,  3,  0,  1,  1,  2]
// CHECK: [1,  4,  7,  6,  0,  3,  2,  5]
// CHECK: [3,  4,  6]

// Experts -1, 2, 1, 0 in turns: 150 pairs of each.
// CHECK: [3,  7,  11,
// CHECK-SAME: 599,  2,  6,
// CHECK-SAME: 598,  1,  5,
// CHECK-SAME: 597,  0,  4,
// CHECK-SAME: 596]
// CHECK: [150,  300,  450]

func.func private @printMemrefI32(tensor<*xi32>)

func.func @print(%numbers: tensor<?xi32>) {
  %any = tensor.cast %numbers : tensor<?xi32> to tensor<*xi32>
  call @printMemrefI32(%any) : (tensor<*xi32>) -> ()
  return
}

func.func @main() {
  %few = arith.constant dense<[[2, 0], [-1, 2], [0, 9], [1, 0]]> : tensor<4x2xi32>
  %rows, %places, %ends = hone.route %few groups 3 : tensor<4x2xi32> -> tensor<8xi32>, tensor<8xi32>, tensor<3xi32>
  %0 = tensor.cast %rows : tensor<8xi32> to tensor<?xi32>
  %1 = tensor.cast %places : tensor<8xi32> to tensor<?xi32>
  %2 = tensor.cast %ends : tensor<3xi32> to tensor<?xi32>
  call @print(%0) : (tensor<?xi32>) -> ()
  call @print(%1) : (tensor<?xi32>) -> ()
  call @print(%2) : (tensor<?xi32>) -> ()

  %empty = tensor.empty() : tensor<600xi64>
  %experts = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%empty : tensor<600xi64>) {
  ^bb0(%old: i64):
    %at = linalg.index 0 : index
    %i = arith.index_cast %at : index to i64
    %c1 = arith.constant 1 : i64
    %c3 = arith.constant 3 : i64
    %three = arith.muli %i, %c3 : i64
    %last = arith.andi %three, %c3 : i64
    %expert = arith.subi %last, %c1 : i64
    linalg.yield %expert : i64
  } -> tensor<600xi64>
  %r, %p, %e = hone.route %experts groups 3 : tensor<600xi64> -> tensor<600xi32>, tensor<600xi32>, tensor<3xi32>
  %3 = tensor.cast %p : tensor<600xi32> to tensor<?xi32>
  %4 = tensor.cast %e : tensor<3xi32> to tensor<?xi32>
  call @print(%3) : (tensor<?xi32>) -> ()
  call @print(%4) : (tensor<?xi32>) -> ()
  return
}
