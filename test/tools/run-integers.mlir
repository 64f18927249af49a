// Arguments that are integers, on the host and on a stand-in of a GPU: token ids and
// positions stay inside of their tables, masks are masks, counters count.
//
// DEFINE: %{where} = --arch=host
// DEFINE: %{run} = hone run %s %{where} --repeat=1 --json --function
// RUN: %{run}=embeds | FileCheck %s
// RUN: %{run}=wraps_and_clamps | FileCheck %s
// RUN: %{run}=calls_a_function --dims=6 | FileCheck %s
// RUN: %{run}=masks | FileCheck %s
// RUN: %{run}=dequantizes | FileCheck %s
// RUN: %{run}=counts | FileCheck %s
// RUN: %{run}=loops | FileCheck %s
// RUN: %{run}=writes_a_cache | FileCheck %s
// RUN: %{run}=picks_the_largest | FileCheck %s
// RUN: %{run}=memory | FileCheck %s
// RUN: %{run}=moves_memory | FileCheck %s
// RUN: %{run}=normalizes | FileCheck %s
// RUN: %{run}=has_resources | FileCheck %s
// REDEFINE: %{where} = --arch=sm_90a --stand-in
// RUN: %{run}=embeds | FileCheck %s
// RUN: %{run}=wraps_and_clamps | FileCheck %s
// RUN: %{run}=calls_a_function --dims=6 | FileCheck %s
// RUN: %{run}=masks | FileCheck %s
// RUN: %{run}=dequantizes | FileCheck %s
// RUN: %{run}=counts | FileCheck %s
// RUN: %{run}=loops | FileCheck %s
// RUN: %{run}=writes_a_cache | FileCheck %s
// RUN: %{run}=picks_the_largest | FileCheck %s
// RUN: %{run}=memory | FileCheck %s
// RUN: %{run}=moves_memory | FileCheck %s
// RUN: %{run}=normalizes | FileCheck %s
// RUN: %{run}=has_resources | FileCheck %s
// CHECK: "not comparable": 0,
// CHECK: "wrong": 0

// A range of one's own, also one that the function cannot use.
// RUN: hone run %s --arch=host --function=counts --range=2:-5:5,3:1:1 --repeat=1 | FileCheck %s --check-prefix=RANGE
// RANGE: counts host
// RUN: not --crash hone run %s --arch=host --function=embeds --range=0:40:40 --repeat=1 2> %t.err
// RUN: not hone run %s --arch=host --function=counts --range=0:0:1 2>&1 | FileCheck %s --check-prefix=FLOAT
// FLOAT: error: expected a range of an argument of integers, but got one of argument 0 of 4
// RUN: not hone run %s --arch=host --function=masks --range=2:0:2 2>&1 | FileCheck %s --check-prefix=BITS
// BITS: error: expected values of argument 2 from 0 to 1, but got 0 to 2
// RUN: not hone run %s --arch=host --function=counts --range=2:5 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: error: expected an argument and its least and largest value, but got '2:5'; use e.g. --range=1:0:99
// RUN: not hone run %s --arch=host --function=counts --range=2:5:4 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: but got '2:5:4'

#one = affine_map<(i) -> (i)>
#two = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

func.func private @product(%a: tensor<16x24xf16>, %b: tensor<24x32xf16>) -> tensor<16x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<16x24xf16>, tensor<24x32xf16>) outs(%f : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}

