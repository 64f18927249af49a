// RUN: mlir-opt %plugin %s -split-input-file -verify-diagnostics
// RUN: hone-opt %s -split-input-file -verify-diagnostics

func.func @matmul_c1(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: memref<64x48xf16>) {
  // expected-error @+1 {{matmul_c1: expected all operands to be memrefs as C is, but got 'tensor<64x32xf16>'; use bufferization to convert them together}}
  hone.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : memref<64x48xf16>) init(zero) acc(f32)
  return
}

// -----

func.func @matmul_c2_c(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<48xf16>) {
  // expected-error @+1 {{matmul_c2: expected C to have rank 2, or 3 to 6 with batches, but got rank 1; use collapse_shape or expand_shape}}
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<48xf16>) init(zero) acc(f32)
  return
}

// -----

func.func @matmul_c2_a(%a: memref<4x64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf16>) {
  // expected-error @+1 {{matmul_c2: expected A to have rank 2, but got rank 3; use collapse_shape or expand_shape}}
  hone.matmul ins(%a, %b : memref<4x64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf16>) init(zero) acc(f32)
  return
}

// -----

func.func @matmul_c2_batch(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<4x64x48xf16>) {
  // expected-error @+1 {{matmul_c2: expected A or B to have the batch that C has, but got 'memref<64x32xf16>' and 'memref<32x48xf16>'; use a matmul without a batch}}
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<4x64x48xf16>) init(zero) acc(f32)
  return
}

// -----

func.func @matmul_c3_k(%a: memref<64x32xf16>, %b: memref<48x32xf16>, %c: memref<64x48xf16>) {
  // expected-error @+1 {{matmul_c3: expected n to be the same in B and C, but got 32 and 48; use 'col' before a matrix that is transposed}}
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<48x32xf16>) outs(%c : memref<64x48xf16>) init(zero) acc(f32)
  return
}

// -----

func.func @matmul_c3_col(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<32x48xf16>) {
  // expected-error @+1 {{matmul_c3: expected k to be the same in A and B, but got 64 and 32}}
  hone.matmul ins(col %a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<32x48xf16>) init(zero) acc(f32)
  return
}

// -----

func.func @matmul_c3_batch(%a: memref<4x64x32xf16>, %b: memref<5x32x48xf16>, %c: memref<4x64x48xf16>) {
  // expected-error @+1 {{matmul_c3: expected batch to be the same in B and C, but got 5 and 4}}
  hone.matmul ins(%a, %b : memref<4x64x32xf16>, memref<5x32x48xf16>) outs(%c : memref<4x64x48xf16>) init(zero) acc(f32)
  return
}

// -----

func.func @matmul_c3_empty(%a: memref<0x32xf16>, %b: memref<32x48xf16>, %c: memref<0x48xf16>) {
  // expected-error @+1 {{matmul_c3: expected extents of A to be 1 to 2147483647, but got 0; use no matmul for it}}
  hone.matmul ins(%a, %b : memref<0x32xf16>, memref<32x48xf16>) outs(%c : memref<0x48xf16>) init(zero) acc(f32)
  return
}

// -----

func.func @matmul_c4_type(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf64>) {
  // expected-error @+1 {{matmul_c4: expected elements of C to be f16, bf16, f32, i8 or i32, but got 'f64'; use a conversion before the matmul}}
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf64>) init(zero) acc(f32)
  return
}

// -----

func.func @matmul_c4_mixed(%a: memref<64x32xf16>, %b: memref<32x48xf32>, %c: memref<64x48xf32>) {
  // expected-error @+1 {{matmul_c4: expected A and B to have the same elements, both floats of 8 bits, or B of 8 bits with A of 16, but got 'f16' and 'f32'}}
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf32>) outs(%c : memref<64x48xf32>) init(zero) acc(f32)
  return
}

// -----

func.func @matmul_c5_type(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>) {
  // expected-error @+1 {{matmul_c5: expected the sum to be f16, bf16 or f32, but got 'i32'; use acc(f32)}}
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>) init(zero) acc(i32)
  return
}

// -----

func.func @matmul_c5_narrow(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>) {
  // expected-error @+1 {{matmul_c5: expected the sum to be 'f32', as C, or f32, but got 'f16'; use acc(f32)}}
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>) init(zero) acc(f16)
  return
}

// -----

func.func @matmul_c6_letter(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>, %v: memref<48xf32>) {
  // expected-error @+1 {{matmul_c6: expected dimensions of epilogue operand 0 to be some of mn, each once, but got 'b'; use [n] for a row}}
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>) init(zero) acc(f32)
    epilogue(%v[b] : memref<48xf32>) {
  ^bb0(%sum: f32, %x: f32):
    hone.yield %sum : f32
  }
  return
}

// -----

func.func @matmul_c6_rank(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>, %v: memref<48xf32>) {
  // expected-error @+1 {{matmul_c6: expected epilogue operand 0 to have rank 2 for its dimensions, but got 'memref<48xf32>'; use one dimension for each index}}
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>) init(zero) acc(f32)
    epilogue(%v[m, n] : memref<48xf32>) {
  ^bb0(%sum: f32, %x: f32):
    hone.yield %sum : f32
  }
  return
}

// -----

func.func @matmul_c6_count(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>, %v: memref<48xf32>) {
  // expected-error @+1 {{matmul_c6: expected dimensions of 1 epilogue operands, but got 0; use one list for each}}
  "hone.matmul"(%a, %b, %c, %v) <{acc = f32, init = 0 : i32}> ({
  ^bb0(%sum: f32, %x: f32):
    "hone.yield"(%sum) : (f32) -> ()
  }) : (memref<64x32xf16>, memref<32x48xf16>, memref<64x48xf32>, memref<48xf32>) -> ()
  return
}

// -----

func.func @matmul_c7_extent(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>, %v: memref<48xf32>) {
  // expected-error @+1 {{matmul_c7: expected dimension m of epilogue operand 0 to be 64 as in C, but got 48; use the dimensions that the operand has}}
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>) init(zero) acc(f32)
    epilogue(%v[m] : memref<48xf32>) {
  ^bb0(%sum: f32, %x: f32):
    hone.yield %sum : f32
  }
  return
}

// -----

func.func @matmul_c7_type(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>, %v: memref<48xi16>) {
  // expected-error @+1 {{matmul_c7: expected elements of epilogue operand 0 to be f16, bf16, f32, i8 or i32, but got 'i16'; use a conversion before the matmul}}
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>) init(zero) acc(f32)
    epilogue(%v[n] : memref<48xi16>) {
  ^bb0(%sum: f32, %x: i16):
    hone.yield %sum : f32
  }
  return
}

// -----

func.func @matmul_c8_types(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>, %v: memref<48xf32>) {
  // expected-error @+1 {{matmul_c8: expected an epilogue with arguments ('f32', 'f32'), but got ('f32', 'f16'); use the sum first, then one element of each operand}}
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>) init(zero) acc(f32)
    epilogue(%v[n] : memref<48xf32>) {
  ^bb0(%sum: f32, %x: f16):
    hone.yield %sum : f32
  }
  return
}

