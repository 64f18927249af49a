// Kernels of the rest compute the same as the loops that they are made from: on this
// CPU, thread by thread, with operands that are aligned and with some that are not.
//
// RUN: %python %hone_src/test/tools/rest_on_cpu.py hone-opt %llvm_prefix %s | FileCheck %s

// CHECK: softmax, aligned: 1 launches, 0 unaligned, 0 wrong
// CHECK: pointwise, aligned: 1 launches, 0 unaligned, 0 wrong
// CHECK: transposes, aligned: 1 launches
// CHECK: shortLines, aligned: 1 launches, 0 unaligned, 0 wrong
// CHECK: shortLines, unaligned: 0 launches, 1 unaligned, 0 wrong
// CHECK: oddLines, aligned: 1 launches
// CHECK: pairs, aligned: 1 launches, 0 unaligned, 0 wrong
// CHECK: subviews, aligned: 1 launches
// CHECK: concatenates, aligned: 2 launches
// CHECK: open, aligned: 2 launches
// CHECK: norm, aligned: 1 launches, 0 unaligned, 0 wrong
// CHECK: norm, unaligned: 0 launches, 1 unaligned, 0 wrong
// CHECK: largest, aligned: 3 launches
// CHECK: sums, unaligned: {{[0-9]}} launches, 1 unaligned
// CHECK: gathers, aligned: 2 launches
// CHECK: turns, aligned: 1 launches
// CHECK: wide, aligned: 1 launches, 0 unaligned
// CHECK: wide, unaligned: 0 launches, 1 unaligned
// CHECK: 0 faults

// Five ops, one kernel: a block has a row.
func.func @softmax(%x: memref<6x40xf16>, %max: memref<6xf32>, %sum: memref<6xf32>, %y: memref<6x40xf16>) attributes {llvm.emit_c_interface} {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%low : f32) outs(%max : memref<6xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<6x40xf16>) outs(%max : memref<6xf32>) {
  ^bb0(%in: f16, %out: f32):
    %0 = arith.extf %in : f16 to f32
    %1 = arith.maximumf %0, %out : f32
    linalg.yield %1 : f32
  }
  linalg.fill ins(%zero : f32) outs(%sum : memref<6xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %max : memref<6x40xf16>, memref<6xf32>) outs(%sum : memref<6xf32>) {
  ^bb0(%in: f16, %m: f32, %out: f32):
    %0 = arith.extf %in : f16 to f32
    %1 = arith.subf %0, %m : f32
    %2 = math.exp %1 : f32
    %3 = arith.addf %2, %out : f32
    linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max, %sum : memref<6x40xf16>, memref<6xf32>, memref<6xf32>) outs(%y : memref<6x40xf16>) {
  ^bb0(%in: f16, %m: f32, %s: f32, %out: f16):
    %0 = arith.extf %in : f16 to f32
    %1 = arith.subf %0, %m : f32
    %2 = math.exp %1 : f32
    %3 = arith.divf %2, %s : f32
    %4 = arith.truncf %3 : f32 to f16
    linalg.yield %4 : f16
  }
  return
}

#id = affine_map<(i, j) -> (i, j)>
#id3 = affine_map<(i, j, k) -> (i, j, k)>

// A mask from positions, an operand that repeats, elements of several widths.
func.func @pointwise(%a: memref<33x64xf16>, %b: memref<64xf32>, %c: memref<33x64xbf16>, %d: memref<33x64xi32>) attributes {llvm.emit_c_interface} {
  linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j)>, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<33x64xf16>, memref<64xf32>) outs(%c, %d : memref<33x64xbf16>, memref<33x64xi32>) {
  ^bb0(%x: f16, %y: f32, %o: bf16, %p: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %q = arith.cmpi ult, %i, %j : index
    %0 = arith.extf %x : f16 to f32
    %1 = arith.addf %0, %y : f32
    %2 = math.tanh %1 : f32
    %3 = math.erf %0 : f32
    %4 = arith.select %q, %2, %3 : f32
    %5 = arith.truncf %4 : f32 to bf16
    %6 = arith.muli %i, %j : index
    %7 = arith.index_cast %6 : index to i32
    %8 = arith.addi %7, %p : i32
    linalg.yield %5, %8 : bf16, i32
  }
  return
}

