// Tokens sorted by experts, compared with loops by the command, for experts that it draws, some of which are out of
// range. On the CPU, and as a program for a GPU on the stand-in.

// DEFINE: %{arch} = host
// DEFINE: %{run} = hone run %s --repeat=1 --json --arch=%{arch} --function
// RUN: %{run}=combined | FileCheck %s
// RUN: %{run}=open --dims=70 | FileCheck %s
// REDEFINE: %{arch} = sm_90a --stand-in --rest=gpu --orders=1 --pipeline=guess=false
// RUN: %{run}=few 2>&1 | FileCheck %s --check-prefixes=FEW,CHECK
// RUN: %{run}=few --range=0:-9:-1 | FileCheck %s
// RUN: %{run}=few --range=0:3:3 | FileCheck %s
// RUN: %{run}=many 2>&1 | FileCheck %s --check-prefixes=MANY,CHECK
// RUN: %{run}=many --range=0:0:0 | FileCheck %s
// RUN: %{run}=many --range=0:1:4 --seed=3 | FileCheck %s
// RUN: %{run}=many --range=0:4294967290:4294967310 | FileCheck %s
// RUN: %{run}=alone | FileCheck %s
// RUN: %{run}=open --dims=1 | FileCheck %s
// RUN: %{run}=open --dims=700 --seed=2 | FileCheck %s
// RUN: %{run}=combined | FileCheck %s
// RUN: %{run}=combined --range=0:-2:1 | FileCheck %s
// RUN: %{run}=best | FileCheck %s

// The command runs the program twice: two and three launches each.
// FEW: stand-in: 4 launches
// MANY: stand-in: 6 launches
// CHECK: "wrong": 0{{$}}

func.func @few(%experts: tensor<45x2xi32>) -> (tensor<90xi32>, tensor<90xi32>, tensor<7xi32>) {
  %rows, %places, %ends = hone.route %experts groups 7 : tensor<45x2xi32> -> tensor<90xi32>, tensor<90xi32>, tensor<7xi32>
  return %rows, %places, %ends : tensor<90xi32>, tensor<90xi32>, tensor<7xi32>
}

func.func @many(%experts: tensor<701x3xi64>) -> (tensor<2103xi32>, tensor<2103xi32>, tensor<5xi32>) {
  %rows, %places, %ends = hone.route %experts groups 5 : tensor<701x3xi64> -> tensor<2103xi32>, tensor<2103xi32>, tensor<5xi32>
  return %rows, %places, %ends : tensor<2103xi32>, tensor<2103xi32>, tensor<5xi32>
}

// One choice of each token, and more experts than tokens.
func.func @alone(%experts: tensor<300xi32>) -> (tensor<300xi32>, tensor<300xi32>, tensor<1000xi32>) {
  %rows, %places, %ends = hone.route %experts groups 1000 : tensor<300xi32> -> tensor<300xi32>, tensor<300xi32>, tensor<1000xi32>
  return %rows, %places, %ends : tensor<300xi32>, tensor<300xi32>, tensor<1000xi32>
}

func.func @open(%experts: tensor<?x4xi32>) -> (tensor<?xi32>, tensor<?xi32>, tensor<6xi32>) {
  %rows, %places, %ends = hone.route %experts groups 6 : tensor<?x4xi32> -> tensor<?xi32>, tensor<?xi32>, tensor<6xi32>
  return %rows, %places, %ends : tensor<?xi32>, tensor<?xi32>, tensor<6xi32>
}

// Rows are added to tokens, and to fewer and more rows than there are tokens.
func.func @combined(%experts: tensor<130x5xi32>, %parts: tensor<650x8xf16>, %w: tensor<650xf32>, %c: tensor<130x8xf32>, %d: tensor<33x8xf32>, %e: tensor<140x8xf16>) -> (tensor<130x8xf32>, tensor<33x8xf32>, tensor<140x8xf16>) {
  %rows, %places, %ends = hone.route %experts groups 3 : tensor<130x5xi32> -> tensor<650xi32>, tensor<650xi32>, tensor<3xi32>
  %0 = hone.scatter_rows %parts to %rows weights %w into %c : tensor<650x8xf16>, tensor<650xi32>, tensor<650xf32> into tensor<130x8xf32>
  %1 = hone.scatter_rows %parts to %rows into %d : tensor<650x8xf16>, tensor<650xi32> into tensor<33x8xf32>
  %2 = hone.scatter_rows %parts to %rows max into %e : tensor<650x8xf16>, tensor<650xi32> into tensor<140x8xf16>
  return %0, %1, %2 : tensor<130x8xf32>, tensor<33x8xf32>, tensor<140x8xf16>
}

