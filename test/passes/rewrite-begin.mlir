// As built, only the producer waits for the launch ahead: a thread that stores C has met it at a
// barrier. With the rewrite every thread waits, where roles part.

// DEFINE: %{schedule} =
// DEFINE: %{kernel} = hone-opt %s --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel=fallback=false --canonicalize
// DEFINE: %{proof} = hone-opt --hone-verify-kernel -o /dev/null

// REDEFINE: %{schedule} = ws, tile = 128x128x64
// RUN: %{kernel} -o %t && FileCheck %s --input-file=%t
// RUN: %{proof} %t
// REDEFINE: %{schedule} = ws, streams = yes, tile = 128x128x64, parts = 3
// RUN: %{kernel} -o %t && FileCheck %s --input-file=%t
// RUN: %{proof} %t
// REDEFINE: %{schedule} = ws, tile = 128x128x64, rewrites = [begin(together)]
// RUN: %{kernel} -o %t && FileCheck %s --input-file=%t --check-prefix=TOGETHER
// RUN: %{proof} %t
// REDEFINE: %{schedule} = ws, streams = yes, tile = 128x128x64, parts = 3, rewrites = [begin(together)]
// RUN: %{kernel} -o %t && FileCheck %s --input-file=%t --check-prefix=TOGETHER
// RUN: %{proof} %t

func.func @f(%a: memref<1024x1024xf16>, %b: memref<1024x1024xf16>, %c: memref<1024x1024xf16>) {
  hone.matmul ins(%a, col %b : memref<1024x1024xf16>, memref<1024x1024xf16>) outs(%c : memref<1024x1024xf16>) init(zero) acc(f32)
  return
}

// CHECK-NOT: kernel.depend.wait
// CHECK: kernel.role "producer"
// CHECK-NEXT: kernel.depend.wait
// CHECK-NOT: kernel.depend.wait

// TOGETHER-NOT: kernel.role
// TOGETHER: kernel.depend.wait
// TOGETHER-NEXT: kernel.role "producer"
// TOGETHER-NOT: kernel.depend.wait