func.func @transposes(%a: memref<4x24x6x16xf16>, %b: memref<4x6x16x24xf16>) attributes {llvm.emit_c_interface} {
  linalg.transpose ins(%a : memref<4x24x6x16xf16>) outs(%b : memref<4x6x16x24xf16>) permutation = [0, 2, 3, 1]
  return
}

// Lines of two elements: a thread has a square of these, and loops are split.
func.func @shortLines(%a: memref<4x24x5x2x64x2xf16>, %b: memref<2x5x64x4x24x2xf16>) attributes {llvm.emit_c_interface} {
  linalg.generic {indexing_maps = [affine_map<(i, j, k, l, m, n) -> (l, m, j, n, k, i)>, affine_map<(i, j, k, l, m, n) -> (i, j, k, l, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%a : memref<4x24x5x2x64x2xf16>) outs(%b : memref<2x5x64x4x24x2xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  }
  return
}

// No vector, two loops that are one in both arrays, one point along a loop, and a bias.
func.func @oddLines(%a: memref<9x7x1x8x39xf32>, %bias: memref<39xf32>, %b: memref<39x8x9x7x1xf32>) attributes {llvm.emit_c_interface} {
  linalg.generic {indexing_maps = [affine_map<(i, j, k, l, m) -> (k, l, m, j, i)>, affine_map<(i, j, k, l, m) -> (i)>, affine_map<(i, j, k, l, m) -> (i, j, k, l, m)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%a, %bias : memref<9x7x1x8x39xf32>, memref<39xf32>) outs(%b : memref<39x8x9x7x1xf32>) {
  ^bb0(%in: f32, %add: f32, %out: f32):
    %sum = arith.addf %in, %add : f32
    linalg.yield %sum : f32
  }
  return
}

// Both have lines of two elements along one loop.
func.func @pairs(%a: memref<6x10x3x16x2xf16>, %b: memref<16x10x6x3x2xf16>) attributes {llvm.emit_c_interface} {
  linalg.transpose ins(%a : memref<6x10x3x16x2xf16>) outs(%b : memref<16x10x6x3x2xf16>) permutation = [3, 1, 0, 2, 4]
  return
}

// Parts of larger arrays.
func.func @subviews(%a: memref<40x48x12xf16, strided<[640, 13, 1], offset: 16>>, %b: memref<48x12x40xf16, strided<[1024, 64, 1], offset: 8>>) attributes {llvm.emit_c_interface} {
  linalg.transpose ins(%a : memref<40x48x12xf16, strided<[640, 13, 1], offset: 16>>) outs(%b : memref<48x12x40xf16, strided<[1024, 64, 1], offset: 8>>) permutation = [1, 2, 0]
  return
}

func.func @concatenates(%a: memref<5x24xf32>, %b: memref<5x40xf32>, %c: memref<5x64xf32>) attributes {llvm.emit_c_interface} {
  %left = memref.subview %c[0, 0] [5, 24] [1, 1] : memref<5x64xf32> to memref<5x24xf32, strided<[64, 1]>>
  %right = memref.subview %c[0, 24] [5, 40] [1, 1] : memref<5x64xf32> to memref<5x40xf32, strided<[64, 1], offset: 24>>
  memref.copy %a, %left : memref<5x24xf32> to memref<5x24xf32, strided<[64, 1]>>
  memref.copy %b, %right : memref<5x40xf32> to memref<5x40xf32, strided<[64, 1], offset: 24>>
  return
}

// Unknown extents and strides.
func.func @open(%a: memref<?x?xf32, strided<[?, ?]>>, %b: memref<?xf32>, %s: memref<?x?xf32>, %r: memref<?xf32>) attributes {llvm.emit_c_interface} {
  linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<?x?xf32, strided<[?, ?]>>, memref<?xf32>) outs(%s : memref<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.mulf %x, %y : f32
    linalg.yield %0 : f32
  }
  linalg.reduce ins(%s : memref<?x?xf32>) outs(%r : memref<?xf32>) dimensions = [1]
    (%x: f32, %o: f32) {
      %0 = arith.addf %x, %o : f32
      linalg.yield %0 : f32
    }
  return
}

// The variance in f64, as torch does it, and long rows: several warps.
func.func @norm(%x: memref<2x3x768xf16>, %w: memref<768xf16>, %mean: memref<2x3x1xf64>, %var: memref<6xf64>, %y: memref<6x768xf16>) attributes {llvm.emit_c_interface} {
  %zero = arith.constant 0.0 : f64
  %n = arith.constant 768.0 : f64
  %eps = arith.constant 1.0e-5 : f64
  %x2 = memref.collapse_shape %x [[0, 1], [2]] : memref<2x3x768xf16> into memref<6x768xf16>
  %mean1 = memref.collapse_shape %mean [[0, 1, 2]] : memref<2x3x1xf64> into memref<6xf64>
  linalg.fill ins(%zero : f64) outs(%mean : memref<2x3x1xf64>)
  linalg.generic {indexing_maps = [#id3, affine_map<(i, j, k) -> (i, j, 0)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : memref<2x3x768xf16>) outs(%mean : memref<2x3x1xf64>) {
  ^bb0(%in: f16, %out: f64):
    %0 = arith.extf %in : f16 to f64
    %1 = arith.divf %0, %n : f64
    %2 = arith.addf %1, %out : f64
    linalg.yield %2 : f64
  }
  linalg.fill ins(%zero : f64) outs(%var : memref<6xf64>)
  linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x2, %mean1 : memref<6x768xf16>, memref<6xf64>) outs(%var : memref<6xf64>) {
  ^bb0(%in: f16, %m: f64, %out: f64):
    %0 = arith.extf %in : f16 to f64
    %1 = arith.subf %0, %m : f64
    %2 = arith.mulf %1, %1 : f64
    %3 = arith.addf %2, %out : f64
    linalg.yield %3 : f64
  }
  linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x2, %mean1, %var, %w : memref<6x768xf16>, memref<6xf64>, memref<6xf64>, memref<768xf16>) outs(%y : memref<6x768xf16>) {
  ^bb0(%in: f16, %m: f64, %v: f64, %g: f16, %out: f16):
    %0 = arith.extf %in : f16 to f64
    %1 = arith.subf %0, %m : f64
    %2 = arith.divf %v, %n : f64
    %3 = arith.addf %2, %eps : f64
    %4 = math.rsqrt %3 : f64
    %5 = arith.mulf %1, %4 : f64
    %6 = arith.truncf %5 : f64 to f32
    %7 = arith.extf %g : f16 to f32
    %8 = arith.mulf %6, %7 : f32
    %9 = arith.truncf %8 : f32 to f16
    linalg.yield %9 : f16
  }
  return
}

// Which is largest depends on the order: one thread a row.
func.func @largest(%x: memref<7x48xf32>, %m: memref<7xf32>, %at: memref<7xi64>) attributes {llvm.emit_c_interface} {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  linalg.fill ins(%low : f32) outs(%m : memref<7xf32>)
  linalg.fill ins(%zero : i64) outs(%at : memref<7xi64>)
  linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<7x48xf32>) outs(%m, %at : memref<7xf32>, memref<7xi64>) {
  ^bb0(%in: f32, %most: f32, %where: i64):
    %j = linalg.index 1 : index
    %0 = arith.index_cast %j : index to i64
    %1 = arith.cmpf ogt, %in, %most : f32
    %2 = arith.select %1, %in, %most : f32
    %3 = arith.select %1, %0, %where : i64
    linalg.yield %2, %3 : f32, i64
  }
  return
}

