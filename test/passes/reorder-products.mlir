// RUN: hone-opt %s --split-input-file --hone-reorder-products --canonicalize --cse | FileCheck %s
// RUN: hone-opt %s --split-input-file --hone-reorder-products=reorder=all --canonicalize --cse | FileCheck %s --check-prefix=ALL
// RUN: hone-opt %s --split-input-file --hone-reorder-products=reorder=kept | FileCheck %s --check-prefix=KEPT
// RUN: hone-opt %s --split-input-file --hone-reorder-products -o %t --remark-policy=all --remark-format=emitRemark \
// RUN:   --remarks-filter=hone 2>&1 | FileCheck %s --check-prefix=REMARK

// Products in the order that multiplies fewer rows, or less often, and those that stay.

// KEPT-NOT: tensor<30x24xf32>

#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#each = affine_map<(i, j) -> (i, j)>

// 30 rows are read 100 times. The op after the product goes along, and stays next to it.
// REMARK: Function=source_is_shorter{{.*}}multiplies 30 rows instead of 100: those of the index's source
// CHECK-LABEL: func @source_is_shorter(
// CHECK-SAME: %[[X:.*]]: tensor<30x16xf32>, %[[W:.*]]: tensor<16x24xf32>, %[[BIAS:.*]]: tensor<24xf32>, %[[AT:.*]]: tensor<100xi64>)
// CHECK: %[[P:.*]] = linalg.matmul ins(%[[X]], %[[W]] : {{.*}} -> tensor<30x24xf32>
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[P]], %[[BIAS]] :
// CHECK: linalg.generic {{.*}} ins(%[[AT]] : tensor<100xi64>) outs(%{{.*}} : tensor<100x24xf32>)
// CHECK: arith.cmpi slt
// CHECK: tensor.extract %[[SUM]][
func.func @source_is_shorter(%x: tensor<30x16xf32>, %w: tensor<16x24xf32>, %bias: tensor<24xf32>, %at: tensor<100xi64>) -> tensor<100x24xf32> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i64
  %count = arith.constant 30 : i64
  %e = tensor.empty() : tensor<100x16xf32>
  %rows = linalg.generic {indexing_maps = [#row, #each], iterator_types = ["parallel", "parallel"]} ins(%at : tensor<100xi64>) outs(%e : tensor<100x16xf32>) {
  ^bb0(%n: i64, %o: f32):
    %negative = arith.cmpi slt, %n, %none : i64
    %from_end = arith.addi %n, %count : i64
    %number = arith.select %negative, %from_end, %n : i64
    %i = arith.index_cast %number : i64 to index
    %j = linalg.index 1 : index
    %r = tensor.extract %x[%i, %j] : tensor<30x16xf32>
    linalg.yield %r : f32
  } -> tensor<100x16xf32>
  %ec = tensor.empty() : tensor<100x24xf32>
  %start = linalg.fill ins(%zero : f32) outs(%ec : tensor<100x24xf32>) -> tensor<100x24xf32>
  %p = linalg.matmul ins(%rows, %w : tensor<100x16xf32>, tensor<16x24xf32>) outs(%start : tensor<100x24xf32>) -> tensor<100x24xf32>
  %sum = linalg.generic {indexing_maps = [#each, #column, #each], iterator_types = ["parallel", "parallel"]} ins(%p, %bias : tensor<100x24xf32>, tensor<24xf32>) outs(%ec : tensor<100x24xf32>) {
  ^bb0(%v: f32, %b: f32, %o: f32):
    %r = arith.addf %v, %b : f32
    linalg.yield %r : f32
  } -> tensor<100x24xf32>
  return %sum : tensor<100x24xf32>
}

// -----

#row = affine_map<(i, j) -> (i)>
#each = affine_map<(i, j) -> (i, j)>

// 12 rows of a residual and of A are read. The number of each is an element of a column, as
// StableHLO has it.
// REMARK: Function=index_is_shorter{{.*}}multiplies 12 rows instead of 50: those of the index
// CHECK-LABEL: func @index_is_shorter(
// CHECK-SAME: %[[X:.*]]: tensor<50x16xf16>, %[[W:.*]]: tensor<16x24xf16>, %[[Y:.*]]: tensor<50x24xf32>,
// CHECK: tensor.extract %[[X]][
// CHECK: linalg.matmul {{.*}} tensor<12x16xf16>, {{.*}} -> tensor<12x24xf32>
// CHECK: tensor.extract %[[Y]][
// CHECK: arith.addf %{{.*}}, %{{.*}} : tensor<12x24xf32>
// CHECK-NOT: tensor.extract
func.func @index_is_shorter(%x: tensor<50x16xf16>, %w: tensor<16x24xf16>, %y: tensor<50x24xf32>, %at: tensor<12x1xi32>) -> tensor<12x24xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c49 = arith.constant 49 : index
  %ec = tensor.empty() : tensor<50x24xf32>
  %start = linalg.fill ins(%zero : f32) outs(%ec : tensor<50x24xf32>) -> tensor<50x24xf32>
  %p = linalg.matmul ins(%x, %w : tensor<50x16xf16>, tensor<16x24xf16>) outs(%start : tensor<50x24xf32>) -> tensor<50x24xf32>
  %sum = arith.addf %p, %y : tensor<50x24xf32>
  %e = tensor.empty() : tensor<12x24xf32>
  %rows = linalg.generic {indexing_maps = [#each], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<12x24xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %n = tensor.extract %at[%i, %c0] : tensor<12x1xi32>
    %index = arith.index_cast %n : i32 to index
    %low = arith.maxsi %index, %c0 : index
    %number = arith.minsi %low, %c49 : index
    %j = linalg.index 1 : index
    %column = arith.addi %j, %c0 : index
    %r = tensor.extract %sum[%number, %column] : tensor<50x24xf32>
    linalg.yield %r : f32
  } -> tensor<12x24xf32>
  return %rows : tensor<12x24xf32>
}

// -----

// Rows that repeat in a constant are multiplied once.
// REMARK: Function=repeated{{.*}}multiplies 3 rows instead of 6: those of the index that differ
// CHECK-LABEL: func @repeated(
// CHECK-DAG: arith.constant dense<[7, 2, 9]> : tensor<3xi32>
// CHECK-DAG: arith.constant dense<[0, 1, 0, 0, 2, 1]> : tensor<6xi32>
// CHECK: linalg.matmul {{.*}} tensor<3x16xf32>, {{.*}} -> tensor<3x24xf32>
func.func @repeated(%x: tensor<50x16xf32>, %w: tensor<16x24xf32>) -> tensor<6x24xf32> {
  %zero = arith.constant 0.0 : f32
  %at = arith.constant dense<[[7], [2], [7], [7], [9], [2]]> : tensor<6x1xindex>
  %rows = tensor.gather %x[%at] gather_dims([0]) : (tensor<50x16xf32>, tensor<6x1xindex>) -> tensor<6x16xf32>
  %ec = tensor.empty() : tensor<6x24xf32>
  %start = linalg.fill ins(%zero : f32) outs(%ec : tensor<6x24xf32>) -> tensor<6x24xf32>
  %p = linalg.matmul ins(%rows, %w : tensor<6x16xf32>, tensor<16x24xf32>) outs(%start : tensor<6x24xf32>) -> tensor<6x24xf32>
  return %p : tensor<6x24xf32>
}

// -----

#row = affine_map<(i, j) -> (i)>
#each = affine_map<(i, j) -> (i, j)>

// Constants are as long as the rows that meet them.
// REMARK: Function=constants{{.*}}multiplies 30 rows instead of 100
// CHECK-LABEL: func @constants(
// CHECK-DAG: arith.constant dense<1.000000e+00> : tensor<30x16xf32>
// CHECK-DAG: arith.constant dense<0.000000e+00> : tensor<30x24xf32>
// CHECK: arith.maximumf %{{.*}} : tensor<30x16xf32>
// CHECK: linalg.matmul {{.*}} -> tensor<30x24xf32>
// CHECK: tensor.extract
func.func @constants(%x: tensor<30x16xf32>, %w: tensor<16x24xf32>, %at: tensor<100xindex>) -> tensor<100x24xf32> {
  %one = arith.constant dense<1.0> : tensor<100x16xf32>
  %zero = arith.constant dense<0.0> : tensor<100x24xf32>
  %e = tensor.empty() : tensor<100x16xf32>
  %rows = linalg.generic {indexing_maps = [#row, #each], iterator_types = ["parallel", "parallel"]} ins(%at : tensor<100xindex>) outs(%e : tensor<100x16xf32>) {
  ^bb0(%i: index, %o: f32):
    %j = linalg.index 1 : index
    %r = tensor.extract %x[%i, %j] : tensor<30x16xf32>
    linalg.yield %r : f32
  } -> tensor<100x16xf32>
  %above = arith.maximumf %rows, %one : tensor<100x16xf32>
  %p = linalg.matmul ins(%above, %w : tensor<100x16xf32>, tensor<16x24xf32>) outs(%zero : tensor<100x24xf32>) -> tensor<100x24xf32>
  return %p : tensor<100x24xf32>
}

// -----

// A number out of range is the row of zeros that follows those of A.
// REMARK: Function=clause{{.*}}multiplies 31 rows instead of 100: those of the index's source
// CHECK-LABEL: func @clause(
// CHECK: %[[A:.*]] = tensor.pad %{{.*}} low[0, 0] high[1, 0]
// CHECK: %[[P:.*]] = hone.matmul ins(%[[A]], %{{.*}} : tensor<31x16xf16>, tensor<16x24xf16>) outs(%{{.*}} : tensor<31x24xf16>) init(zero) acc(f32) epilogue(%{{.*}}[n] : tensor<24xf32>)
// CHECK: %[[IS:.*]] = arith.cmpi ult, %[[N:.*]], %[[C30:.*]] : index
// CHECK: %[[ROW:.*]] = arith.select %[[IS]], %[[N]], %[[C30]]
// CHECK: tensor.extract %[[P]][%[[ROW]],
func.func @clause(%x: tensor<30x16xf16>, %w: tensor<16x24xf16>, %bias: tensor<24xf32>, %at: tensor<100xi32>) -> tensor<100x24xf16> {
  %e = tensor.empty() : tensor<100x24xf16>
  %p = hone.matmul ins(%x, %w : tensor<30x16xf16>, tensor<16x24xf16>) outs(%e : tensor<100x24xf16>) gather(%at : tensor<100xi32>) init(zero) acc(f32) epilogue(%bias[n] : tensor<24xf32>) {
  ^bb0(%sum: f32, %v: f32):
    %0 = arith.addf %sum, %v : f32
    %1 = arith.truncf %0 : f32 to f16
    hone.yield %1 : f16
  } -> tensor<100x24xf16>
  return %p : tensor<100x24xf16>
}

// -----

// Groups have the rows 0 to 2, none, and 3 to 5; row 6 is of no group. Row 4 of A is read in
// two groups, and -1 and 99 are both out of range.
// REMARK: Function=groups{{.*}}multiplies 5 rows instead of 7: those of the index that differ
// CHECK-LABEL: func @groups(
// CHECK-DAG: %[[AT:.*]] = arith.constant dense<[4, 5, 4, -1, 5]> : tensor<5xi64>
// CHECK-DAG: %[[ENDS:.*]] = arith.constant dense<[2, 2, 4]> : tensor<3xi32>
// CHECK-DAG: arith.constant dense<[0, 1, 0, 2, 3, 3, 4]> : tensor<7xi32>
// CHECK: hone.matmul {{.*}} ragged(%[[ENDS]] : tensor<3xi32>) gather(%[[AT]] : tensor<5xi64>) init(zero)
func.func @groups(%x: tensor<30x16xf16>, %w: tensor<3x16x24xf16>) -> tensor<7x24xf16> {
  %ends = arith.constant dense<[3, -7, 6]> : tensor<3xi32>
  %at = arith.constant dense<[4, 5, 4, 4, -1, 99, 5]> : tensor<7xi64>
  %e = tensor.empty() : tensor<7x24xf16>
  %p = hone.matmul ins(%x, %w : tensor<30x16xf16>, tensor<3x16x24xf16>) outs(%e : tensor<7x24xf16>) ragged(%ends : tensor<3xi32>) gather(%at : tensor<7xi64>) init(zero) acc(f32) -> tensor<7x24xf16>
  return %p : tensor<7x24xf16>
}

// -----

// REMARK: Function=factors{{.*}}another order of float products rounds otherwise; use reorder=all
// CHECK-LABEL: func @factors(
// CHECK: linalg.matmul
// CHECK: linalg.matvec
// ALL-LABEL: func @factors(
// ALL-SAME: %[[X:.*]]: tensor<64x32xf32>, %[[W:.*]]: tensor<32x48xf32>, %[[V:.*]]: tensor<48xf32>
// ALL: %[[WV:.*]] = linalg.generic {{.*}} ins(%[[W]], %[[V]] : {{.*}} outs(%{{.*}} : tensor<32xf32>)
// ALL: linalg.generic {{.*}} ins(%[[X]], %[[WV]] : {{.*}} outs(%{{.*}} : tensor<64xf32>)
func.func @factors(%x: tensor<64x32xf32>, %w: tensor<32x48xf32>, %v: tensor<48xf32>, %start: tensor<64xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %p = linalg.matmul ins(%x, %w : tensor<64x32xf32>, tensor<32x48xf32>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %q = linalg.matvec ins(%p, %v : tensor<64x48xf32>, tensor<48xf32>) outs(%start : tensor<64xf32>) -> tensor<64xf32>
  return %q : tensor<64xf32>
}

// -----


#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// The program permits another order; the factor is on the left.
// REMARK: Function=permitted{{.*}}multiplies 3072 times instead of 17408
// CHECK-LABEL: func @permitted(
// CHECK: linalg.generic {{.*}} tensor<2x16xf32>, tensor<16x32xf32>) outs(%{{.*}} : tensor<2x32xf32>)
// CHECK: linalg.generic {{.*}} tensor<2x32xf32>, tensor<32x32xf32>) outs(%{{.*}} : tensor<2x32xf32>)
func.func @permitted(%u: tensor<2x16xf32>, %x: tensor<16x32xf32>, %w: tensor<32x32xf32>) -> tensor<2x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<16x32xf32>, tensor<32x32xf32>) outs(%f : tensor<16x32xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %0 = arith.mulf %l, %r fastmath<reassoc, nsz> : f32
    %1 = arith.addf %o, %0 fastmath<fast> : f32
    linalg.yield %1 : f32
  } -> tensor<16x32xf32>
  %e2 = tensor.empty() : tensor<2x32xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x32xf32>) -> tensor<2x32xf32>
  %q = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%u, %p : tensor<2x16xf32>, tensor<16x32xf32>) outs(%f2 : tensor<2x32xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %0 = arith.mulf %l, %r fastmath<fast> : f32
    %1 = arith.addf %o, %0 fastmath<fast> : f32
    linalg.yield %1 : f32
  } -> tensor<2x32xf32>
  return %q : tensor<2x32xf32>
}

