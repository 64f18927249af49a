// Rows that are read and added through an index, and ragged sums, compared with f64 by the
// command, for indices and ends that it draws, some of which are out of range. On the CPU,
// and as a program for a GPU on the stand-in.

// DEFINE: %{arch} = host
// DEFINE: %{run} = hone run %s --repeat=1 --json --arch=%{arch} --function
// RUN: %{run}=gather | FileCheck %s
// RUN: %{run}=wide --range=2:4294967290:4294967310 | FileCheck %s
// RUN: %{run}=open --dims=19,33,70 | FileCheck %s
// RUN: %{run}=fused --dims=50,3 | FileCheck %s
// RUN: %{run}=layer | FileCheck %s --check-prefix=LAYER
// REDEFINE: %{arch} = sm_80 --stand-in
// RUN: %{run}=gather | FileCheck %s
// RUN: %{run}=wide --range=2:4294967290:4294967310 | FileCheck %s
// RUN: %{run}=sum | FileCheck %s
// RUN: %{run}=fused --dims=50,3 | FileCheck %s
// RUN: %{run}=scatter --rest=gpu | FileCheck %s --check-prefix=ROWS
// RUN: %{run}=sorted --rest=gpu | FileCheck %s --check-prefix=ROWS
// RUN: %{run}=tops --rest=gpu | FileCheck %s --check-prefix=ROWS
// RUN: %{run}=layer --rest=gpu | FileCheck %s --check-prefix=LAYER

// CHECK: "matmuls": 1,
// LAYER: "matmuls": 1,
// CHECK: "wrong": 0{{$}}
// ROWS: "wrong": 0{{$}}
// LAYER: "wrong": 0{{$}}

func.func @gather(%a: tensor<31x40xf16>, %b: tensor<7x40x56xf16>, %ends: tensor<7xi32>, %rows: tensor<83xi32>) -> tensor<83x56xf32> {
  %c = tensor.empty() : tensor<83x56xf32>
  %d = hone.matmul ins(%a, %b : tensor<31x40xf16>, tensor<7x40x56xf16>) outs(%c : tensor<83x56xf32>) ragged(%ends : tensor<7xi32>) gather(%rows : tensor<83xi32>) init(zero) acc(f32) -> tensor<83x56xf32>
  return %d : tensor<83x56xf32>
}

// Without groups, and with an index whose lower half may be that of a row.
func.func @wide(%a: tensor<31x39xbf16>, %b: tensor<56x39xbf16>, %rows: tensor<83xi64>) -> tensor<83x56xbf16> {
  %c = tensor.empty() : tensor<83x56xbf16>
  %d = hone.matmul ins(%a, col %b : tensor<31x39xbf16>, tensor<56x39xbf16>) outs(%c : tensor<83x56xbf16>) gather(%rows : tensor<83xi64>) init(zero) acc(f32) -> tensor<83x56xbf16>
  return %d : tensor<83x56xbf16>
}

func.func @open(%a: tensor<?x?xf32>, %b: tensor<?x24xf32>, %rows: tensor<?xi32>) -> tensor<?x24xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %rows, %c0 : tensor<?xi32>
  %c = tensor.empty(%m) : tensor<?x24xf32>
  %d = hone.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x24xf32>) outs(%c : tensor<?x24xf32>) gather(%rows : tensor<?xi32>) init(zero) acc(f32) -> tensor<?x24xf32>
  return %d : tensor<?x24xf32>
}

func.func @sum(%x: tensor<83x40xf16>, %dy: tensor<83x56xf16>, %ends: tensor<5xi32>) -> tensor<5x40x56xf32> {
  %c = tensor.empty() : tensor<5x40x56xf32>
  %d = hone.matmul ins(col %x, %dy : tensor<83x40xf16>, tensor<83x56xf16>) outs(%c : tensor<5x40x56xf32>) ragged(%ends : tensor<5xi32>) init(zero) acc(f32) -> tensor<5x40x56xf32>
  return %d : tensor<5x40x56xf32>
}