// The two best experts by reductions with two results, as frontends write them.
#each = affine_map<(t, e) -> (t, e)>
#token = affine_map<(t, e) -> (t)>
func.func @best(%scores: tensor<45x7xf32>) -> (tensor<45xf32>, tensor<45xf32>, tensor<90xi32>, tensor<7xi32>) {
  %low = arith.constant 0xFF800000 : f32
  %none = arith.constant -1 : i32
  %empty = tensor.empty() : tensor<45xf32>
  %empty_expert = tensor.empty() : tensor<45xi32>
  %lowest = linalg.fill ins(%low : f32) outs(%empty : tensor<45xf32>) -> tensor<45xf32>
  %nobody = linalg.fill ins(%none : i32) outs(%empty_expert : tensor<45xi32>) -> tensor<45xi32>
  %best1, %expert1 = linalg.generic {indexing_maps = [#each, #token, #token], iterator_types = ["parallel", "reduction"]}
      ins(%scores : tensor<45x7xf32>) outs(%lowest, %nobody : tensor<45xf32>, tensor<45xi32>) {
  ^bb0(%score: f32, %best: f32, %expert: i32):
    %e = linalg.index 1 : index
    %own = arith.index_cast %e : index to i32
    %is_more = arith.cmpf ogt, %score, %best : f32
    %more = arith.select %is_more, %score, %best : f32
    %chosen = arith.select %is_more, %own, %expert : i32
    linalg.yield %more, %chosen : f32, i32
  } -> (tensor<45xf32>, tensor<45xi32>)
  %best2, %expert2 = linalg.generic {indexing_maps = [#each, #token, #token, #token], iterator_types = ["parallel", "reduction"]}
      ins(%scores, %expert1 : tensor<45x7xf32>, tensor<45xi32>) outs(%lowest, %nobody : tensor<45xf32>, tensor<45xi32>) {
  ^bb0(%score: f32, %first: i32, %best: f32, %expert: i32):
    %e = linalg.index 1 : index
    %own = arith.index_cast %e : index to i32
    %is_more = arith.cmpf ogt, %score, %best : f32
    %is_other = arith.cmpi ne, %own, %first : i32
    %is_next = arith.andi %is_more, %is_other : i1
    %more = arith.select %is_next, %score, %best : f32
    %chosen = arith.select %is_next, %own, %expert : i32
    linalg.yield %more, %chosen : f32, i32
  } -> (tensor<45xf32>, tensor<45xi32>)
  %empty_experts = tensor.empty() : tensor<45x2xi32>
  %experts = linalg.generic {indexing_maps = [#token, #token, #each], iterator_types = ["parallel", "parallel"]}
      ins(%expert1, %expert2 : tensor<45xi32>, tensor<45xi32>) outs(%empty_experts : tensor<45x2xi32>) {
  ^bb0(%e1: i32, %e2: i32, %old: i32):
    %k = linalg.index 1 : index
    %c0 = arith.constant 0 : index
    %is_first = arith.cmpi eq, %k, %c0 : index
    %e = arith.select %is_first, %e1, %e2 : i32
    linalg.yield %e : i32
  } -> tensor<45x2xi32>
  %rows, %places, %ends = hone.route %experts groups 7 : tensor<45x2xi32> -> tensor<90xi32>, tensor<90xi32>, tensor<7xi32>
  return %best1, %best2, %places, %ends : tensor<45xf32>, tensor<45xf32>, tensor<90xi32>, tensor<7xi32>
}