// -----

// Ragged rows, whose matrices and vectors belong to groups.
// REMARK: Function=ragged_factors{{.*}}use reorder=all
// REMARK: Function=ragged_factors{{.*}}its index and the ends of its groups are not constants
// ALL-LABEL: func @ragged_factors(
// ALL-SAME: %[[X:.*]]: tensor<90x32xf32>, %[[W:.*]]: tensor<8x32x48xf32>, %[[V:.*]]: tensor<8x48x1xf32>, %[[ENDS:.*]]: tensor<8xi32>, %[[AT:.*]]: tensor<500xi32>
// ALL: %[[WV:.*]] = linalg.generic {{.*}} ins(%[[W]], %[[V]] : {{.*}} outs(%{{.*}} : tensor<8x32x1xf32>)
// ALL: hone.matmul ins(%[[X]], %[[WV]] : tensor<90x32xf32>, tensor<8x32x1xf32>) outs(%{{.*}} : tensor<500x1xf32>) ragged(%[[ENDS]] : tensor<8xi32>) gather(%[[AT]] : tensor<500xi32>)
func.func @ragged_factors(%x: tensor<90x32xf32>, %w: tensor<8x32x48xf32>, %v: tensor<8x48x1xf32>, %ends: tensor<8xi32>, %at: tensor<500xi32>) -> tensor<500x1xf32> {
  %e = tensor.empty() : tensor<500x48xf32>
  %p = hone.matmul ins(%x, %w : tensor<90x32xf32>, tensor<8x32x48xf32>) outs(%e : tensor<500x48xf32>) ragged(%ends : tensor<8xi32>) gather(%at : tensor<500xi32>) init(zero) acc(f32) -> tensor<500x48xf32>
  %e2 = tensor.empty() : tensor<500x1xf32>
  %q = hone.matmul ins(%p, %v : tensor<500x48xf32>, tensor<8x48x1xf32>) outs(%e2 : tensor<500x1xf32>) ragged(%ends : tensor<8xi32>) init(zero) acc(f32) -> tensor<500x1xf32>
  return %q : tensor<500x1xf32>
}

