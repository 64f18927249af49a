// DEFINE: %{remarks} = --remark-policy=all --remark-format=emitRemark --remarks-filter=hone
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-match)' %{remarks} -o %t.mlir 2>&1 | FileCheck %s
// RUN: hone-opt %s --hone-match %{remarks} -o /dev/null 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR --input-file=%t.mlir
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-match{strict-accumulator})' %{remarks} -o /dev/null 2>&1 | FileCheck %s --check-prefix=STRICT

// Every matmul is reported: its problem, or the reason why it is left alone.

#id = affine_map<(m, n) -> (m, n)>

// CHECK: remark: [Passed] matched | Category:hone | Function=matched | Remark="m = 64, n = 48, k = 32, a = f16:row:16, b = f16:row:16, acc = f32, c = f32:16, init = read"
// STRICT: Function=matched | Remark="m = 64,
func.func @matched(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %0 : tensor<64x48xf32>
}

// CHECK: [Passed] matched | Category:hone | Function=widened
// CHECK: [Passed] accumulator-widened | Category:hone | Function=widened | Remark="accumulates in f32 instead of f16"
// STRICT: [Missed] not-matched | Category:hone | Function=widened | Remark="not matched: it accumulates in f16, which strict-accumulator does not allow to widen"
func.func @widened(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf16>) -> tensor<64x48xf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf16>) -> tensor<64x48xf16>
  return %0 : tensor<64x48xf16>
}

// CHECK: [Missed] not-matched | Category:hone | Function=integers | Remark="not matched: element type i16; kernels multiply f16
// IR-LABEL: func @integers
// IR: linalg.matmul
func.func @integers(%a: tensor<64x32xi16>, %b: tensor<32x48xi16>, %c: tensor<64x48xi32>) -> tensor<64x48xi32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xi16>, tensor<32x48xi16>) outs(%c : tensor<64x48xi32>) -> tensor<64x48xi32>
  return %0 : tensor<64x48xi32>
}

// CHECK: Function=quantized | Remark="not matched: a factor is an integer less a zero point that is not a scalar, or its sums have an unknown length"
func.func @quantized(%a: tensor<64x?xi8>, %b: tensor<?x48xi8>, %z: i32, %c: tensor<64x48xi32>) -> tensor<64x48xi32> {
  %0 = linalg.quantized_matmul ins(%a, %b, %z, %z : tensor<64x?xi8>, tensor<?x48xi8>, i32, i32) outs(%c : tensor<64x48xi32>) -> tensor<64x48xi32>
  return %0 : tensor<64x48xi32>
}

// CHECK: Function=doubles | Remark="not matched: element type f64; kernels multiply f16
func.func @doubles(%a: tensor<64x32xf64>, %b: tensor<32x48xf64>, %c: tensor<64x48xf64>) -> tensor<64x48xf64> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf64>, tensor<32x48xf64>) outs(%c : tensor<64x48xf64>) -> tensor<64x48xf64>
  return %0 : tensor<64x48xf64>
}

// CHECK: Function=complex | Remark="not matched: element type complex<f32>; kernels multiply f16
func.func @complex(%a: tensor<64x32xcomplex<f32>>, %b: tensor<32x48xcomplex<f32>>, %c: tensor<64x48xcomplex<f32>>) -> tensor<64x48xcomplex<f32>> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xcomplex<f32>>, tensor<32x48xcomplex<f32>>) outs(%c : tensor<64x48xcomplex<f32>>) -> tensor<64x48xcomplex<f32>>
  return %0 : tensor<64x48xcomplex<f32>>
}

// CHECK: [Passed] matched | Category:hone | Function=mixed | Remark="{{.*}}a = f32:row:16, b = f32:row:16
func.func @mixed(%a: tensor<64x32xf16>, %b: tensor<32x48xf32>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf32>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %0 : tensor<64x48xf32>
}

// CHECK: [Passed] matched | Category:hone | Function=rounded_inputs | Remark="{{.*}}a = f16:row:16, b = f16:row:16
func.func @rounded_inputs(%a: tensor<64x32xf32>, %b: tensor<32x48xf32>, %c: tensor<64x48xf16>) -> tensor<64x48xf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x48xf32>) outs(%c : tensor<64x48xf16>) -> tensor<64x48xf16>
  return %0 : tensor<64x48xf16>
}

