// Windows of an open number of images, and gathers of lines: threads take 16 bytes at once, with a proof.
//
// RUN: hone-opt %s --hone-pipeline="arch=sm_90a rest=gpu results=destinations prove=required" | sed "s/[\\]0A/\n/g" > %t
// RUN: sed -n "/entry .*_8(/,/ret;/p" %t | grep -o "[ls][dt].global[a-z0-9.]*" | sort | uniq -c | FileCheck %s
// The gather loads a line; the convolution 4 * 4 of the image, and 9 of the filter.
// CHECK: 26 ld.global.v4.b32
// CHECK-NEXT: 9 st.global.v4.b32
// CHECK-NOT: global.b16

func.func @open(%x: tensor<?x56x56x512xf16>, %w: tensor<3x3x512xf16>, %o: tensor<?x56x56x512xf32>) -> tensor<?x56x56x512xf32> {
  %z = arith.constant 0.0 : f16
  %zf = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : f16
  } : tensor<?x56x56x512xf16> to tensor<?x58x58x512xf16>
  %f = linalg.fill ins(%zf : f32) outs(%o : tensor<?x56x56x512xf32>) -> tensor<?x56x56x512xf32>
  %y = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%p, %w : tensor<?x58x58x512xf16>, tensor<3x3x512xf16>) outs(%f : tensor<?x56x56x512xf32>) -> tensor<?x56x56x512xf32>
  return %y : tensor<?x56x56x512xf32>
}

func.func @gather(%t: tensor<5000x512xf16>, %at: tensor<8192xi64>) -> tensor<8192x512xf16> {
  %e = tensor.empty() : tensor<8192x512xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(a,b)->(a)>, affine_map<(a,b)->(a,b)>], iterator_types = ["parallel", "parallel"]} ins(%at : tensor<8192xi64>) outs(%e : tensor<8192x512xf16>) {
  ^bb0(%i: i64, %out: f16):
    %k = arith.index_cast %i : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %t[%k, %j] : tensor<5000x512xf16>
    linalg.yield %v : f16
  } -> tensor<8192x512xf16>
  return %r : tensor<8192x512xf16>
}
