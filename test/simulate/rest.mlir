// Rest kernels are proven against their functions, for every extent.
//
// RUN: hone-opt %s --hone-outline-rest="arch=h200" --hone-build-rest="arch=h200" --canonicalize --hone-verify-kernel | FileCheck %s
// RUN: hone-opt %s --hone-outline-rest="arch=sm_80" --hone-build-rest="arch=sm_80" --canonicalize --cse --hone-verify-kernel -o /dev/null
// RUN: hone-opt %S/../passes/rest-on-cpu.mlir --hone-outline-rest="arch=h200" --hone-build-rest="arch=h200" --canonicalize --hone-verify-kernel -o /dev/null
// RUN: hone-opt %S/../passes/build-rest.mlir --hone-outline-rest="arch=h200" --hone-build-rest="arch=h200" --canonicalize --hone-verify-kernel -o /dev/null

// A kernel names its function, which stays until kernels are lowered.
// CHECK: gpu.func @[[NAME:hone_rest_[0-9a-f]+]]_sm_90a_{{.*}} {hone.rest = "[[NAME]]"
// CHECK: func.func private @[[NAME]](
// RUN: hone-opt %s --hone-outline-rest="arch=h200" --hone-build-rest="arch=h200" --hone-lower-kernel | FileCheck %s --check-prefix=LOWERED
// LOWERED-NOT: func.func private @hone_rest_

// Without the function, there is nothing to hold a kernel against.
// RUN: hone-opt %s --hone-outline-rest="arch=h200" --hone-build-rest="arch=h200" --symbol-dce > %t.mlir
// RUN: not hone-opt %t.mlir --hone-verify-kernel -o /dev/null 2>&1 | FileCheck %s --check-prefix=GONE
// GONE: error: 'gpu.func' has no function in the module that states its result [not-modelled; block 0]

// Verdicts are kept like those of matmuls; a build without them says so once.
// DEFINE: %{recall} = hone-opt --remark-policy=all --remark-format=emitRemark --remarks-filter=hone -o /dev/null
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: hone-opt %s --hone-outline-rest="arch=h200" --hone-build-rest="arch=h200" > %t.d/k.mlir
// RUN: %{recall} --hone-recall-verdicts="database=%t.d/db" %t.d/k.mlir 2>&1 | FileCheck %s --check-prefix=ONCE
// ONCE: [[COUNT:[0-9]+]] of [[COUNT]] alternatives of launch plans: not proven ('hone_rest_{{.*}}', 'hone_rest_{{.*}}', 'hone_rest_{{.*}}', ...); use 'prove', or hone simulate
// ONCE-NOT: not-proven
// RUN: %{recall} --hone-recall-verdicts="database=%t.d/db prove=yes" %t.d/k.mlir 2>&1 | count 0
// RUN: %{recall} --hone-recall-verdicts="database=%t.d/db" %t.d/k.mlir 2>&1 | count 0
// A kernel of which the proof cannot tell: a remark, or an error.
// RUN: hone-opt %t.d/k.mlir --symbol-dce > %t.d/gone.mlir
// RUN: %{recall} --hone-recall-verdicts="database=%t.d/db prove=yes" %t.d/gone.mlir 2>&1 | FileCheck %s --check-prefix=TELL
// RUN: not %{recall} --hone-recall-verdicts="database=%t.d/db prove=required" %t.d/gone.mlir 2>&1 | FileCheck %s --check-prefix=REQUIRED
// RUN: not %{recall} --hone-recall-verdicts="database=%t.d/db prove" %t.d/gone.mlir 2>&1 | FileCheck %s --check-prefix=REQUIRED
// RUN: %{recall} --hone-recall-verdicts="database=%t.d/db each" %t.d/gone.mlir 2>&1 | FileCheck %s --check-prefix=EACH
// TELL: remark: [Missed] not-proven {{.*}}not proven: expected a kernel that computes its function, but got 'hone_rest_
// REQUIRED: error: expected a kernel that computes its function, but got 'hone_rest_
// EACH: 'hone_rest_{{[^']*}}': not proven; use 'prove', or hone simulate
// EACH: 'hone_rest_{{[^']*}}': not proven; use 'prove', or hone simulate

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#turned = affine_map<(i, j) -> (j, i)>
#none = affine_map<(i) -> ()>
#point = affine_map<(i) -> (i)>

