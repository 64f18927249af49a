// Rows or columns that are not adjacent would be batches: of few rows, of a factor that
// is read again, and of launches in a loop. Where that takes a GPU clearly longer than
// copies, factors are copied, or the result is written in another order. Sums are
// rounded before they are moved.
//
// DEFINE: %{remarks} = --remark-policy=all --remark-format=emitRemark --remarks-filter=hone
// RUN: hone-opt %s --hone-match=arch=h200 2>/dev/null | FileCheck %s
// RUN: hone-opt %s --hone-match=arch=h200 %{remarks} -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: hone-opt %s --hone-match=arch=host 2>/dev/null | FileCheck %s --check-prefix=HOST
// REMARK: Function=alternate | Remark="its result is written in another order and transposed, unless its reader takes it so: its rows or columns would be batches, which take longer than a copy
// REMARK: Function=exchanged | Remark="reads a transposed copy: its rows or columns would be batches, which take longer than a copy
// REMARK-NOT: take longer

// The letters of M, of N and of the batch alternate in the result.
// CHECK-LABEL: func @alternate
// CHECK: hone.matmul ins(%{{.*}}, col %{{.*}} : tensor<8x8192x200xbf16>, tensor<8x1632x200xbf16>) {{.*}} -> tensor<8x8192x1632xbf16>
// CHECK: linalg.transpose ins(%{{.*}} : tensor<8x32x32x8x102x16xbf16>) outs(%{{.*}} : tensor<32x32x102x8x8x16xbf16>)
// HOST-LABEL: func @alternate
// HOST: hone.matmul {{.*}}outs(%{{.*}}[b, m, h, i, j, n] :
func.func @alternate(%a: tensor<25x8x16x8x102xbf16>, %b: tensor<25x8x32x8x8x32xbf16>) -> tensor<32x32x102x8x8x16xbf16> {
  %e = tensor.empty() : tensor<32x32x102x8x8x16xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32x102x8x8x16xf32>) -> tensor<32x32x102x8x8x16xf32>
  %0 = linalg.contract indexing_maps = [affine_map<(c, e, b, d, h, a, f, g) -> (f, h, a, g, b)>, affine_map<(c, e, b, d, h, a, f, g) -> (f, g, c, h, d, e)>, affine_map<(c, e, b, d, h, a, f, g) -> (c, e, b, d, h, a)>]
    ins(%a, %b : tensor<25x8x16x8x102xbf16>, tensor<25x8x32x8x8x32xbf16>) outs(%z : tensor<32x32x102x8x8x16xf32>) -> tensor<32x32x102x8x8x16xf32>
  %o = tensor.empty() : tensor<32x32x102x8x8x16xbf16>
  %1 = linalg.generic {indexing_maps = [affine_map<(c, e, b, d, h, a) -> (c, e, b, d, h, a)>, affine_map<(c, e, b, d, h, a) -> (c, e, b, d, h, a)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
    ins(%0 : tensor<32x32x102x8x8x16xf32>) outs(%o : tensor<32x32x102x8x8x16xbf16>) {
  ^bb0(%x: f32, %y: bf16):
    %r = arith.truncf %x : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<32x32x102x8x8x16xbf16>
  return %1 : tensor<32x32x102x8x8x16xbf16>
}

// One factor has its columns in another order than the result.
// CHECK-LABEL: func @exchanged
// CHECK: hone.matmul ins(%{{.*}}, col %{{.*}} : tensor<4096x192xbf16>, tensor<200x192xbf16>)
// CHECK-NOT: linalg.transpose
// HOST-LABEL: func @exchanged
// HOST: hone.matmul ins(%{{.*}}, %{{.*}}[n, b, k] :
func.func @exchanged(%a: tensor<4096x192xbf16>, %b: tensor<5x40x192xbf16>, %c: tensor<4096x40x5xf32>) -> tensor<4096x40x5xf32> {
  %0 = linalg.contract indexing_maps = [affine_map<(m, d, c, k) -> (m, k)>, affine_map<(m, d, c, k) -> (c, d, k)>, affine_map<(m, d, c, k) -> (m, d, c)>]
    ins(%a, %b : tensor<4096x192xbf16>, tensor<5x40x192xbf16>) outs(%c : tensor<4096x40x5xf32>) -> tensor<4096x40x5xf32>
  return %0 : tensor<4096x40x5xf32>
}

// Images share a filter in place: copies would take longer.
// CHECK-LABEL: func @images
// CHECK-NOT: linalg.transpose
// CHECK: hone.matmul ins(%{{.*}}, %{{.*}} : tensor<64x64xf16>, tensor<32x64x3136xf16>
func.func @images(%x: tensor<32x64x3136xf16>, %f: tensor<64x64xf16>, %c: tensor<32x64x3136xf32>) -> tensor<32x64x3136xf32> {
  %0 = linalg.contract indexing_maps = [affine_map<(b, o, p, k) -> (o, k)>, affine_map<(b, o, p, k) -> (b, k, p)>, affine_map<(b, o, p, k) -> (b, o, p)>]
    ins(%f, %x : tensor<64x64xf16>, tensor<32x64x3136xf16>) outs(%c : tensor<32x64x3136xf32>) -> tensor<32x64x3136xf32>
  return %0 : tensor<32x64x3136xf32>
}

// Without extents there is no estimate.
// CHECK-LABEL: func @open
// CHECK-NOT: linalg.transpose
// CHECK: hone.matmul ins(%{{.*}}, %{{.*}}[n, b, k] :
func.func @open(%a: tensor<?x192xbf16>, %b: tensor<5x40x192xbf16>, %c: tensor<?x40x5xf32>) -> tensor<?x40x5xf32> {
  %0 = linalg.contract indexing_maps = [affine_map<(m, d, c, k) -> (m, k)>, affine_map<(m, d, c, k) -> (c, d, k)>, affine_map<(m, d, c, k) -> (m, d, c)>]
    ins(%a, %b : tensor<?x192xbf16>, tensor<5x40x192xbf16>) outs(%c : tensor<?x40x5xf32>) -> tensor<?x40x5xf32>
  return %0 : tensor<?x40x5xf32>
}