// -----

func.func @matmul_c8_no_region(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>, %v: memref<48xf32>) {
  // expected-error @+1 {{matmul_c8: expected an epilogue with arguments ('f32', 'f32'), but got no region}}
  "hone.matmul"(%a, %b, %c, %v) <{acc = f32, epilogueDims = [#hone.dims<n>]}> ({
  }) : (memref<64x32xf16>, memref<32x48xf16>, memref<64x48xf32>, memref<48xf32>) -> ()
  return
}

// -----

func.func @matmul_c9(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf16>) {
  // expected-error @+1 {{matmul_c9: expected the epilogue to yield 'f16', but got 'f32'; use arith.truncf or arith.extf before the yield}}
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf16>) init(zero) acc(f32) epilogue {
  ^bb0(%sum: f32):
    hone.yield %sum : f32
  }
  return
}

// -----

func.func @matmul_c10_op(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>) {
  // expected-error @+1 {{matmul_c10: expected scalar arith and math ops in the epilogue, but got no lowering for 'math.sin' in an epilogue; use a separate op for it}}
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>) init(zero) acc(f32) epilogue {
  ^bb0(%sum: f32):
    // expected-note @+1 {{see this op}}
    %0 = math.sin %sum : f32
    hone.yield %0 : f32
  }
  return
}

// -----

func.func @matmul_c10_type(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>) {
  // expected-error @+1 {{matmul_c10: expected scalar arith and math ops in the epilogue, but got type 'f64' of 'arith.extf' is not one of f16, bf16, f32, i8, i32, i64, i1; use a separate op for it}}
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>) init(zero) acc(f32) epilogue {
  ^bb0(%sum: f32):
    // expected-note @+1 {{see this op}}
    %0 = arith.extf %sum : f32 to f64
    %1 = arith.truncf %0 : f64 to f32
    hone.yield %1 : f32
  }
  return
}

// -----

func.func @matmul_c11(%a: memref<64x32xf16, strided<[?, ?], offset: ?>>, %b: memref<32x48xf16>, %c: memref<64x48xf16>) {
  // expected-error @+1 {{matmul_c11: expected one of the last two strides of A to be 1, but got 'memref<64x32xf16, strided<[?, ?], offset: ?>>'; use identity layouts at function boundaries, or a copy}}
  hone.matmul ins(%a, %b : memref<64x32xf16, strided<[?, ?], offset: ?>>, memref<32x48xf16>) outs(%c : memref<64x48xf16>) init(zero) acc(f32)
  return
}

// -----

func.func @matmul_c3_large(%a: memref<2147483647x4xf16>, %b: memref<4x2147483647xf16>, %c: memref<2147483647x2147483647xf16>) {
  // expected-error @+1 {{matmul_c3: expected C to have at most 140737488355328 bytes, but got 2147483647 x 2147483647 elements}}
  hone.matmul ins(%a, %b : memref<2147483647x4xf16>, memref<4x2147483647xf16>) outs(%c : memref<2147483647x2147483647xf16>) init(zero) acc(f32)
  return
}

// -----

func.func @matmul_c13_row(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf16, strided<[0, 1]>>) {
  // expected-error @+1 {{matmul_c13: expected each element of C at a place of its own, but got 'memref<64x48xf16, strided<[0, 1]>>'; use strides that keep rows apart}}
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf16, strided<[0, 1]>>) init(zero) acc(f32)
  return
}

// -----

// Matrices start 3 rows and a half apart: their elements meet.
func.func @matmul_c13_batch(%a: memref<2x64x32xf16>, %b: memref<2x32x48xf16>, %c: memref<2x64x48xf16, strided<[168, 48, 1]>>) {
  // expected-error @+1 {{matmul_c13: expected each element of C at a place of its own}}
  hone.matmul ins(%a, %b : memref<2x64x32xf16>, memref<2x32x48xf16>) outs(%c : memref<2x64x48xf16, strided<[168, 48, 1]>>) init(zero) acc(f32)
  return
}

// -----

// Products of these strides have more than 64 bits.
func.func @matmul_c13_long(%a: memref<3x64x32xf16>, %b: memref<3x32x48xf16>, %c: memref<3x64x48xf16, strided<[9223372036854775807, 9223372036854775800, 1]>>) {
  // expected-error @+1 {{matmul_c13: expected each element of C at a place of its own}}
  hone.matmul ins(%a, %b : memref<3x64x32xf16>, memref<3x32x48xf16>) outs(%c : memref<3x64x48xf16, strided<[9223372036854775807, 9223372036854775800, 1]>>) init(zero) acc(f32)
  return
}

// -----

func.func @matmul_c12(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf16, strided<[1, 64]>>) {
  // expected-error @+1 {{matmul_c12: expected the last stride of C to be 1, but got 'memref<64x48xf16, strided<[1, 64]>>'; use the transposed product, or identity layouts at function boundaries}}
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf16, strided<[1, 64]>>) init(zero) acc(f32)
  return
}

// -----

// The laws of the schedule room, with the facts that the op has.
func.func @schedule_for_arch(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf16>) {
  // expected-error @+1 {{schedule_c1: expected an arch}}
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf16>) init(zero) acc(f32)
    arch(#hone.arch<host>) schedule(#hone.schedule<mma_sync>)
  return
}

// -----

func.func @init(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf16>) {
  // expected-error @+1 {{expected 'zero' or 'read', but got 'one'}}
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf16>) init(one) acc(f32)
  return
}

// -----

// expected-error @+1 {{op expected attribute 'hone.schedule' to be a #hone.schedule, but got "fast"}}
func.func private @pin() attributes {hone.schedule = "fast"}

// -----

