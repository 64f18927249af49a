// The part of a slot that is loaded first: here the columns', of which each block of the
// cluster loads half.

// DEFINE: %{schedule} =
// DEFINE: %{kernel} = hone-opt %s --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel=fallback=false --canonicalize
// DEFINE: %{proof} = hone-opt --hone-verify-kernel -o /dev/null

// REDEFINE: %{schedule} = ws, tile = 128x128x64, cluster = 2x1, rewrites = [loads(cols_first)]
// RUN: %{kernel} -o %t && FileCheck %s --input-file=%t
// RUN: %{proof} %t

func.func @f(%a: memref<1024x1024xf16>, %b: memref<1024x1024xf16>, %c: memref<1024x1024xf16>) {
  hone.matmul ins(%a, col %b : memref<1024x1024xf16>, memref<1024x1024xf16>) outs(%c : memref<1024x1024xf16>) init(zero) acc(f32)
  return
}

// CHECK: gpu.func @{{.*}}(%[[A:[a-z0-9]+]]: !kernel.map<128 x 64 x f16, rank = 2>, %[[B:[a-z0-9]+]]: !kernel.map<64 x 64 x f16, rank = 2>, %{{.*}}: !kernel.map<64 x 64
// CHECK: kernel.expect
// CHECK-NEXT: kernel.load %[[B]]{{.*}} part %{{.*}} of 2
// CHECK-NEXT: kernel.load %[[A]]