// -----

// Integers wrap, so any order has the same sums.
// REMARK: Function=integers{{.*}}multiplies 3584 times instead of 101376
// CHECK-LABEL: func @integers(
// CHECK: arith.muli
// CHECK: tensor<32xi32>
func.func @integers(%x: tensor<64x32xi32>, %w: tensor<32x48xi32>, %v: tensor<48xi32>, %start: tensor<64xi32>) -> tensor<64xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<64x48xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<64x48xi32>) -> tensor<64x48xi32>
  %p = linalg.matmul ins(%x, %w : tensor<64x32xi32>, tensor<32x48xi32>) outs(%f : tensor<64x48xi32>) -> tensor<64x48xi32>
  %q = linalg.matvec ins(%p, %v : tensor<64x48xi32>, tensor<48xi32>) outs(%start : tensor<64xi32>) -> tensor<64xi32>
  return %q : tensor<64xi32>
}

// -----

#row = affine_map<(i, j) -> (i)>
#each = affine_map<(i, j) -> (i, j)>

// REMARK: Function=unknown{{.*}}an extent is 0, or known when the program runs
// REMARK: Function=starts{{.*}}its rows start from, or meet, values of their own
// REMARK: Function=read_twice{{.*}}its result has other readers
// REMARK: Function=groups_unknown{{.*}}its index and the ends of its groups are not constants
// REMARK-NOT: remark
// CHECK-LABEL: func @unknown(
// CHECK: tensor.extract %arg0
// CHECK: linalg.matmul
func.func @unknown(%x: tensor<?x16xf32>, %w: tensor<16x24xf32>, %at: tensor<100xi32>, %c: tensor<100x24xf32>) -> tensor<100x24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<100x16xf32>
  %rows = linalg.generic {indexing_maps = [#row, #each], iterator_types = ["parallel", "parallel"]} ins(%at : tensor<100xi32>) outs(%e : tensor<100x16xf32>) {
  ^bb0(%n: i32, %o: f32):
    %i = arith.index_cast %n : i32 to index
    %j = linalg.index 1 : index
    %r = tensor.extract %x[%i, %j] : tensor<?x16xf32>
    linalg.yield %r : f32
  } -> tensor<100x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%c : tensor<100x24xf32>) -> tensor<100x24xf32>
  %p = linalg.matmul ins(%rows, %w : tensor<100x16xf32>, tensor<16x24xf32>) outs(%start : tensor<100x24xf32>) -> tensor<100x24xf32>
  return %p : tensor<100x24xf32>
}