// CHECK: Function=empty | Remark="not matched: dimension d0 is empty"
func.func @empty(%a: tensor<0x32xf16>, %b: tensor<32x48xf16>, %c: tensor<0x48xf32>) -> tensor<0x48xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<0x32xf16>, tensor<32x48xf16>) outs(%c : tensor<0x48xf32>) -> tensor<0x48xf32>
  return %0 : tensor<0x48xf32>
}

// CHECK: Function=empty_sums | Remark="not matched: dimension d2 is empty"
func.func @empty_sums(%a: tensor<64x0xf16>, %b: tensor<0x48xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x0xf16>, tensor<0x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %0 : tensor<64x48xf32>
}

// Tiles are batches; the summed dimensions are made adjacent.
// CHECK: Function=tiled | Remark="batch = 4, m = 16, n = 16, k = 16,
// CHECK: Function=tiled | Remark="reads a transposed copy: dimensions of one kind are not adjacent in A (bkmk)"
func.func @tiled(%a: tensor<2x2x16x8xf32>, %b: tensor<2x2x16x8xf32>, %c: tensor<2x2x16x16xf32>) -> tensor<2x2x16x16xf32> {
  %0 = linalg.mmt4d ins(%a, %b : tensor<2x2x16x8xf32>, tensor<2x2x16x8xf32>) outs(%c : tensor<2x2x16x16xf32>) -> tensor<2x2x16x16xf32>
  return %0 : tensor<2x2x16x16xf32>
}

// CHECK: Function=batch_innermost | Remark="reads a transposed copy: a batch is the innermost dimension of A (mkb)"
func.func @batch_innermost(%a: tensor<64x32x4xf16>, %b: tensor<4x32x48xf16>, %c: tensor<4x64x48xf32>) -> tensor<4x64x48xf32> {
  %0 = linalg.contract indexing_maps = [affine_map<(b, m, n, k) -> (m, k, b)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>]
    ins(%a, %b : tensor<64x32x4xf16>, tensor<4x32x48xf16>) outs(%c : tensor<4x64x48xf32>) -> tensor<4x64x48xf32>
  return %0 : tensor<4x64x48xf32>
}

// CHECK: Function=batch_innermost_in_c | Remark="its result is written in another order and transposed, unless its reader takes it so: a batch is the innermost dimension of C (mnb)"
func.func @batch_innermost_in_c(%a: tensor<4x64x32xf16>, %b: tensor<4x32x48xf16>, %c: tensor<64x48x4xf32>) -> tensor<64x48x4xf32> {
  %0 = linalg.contract indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (m, n, b)>]
    ins(%a, %b : tensor<4x64x32xf16>, tensor<4x32x48xf16>) outs(%c : tensor<64x48x4xf32>) -> tensor<64x48x4xf32>
  return %0 : tensor<64x48x4xf32>
}

// CHECK: Function=batch_innermost_in_memory | Remark="not matched: neither rows nor columns of A are contiguous"
func.func @batch_innermost_in_memory(%a: memref<64x32x4xf16>, %b: memref<4x32x48xf16>, %c: memref<4x64x48xf32>) {
  linalg.contract indexing_maps = [affine_map<(b, m, n, k) -> (m, k, b)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>]
    ins(%a, %b : memref<64x32x4xf16>, memref<4x32x48xf16>) outs(%c : memref<4x64x48xf32>)
  return
}

// CHECK: Function=five_batches | Remark="not matched: it has 5 batches, and at most 4 can be"
func.func @five_batches(%a: memref<2x64x3x4x5x6x32xf16>, %b: memref<6x5x4x3x2x32x48xf16>, %c: memref<2x3x4x5x6x64x48xf32>) {
  linalg.contract indexing_maps = [affine_map<(v, w, x, y, z, m, n, k) -> (v, m, w, x, y, z, k)>, affine_map<(v, w, x, y, z, m, n, k) -> (z, y, x, w, v, k, n)>, affine_map<(v, w, x, y, z, m, n, k) -> (v, w, x, y, z, m, n)>]
    ins(%a, %b : memref<2x64x3x4x5x6x32xf16>, memref<6x5x4x3x2x32x48xf16>) outs(%c : memref<2x3x4x5x6x64x48xf32>)
  return
}

