// Typical code of frontends around products, with data that makes every sum exact: an MLP
// with rows known at run time, attention with a mask and its own softmax, a norm in bf16, a
// loop that carries a tensor, slices, padding and a gather. Each function is called once,
// and a corner of its result printed.

#id1 = affine_map<(i) -> (i)>
#id2 = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
#col = affine_map<(i, j) -> (i)>
#id3 = affine_map<(b, i, j) -> (b, i, j)>
#rows3 = affine_map<(b, i, j) -> (b, i)>
#mask3 = affine_map<(b, i, j) -> (i, j)>

func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}

// ((7 i + 3 j) mod 5 - 2) / 4
func.func private @data2(%rows: index, %columns: index) -> tensor<?x?xf32> {
  %e = tensor.empty(%rows, %columns) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xf32>) {
  ^bb0(%o: f32):
    %c7 = arith.constant 7 : index
    %c3 = arith.constant 3 : index
    %c5 = arith.constant 5 : index
    %two = arith.constant 2.0 : f32
    %quarter = arith.constant 0.25 : f32
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %x = arith.muli %i, %c7 : index
    %y = arith.muli %j, %c3 : index
    %z = arith.addi %x, %y : index
    %m = arith.remui %z, %c5 : index
    %n = arith.index_cast %m : index to i32
    %f = arith.sitofp %n : i32 to f32
    %g = arith.subf %f, %two : f32
    %h = arith.mulf %g, %quarter : f32
    linalg.yield %h : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func private @half2(%rows: index, %columns: index) -> tensor<?x?xf16> {
  %x = call @data2(%rows, %columns) : (index, index) -> tensor<?x?xf32>
  %y = arith.truncf %x : tensor<?x?xf32> to tensor<?x?xf16>
  return %y : tensor<?x?xf16>
}

func.func private @show2(%x: tensor<?x?xf32>) {
  %s = tensor.extract_slice %x[1, 2] [3, 5] [1, 1] : tensor<?x?xf32> to tensor<3x5xf32>
  %u = tensor.cast %s : tensor<3x5xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}

//===-- An MLP whose rows are known at run time ---------------------------------------------===//

func.func private @mlp(%x: tensor<?x64xf16>, %w0: tensor<64x96xf16>, %bias: tensor<96xf16>, %w1: tensor<40x96xf16>) -> tensor<?x40xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x64xf16>
  %known = arith.constant 5 : index
  %enough = arith.cmpi sge, %rows, %known : index
  cf.assert %enough, "expected five rows"
  %e0 = tensor.empty(%rows) : tensor<?x96xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x96xf32>) -> tensor<?x96xf32>
  %p0 = linalg.matmul ins(%x, %w0 : tensor<?x64xf16>, tensor<64x96xf16>) outs(%f0 : tensor<?x96xf32>) -> tensor<?x96xf32>
  %eh = tensor.empty(%rows) : tensor<?x96xf16>
  %h = linalg.generic {indexing_maps = [#id2, #row, #id2], iterator_types = ["parallel", "parallel"]} ins(%p0, %bias : tensor<?x96xf32>, tensor<96xf16>) outs(%eh : tensor<?x96xf16>) {
  ^bb0(%in: f32, %b: f16, %o: f16):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %cubic = arith.constant 0.044715 : f32
    %scale = arith.constant 0.797884583 : f32
    %three = arith.constant 3 : i32
    %be = arith.extf %b : f16 to f32
    %v = arith.addf %in, %be : f32
    %v3 = math.fpowi %v, %three : f32, i32
    %q = arith.mulf %v3, %cubic : f32
    %r = arith.addf %v, %q : f32
    %s = arith.mulf %r, %scale : f32
    %t = math.tanh %s : f32
    %u = arith.addf %t, %one : f32
    %w = arith.mulf %v, %u : f32
    %y = arith.mulf %w, %half : f32
    %n = arith.truncf %y : f32 to f16
    linalg.yield %n : f16
  } -> tensor<?x96xf16>
  %et = tensor.empty() : tensor<96x40xf16>
  %w1t = linalg.transpose ins(%w1 : tensor<40x96xf16>) outs(%et : tensor<96x40xf16>) permutation = [1, 0]
  %e1 = tensor.empty(%rows) : tensor<?x40xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x40xf32>) -> tensor<?x40xf32>
  %p1 = linalg.matmul ins(%h, %w1t : tensor<?x96xf16>, tensor<96x40xf16>) outs(%f1 : tensor<?x40xf32>) -> tensor<?x40xf32>
  return %p1 : tensor<?x40xf32>
}

