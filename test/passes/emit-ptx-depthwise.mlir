// A thread computes two rows of two columns of eight channels of a depthwise convolution. It loads each line of the
// image that they need once, each filter once, and the bias: 4 * 4 + 9 + 1 loads of 16 bytes, and no others.
//
// RUN: hone-opt %s --hone-pipeline="arch=sm_90a rest=gpu results=destinations" | sed "s/[\\]0A/\n/g" > %t
// RUN: sed -n "/entry .*_8(/,/ret;/p" %t > %t.kernel
// RUN: grep -c "ld.global.v4.b32" %t.kernel | FileCheck %s --check-prefix=LINES
// RUN: grep -c "fma.rn.f32" %t.kernel | FileCheck %s --check-prefix=SUMS
// RUN: FileCheck %s --input-file=%t.kernel --implicit-check-not=ld.global.b
// RUN: grep -c "call @honeLaunch" %t | FileCheck %s --check-prefix=LAUNCHES
// LINES: {{^26$}}
// SUMS: {{^288$}}
// CHECK-COUNT-4: st.global.v4.b32
// CHECK-NOT: st.global
// LAUNCHES: {{^1$}}

func.func @main(%x: tensor<8x56x56x128xf16>, %w: tensor<3x3x128xf16>, %bias: tensor<128xf16>) -> tensor<8x56x56x128xf16> {
  %z = arith.constant 0.0 : f16
  %zf = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : f16
  } : tensor<8x56x56x128xf16> to tensor<8x58x58x128xf16>
  %e = tensor.empty() : tensor<8x56x56x128xf32>
  %f = linalg.fill ins(%zf : f32) outs(%e : tensor<8x56x56x128xf32>) -> tensor<8x56x56x128xf32>
  %y = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%p, %w : tensor<8x58x58x128xf16>, tensor<3x3x128xf16>) outs(%f : tensor<8x56x56x128xf32>) -> tensor<8x56x56x128xf32>
  %o = tensor.empty() : tensor<8x56x56x128xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(a,b,c,d)->(a,b,c,d)>, affine_map<(a,b,c,d)->(d)>, affine_map<(a,b,c,d)->(a,b,c,d)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%y, %bias : tensor<8x56x56x128xf32>, tensor<128xf16>) outs(%o : tensor<8x56x56x128xf16>) {
  ^bb0(%s: f32, %v: f16, %out: f16):
    %ve = arith.extf %v : f16 to f32
    %sum = arith.addf %s, %ve : f32
    %relu = arith.maximumf %sum, %zf : f32
    %t = arith.truncf %relu : f32 to f16
    linalg.yield %t : f16
  } -> tensor<8x56x56x128xf16>
  return %r : tensor<8x56x56x128xf16>
}