// Sums of several results, of columns, and of everything.
func.func @sums(%x: memref<130x1100xf32>, %rows: memref<130xf32>, %most: memref<130xf32>, %cols: memref<1100xf32>, %all: memref<i32>, %n: memref<9x33xi32>) attributes {llvm.emit_c_interface} {
  linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<130x1100xf32>) outs(%rows, %most : memref<130xf32>, memref<130xf32>) {
  ^bb0(%in: f32, %s: f32, %m: f32):
    %0 = arith.addf %in, %s : f32
    %1 = arith.maximumf %in, %m : f32
    linalg.yield %0, %1 : f32, f32
  }
  linalg.generic {indexing_maps = [affine_map<(j, i) -> (i, j)>, affine_map<(j, i) -> (j)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<130x1100xf32>) outs(%cols : memref<1100xf32>) {
  ^bb0(%in: f32, %s: f32):
    %0 = arith.addf %in, %s : f32
    linalg.yield %0 : f32
  }
  linalg.reduce ins(%n : memref<9x33xi32>) outs(%all : memref<i32>) dimensions = [0, 1]
    (%in: i32, %s: i32) {
      %0 = arith.addi %in, %s : i32
      linalg.yield %0 : i32
    }
  return
}

// Elements whose place is data, and a window.
func.func @gathers(%table: memref<5x16xf16>, %at: memref<12xi64>, %y: memref<12x16xf16>, %line: memref<40xf32>, %mean: memref<13xf32>) attributes {llvm.emit_c_interface} {
  %third = arith.constant 0.25 : f32
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%at : memref<12xi64>) outs(%y : memref<12x16xf16>) {
  ^bb0(%n: i64, %o: f16):
    %i = arith.index_cast %n : i64 to index
    %j = linalg.index 1 : index
    %0 = memref.load %table[%i, %j] : memref<5x16xf16>
    linalg.yield %0 : f16
  }
  %window = memref.alloca() : memref<2xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i * 3 + j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%line, %window : memref<40xf32>, memref<2xf32>) outs(%mean : memref<13xf32>) {
  ^bb0(%in: f32, %unused: f32, %s: f32):
    %0 = arith.mulf %in, %third : f32
    %1 = arith.addf %0, %s : f32
    linalg.yield %1 : f32
  }
  return
}