// Three steps of one block: the largest of a row, the sum of the remaining ones, and the quotients.
func.func @weights(%x: memref<12x512xf32>, %most: memref<12xf32>, %sum: memref<12xf32>, %y: memref<12x512xf16>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%low : f32) outs(%most : memref<12xf32>)
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<12x512xf32>) outs(%most : memref<12xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %out : f32
    linalg.yield %0 : f32
  }
  linalg.fill ins(%zero : f32) outs(%sum : memref<12xf32>)
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %most : memref<12x512xf32>, memref<12xf32>) outs(%sum : memref<12xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %0 = arith.subf %in, %m : f32
    %1 = math.exp %0 : f32
    %2 = arith.addf %1, %out : f32
    linalg.yield %2 : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %most, %sum : memref<12x512xf32>, memref<12xf32>, memref<12xf32>) outs(%y : memref<12x512xf16>) {
  ^bb0(%in: f32, %m: f32, %s: f32, %out: f16):
    %0 = arith.subf %in, %m : f32
    %1 = math.exp %0 : f32
    %2 = arith.divf %1, %s : f32
    %3 = arith.truncf %2 : f32 to f16
    linalg.yield %3 : f16
  }
  return
}

// The first of the largest: an order that counts, and integers with floats.
func.func @places(%x: memref<40x300xf32>, %value: memref<300xf32>, %place: memref<300xi64>) {
  linalg.generic {indexing_maps = [#turned, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<40x300xf32>) outs(%value, %place : memref<300xf32>, memref<300xi64>) {
  ^bb0(%in: f32, %best: f32, %at: i64):
    %j = linalg.index 1 : index
    %here = arith.index_cast %j : index to i64
    %more = arith.cmpf ogt, %in, %best : f32
    %0 = arith.select %more, %in, %best : f32
    %1 = arith.select %more, %here, %at : i64
    linalg.yield %0, %1 : f32, i64
  }
  return
}

// Open extents and strides, positions that are compared, and truth values.
func.func @causal(%x: memref<?x?xf32, strided<[?, ?], offset: ?>>, %keep: memref<?x?xi1>, %y: memref<?x?xf32>, %f: f32) {
  %low = arith.constant -1.0e+4 : f32
  linalg.generic {indexing_maps = [#id, #turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %keep : memref<?x?xf32, strided<[?, ?], offset: ?>>, memref<?x?xi1>) outs(%y : memref<?x?xf32>) {
  ^bb0(%in: f32, %k: i1, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %past = arith.cmpi ule, %j, %i : index
    %both = arith.andi %past, %k : i1
    %0 = arith.mulf %in, %f : f32
    %1 = arith.select %both, %0, %low : f32
    linalg.yield %1 : f32
  }
  return
}

// Rows of a table by numbers that are data.
func.func @rows_of(%table: memref<1000x96xbf16>, %which: memref<50xi32>, %y: memref<50x96xbf16>) {
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%which : memref<50xi32>) outs(%y : memref<50x96xbf16>) {
  ^bb0(%w: i32, %out: bf16):
    %r = arith.index_cast %w : i32 to index
    %j = linalg.index 1 : index
    %0 = memref.load %table[%r, %j] : memref<1000x96xbf16>
    linalg.yield %0 : bf16
  }
  return
}

// Parts of 64 bits go from lane to lane in two words.
func.func @norms(%x: memref<?x768xf64>, %s: memref<?xf64>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x768xf64>) outs(%s : memref<?xf64>) {
  ^bb0(%in: f64, %out: f64):
    %0 = arith.mulf %in, %in : f64
    %1 = arith.addf %out, %0 : f64
    linalg.yield %1 : f64
  }
  return
}

// Truth values, one after the other and all of a row together.
func.func @any_of(%x: memref<9x70xi1>, %s: memref<9xi1>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<9x70xi1>) outs(%s : memref<9xi1>) {
  ^bb0(%in: i1, %out: i1):
    %0 = arith.ori %in, %out : i1
    linalg.yield %0 : i1
  }
  return
}