// expected-error @+1 {{expected a kind of schedule, one of}}
func.func private @kind() attributes {x = #hone.schedule<magic>}

// -----

func.func private @decision() attributes {
  // expected-error @+2 {{expected a decision of mma_sync, one of tile, warps, stages, slices, splits, run, group, but got 'stage'}}
  x = #hone.schedule<mma_sync,
                     stage = 3>
}

// -----

func.func private @decision_value() attributes {
  // expected-error @+3 {{expected 'tile' to be 3 positive integers joined by 'x', but got '64x64'}}
  x = #hone.schedule<mma_sync,
                     tile =
                       64x64>
}

// -----

func.func private @decision_without_value() attributes {
  // expected-error @+1 {{expected a value of 'stages'}}
  x = #hone.schedule<mma_sync, stages = >
}

// -----

func.func private @decision_twice() attributes {
  // expected-error @+2 {{expected 'stages' once, but got it twice}}
  x = #hone.schedule<mma_sync, stages = 3,
                     stages = 4>
}

// -----

func.func private @rewrite() attributes {
  // expected-error @+2 {{expected a rewrite of ws, one of loads, prefetch, flight,}}
  x = #hone.schedule<ws, stages = 3,
                     rewrites = [fly(0)]>
}

// -----

func.func private @rewrite_form() attributes {
  // expected-error @+1 {{expected a rewrite as name(value)}}
  x = #hone.schedule<ws, rewrites = [flight()]>
}

// -----

func.func private @rewrites_form() attributes {
  // expected-error @+1 {{expected '['}}
  x = #hone.schedule<ws, rewrites = flight(0)>
}

// -----

func.func private @rewrite_beside() attributes {
  // expected-error @+1 {{expected 'flight' among the rewrites, but got it as a decision; use rewrites = [flight(0)]}}
  x = #hone.schedule<ws, flight = 0>
}

// -----

func.func private @rewrites_twice() attributes {
  // expected-error @+2 {{expected 'rewrites' once, but got it twice}}
  x = #hone.schedule<ws, rewrites = [flight(0)],
                     rewrites = [flight(0)]>
}

// -----

// A law depends on the number of teams, which is one.
// expected-error @+1 {{schedule_c4: expected 'handover' to be late with the other decisions, but got early; leave it out}}
func.func private @rewrite_law() attributes {x = #hone.schedule<ws, rewrites = [handover(early)]>}

// -----

// expected-error @+1 {{schedule_c}}
func.func private @schedule_law() attributes {x = #hone.schedule<mma_sync, tile = 100x100x32>}

// -----

// expected-error @+1 {{'sm_75'}}
func.func private @arch() attributes {x = #hone.arch<sm_75>}

// -----

// expected-error @+1 {{expected 1 to 132 processors of 'h200', but got 200}}
func.func private @arch_part() attributes {x = #hone.arch<h200/200>}

// -----

func.func private @problem_field() attributes {
  // expected-error @+2 {{expected order of 'b' to be 'row' or 'col', but got 'diag'}}
  x = #hone.problem<m = 128, n = ?, k = 64, a = f16:row:16,
                    b = f16:diag:16, acc = f32, c = f16:16, init = zero>
}

// -----

func.func private @problem_without() attributes {
  // expected-error @+1 {{expected field 'k', but got a problem without it}}
  x = #hone.problem<m = 128, n = ?, a = f16:row:16, b = f16:col:16, acc = f32, c = f16:16, init = zero>
}

// -----

func.func @matmul_c2_letter(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf16>) {
  // expected-error @+1 {{matmul_c2: expected dimensions of A to be mk and some of , each once, but got 'mh'; use a letter for each dimension}}
  %0 = hone.matmul ins(%a[m, h], %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf16>) init(zero) acc(f32) -> tensor<64x48xf16>
  return
}

// -----

func.func @matmul_c2_letters_of_rank(%a: tensor<64x32xf16>, %b: tensor<4x32x48xf16>, %c: tensor<64x4x48xf16>) {
  // expected-error @+1 {{matmul_c2: expected A to have rank 3 for its dimensions, but got 'tensor<64x32xf16>'; use one letter for each dimension}}
  %0 = hone.matmul ins(%a[m, b, k], %b : tensor<64x32xf16>, tensor<4x32x48xf16>) outs(%c[m, b, n] : tensor<64x4x48xf16>) init(zero) acc(f32) -> tensor<64x4x48xf16>
  return
}

// -----

func.func @matmul_c2_batch_of_nobody(%a: tensor<4x64x32xf16>, %b: tensor<4x32x48xf16>, %c: tensor<4x3x64x48xf16>) {
  // expected-error @+1 {{matmul_c2: expected A or B to have the batch that C has}}
  %0 = hone.matmul ins(%a, %b : tensor<4x64x32xf16>, tensor<4x32x48xf16>) outs(%c : tensor<4x3x64x48xf16>) init(zero) acc(f32) -> tensor<4x3x64x48xf16>
  return
}

// -----

func.func @matmul_c3_second_batch(%a: tensor<4x3x64x32xf16>, %b: tensor<4x5x32x48xf16>, %c: tensor<4x3x64x48xf16>) {
  // expected-error @+1 {{matmul_c3: expected batch h to be the same in B and C, but got 5 and 3}}
  %0 = hone.matmul ins(%a, %b : tensor<4x3x64x32xf16>, tensor<4x5x32x48xf16>) outs(%c : tensor<4x3x64x48xf16>) init(zero) acc(f32) -> tensor<4x3x64x48xf16>
  return
}

// -----

func.func @matmul_c3_batches_together(%a: tensor<65536x65536x8x8xf16>, %b: tensor<8x8xf16>, %c: tensor<65536x65536x8x8xf16>) {
  // expected-error @+1 {{matmul_c3: expected all batches together to be at most 2147483647, but got more; use a loop around the matmul}}
  %0 = hone.matmul ins(%a, %b : tensor<65536x65536x8x8xf16>, tensor<8x8xf16>) outs(%c : tensor<65536x65536x8x8xf16>) init(zero) acc(f32) -> tensor<65536x65536x8x8xf16>
  return
}

// -----

func.func @matmul_c14(%a: memref<64x4x32xf16>, %b: memref<4x32x48xf16>, %c: memref<4x64x48xf16>) {
  // expected-error @+1 {{matmul_c14: expected dimensions of A to be bmk in memory, but got mbk; use memref.transpose, which moves nothing}}
  hone.matmul ins(%a[m, b, k], %b : memref<64x4x32xf16>, memref<4x32x48xf16>) outs(%c : memref<4x64x48xf16>) init(zero) acc(f32)
  return
}

// -----

func.func @order_and_letters(%a: tensor<32x64xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf16>) {
  // expected-error @+1 {{expected 'col' or dimensions, but got both; use dimensions alone}}
  %0 = hone.matmul ins(col %a[k, m], %b : tensor<32x64xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf16>) init(zero) acc(f32) -> tensor<64x48xf16>
  return
}

// -----

func.func @dims_of_strings(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>) {
  // expected-error @+1 {{Invalid attribute `dimsA` in property conversion: "mk"}}
  "hone.matmul"(%a, %b, %c) <{acc = f32, dimsA = "mk"}> ({
  }) : (memref<64x32xf16>, memref<32x48xf16>, memref<64x48xf32>) -> ()
  return
}

// -----

func.func @dims_in_a_matmul(%a: tensor<64x64xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf16>) {
  // expected-error @+1 {{expected dimensions to be letters of bhijmnk, each once, but got 'mm'}}
  %0 = hone.matmul ins(%a[m, m], %b : tensor<64x64xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf16>) init(zero) acc(f32) -> tensor<64x48xf16>
  return
}

// -----

// expected-error @+1 {{expected dimensions to be letters of bhijmnk, each once, but got 'mx'}}
func.func private @dims_letter() attributes {x = #hone.dims<m, x>}

// -----

func.func private @epilogue_op() attributes {
  // expected-error @+2 {{expected 'epilogue' to be made of absf, addf,}}
  x = #hone.problem<m = 128, n = ?, k = 64, a = f16:row:16, b = f16:col:16, acc = f32, c = f16:16, init = zero,
                    epilogue = "relu(acc)">
}

// -----

func.func private @epilogue_types() attributes {
  // expected-error @+2 {{expected 'epilogue' to have types that addf takes, but got (f32, f16)}}
  x = #hone.problem<m = 128, n = ?, k = 64, a = f16:row:16, b = f16:col:16, acc = f32, c = f16:16, init = zero,
                    epilogue = "addf(acc, n:f16)">
}

// -----

func.func @matmul_c4_byte_result(%a: memref<64x32xf8E4M3FN>, %b: memref<32x48xf8E4M3FN>, %c: memref<64x48xf8E4M3FN>) {
  // expected-error @+1 {{matmul_c4: expected elements of C to be f16, bf16, f32, i8 or i32, but got 'f8E4M3FN'; use a conversion before the matmul}}
  hone.matmul ins(%a, %b : memref<64x32xf8E4M3FN>, memref<32x48xf8E4M3FN>) outs(%c : memref<64x48xf8E4M3FN>) init(zero) acc(f32)
  return
}

// -----

func.func @matmul_c4_byte_type(%a: memref<64x32xf8E4M3>, %b: memref<32x48xf8E4M3>, %c: memref<64x48xf32>) {
  // expected-error @+1 {{matmul_c4: expected elements of A to be f16, bf16, f32, f8E4M3FN, f8E5M2 or i8, but got 'f8E4M3'; use a conversion before the matmul}}
  hone.matmul ins(%a, %b : memref<64x32xf8E4M3>, memref<32x48xf8E4M3>) outs(%c : memref<64x48xf32>) init(zero) acc(f32)
  return
}

// -----

func.func @matmul_c15_bytes(%a: memref<64x32xf8E4M3FN>, %b: memref<32x48xf8E4M3FN>, %c: memref<64x48xf16>) {
  // expected-error @+1 {{matmul_c15: expected elements of A and B to be f32 for products(tf32), but got 'f8E4M3FN'; use products(blocks or short)}}
  hone.matmul ins(%a, %b : memref<64x32xf8E4M3FN>, memref<32x48xf8E4M3FN>) outs(%c : memref<64x48xf16>) init(zero) acc(f32) products(tf32)
  return
}

// -----

func.func @matmul_c15_blocks(%a: memref<64x32xf32>, %b: memref<32x48xf32>, %c: memref<64x48xf32>) {
  // expected-error @+1 {{matmul_c15: expected elements of A and B to be floats of 8 bits for products(blocks), but got 'f32'; use products(tf32x3 or tf32)}}
  hone.matmul ins(%a, %b : memref<64x32xf32>, memref<32x48xf32>) outs(%c : memref<64x48xf32>) init(zero) acc(f32) products(blocks)
  return
}

// -----

func.func @matmul_c15_integers(%a: memref<64x32xi8>, %b: memref<32x48xi8>, %c: memref<64x48xi32>) {
  // expected-error @+1 {{matmul_c15: expected elements of A and B to be floats of 8 bits for products(blocks), but got 'i8'; leave products out}}
  hone.matmul ins(%a, %b : memref<64x32xi8>, memref<32x48xi8>) outs(%c : memref<64x48xi32>) init(zero) acc(i32) products(blocks)
  return
}

// -----

func.func @matmul_c4_unsigned(%a: memref<64x32xui8>, %b: memref<32x48xui8>, %c: memref<64x48xi32>) {
  // expected-error @+1 {{matmul_c4: expected elements of A to be f16, bf16, f32, f8E4M3FN, f8E5M2 or i8, but got 'ui8'; use a conversion before the matmul}}
  hone.matmul ins(%a, %b : memref<64x32xui8>, memref<32x48xui8>) outs(%c : memref<64x48xi32>) init(zero) acc(i32)
  return
}

// -----

func.func @matmul_c5_integers(%a: memref<64x32xi8>, %b: memref<32x48xi8>, %c: memref<64x48xi32>) {
  // expected-error @+1 {{matmul_c5: expected the sum to be i32, as that of i8 is, but got 'f32'; use acc(i32)}}
  hone.matmul ins(%a, %b : memref<64x32xi8>, memref<32x48xi8>) outs(%c : memref<64x48xi32>) init(zero) acc(f32)
  return
}

// -----

func.func @matmul_c5_integer_result(%a: memref<64x32xi8>, %b: memref<32x48xi8>, %c: memref<64x48xf32>) {
  // expected-error @+1 {{matmul_c5: expected elements of C to be i32, as the sum is, but got 'f32'; use an epilogue that converts it}}
  hone.matmul ins(%a, %b : memref<64x32xi8>, memref<32x48xi8>) outs(%c : memref<64x48xf32>) init(zero) acc(i32)
  return
}

// -----

func.func @matmul_c5_integer_start(%a: memref<64x32xi8>, %b: memref<32x48xi8>, %c: memref<64x48xf32>) {
  // expected-error @+1 {{matmul_c5: expected elements of C to be i32, as the sum is, but got 'f32'; use an epilogue that converts it, and init(zero)}}
  hone.matmul ins(%a, %b : memref<64x32xi8>, memref<32x48xi8>) outs(%c : memref<64x48xf32>) init(read) acc(i32)
    epilogue {
  ^bb0(%sum: i32):
    %x = arith.sitofp %sum : i32 to f32
    hone.yield %x : f32
  }
  return
}

// -----

func.func @matmul_c10_truth(%a: memref<64x32xi8>, %b: memref<32x48xi8>, %c: memref<64x48xi32>) {
  // expected-error @+1 {{matmul_c10: expected scalar arith and math ops in the epilogue, but got type 'i1' of 'arith.addi' is not one of f16, bf16, f32, i8, i32, i64; use a separate op for it}}
  hone.matmul ins(%a, %b : memref<64x32xi8>, memref<32x48xi8>) outs(%c : memref<64x48xi32>) init(zero) acc(i32)
    epilogue {
  ^bb0(%sum: i32):
    %t = arith.constant true
    // expected-note @+1 {{see this op}}
    %u = arith.addi %t, %t : i1
    %x = arith.select %u, %sum, %sum : i32
    hone.yield %x : i32
  }
  return
}

// -----

func.func @matmul_c15(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf16>) {
  // expected-error @+1 {{matmul_c15: expected elements of A and B to be f32 for products(tf32), but got 'f16'; leave products out}}
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf16>) init(zero) acc(f32) products(tf32)
  return
}

// -----

func.func @products(%a: memref<64x32xf32>, %b: memref<32x48xf32>, %c: memref<64x48xf32>) {
  // expected-error @+1 {{expected 'exact', 'tf32x3', 'tf32', 'blocks' or 'short', but got 'tf19'}}
  hone.matmul ins(%a, %b : memref<64x32xf32>, memref<32x48xf32>) outs(%c : memref<64x48xf32>) init(zero) acc(f32) products(tf19)
  return
}

// -----

// expected-error @+1 {{expected 'exact', 'tf32x3', 'tf32', 'blocks' or 'short', but got 'bf16'}}
func.func private @products_attribute() attributes {products = #hone.products<bf16>}

// -----

func.func @products_of_linalg(%a: memref<64x32xf32>, %b: memref<32x48xf32>, %c: memref<64x48xf32>) {
  // expected-error @+1 {{expected attribute 'hone.products' to be a #hone.products, but got "tf32"}}
  linalg.matmul {hone.products = "tf32"} ins(%a, %b : memref<64x32xf32>, memref<32x48xf32>) outs(%c : memref<64x48xf32>)
  return
}

// -----

func.func @numbers(%a: memref<64x32xf32>, %b: memref<32x48xf32>, %c: memref<64x48xf32>) {
  // expected-error @+1 {{expected 'numbers' to be free, deterministic, invariant or invariant:PARTS, but got 'same'}}
  hone.matmul ins(%a, %b : memref<64x32xf32>, memref<32x48xf32>) outs(%c : memref<64x48xf32>) init(zero) acc(f32) numbers(same)
  return
}

// -----

// expected-error @+1 {{expected the parts of 'numbers' to be 2, 4, 8 or 16, but got '3'; use invariant for one part}}
func.func private @numbers_attribute() attributes {numbers = #hone.numbers<invariant:3>}

// -----

func.func @numbers_of_linalg(%a: memref<64x32xf32>, %b: memref<32x48xf32>, %c: memref<64x48xf32>) {
  // expected-error @+1 {{expected attribute 'hone.numbers' to be a #hone.numbers, but got "free"}}
  linalg.matmul {hone.numbers = "free"} ins(%a, %b : memref<64x32xf32>, memref<32x48xf32>) outs(%c : memref<64x48xf32>)
  return
}

// -----

// A schedule that cannot have the tree of the class.
func.func @schedule_c95(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf16>) {
  // expected-error @+1 {{schedule_c95: expected splits to be 1 where numbers are invariant, but got 4; use 1, or numbers = deterministic}}
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf16>) init(zero) acc(f32) numbers(invariant)
    arch(#hone.arch<h200>) schedule(#hone.schedule<cluster_splitk>)
  return
}

// -----

// Tensor cores that read shared memory transpose elements of 16 bits only.
func.func @schedule_c2_order(%a: memref<64x32xf32>, %b: memref<32x48xf32>, %c: memref<64x48xf32>) {
  // expected-error @+1 {{schedule_c86: expected b to be col where it is f32 and not packed, but got row; use pack = b}}
  hone.matmul ins(%a, %b : memref<64x32xf32>, memref<32x48xf32>) outs(%c : memref<64x48xf32>) init(zero) acc(f32) products(tf32)
    arch(#hone.arch<h200>) schedule(#hone.schedule<ws, tile = 128x128x32>)
  return
}

// -----

func.func @schedule_c2_exact(%a: memref<64x32xf32>, %b: memref<32x48xf32>, %c: memref<64x48xf32>) {
  // expected-error @+1 {{schedule_c2: expected a and b to be both f16 or both bf16, but got f32 and f32; use one of these types for both, or products = tf32x3 or tf32, or mma_sync}}
  hone.matmul ins(%a, %b : memref<64x32xf32>, memref<32x48xf32>) outs(%c : memref<64x48xf32>) init(zero) acc(f32)
    arch(#hone.arch<h200>) schedule(#hone.schedule<ws, tile = 128x128x32>)
  return
}

// -----

func.func @matmul_c5_byte_sum(%a: memref<64x32xi8>, %b: memref<32x48xi8>, %c: memref<64x48xi8>) {
  // expected-error @+1 {{matmul_c5: expected the sum to be i32, as that of i8 is, but got 'i8'; use acc(i32)}}
  hone.matmul ins(%a, %b : memref<64x32xi8>, memref<32x48xi8>) outs(%c : memref<64x48xi8>) init(zero) acc(i8)
  return
}

// -----

// To cut a sum off is something that a program says.
func.func @matmul_c5_byte_result(%a: memref<64x32xi8>, %b: memref<32x48xi8>, %c: memref<64x48xi8>) {
  // expected-error @+1 {{matmul_c5: expected elements of C to be i32, as the sum is, but got 'i8'; use an epilogue that converts it}}
  hone.matmul ins(%a, %b : memref<64x32xi8>, memref<32x48xi8>) outs(%c : memref<64x48xi8>) init(zero) acc(i32)
  return
}

// -----

func.func @matmul_c5_byte_start(%a: memref<64x32xi8>, %b: memref<32x48xi8>, %c: memref<64x48xi8>) {
  // expected-error @+1 {{matmul_c5: expected elements of C to be i32, as the sum is, but got 'i8'; use an epilogue that converts it, and init(zero)}}
  hone.matmul ins(%a, %b : memref<64x32xi8>, memref<32x48xi8>) outs(%c : memref<64x48xi8>) init(read) acc(i32)
      epilogue {
  ^bb0(%sum: i32):
    %x = arith.trunci %sum : i32 to i8
    hone.yield %x : i8
  }
  return
}

// -----

func.func @matmul_c9_bytes(%a: memref<64x32xi8>, %b: memref<32x48xi8>, %c: memref<64x48xi8>) {
  // expected-error @+1 {{matmul_c9: expected the epilogue to yield 'i8', but got 'i32'; use arith.trunci or arith.fptosi before the yield}}
  hone.matmul ins(%a, %b : memref<64x32xi8>, memref<32x48xi8>) outs(%c : memref<64x48xi8>) init(zero) acc(i32)
      epilogue {
  ^bb0(%sum: i32):
    hone.yield %sum : i32
  }
  return
}

// -----

// Which of two integers is larger depends on whether they have signs; a kernel takes those that have.
func.func @matmul_c10_unsigned(%a: memref<64x32xi8>, %b: memref<32x48xi8>, %c: memref<64x48xi8>) {
  // expected-error @+1 {{matmul_c10: expected scalar arith and math ops in the epilogue, but got no lowering for 'arith.fptoui' in an epilogue; use a separate op for it}}
  hone.matmul ins(%a, %b : memref<64x32xi8>, memref<32x48xi8>) outs(%c : memref<64x48xi8>) init(zero) acc(i32)
      epilogue {
  ^bb0(%sum: i32):
    %x = arith.sitofp %sum : i32 to f32
    // expected-note @+1 {{see this op}}
    %y = arith.fptoui %x : f32 to i8
    hone.yield %y : i8
  }
  return
}

// -----

func.func @matmul_c10_compared_truths(%a: memref<64x32xi8>, %b: memref<32x48xi8>, %c: memref<64x48xi32>) {
  // expected-error @+1 {{matmul_c10: expected scalar arith and math ops in the epilogue, but got type 'i1' of 'arith.cmpi' is not one of f16, bf16, f32, i8, i32, i64; use a separate op for it}}
  hone.matmul ins(%a, %b : memref<64x32xi8>, memref<32x48xi8>) outs(%c : memref<64x48xi32>) init(zero) acc(i32)
      epilogue {
  ^bb0(%sum: i32):
    %is = arith.constant true
    // expected-note @+1 {{see this op}}
    %same = arith.cmpi eq, %is, %is : i1
    %x = arith.select %same, %sum, %sum : i32
    hone.yield %x : i32
  }
  return
}

// -----

// expected-error @+1 {{'gpu.module' op expected attribute 'hone.plans' to be a dictionary of launch plans, each a #kernel.plan<...>, but got 5 : i64}}
gpu.module @plans_number attributes {hone.plans = 5} {
}

// -----

// The form of earlier versions.
// expected-error @+1 {{'gpu.module' op expected attribute 'hone.plans' to be a dictionary of launch plans, each a #kernel.plan<...>, but got {p = ["hone-plan 2", "args a"]}}}
gpu.module @plan_lines attributes {hone.plans = {p = ["hone-plan 2", "args a"]}} {
}

// -----

// expected-error @+1 {{'gpu.binary' op expected attribute 'hone.plans' to be a dictionary of launch plans, each a list of lines of text, but got {p = ["hone-plan 2", 42 : i32]}}}
gpu.binary @plan_line {hone.plans = {p = ["hone-plan 2", 42 : i32]}} [#gpu.object<#nvvm.target, "">]

// -----

memref.global "private" @state : memref<8xf32> = dense<1.0>
func.func @changes() {
  // expected-error @+1 {{'hone.constant' op expected a constant memref.global 'state' of type 'memref<8xf32>', but got none; use memref.get_global for others}}
  %0 = hone.constant @state : memref<8xf32>
  return
}

// -----

memref.global "private" constant @table : memref<8xf32> = dense<1.0>
func.func @another_type() {
  // expected-error @+1 {{'hone.constant' op expected a constant memref.global 'table' of type 'memref<4xf32>', but got none; use memref.get_global for others}}
  %0 = hone.constant @table : memref<4xf32>
  return
}

// -----

func.func @matmul_c16(%x: tensor<8x28x64xf16>, %w: tensor<576x96xf16>, %c: tensor<6272x96xf16>) {
  // expected-error @+1 {{matmul_c16: expected A of a window to have rank 4, images, 2 for the window and channels, but got 'tensor<8x28x64xf16>'; use a number of the window for each dimension}}
  hone.matmul ins(%x window(3x3), %w : tensor<8x28x64xf16>, tensor<576x96xf16>) outs(%c : tensor<6272x96xf16>) init(zero) acc(f32) -> tensor<6272x96xf16>
  return
}

// -----

func.func @matmul_c16_order(%x: tensor<8x28x64xf16>, %w: tensor<192x96xf16>, %c: tensor<208x96xf16>) {
  // expected-error @+1 {{matmul_c16: expected A to have a window alone, but got 'col' or dimensions, too; use the window alone}}
  hone.matmul ins(col %x window(3), %w : tensor<8x28x64xf16>, tensor<192x96xf16>) outs(%c : tensor<208x96xf16>) init(zero) acc(f32) -> tensor<208x96xf16>
  return
}

// -----

func.func @matmul_c16_batch(%x: tensor<8x28x64xf16>, %w: tensor<2x192x96xf16>, %c: tensor<2x208x96xf16>) {
  // expected-error @+1 {{matmul_c16: expected no batches with a window, but got 'tensor<2x208x96xf16>'; use a matmul for each batch}}
  hone.matmul ins(%x window(3), %w : tensor<8x28x64xf16>, tensor<2x192x96xf16>) outs(%c : tensor<2x208x96xf16>) init(zero) acc(f32) -> tensor<2x208x96xf16>
  return
}

// -----

func.func @matmul_c16_channels(%x: memref<8x28x64xf16, strided<[3584, 128, 2]>>, %w: memref<192x96xf16>, %c: memref<208x96xf16>) {
  // expected-error @+1 {{matmul_c16: expected channels of A to be contiguous, and its strides above 0, but got 'memref<8x28x64xf16, strided<[3584, 128, 2]>>'; use an identity layout, or a copy}}
  hone.matmul ins(%x window(3), %w : memref<8x28x64xf16, strided<[3584, 128, 2]>>, memref<192x96xf16>) outs(%c : memref<208x96xf16>) init(zero) acc(f32)
  return
}

// -----

func.func @matmul_c17_m(%x: tensor<8x28x28x64xf16>, %w: tensor<576x96xf16>, %c: tensor<6272x96xf16>) {
  // expected-error @+1 {{matmul_c17: expected m to be 5408, the number of windows, but got 6272; use that extent}}
  hone.matmul ins(%x window(3x3), %w : tensor<8x28x28x64xf16>, tensor<576x96xf16>) outs(%c : tensor<6272x96xf16>) init(zero) acc(f32) -> tensor<6272x96xf16>
  return
}

// -----

func.func @matmul_c17_k(%x: tensor<8x28x28x64xf16>, %w: tensor<570x96xf16>, %c: tensor<5408x96xf16>) {
  // expected-error @+1 {{matmul_c17: expected k to be 576, the number of elements of a window, but got 570; use that extent}}
  hone.matmul ins(%x window(3x3), %w : tensor<8x28x28x64xf16>, tensor<570x96xf16>) outs(%c : tensor<5408x96xf16>) init(zero) acc(f32) -> tensor<5408x96xf16>
  return
}

// -----

func.func @matmul_c17_large(%x: tensor<8x2x64xf16>, %w: tensor<320x96xf16>, %c: tensor<8x96xf16>) {
  // expected-error @+1 {{matmul_c17: expected windows that fit dimension 1 of A with its zeros, but got #hone.window<5, low 1, high 1> on 'tensor<8x2x64xf16>'; use more zeros, or a smaller window}}
  hone.matmul ins(%x window(5, low 1, high 1), %w : tensor<8x2x64xf16>, tensor<320x96xf16>) outs(%c : tensor<8x96xf16>) init(zero) acc(f32) -> tensor<8x96xf16>
  return
}

// -----

func.func @matmul_c17_matrix(%x: tensor<8x28x64xf16>, %w: tensor<64x96xf16>, %c: tensor<224x96xf16>) {
  // expected-error @+1 {{matmul_c17: expected windows that overlap, or reach zeros, but got #hone.window<1> on 'tensor<8x28x64xf16>', the rows of a matrix; use collapse_shape and no window}}
  hone.matmul ins(%x window(1), %w : tensor<8x28x64xf16>, tensor<64x96xf16>) outs(%c : tensor<224x96xf16>) init(zero) acc(f32) -> tensor<224x96xf16>
  return
}

// -----

// expected-error @+1 {{expected low of a window to have 2 numbers, as its size has, but got 1}}
func.func private @window_numbers() attributes {window = #hone.window<3x3, low 1>}

// -----

// expected-error @+1 {{expected step, dilation, low or high, but got 'stride'}}
func.func private @window_name() attributes {window = #hone.window<3x3, stride 1x1>}

// -----

// expected-error @+1 {{expected step of a window to be 1 to 1048576, but got 0}}
func.func private @window_step() attributes {window = #hone.window<3, step 0>}

// -----

// expected-error @+1 {{expected a window along 1 or 2 dimensions, but got 3; use one number for each, as in 3x3}}
func.func private @window_sides() attributes {window = #hone.window<3x3x3>}

// -----

func.func @matmul_c18_kind(%a: tensor<512x64xf16>, %b: tensor<8x64x96xf16>, %c: tensor<512x96xf16>, %ends: tensor<8xi64>) {
  // expected-error @+1 {{matmul_c18: expected the ends of groups in one dimension of i32, but got 'tensor<8xi64>'; use a conversion before the matmul}}
  hone.matmul ins(%a, %b : tensor<512x64xf16>, tensor<8x64x96xf16>) outs(%c : tensor<512x96xf16>) ragged(%ends : tensor<8xi64>) init(zero) acc(f32) -> tensor<512x96xf16>
  return
}

// -----

func.func @matmul_c18_count(%a: tensor<512x64xf16>, %b: tensor<8x64x96xf16>, %c: tensor<512x96xf16>, %ends: tensor<9xi32>) {
  // expected-error @+1 {{matmul_c18: expected an end for each of the 8 matrices of B, but got 9; use the number of groups for both}}
  hone.matmul ins(%a, %b : tensor<512x64xf16>, tensor<8x64x96xf16>) outs(%c : tensor<512x96xf16>) ragged(%ends : tensor<9xi32>) init(zero) acc(f32) -> tensor<512x96xf16>
  return
}

// -----

func.func @matmul_c18_batch(%a: tensor<8x512x64xf16>, %b: tensor<8x64x96xf16>, %c: tensor<8x512x96xf16>, %ends: tensor<8xi32>) {
  // expected-error @+1 {{matmul_c18: expected ragged rows without batches, but got both; use a matmul for each group}}
  hone.matmul ins(%a, %b : tensor<8x512x64xf16>, tensor<8x64x96xf16>) outs(%c : tensor<8x512x96xf16>) ragged(%ends : tensor<8xi32>) init(zero) acc(f32) -> tensor<8x512x96xf16>
  return
}

// -----

func.func @matmul_c18_gaps(%a: memref<512x64xf16>, %b: memref<8x64x96xf16>, %c: memref<512x96xf16>, %ends: memref<8xi32, strided<[2]>>) {
  // expected-error @+1 {{matmul_c18: expected adjacent ends in memory, but got 'memref<8xi32, strided<[2]>>'; use a copy}}
  hone.matmul ins(%a, %b : memref<512x64xf16>, memref<8x64x96xf16>) outs(%c : memref<512x96xf16>) ragged(%ends : memref<8xi32, strided<[2]>>) init(zero) acc(f32)
  return
}

// -----

func.func @matmul_c18_none(%a: memref<512x64xf16>, %b: memref<8x64x96xf16>, %c: memref<512x96xf16>) {
  // expected-error @+1 {{matmul_c18: expected ends of ragged rows, but got no operand for them; use a tensor of i32}}
  "hone.matmul"(%a, %b, %c) <{acc = f32, init = 0 : i32, ragged}> ({}) : (memref<512x64xf16>, memref<8x64x96xf16>, memref<512x96xf16>) -> ()
  return
}

// -----

func.func @matmul_c2_ragged(%a: tensor<512x64xf16>, %b: tensor<64x96xf16>, %c: tensor<512x96xf16>, %ends: tensor<8xi32>) {
  // expected-error @+1 {{matmul_c2: expected B to have rank 3, but got rank 2; use collapse_shape or expand_shape}}
  hone.matmul ins(%a, %b : tensor<512x64xf16>, tensor<64x96xf16>) outs(%c : tensor<512x96xf16>) ragged(%ends : tensor<8xi32>) init(zero) acc(f32) -> tensor<512x96xf16>
  return
}

// -----

func.func private @ragged_batch() attributes {
  // expected-error @+1 {{expected ragged rows of a matrix without a batch, but got batch = 2; use a product for each}}
  problem = #hone.problem<batch = 2, m = 8, n = 8, k = 8, rows = ragged:4, a = f16:row:16, b = f16:row:16, acc = f32, c = f16:16, init = zero>}

// -----

func.func private @ragged_words() attributes {
  // expected-error @+1 {{expected 'rows' to be ragged:GROUPS, indexed or both, but got 'scattered'; leave it out where one B serves all rows}}
  problem = #hone.problem<m = 8, n = 8, k = 8, rows = scattered, a = f16:row:16, b = f16:row:16, acc = f32, c = f16:16, init = zero>}


// -----

func.func @matmul_c19(%a: tensor<30x64xf16>, %b: tensor<64x96xf16>, %c: tensor<512x96xf16>, %rows: tensor<512xf32>) {
  // expected-error @+1 {{matmul_c19: expected an index of one dimension of i32 or i64, but got 'tensor<512xf32>'; use a conversion before the matmul}}
  hone.matmul ins(%a, %b : tensor<30x64xf16>, tensor<64x96xf16>) outs(%c : tensor<512x96xf16>) gather(%rows : tensor<512xf32>) init(zero) acc(f32) -> tensor<512x96xf16>
  return
}

// -----

func.func @matmul_c19_count(%a: tensor<30x64xf16>, %b: tensor<64x96xf16>, %c: tensor<512x96xf16>, %rows: tensor<30xi32>) {
  // expected-error @+1 {{matmul_c19: expected an index for each of the 512 rows of C, but got 30; use the number of rows for both}}
  hone.matmul ins(%a, %b : tensor<30x64xf16>, tensor<64x96xf16>) outs(%c : tensor<512x96xf16>) gather(%rows : tensor<30xi32>) init(zero) acc(f32) -> tensor<512x96xf16>
  return
}

// -----

func.func @matmul_c19_columns(%a: tensor<64x30xf16>, %b: tensor<64x96xf16>, %c: tensor<512x96xf16>, %rows: tensor<512xi32>) {
  // expected-error @+1 {{matmul_c19: expected A to have dimensions mk, whose rows are lines, but got km; use a transpose before}}
  hone.matmul ins(col %a, %b : tensor<64x30xf16>, tensor<64x96xf16>) outs(%c : tensor<512x96xf16>) gather(%rows : tensor<512xi32>) init(zero) acc(f32) -> tensor<512x96xf16>
  return
}

// -----

func.func @matmul_c19_lines(%a: memref<30x64xf16, strided<[1, 30]>>, %b: memref<64x96xf16>, %c: memref<512x96xf16>, %rows: memref<512xi32>) {
  // expected-error @+1 {{matmul_c19: expected rows of A to be contiguous in memory, but got 'memref<30x64xf16, strided<[1, 30]>>'; use a copy}}
  hone.matmul ins(%a, %b : memref<30x64xf16, strided<[1, 30]>>, memref<64x96xf16>) outs(%c : memref<512x96xf16>) gather(%rows : memref<512xi32>) init(zero) acc(f32)
  return
}

// -----

func.func @matmul_c19_gaps(%a: memref<30x64xf16>, %b: memref<64x96xf16>, %c: memref<512x96xf16>, %rows: memref<512xi64, strided<[2]>>) {
  // expected-error @+1 {{matmul_c19: expected adjacent indices in memory, but got 'memref<512xi64, strided<[2]>>'; use a copy}}
  hone.matmul ins(%a, %b : memref<30x64xf16>, memref<64x96xf16>) outs(%c : memref<512x96xf16>) gather(%rows : memref<512xi64, strided<[2]>>) init(zero) acc(f32)
  return
}

// -----

func.func @matmul_c19_batches(%a: tensor<8x30x64xf16>, %b: tensor<8x64x96xf16>, %c: tensor<8x512x96xf16>, %rows: tensor<512xi32>) {
  // expected-error @+1 {{matmul_c19: expected gathered rows without batches, but got both; use a matmul for each batch, or a copy of the rows}}
  hone.matmul ins(%a, %b : tensor<8x30x64xf16>, tensor<8x64x96xf16>) outs(%c : tensor<8x512x96xf16>) gather(%rows : tensor<512xi32>) init(zero) acc(f32) -> tensor<8x512x96xf16>
  return
}

// -----

func.func @matmul_c18_sum(%a: tensor<512x64xf16>, %b: tensor<512x96xf16>, %c: tensor<8x64x96xf16>, %ends: tensor<9xi32>) {
  // expected-error @+1 {{matmul_c18: expected an end for each of the 8 matrices of C, but got 9; use the number of groups for both}}
  hone.matmul ins(col %a, %b : tensor<512x64xf16>, tensor<512x96xf16>) outs(%c : tensor<8x64x96xf16>) ragged(%ends : tensor<9xi32>) init(zero) acc(f32) -> tensor<8x64x96xf16>
  return
}

// -----

func.func @scatter_index(%rows: tensor<512x96xf16>, %to: tensor<512xf32>, %c: tensor<30x96xf32>) {
  // expected-error @+1 {{expected an index of i32 or i64 for each row, but got 'tensor<512xf32>' for 'tensor<512x96xf16>'; use a conversion}}
  %0 = hone.scatter_rows %rows to %to into %c : tensor<512x96xf16>, tensor<512xf32> into tensor<30x96xf32>
  return
}

// -----

func.func @scatter_weights(%rows: tensor<512x96xf16>, %to: tensor<512xi32>, %w: tensor<30xf32>, %c: tensor<30x96xf32>) {
  // expected-error @+1 {{expected a weight of f32 for each row, but got 'tensor<30xf32>' for 'tensor<512x96xf16>'; use a conversion}}
  %0 = hone.scatter_rows %rows to %to weights %w into %c : tensor<512x96xf16>, tensor<512xi32>, tensor<30xf32> into tensor<30x96xf32>
  return
}

// -----

func.func @scatter_width(%rows: tensor<512x95xf16>, %to: tensor<512xi32>, %c: tensor<30x96xf32>) {
  // expected-error @+1 {{expected rows as wide as those they are added to, but got 'tensor<512x95xf16>' and 'tensor<30x96xf32>'; use one extent}}
  %0 = hone.scatter_rows %rows to %to into %c : tensor<512x95xf16>, tensor<512xi32> into tensor<30x96xf32>
  return
}

// -----

func.func @scatter_types(%rows: tensor<512x96xf64>, %to: tensor<512xi32>, %c: tensor<30x96xf32>) {
  // expected-error @+1 {{expected rows of f16, bf16 or f32 in two dimensions, but got 'tensor<512x96xf64>'; use a conversion}}
  %0 = hone.scatter_rows %rows to %to into %c : tensor<512x96xf64>, tensor<512xi32> into tensor<30x96xf32>
  return
}

// -----

func.func @route_groups(%experts: tensor<45x2xi32>) {
  // expected-error @+1 {{expected from 1 to 1024 groups, but got 1025; use a number in between}}
  %0:3 = hone.route %experts groups 1025 : tensor<45x2xi32> -> tensor<90xi32>, tensor<90xi32>, tensor<8xi32>
  return
}

// -----

func.func @route_no_groups(%experts: tensor<45x2xi32>) {
  // expected-error @+1 {{expected from 1 to 1024 groups, but got 0; use a number in between}}
  %0:3 = hone.route %experts groups 0 : tensor<45x2xi32> -> tensor<90xi32>, tensor<90xi32>, tensor<8xi32>
  return
}

// -----

func.func @route_type(%experts: tensor<45x2xi16>) {
  // expected-error @+1 {{expected experts of i32 or i64, one or a known number for each token, but got 'tensor<45x2xi16>'; use a conversion or a cast}}
  %0:3 = hone.route %experts groups 8 : tensor<45x2xi16> -> tensor<90xi32>, tensor<90xi32>, tensor<8xi32>
  return
}

// -----

func.func @route_choices(%experts: tensor<45x?xi32>) {
  // expected-error @+1 {{expected experts of i32 or i64, one or a known number for each token, but got 'tensor<45x?xi32>'; use a conversion or a cast}}
  %0:3 = hone.route %experts groups 8 : tensor<45x?xi32> -> tensor<90xi32>, tensor<90xi32>, tensor<8xi32>
  return
}

// -----

func.func @route_rank(%experts: tensor<5x9x2xi32>) {
  // expected-error @+1 {{expected experts of i32 or i64, one or a known number for each token, but got 'tensor<5x9x2xi32>'; use a conversion or a cast}}
  %0:3 = hone.route %experts groups 8 : tensor<5x9x2xi32> -> tensor<90xi32>, tensor<90xi32>, tensor<8xi32>
  return
}

// -----

func.func @route_results(%experts: tensor<45x2xi32>) {
  // expected-error @+1 {{expected results of type 'tensor<90xi32>' twice and 'tensor<8xi32>', but got 'tensor<45xi32>', 'tensor<90xi32>', 'tensor<8xi32>'; use these}}
  %0:3 = hone.route %experts groups 8 : tensor<45x2xi32> -> tensor<45xi32>, tensor<90xi32>, tensor<8xi32>
  return
}

// -----

func.func @matmul_c19_none(%a: memref<30x64xf16>, %b: memref<64x96xf16>, %c: memref<512x96xf16>) {
  // expected-error @+1 {{matmul_c19: expected an index of the rows of A, but got no operand for it; use a tensor of i32 or i64}}
  "hone.matmul"(%a, %b, %c) <{acc = f32, gather, init = 0 : i32}> ({}) : (memref<30x64xf16>, memref<64x96xf16>, memref<512x96xf16>) -> ()
  return
}

// -----

func.func @schedule_c6_index(%a: memref<30x64xf16>, %b: memref<64x96xf16>, %c: memref<512x96xf16>, %rows: memref<512xi32>) {
  // expected-error @+1 {{schedule_c6: expected rows of A in order for ws, but got an index of them; use mma_sync}}
  hone.matmul ins(%a, %b : memref<30x64xf16>, memref<64x96xf16>) outs(%c : memref<512x96xf16>) gather(%rows : memref<512xi32>) init(zero) acc(f32)
    schedule(#hone.schedule<ws, tile = 64x64x64, consumers = 1x1>)
  return
}

// -----

func.func @schedule_c6_sum(%a: memref<512x64xf16>, %b: memref<512x96xf16>, %c: memref<8x64x96xf16>, %ends: memref<8xi32>) {
  // expected-error @+1 {{schedule_c6: expected each batch to sum over all of k for ws, but got a ragged sum; use mma_sync}}
  hone.matmul ins(col %a, %b : memref<512x64xf16>, memref<512x96xf16>) outs(%c : memref<8x64x96xf16>) ragged(%ends : memref<8xi32>) init(zero) acc(f32)
    schedule(#hone.schedule<ws, tile = 64x64x64, consumers = 1x1>)
  return
}