func.func @turns(%x: memref<8x32xf32>, %a: memref<8x32xf32>, %b: memref<8x32xf32>, %c: memref<8x32xf16>) attributes {llvm.emit_c_interface} {
  %three = arith.constant 3 : i32
  %scale = arith.constant 700.0 : f32
  linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x32xf32>) outs(%a, %b, %c : memref<8x32xf32>, memref<8x32xf32>, memref<8x32xf16>) {
  ^bb0(%in: f32, %p: f32, %q: f32, %r: f16):
    %0 = arith.mulf %in, %scale : f32
    %1 = math.sin %0 : f32
    %2 = math.cos %0 : f32
    %3 = math.fpowi %in, %three : f32, i32
    %4 = arith.truncf %3 : f32 to f16
    linalg.yield %1, %2, %4 : f32, f32, f16
  }
  return
}

// Eight neighbours at once, two words of one operand.
func.func @wide(%a: memref<264x512xf16>, %b: memref<512xf32>, %c: memref<264x512xf16>) attributes {llvm.emit_c_interface} {
  linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<264x512xf16>, memref<512xf32>) outs(%c : memref<264x512xf16>) {
  ^bb0(%x: f16, %y: f32, %o: f16):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.mulf %0, %y : f32
    %2 = arith.truncf %1 : f32 to f16
    linalg.yield %2 : f16
  }
  return
}