// CHECK-LABEL: func @starts(
// CHECK: tensor.extract %arg0
// CHECK: linalg.matmul
func.func @starts(%x: tensor<30x16xf32>, %w: tensor<16x24xf32>, %at: tensor<100xi32>, %c: tensor<100x24xf32>) -> tensor<100x24xf32> {
  %e = tensor.empty() : tensor<100x16xf32>
  %rows = linalg.generic {indexing_maps = [#row, #each], iterator_types = ["parallel", "parallel"]} ins(%at : tensor<100xi32>) outs(%e : tensor<100x16xf32>) {
  ^bb0(%n: i32, %o: f32):
    %i = arith.index_cast %n : i32 to index
    %j = linalg.index 1 : index
    %r = tensor.extract %x[%i, %j] : tensor<30x16xf32>
    linalg.yield %r : f32
  } -> tensor<100x16xf32>
  %p = linalg.matmul ins(%rows, %w : tensor<100x16xf32>, tensor<16x24xf32>) outs(%c : tensor<100x24xf32>) -> tensor<100x24xf32>
  return %p : tensor<100x24xf32>
}

// CHECK-LABEL: func @read_twice(
// CHECK: linalg.matmul {{.*}} tensor<50x24xf32>
func.func @read_twice(%x: tensor<50x16xf32>, %w: tensor<16x24xf32>, %at: tensor<12xi32>) -> (tensor<12x24xf32>, tensor<50x24xf32>) {
  %zero = arith.constant 0.0 : f32
  %ec = tensor.empty() : tensor<50x24xf32>
  %start = linalg.fill ins(%zero : f32) outs(%ec : tensor<50x24xf32>) -> tensor<50x24xf32>
  %p = linalg.matmul ins(%x, %w : tensor<50x16xf32>, tensor<16x24xf32>) outs(%start : tensor<50x24xf32>) -> tensor<50x24xf32>
  %e = tensor.empty() : tensor<12x24xf32>
  %rows = linalg.generic {indexing_maps = [#row, #each], iterator_types = ["parallel", "parallel"]} ins(%at : tensor<12xi32>) outs(%e : tensor<12x24xf32>) {
  ^bb0(%n: i32, %o: f32):
    %i = arith.index_cast %n : i32 to index
    %j = linalg.index 1 : index
    %r = tensor.extract %p[%i, %j] : tensor<50x24xf32>
    linalg.yield %r : f32
  } -> tensor<12x24xf32>
  return %rows, %p : tensor<12x24xf32>, tensor<50x24xf32>
}

// CHECK-LABEL: func @groups_unknown(
// CHECK: gather(%{{.*}} : tensor<7xi64>)
func.func @groups_unknown(%x: tensor<3x16xf16>, %w: tensor<3x16x24xf16>, %ends: tensor<3xi32>, %at: tensor<7xi64>) -> tensor<7x24xf16> {
  %e = tensor.empty() : tensor<7x24xf16>
  %p = hone.matmul ins(%x, %w : tensor<3x16xf16>, tensor<3x16x24xf16>) outs(%e : tensor<7x24xf16>) ragged(%ends : tensor<3xi32>) gather(%at : tensor<7xi64>) init(zero) acc(f32) -> tensor<7x24xf16>
  return %p : tensor<7x24xf16>
}

// A part of each row is not a row, nor is a row in another order.
// CHECK-LABEL: func @parts(
// CHECK: linalg.matmul {{.*}} tensor<100x8xf32>
func.func @parts(%x: tensor<30x16xf32>, %w: tensor<8x24xf32>, %at: tensor<100xi32>) -> tensor<100x24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<100x8xf32>
  %rows = linalg.generic {indexing_maps = [#row, #each], iterator_types = ["parallel", "parallel"]} ins(%at : tensor<100xi32>) outs(%e : tensor<100x8xf32>) {
  ^bb0(%n: i32, %o: f32):
    %i = arith.index_cast %n : i32 to index
    %j = linalg.index 1 : index
    %r = tensor.extract %x[%i, %j] : tensor<30x16xf32>
    linalg.yield %r : f32
  } -> tensor<100x8xf32>
  %ec = tensor.empty() : tensor<100x24xf32>
  %start = linalg.fill ins(%zero : f32) outs(%ec : tensor<100x24xf32>) -> tensor<100x24xf32>
  %p = linalg.matmul ins(%rows, %w : tensor<100x8xf32>, tensor<8x24xf32>) outs(%start : tensor<100x24xf32>) -> tensor<100x24xf32>
  return %p : tensor<100x24xf32>
}