// K runs along the lines of both, so that segments start anywhere in a line.
func.func @fused(%x: tensor<40x?xf16>, %dy: tensor<56x?xf16>, %ends: tensor<?xi32>, %c: tensor<?x40x56xf16>, %bias: tensor<56xf32>) -> tensor<?x40x56xf16> {
  %d = hone.matmul ins(%x, col %dy : tensor<40x?xf16>, tensor<56x?xf16>) outs(%c : tensor<?x40x56xf16>) ragged(%ends : tensor<?xi32>) init(read) acc(f32) epilogue(%bias[n] : tensor<56xf32>) {
  ^bb0(%sum: f32, %v: f32):
    %0 = arith.addf %sum, %v : f32
    %1 = arith.truncf %0 : f32 to f16
    hone.yield %1 : f16
  } -> tensor<?x40x56xf16>
  return %d : tensor<?x40x56xf16>
}

func.func @scatter(%rows: tensor<83x24xf16>, %to: tensor<83xi32>, %w: tensor<83xf32>, %c: tensor<31x24xf16>) -> tensor<31x24xf16> {
  %d = hone.scatter_rows %rows to %to weights %w into %c : tensor<83x24xf16>, tensor<83xi32>, tensor<83xf32> into tensor<31x24xf16>
  return %d : tensor<31x24xf16>
}

// The index is constant, so the compiler sorts it. Some numbers are out of range.
func.func @sorted(%rows: tensor<83x24xf16>, %w: tensor<83xf32>, %c: tensor<31x24xf16>) -> tensor<31x24xf16> {
  %to = arith.constant dense<[-2, 5, 26, 24, -1, 25, 28, 8, 2, 10, 32, 31, 7, 34, 1, 19, 14, 23, 9, 9, 23, 14, 19, 1, 34, 7, 31, 32, 10, 2, 8, 28, 25, -1, 24, 26, 5, -2, 5, 26, 24, -1, 25, 28, 8, 2, 10, 32, 31, 7, 34, 1, 19, 14, 23, 9, 9, 23, 14, 19, 1, 34, 7, 31, 32, 10, 2, 8, 28, 25, -1, 24, 26, 5, -2, 5, 26, 24, -1, 25, 28, 8, 2]> : tensor<83xi32>
  %d = hone.scatter_rows %rows to %to weights %w into %c : tensor<83x24xf16>, tensor<83xi32>, tensor<83xf32> into tensor<31x24xf16>
  return %d : tensor<31x24xf16>
}

// Maxima by a sorted index, and by another one.
func.func @tops(%rows: tensor<83x1xf32>, %other: tensor<83xi64>, %w: tensor<83xf32>, %c: tensor<31x1xf32>) -> tensor<31x1xf32> {
  %to = arith.constant dense<[-2, 5, 26, 24, -1, 25, 28, 8, 2, 10, 32, 31, 7, 34, 1, 19, 14, 23, 9, 9, 23, 14, 19, 1, 34, 7, 31, 32, 10, 2, 8, 28, 25, -1, 24, 26, 5, -2, 5, 26, 24, -1, 25, 28, 8, 2, 10, 32, 31, 7, 34, 1, 19, 14, 23, 9, 9, 23, 14, 19, 1, 34, 7, 31, 32, 10, 2, 8, 28, 25, -1, 24, 26, 5, -2, 5, 26, 24, -1, 25, 28, 8, 2]> : tensor<83xi32>
  %d = hone.scatter_rows %rows to %to max into %c : tensor<83x1xf32>, tensor<83xi32> into tensor<31x1xf32>
  %e = hone.scatter_rows %rows to %other weights %w max into %d : tensor<83x1xf32>, tensor<83xi64>, tensor<83xf32> into tensor<31x1xf32>
  return %e : tensor<31x1xf32>
}

// The second product of a mixture: rows of experts become rows of tokens.
func.func @layer(%a: tensor<83x40xf16>, %b: tensor<7x40x24xf16>, %ends: tensor<7xi32>, %to: tensor<83xi32>, %w: tensor<83xf32>) -> tensor<31x24xf32> {
  %zero = arith.constant 0.0 : f32
  %c = tensor.empty() : tensor<83x24xf32>
  %d = hone.matmul ins(%a, %b : tensor<83x40xf16>, tensor<7x40x24xf16>) outs(%c : tensor<83x24xf32>) ragged(%ends : tensor<7xi32>) init(zero) acc(f32) -> tensor<83x24xf32>
  %e = tensor.empty() : tensor<31x24xf32>
  %none = linalg.fill ins(%zero : f32) outs(%e : tensor<31x24xf32>) -> tensor<31x24xf32>
  %r = hone.scatter_rows %d to %to weights %w into %none : tensor<83x24xf32>, tensor<83xi32>, tensor<83xf32> into tensor<31x24xf32>
  return %r : tensor<31x24xf32>
}