// CHECK: Function=only_in_c | Remark="not matched: dimension d0 is in one of A, B and C only"
func.func @only_in_c(%a: tensor<32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : tensor<32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %0 : tensor<64x48xf32>
}

// CHECK: Function=strided_result | Remark="not matched: neither rows nor columns of C are contiguous"
// IR-LABEL: func @strided_result
// IR-NEXT: linalg.matmul
func.func @strided_result(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32, strided<[96, 2]>>) {
  linalg.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32, strided<[96, 2]>>)
  return
}

// CHECK: Function=unknown_strides | Remark="not matched: neither rows nor columns of A are contiguous"
func.func @unknown_strides(%a: memref<64x32xf16, strided<[?, ?], offset: ?>>, %b: memref<32x48xf16>, %c: memref<64x48xf32>) {
  linalg.matmul ins(%a, %b : memref<64x32xf16, strided<[?, ?], offset: ?>>, memref<32x48xf16>) outs(%c : memref<64x48xf32>)
  return
}

// CHECK: Function=shared_memory | Remark="not matched: a memref is not in global memory"
func.func @shared_memory(%a: memref<64x32xf16, 3>, %b: memref<32x48xf16>, %c: memref<64x48xf32>) {
  linalg.matmul ins(%a, %b : memref<64x32xf16, 3>, memref<32x48xf16>) outs(%c : memref<64x48xf32>)
  return
}

// The end of an epilogue is reported, too, at the op that is not fused.

// CHECK: [Missed] not-fused | Category:hone | Function=index | Remark="not fused into the matmul: no lowering for 'linalg.index' in an epilogue"
// CHECK: [Passed] matched | Category:hone | Function=index
func.func @index(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<64x48xf32>) outs(%c : tensor<64x48xf32>) {
  ^bb0(%x: f32, %y: f32):
    %2 = linalg.index 0 : index
    %3 = arith.index_cast %2 : index to i32
    %4 = arith.sitofp %3 : i32 to f32
    %5 = arith.addf %x, %4 : f32
    linalg.yield %5 : f32
  } -> tensor<64x48xf32>
  return %1 : tensor<64x48xf32>
}

// CHECK: Function=part_of_a_dimension | Remark="not fused into the matmul: operand 1 has part of a dimension of the matmul only"
func.func @part_of_a_dimension(%a: tensor<4x16x32xf16>, %b: tensor<32x48xf16>, %c: tensor<4x16x48xf32>, %v: tensor<16xf32>) -> tensor<4x16x48xf32> {
  %0 = linalg.contract indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>]
    ins(%a, %b : tensor<4x16x32xf16>, tensor<32x48xf16>) outs(%c : tensor<4x16x48xf32>) -> tensor<4x16x48xf32>
  %1 = linalg.generic {
    indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (m)>, affine_map<(b, m, n) -> (b, m, n)>],
    iterator_types = ["parallel", "parallel", "parallel"]
  } ins(%0, %v : tensor<4x16x48xf32>, tensor<16xf32>) outs(%c : tensor<4x16x48xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %2 = arith.addf %x, %y : f32
    linalg.yield %2 : f32
  } -> tensor<4x16x48xf32>
  return %1 : tensor<4x16x48xf32>
}

