// Of a large window at a step of one a thread computes four rows of seven columns of two channels: it loads 8 * 11 pairs
// of the image and 25 of the filters, each once. Where rows are not a multiple of four it computes two rows of 14.
//
// RUN: hone-opt %s --hone-pipeline="arch=h200/8 rest=gpu results=destinations" | sed "s/[\\]0A/\n/g" > %t
// RUN: sed -n "/entry .*_2(/,/ret;/p" %t > %t.kernel
// RUN: grep -c "ld.global" %t.kernel | FileCheck %s --check-prefix=LINES
// RUN: grep -c "fma.rn.f32" %t.kernel | FileCheck %s --check-prefix=SUMS
// RUN: FileCheck %s --input-file=%t.kernel --check-prefix=STORES
// RUN: hone run %s --arch=h200/8 --stand-in --rest=gpu --json --function=main | FileCheck %s --check-prefix=RIGHT
// RUN: hone simulate %s --arch=h200/8 --pipeline=rest=gpu | FileCheck %s --check-prefix=PROVEN
// RUN: sed "s/x24x28x/x26x28x/g; s/x28x32x/x30x32x/g" %s > %t.26.mlir
// RUN: hone simulate %t.26.mlir --arch=h200/8 --pipeline=rest=gpu | FileCheck %s --check-prefix=PROVEN
// RUN: hone-opt %t.26.mlir --hone-pipeline="arch=h200/8 rest=gpu results=destinations" | sed "s/[\\]0A/\n/g" > %t.26
// RUN: sed -n "/entry .*_2(/,/ret;/p" %t.26 > %t.26.kernel
// RUN: grep -c "ld.global" %t.26.kernel | FileCheck %s --check-prefix=LINES26
// RUN: FileCheck %s --input-file=%t.26.kernel --check-prefix=STORES
// LINES: {{^113$}}
// LINES26: {{^133$}}
// SUMS: {{^1400$}}
// STORES-COUNT-28: st.global.{{[a-z0-9]*}}32
// STORES-NOT: st.global
// RIGHT: "wrong": 0
// PROVEN: all of them: right

func.func @main(%x: tensor<2x24x28x160xf16>, %w: tensor<5x5x160xf16>) -> tensor<2x24x28x160xf16> {
  %z = arith.constant 0.0 : f16
  %zf = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 2, 2, 0] high[0, 2, 2, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : f16
  } : tensor<2x24x28x160xf16> to tensor<2x28x32x160xf16>
  %e = tensor.empty() : tensor<2x24x28x160xf32>
  %f = linalg.fill ins(%zf : f32) outs(%e : tensor<2x24x28x160xf32>) -> tensor<2x24x28x160xf32>
  %y = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%p, %w : tensor<2x28x32x160xf16>, tensor<5x5x160xf16>) outs(%f : tensor<2x24x28x160xf32>) -> tensor<2x24x28x160xf32>
  %o = tensor.empty() : tensor<2x24x28x160xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(a,b,c,d)->(a,b,c,d)>, affine_map<(a,b,c,d)->(a,b,c,d)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%y : tensor<2x24x28x160xf32>) outs(%o : tensor<2x24x28x160xf16>) {
  ^bb0(%s: f32, %out: f16):
    %t = arith.truncf %s : f32 to f16
    linalg.yield %t : f16
  } -> tensor<2x24x28x160xf16>
  return %r : tensor<2x24x28x160xf16>
}