// Rows of a table with 40 lines; an id that is not one ends the program.
func.func @embeds(%ids: tensor<1x16xi64>, %table: tensor<40x24xf16>, %b: tensor<24x32xf16>) -> tensor<16x32xf32> {
  %lines = arith.constant 40 : i64
  %least = arith.constant 0 : i64
  %flat = tensor.collapse_shape %ids [[0, 1]] : tensor<1x16xi64> into tensor<16xi64>
  %e = tensor.empty() : tensor<16x24xf16>
  %a = linalg.generic {indexing_maps = [#rows, #two], iterator_types = ["parallel", "parallel"]}
      ins(%flat : tensor<16xi64>) outs(%e : tensor<16x24xf16>) {
  ^bb0(%id: i64, %out: f16):
    %below = arith.cmpi slt, %id, %lines : i64
    cf.assert %below, "an id is outside"
    %above = arith.cmpi sge, %id, %least : i64
    cf.assert %above, "an id is outside"
    %line = arith.index_cast %id : i64 to index
    %col = linalg.index 1 : index
    %x = tensor.extract %table[%line, %col] : tensor<40x24xf16>
    linalg.yield %x : f16
  } -> tensor<16x24xf16>
  %0 = call @product(%a, %b) : (tensor<16x24xf16>, tensor<24x32xf16>) -> tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}

// A negative id counts from the end of the table, and a slice is kept inside.
func.func @wraps_and_clamps(%ids: tensor<16xi32>, %start: tensor<i32>, %table: tensor<40x24xf16>, %b: tensor<40x32xf16>) -> tensor<16x32xf32> {
  %zero = arith.constant 0 : i32
  %lines = arith.constant 40 : i32
  %last = arith.constant 16 : i32
  %e = tensor.empty() : tensor<16x24xf16>
  %a = linalg.generic {indexing_maps = [#rows, #two], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<16xi32>) outs(%e : tensor<16x24xf16>) {
  ^bb0(%id: i32, %out: f16):
    %isNegative = arith.cmpi slt, %id, %zero : i32
    %wrapped = arith.addi %id, %lines : i32
    %place = arith.select %isNegative, %wrapped, %id : i32
    %line = arith.index_cast %place : i32 to index
    %col = linalg.index 1 : index
    %x = tensor.extract %table[%line, %col] : tensor<40x24xf16>
    linalg.yield %x : f16
  } -> tensor<16x24xf16>
  %given = tensor.extract %start[] : tensor<i32>
  %least = arith.maxsi %given, %zero : i32
  %clamped = arith.minsi %least, %last : i32
  %at = arith.index_cast %clamped : i32 to index
  %right = tensor.extract_slice %b[%at, 0] [24, 32] [1, 1] : tensor<40x32xf16> to tensor<24x32xf16>
  %0 = call @product(%a, %right) : (tensor<16x24xf16>, tensor<24x32xf16>) -> tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}

// An index goes through a function, a table has as many lines as --dims says.
func.func private @next(%i: index) -> index {
  %one = arith.constant 1 : index
  %0 = arith.addi %i, %one : index
  return %0 : index
}
func.func @calls_a_function(%at: index, %tables: tensor<?x16x24xf16>, %b: tensor<24x32xf16>) -> tensor<16x32xf32> {
  %next = call @next(%at) : (index) -> index
  %a = tensor.extract_slice %tables[%next, 0, 0] [1, 16, 24] [1, 1, 1] : tensor<?x16x24xf16> to tensor<16x24xf16>
  %0 = call @product(%a, %b) : (tensor<16x24xf16>, tensor<24x32xf16>) -> tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}

func.func @masks(%a: tensor<16x24xf16>, %b: tensor<24x32xf16>, %mask: tensor<16x32xi1>, %on: i1) -> (tensor<16x32xf32>, tensor<16x32xi1>) {
  %zero = arith.constant 0.0 : f32
  %0 = call @product(%a, %b) : (tensor<16x24xf16>, tensor<24x32xf16>) -> tensor<16x32xf32>
  %1 = linalg.generic {indexing_maps = [#two, #two], iterator_types = ["parallel", "parallel"]}
      ins(%mask : tensor<16x32xi1>) outs(%0 : tensor<16x32xf32>) {
  ^bb0(%is: i1, %x: f32):
    %both = arith.andi %is, %on : i1
    %y = arith.select %both, %x, %zero : f32
    linalg.yield %y : f32
  } -> tensor<16x32xf32>
  return %1, %mask : tensor<16x32xf32>, tensor<16x32xi1>
}

// Weights of 8 bits, with a step for each column.
func.func @dequantizes(%a: tensor<16x24xf16>, %w: tensor<24x32xi8>, %zero: i8, %steps: tensor<32xf16>) -> tensor<16x32xf32> {
  %e = tensor.empty() : tensor<24x32xf16>
  %b = linalg.generic {indexing_maps = [#two, affine_map<(i, j) -> (j)>, #two], iterator_types = ["parallel", "parallel"]}
      ins(%w, %steps : tensor<24x32xi8>, tensor<32xf16>) outs(%e : tensor<24x32xf16>) {
  ^bb0(%q: i8, %step: f16, %out: f16):
    %wide = arith.extsi %q : i8 to i32
    %z = arith.extsi %zero : i8 to i32
    %d = arith.subi %wide, %z : i32
    %x = arith.sitofp %d : i32 to f16
    %y = arith.mulf %x, %step : f16
    linalg.yield %y : f16
  } -> tensor<24x32xf16>
  %0 = call @product(%a, %b) : (tensor<16x24xf16>, tensor<24x32xf16>) -> tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}

// A counter that goes in and comes out, one more.
func.func @counts(%a: tensor<16x24xf16>, %b: tensor<24x32xf16>, %count: tensor<i64>, %step: i64) -> (tensor<16x32xf32>, tensor<i64>) {
  %0 = call @product(%a, %b) : (tensor<16x24xf16>, tensor<24x32xf16>) -> tensor<16x32xf32>
  %old = tensor.extract %count[] : tensor<i64>
  %new = arith.addi %old, %step : i64
  %1 = tensor.from_elements %new : tensor<i64>
  return %0, %1 : tensor<16x32xf32>, tensor<i64>
}

// As many rounds as there are matrices at most, and a place that each of them moves.
func.func @loops(%rounds: index, %place: index, %tables: tensor<5x24x24xf16>, %a: tensor<16x24xf16>) -> tensor<16x24xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.constant 4 : index
  %zero = arith.constant 0.0 : f16
  %0, %1 = scf.for %i = %c0 to %rounds step %c1 iter_args(%x = %a, %at = %place) -> (tensor<16x24xf16>, index) {
    %one = tensor.extract_slice %tables[%i, 0, 0] [1, 24, 24] [1, 1, 1] : tensor<5x24x24xf16> to tensor<24x24xf16>
    %other = tensor.extract_slice %tables[%at, 0, 0] [1, 24, 24] [1, 1, 1] : tensor<5x24x24xf16> to tensor<24x24xf16>
    %e = tensor.empty() : tensor<16x24xf16>
    %f = linalg.fill ins(%zero : f16) outs(%e : tensor<16x24xf16>) -> tensor<16x24xf16>
    %y = linalg.matmul ins(%x, %one : tensor<16x24xf16>, tensor<24x24xf16>) outs(%f : tensor<16x24xf16>) -> tensor<16x24xf16>
    %z = linalg.matmul ins(%a, %other : tensor<16x24xf16>, tensor<24x24xf16>) outs(%f : tensor<16x24xf16>) -> tensor<16x24xf16>
    %moved = arith.addi %at, %c1 : index
    %next = arith.minui %moved, %last : index
    %atTheEnd = arith.cmpi eq, %i, %last : index
    %w = arith.select %atTheEnd, %y, %z : tensor<16x24xf16>
    scf.yield %w, %next : tensor<16x24xf16>, index
  }
  return %0 : tensor<16x24xf16>
}

func.func @writes_a_cache(%at: tensor<1xi64>, %cache: tensor<9x32xf32>, %a: tensor<16x24xf16>, %b: tensor<24x32xf16>) -> tensor<9x32xf32> {
  %c0 = arith.constant 0 : index
  %0 = call @product(%a, %b) : (tensor<16x24xf16>, tensor<24x32xf16>) -> tensor<16x32xf32>
  %rows = tensor.extract_slice %0[0, 0] [4, 32] [1, 1] : tensor<16x32xf32> to tensor<4x32xf32>
  %given = tensor.extract %at[%c0] : tensor<1xi64>
  %place = arith.index_cast %given : i64 to index
  %1 = tensor.insert_slice %rows into %cache[%place, 0] [4, 32] [1, 1] : tensor<4x32xf32> into tensor<9x32xf32>
  return %1 : tensor<9x32xf32>
}

// The result is integers: which column is the largest, by the number of its class.
func.func @picks_the_largest(%a: tensor<16x24xf16>, %b: tensor<24x32xf16>, %classes: tensor<32xi32>) -> tensor<16xi32> {
  %least = arith.constant -1.0e30 : f32
  %none = arith.constant -1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %0 = call @product(%a, %b) : (tensor<16x24xf16>, tensor<24x32xf16>) -> tensor<16x32xf32>
  %e = tensor.empty() : tensor<16xi32>
  %1 = scf.for %i = %c0 to %c16 step %c1 iter_args(%to = %e) -> tensor<16xi32> {
    %best, %which = scf.for %j = %c0 to %c32 step %c1 iter_args(%x = %least, %k = %none) -> (f32, i32) {
      %y = tensor.extract %0[%i, %j] : tensor<16x32xf32>
      %class = tensor.extract %classes[%j] : tensor<32xi32>
      %more = arith.cmpf ogt, %y, %x : f32
      %z = arith.select %more, %y, %x : f32
      %l = arith.select %more, %class, %k : i32
      scf.yield %z, %l : f32, i32
    }
    %next = tensor.insert %which into %to[%i] : tensor<16xi32>
    scf.yield %next : tensor<16xi32>
  }
  return %1 : tensor<16xi32>
}

func.func @memory(%a: memref<16x24xf16>, %b: memref<3x24x32xf16>, %c: memref<16x32xf32>, %which: memref<2xi16>) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %given = memref.load %which[%c1] : memref<2xi16>
  %at = arith.index_cast %given : i16 to index
  %right = memref.subview %b[%at, 0, 0] [1, 24, 32] [1, 1, 1] : memref<3x24x32xf16> to memref<24x32xf16, strided<[32, 1], offset: ?>>
  linalg.fill ins(%zero : f32) outs(%c : memref<16x32xf32>)
  linalg.matmul ins(%a, %right : memref<16x24xf16>, memref<24x32xf16, strided<[32, 1], offset: ?>>) outs(%c : memref<16x32xf32>)
  return
}

// Of a variance a root is taken: of a negative one nothing could be told.
func.func @normalizes(%a: tensor<16x24xf16>, %b: tensor<24x32xf16>, %variance: tensor<16xf16>, %batches: tensor<i64>) -> (tensor<16x32xf32>, tensor<i64>) {
  %small = arith.constant 1.0e-05 : f32
  %0 = call @product(%a, %b) : (tensor<16x24xf16>, tensor<24x32xf16>) -> tensor<16x32xf32>
  %1 = linalg.generic {indexing_maps = [#rows, #two], iterator_types = ["parallel", "parallel"]}
      ins(%variance : tensor<16xf16>) outs(%0 : tensor<16x32xf32>) {
  ^bb0(%v: f16, %x: f32):
    %wide = arith.extf %v : f16 to f32
    %sum = arith.addf %wide, %small : f32
    %root = math.rsqrt %sum : f32
    %y = arith.mulf %x, %root : f32
    linalg.yield %y : f32
  } -> tensor<16x32xf32>
  return %1, %batches : tensor<16x32xf32>, tensor<i64>
}

// Constants that are in a part of the file of their own: floats and integers.
func.func @has_resources(%a: tensor<16x24xf16>, %b: tensor<24x32xf16>) -> tensor<16x32xf32> {
  %bias = arith.constant dense_resource<bias> : tensor<4xf32>
  %order = arith.constant dense_resource<order> : tensor<32xi32>
  %0 = call @product(%a, %b) : (tensor<16x24xf16>, tensor<24x32xf16>) -> tensor<16x32xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, #two], iterator_types = ["parallel", "parallel"]}
      ins(%order : tensor<32xi32>) outs(%0 : tensor<16x32xf32>) {
  ^bb0(%k: i32, %x: f32):
    %at = arith.index_cast %k : i32 to index
    %y = tensor.extract %bias[%at] : tensor<4xf32>
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<16x32xf32>
  return %1 : tensor<16x32xf32>
}

{-#
  dialect_resources: {
    builtin: {
      bias: "0x040000000000803F0000004000004040000080BF",
      order: "0x040000000000000001000000020000000300000000000000010000000200000003000000000000000100000002000000030000000000000001000000020000000300000000000000010000000200000003000000000000000100000002000000030000000000000001000000020000000300000000000000010000000200000003000000"
    }
  }
#-}

// Elements that an op on memrefs moves.
func.func @moves_memory(%ids: memref<4xi32>, %out: memref<4xi32>) {
  linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%ids : memref<4xi32>) outs(%out : memref<4xi32>) {
  ^bb0(%in: i32, %before: i32):
    linalg.yield %in : i32
  }
  return
}