// CHECK: Function=writes_over | Remark="not fused into the matmul: it does not read the matmul's result"
func.func @writes_over(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf32>, %d: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  %1 = linalg.exp ins(%d : tensor<64x48xf32>) outs(%0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %1 : tensor<64x48xf32>
}

// A convolution sums products, and is reported; an elementwise op is not.
// CHECK: [Missed] not-matched | Category:hone | Function=others
// CHECK-NOT: Function=others
func.func @others(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x4xf32>, %c: tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf ins(%a, %b : tensor<1x8x8x4xf32>, tensor<3x3x4x4xf32>) outs(%c : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  %1 = linalg.exp ins(%0 : tensor<1x6x6x4xf32>) outs(%c : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  return %1 : tensor<1x6x6x4xf32>
}

// Extents that no kernel counts, and matrices that no machine holds.

// CHECK: Function=longest | Remark="not matched: expected extent of 'm' to be 1 to 2147483647, but got 2147483648"
func.func @longest(%a: tensor<9223372036854775807x4xf16>, %b: tensor<4x4xf16>, %c: tensor<9223372036854775807x4xf16>) -> tensor<9223372036854775807x4xf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<9223372036854775807x4xf16>, tensor<4x4xf16>) outs(%c : tensor<9223372036854775807x4xf16>) -> tensor<9223372036854775807x4xf16>
  return %0 : tensor<9223372036854775807x4xf16>
}

// CHECK: Function=collapsed | Remark="not matched: expected extent of 'm' to be 1 to 2147483647, but got 2147483648"
func.func @collapsed(%a: tensor<4294967296x4294967296x4xf16>, %b: tensor<4x4xf16>, %c: tensor<4294967296x4294967296x4xf16>) -> tensor<4294967296x4294967296x4xf16> {
  %0 = linalg.contract indexing_maps = [affine_map<(i, j, n, k) -> (i, j, k)>, affine_map<(i, j, n, k) -> (k, n)>, affine_map<(i, j, n, k) -> (i, j, n)>]
      ins(%a, %b : tensor<4294967296x4294967296x4xf16>, tensor<4x4xf16>) outs(%c : tensor<4294967296x4294967296x4xf16>) -> tensor<4294967296x4294967296x4xf16>
  return %0 : tensor<4294967296x4294967296x4xf16>
}

// CHECK: Function=largest | Remark="not matched: expected C to have at most 140737488355328 bytes, but got 2147483647 x 2147483647 elements"
func.func @largest(%a: tensor<2147483647x4xf16>, %b: tensor<4x2147483647xf16>, %c: tensor<2147483647x2147483647xf16>) -> tensor<2147483647x2147483647xf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<2147483647x4xf16>, tensor<4x2147483647xf16>) outs(%c : tensor<2147483647x2147483647xf16>) -> tensor<2147483647x2147483647xf16>
  return %0 : tensor<2147483647x2147483647xf16>
}

// A destination whose elements are not all there.

// CHECK: Function=one_row | Remark="not matched: elements of C overlap in memory"
// IR-LABEL: func @one_row
// IR: linalg.matmul
func.func @one_row(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf16, strided<[0, 1]>>) {
  linalg.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf16, strided<[0, 1]>>)
  return
}

// CHECK: Function=short_rows | Remark="not matched: elements of C overlap in memory"
func.func @short_rows(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf16, strided<[47, 1]>>) {
  linalg.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf16, strided<[47, 1]>>)
  return
}

// CHECK: Function=one_matrix | Remark="not matched: elements of C overlap in memory"
func.func @one_matrix(%a: memref<4x64x32xf16>, %b: memref<4x32x48xf16>, %c: memref<4x64x48xf16, strided<[0, 48, 1]>>) {
  linalg.batch_matmul ins(%a, %b : memref<4x64x32xf16>, memref<4x32x48xf16>) outs(%c : memref<4x64x48xf16, strided<[0, 48, 1]>>)
  return
}

// Rows of several matrices may be interleaved, and rows may go backwards.

// CHECK: [Passed] matched | Category:hone | Function=interleaved
func.func @interleaved(%a: memref<4x64x32xf16>, %b: memref<4x32x48xf16>, %c: memref<4x64x48xf16, strided<[48, 192, 1]>>) {
  linalg.batch_matmul ins(%a, %b : memref<4x64x32xf16>, memref<4x32x48xf16>) outs(%c : memref<4x64x48xf16, strided<[48, 192, 1]>>)
  return
}

// CHECK: [Passed] matched | Category:hone | Function=backwards
func.func @backwards(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf16, strided<[-48, 1], offset: 3024>>) {
  linalg.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf16, strided<[-48, 1], offset: 3024>>)
  return
}