//===-- Attention ---------------------------------------------------------------------------===//

func.func private @attention(%q: tensor<2x16x32xf16>, %k: tensor<2x16x32xf16>, %v: tensor<2x16x32xf16>) -> tensor<2x16x32xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x16x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  %s = linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%q, %k : tensor<2x16x32xf16>, tensor<2x16x32xf16>) outs(%fs : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  %masked = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x16x16xf32>) outs(%es : tensor<2x16x16xf32>) {
  ^bb0(%in: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %sees = arith.cmpi sle, %j, %i : index
    %x = arith.select %sees, %in, %low : f32
    linalg.yield %x : f32
  } -> tensor<2x16x16xf32>
  %er = tensor.empty() : tensor<2x16xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<2x16xf32>) -> tensor<2x16xf32>
  %max = linalg.generic {indexing_maps = [#id3, #rows3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%masked : tensor<2x16x16xf32>) outs(%lows : tensor<2x16xf32>) {
  ^bb0(%in: f32, %o: f32):
    %x = arith.maximumf %in, %o : f32
    linalg.yield %x : f32
  } -> tensor<2x16xf32>
  %exp = linalg.generic {indexing_maps = [#id3, #rows3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%masked, %max : tensor<2x16x16xf32>, tensor<2x16xf32>) outs(%es : tensor<2x16x16xf32>) {
  ^bb0(%in: f32, %m: f32, %o: f32):
    %d = arith.subf %in, %m : f32
    %x = math.exp %d : f32
    linalg.yield %x : f32
  } -> tensor<2x16x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%er : tensor<2x16xf32>) -> tensor<2x16xf32>
  %sum = linalg.generic {indexing_maps = [#id3, #rows3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%exp : tensor<2x16x16xf32>) outs(%zeros : tensor<2x16xf32>) {
  ^bb0(%in: f32, %o: f32):
    %x = arith.addf %in, %o : f32
    linalg.yield %x : f32
  } -> tensor<2x16xf32>
  %eh = tensor.empty() : tensor<2x16x16xf16>
  %p = linalg.generic {indexing_maps = [#id3, #rows3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%exp, %sum : tensor<2x16x16xf32>, tensor<2x16xf32>) outs(%eh : tensor<2x16x16xf16>) {
  ^bb0(%in: f32, %m: f32, %o: f16):
    %d = arith.divf %in, %m : f32
    %x = arith.truncf %d : f32 to f16
    linalg.yield %x : f16
  } -> tensor<2x16x16xf16>
  %eo = tensor.empty() : tensor<2x16x32xf32>
  %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x16x16xf16>, tensor<2x16x32xf16>) outs(%fo : tensor<2x16x32xf32>) -> tensor<2x16x32xf32>
  return %o : tensor<2x16x32xf32>
}

//===-- A norm in bf16, and a product of what it gives --------------------------------------===//

func.func private @norm(%x: tensor<24x32xbf16>, %w: tensor<32x48xbf16>) -> tensor<24x48xbf16> {
  %zero = arith.constant 0.0 : f32
  %er = tensor.empty() : tensor<24xf32>
  %fr = linalg.fill ins(%zero : f32) outs(%er : tensor<24xf32>) -> tensor<24xf32>
  %sums = linalg.generic {indexing_maps = [#id2, #col], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<24x32xbf16>) outs(%fr : tensor<24xf32>) {
  ^bb0(%in: bf16, %o: f32):
    %e = arith.extf %in : bf16 to f32
    %s = arith.mulf %e, %e : f32
    %a = arith.addf %s, %o : f32
    linalg.yield %a : f32
  } -> tensor<24xf32>
  %en = tensor.empty() : tensor<24x32xbf16>
  %n = linalg.generic {indexing_maps = [#id2, #col, #id2], iterator_types = ["parallel", "parallel"]} ins(%x, %sums : tensor<24x32xbf16>, tensor<24xf32>) outs(%en : tensor<24x32xbf16>) {
  ^bb0(%in: bf16, %s: f32, %o: bf16):
    %count = arith.constant 32.0 : f32
    %epsilon = arith.constant 1.0e-5 : f32
    %mean = arith.divf %s, %count : f32
    %safe = arith.addf %mean, %epsilon : f32
    %r = math.rsqrt %safe : f32
    %e = arith.extf %in : bf16 to f32
    %y = arith.mulf %e, %r : f32
    %t = arith.truncf %y : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<24x32xbf16>
  %ep = tensor.empty() : tensor<24x48xf32>
  %fp = linalg.fill ins(%zero : f32) outs(%ep : tensor<24x48xf32>) -> tensor<24x48xf32>
  %p = linalg.matmul ins(%n, %w : tensor<24x32xbf16>, tensor<32x48xbf16>) outs(%fp : tensor<24x48xf32>) -> tensor<24x48xf32>
  %t = arith.truncf %p : tensor<24x48xf32> to tensor<24x48xbf16>
  return %t : tensor<24x48xbf16>
}

//===-- A loop that carries a tensor, slices, padding, a gather -----------------------------===//

func.func private @loop(%x: tensor<16x32xf16>, %w: tensor<32x32xf16>, %table: tensor<16xi32>) -> tensor<16x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<16x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%sum = %f, %now = %x) -> (tensor<16x32xf32>, tensor<16x32xf16>) {
    %p = linalg.matmul ins(%now, %w : tensor<16x32xf16>, tensor<32x32xf16>) outs(%f : tensor<16x32xf32>) -> tensor<16x32xf32>
    %s = arith.addf %sum, %p : tensor<16x32xf32>
    %slice = tensor.extract_slice %now[0, 0] [12, 31] [1, 1] : tensor<16x32xf16> to tensor<12x31xf16>
    %padded = tensor.pad %slice low[%i, 1] high[%c3, 0] {
    ^bb0(%a: index, %b: index):
      tensor.yield %none : f16
    } : tensor<12x31xf16> to tensor<?x32xf16>
    %en = tensor.empty() : tensor<16x32xf16>
    %next = linalg.generic {indexing_maps = [#col, #id2], iterator_types = ["parallel", "parallel"]} ins(%table : tensor<16xi32>) outs(%en : tensor<16x32xf16>) {
    ^bb0(%t: i32, %o: f16):
      %at = arith.index_cast %t : i32 to index
      %j = linalg.index 1 : index
      %v = tensor.extract %padded[%at, %j] : tensor<?x32xf16>
      linalg.yield %v : f16
    } -> tensor<16x32xf16>
    scf.yield %s, %next : tensor<16x32xf32>, tensor<16x32xf16>
  }
  return %r#0 : tensor<16x32xf32>
}

//===-- All of them -------------------------------------------------------------------------===//

func.func private @runMlp() {
  %c9 = arith.constant 9 : index
  %c40 = arith.constant 40 : index
  %c64 = arith.constant 64 : index
  %c96 = arith.constant 96 : index
  %x = call @half2(%c9, %c64) : (index, index) -> tensor<?x?xf16>
  %w0 = call @half2(%c64, %c96) : (index, index) -> tensor<?x?xf16>
  %w1 = call @half2(%c40, %c96) : (index, index) -> tensor<?x?xf16>
  %xs = tensor.cast %x : tensor<?x?xf16> to tensor<?x64xf16>
  %w0s = tensor.cast %w0 : tensor<?x?xf16> to tensor<64x96xf16>
  %w1s = tensor.cast %w1 : tensor<?x?xf16> to tensor<40x96xf16>
  %bias = tensor.extract_slice %w1s[3, 0] [1, 96] [1, 1] : tensor<40x96xf16> to tensor<96xf16>
  %r = call @mlp(%xs, %w0s, %bias, %w1s) : (tensor<?x64xf16>, tensor<64x96xf16>, tensor<96xf16>, tensor<40x96xf16>) -> tensor<?x40xf32>
  %rd = tensor.cast %r : tensor<?x40xf32> to tensor<?x?xf32>
  call @show2(%rd) : (tensor<?x?xf32>) -> ()
  return
}

func.func private @runAttention() {
  %c32 = arith.constant 32 : index
  %x = call @half2(%c32, %c32) : (index, index) -> tensor<?x?xf16>
  %xs = tensor.cast %x : tensor<?x?xf16> to tensor<32x32xf16>
  %t = tensor.expand_shape %xs [[0, 1], [2]] output_shape [2, 16, 32] : tensor<32x32xf16> into tensor<2x16x32xf16>
  %r = call @attention(%t, %t, %t) : (tensor<2x16x32xf16>, tensor<2x16x32xf16>, tensor<2x16x32xf16>) -> tensor<2x16x32xf32>
  %flat = tensor.collapse_shape %r [[0, 1], [2]] : tensor<2x16x32xf32> into tensor<32x32xf32>
  %rd = tensor.cast %flat : tensor<32x32xf32> to tensor<?x?xf32>
  call @show2(%rd) : (tensor<?x?xf32>) -> ()
  return
}

func.func private @runNorm() {
  %c24 = arith.constant 24 : index
  %c32 = arith.constant 32 : index
  %c48 = arith.constant 48 : index
  %x = call @data2(%c24, %c32) : (index, index) -> tensor<?x?xf32>
  %w = call @data2(%c32, %c48) : (index, index) -> tensor<?x?xf32>
  %xb = arith.truncf %x : tensor<?x?xf32> to tensor<?x?xbf16>
  %wb = arith.truncf %w : tensor<?x?xf32> to tensor<?x?xbf16>
  %xs = tensor.cast %xb : tensor<?x?xbf16> to tensor<24x32xbf16>
  %ws = tensor.cast %wb : tensor<?x?xbf16> to tensor<32x48xbf16>
  %r = call @norm(%xs, %ws) : (tensor<24x32xbf16>, tensor<32x48xbf16>) -> tensor<24x48xbf16>
  %re = arith.extf %r : tensor<24x48xbf16> to tensor<24x48xf32>
  %rd = tensor.cast %re : tensor<24x48xf32> to tensor<?x?xf32>
  call @show2(%rd) : (tensor<?x?xf32>) -> ()
  return
}

func.func private @runLoop() {
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %x = call @half2(%c16, %c32) : (index, index) -> tensor<?x?xf16>
  %w = call @half2(%c32, %c32) : (index, index) -> tensor<?x?xf16>
  %xs = tensor.cast %x : tensor<?x?xf16> to tensor<16x32xf16>
  %ws = tensor.cast %w : tensor<?x?xf16> to tensor<32x32xf16>
  %table = arith.constant dense<[3, 0, 7, 1, 2, 5, 4, 6, 11, 8, 9, 10, 12, 13, 14, 2]> : tensor<16xi32>
  %r = call @loop(%xs, %ws, %table) : (tensor<16x32xf16>, tensor<32x32xf16>, tensor<16xi32>) -> tensor<16x32xf32>
  %rd = tensor.cast %r : tensor<16x32xf32> to tensor<?x?xf32>
  call @show2(%rd) : (tensor<?x?xf32>) -> ()
  return
}

func.func @main() {
  call @runMlp() : () -> ()
  call @runAttention() : () -> ()
  call @runNorm() : () -> ()
  call @runLoop() : () -> ()
  return
}