// A window that moves by two, and a small table of the module.
memref.global "private" constant @taps : memref<3xf32> = dense<[0.25, 0.5, 0.25]>
func.func @smooth(%x: memref<129xf32>, %y: memref<64xf32>) {
  %taps = memref.get_global @taps : memref<3xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i * 2 + j)>, #column, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %taps : memref<129xf32>, memref<3xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%in: f32, %tap: f32, %out: f32):
    %0 = arith.mulf %in, %tap : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Nothing to do, at every size.
func.func @nothing(%x: memref<0x8xf32>, %y: memref<0x8xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<0x8xf32>) outs(%y : memref<0x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.absf %in : f32
    linalg.yield %0 : f32
  }
  return
}

// Loops in a body, one inside of the other, over numbers that other elements have.
func.func @loops(%begins: memref<41xi32>, %order: memref<?xi32>, %x: memref<90x24xf16>, %first: memref<40x24xf32>, %y: memref<40x24xf32>) {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%first : memref<40x24xf32>) outs(%y : memref<40x24xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %next = arith.addi %i, %one : index
    %b0 = memref.load %begins[%i] : memref<41xi32>
    %b1 = memref.load %begins[%next] : memref<41xi32>
    %begin = arith.index_cast %b0 : i32 to index
    %end = arith.index_cast %b1 : i32 to index
    %sum, %top = scf.for %p = %begin to %end step %two iter_args(%s = %in, %t = %in) -> (f32, f32) {
      %raw = memref.load %order[%p] : memref<?xi32>
      %row = arith.index_cast %raw : i32 to index
      %v = memref.load %x[%row, %j] : memref<90x24xf16>
      %wide = arith.extf %v : f16 to f32
      %s1 = scf.for %q = %p to %four step %one iter_args(%inner = %s) -> (f32) {
        %raw2 = memref.load %order[%q] : memref<?xi32>
        %row2 = arith.index_cast %raw2 : i32 to index
        %v2 = memref.load %x[%row2, %j] : memref<90x24xf16>
        %wide2 = arith.extf %v2 : f16 to f32
        %added = arith.addf %inner, %wide2 : f32
        scf.yield %added : f32
      }
      %scaled = arith.mulf %s1, %wide : f32
      %t1 = arith.maximumf %t, %wide : f32
      scf.yield %scaled, %t1 : f32, f32
    }
    %both = arith.subf %sum, %top : f32
    linalg.yield %both : f32
  }
  return
}

// A tile: neighbours in two rows, of which some have one load in common, or are outside of the image.
func.func @windows(%x: memref<8x64x63x512xf32>, %w: memref<2x512xf32>, %b: memref<512xf32>, %y: memref<8x64x62x512xf32>) {
  %none = arith.constant 0.0 : f32
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %before = arith.constant -1 : index
  %end = arith.constant 8 : index
  linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (l)>, affine_map<(i, j, k, l) -> (i, j, k, l)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%b : memref<512xf32>) outs(%y : memref<8x64x62x512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %l = linalg.index 3 : index
    %above = arith.addi %i, %before : index
    %next = arith.addi %k, %one : index
    %isInside = arith.cmpi ult, %above, %end : index
    %at = arith.select %isInside, %above, %zero : index
    %x0 = memref.load %x[%at, %j, %k, %l] : memref<8x64x63x512xf32>
    %own = arith.select %isInside, %x0, %none : f32
    %w0 = memref.load %w[%zero, %l] : memref<2x512xf32>
    %p0 = arith.mulf %own, %w0 : f32
    %x1 = memref.load %x[%at, %j, %next, %l] : memref<8x64x63x512xf32>
    %w1 = memref.load %w[%one, %l] : memref<2x512xf32>
    %other = arith.select %isInside, %x1, %none : f32
    %p1 = arith.mulf %other, %w1 : f32
    %s0 = arith.addf %p0, %p1 : f32
    %s1 = arith.addf %in, %s0 : f32
    linalg.yield %s1 : f32
  }
  return
}

// Squares: eight lines of one order, loaded along four lines of the other.
func.func @permutes(%x: memref<6x264x1408xf32>, %b: memref<264xf32>, %y: memref<1408x6x264xf16>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j, k, i)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %b : memref<6x264x1408xf32>, memref<264xf32>) outs(%y : memref<1408x6x264xf16>) {
  ^bb0(%u: f32, %v: f32, %out: f16):
    %s = arith.addf %u, %v : f32
    %t = arith.truncf %s : f32 to f16
    linalg.yield %t : f16
  }
  return
}
