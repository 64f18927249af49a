// Two bands of 64 rows, product by product in turn.

// DEFINE: %{schedule} =
// DEFINE: %{kernel} = hone-opt %s --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel=fallback=false --canonicalize
// DEFINE: %{proof} = hone-opt --hone-verify-kernel -o /dev/null

// REDEFINE: %{schedule} = ws_pingpong, tile = 128x128x64, stages = 4, rewrites = [products(by_step)]
// RUN: %{kernel} -o %t && FileCheck %s --input-file=%t
// RUN: %{proof} %t
// REDEFINE: %{schedule} = ws, tile = 128x128x64, rewrites = [products(by_step)]
// RUN: not %{kernel} 2>&1 | FileCheck %s --check-prefix=BAND

func.func @f(%a: memref<1024x1024xf16>, %b: memref<1024x1024xf16>, %c: memref<1024x1024xf16>) {
  hone.matmul ins(%a, col %b : memref<1024x1024xf16>, memref<1024x1024xf16>) outs(%c : memref<1024x1024xf16>) init(zero) acc(f32)
  return
}

// CHECK: kernel.mma.fence
// CHECK-NEXT: %[[A0:.*]] = kernel.mma.async %{{.*}} rows %c0_i32, %{{.*}} step 0
// CHECK-NEXT: %[[B0:.*]] = kernel.mma.async %{{.*}} rows %c64_i32, %{{.*}} step 0
// CHECK-NEXT: %[[A1:.*]] = kernel.mma.async {{.*}} step 1 to %[[A0]]
// CHECK-NEXT: %[[B1:.*]] = kernel.mma.async {{.*}} step 1 to %[[B0]]
// CHECK-NEXT: %[[A2:.*]] = kernel.mma.async {{.*}} step 2 to %[[A1]]
// CHECK-NEXT: %[[B2:.*]] = kernel.mma.async {{.*}} step 2 to %[[B1]]
// CHECK-NEXT: %[[A3:.*]] = kernel.mma.async {{.*}} step 3 to %[[A2]]
// CHECK-NEXT: %[[B3:.*]] = kernel.mma.async {{.*}} step 3 to %[[B2]]
// CHECK-NEXT: kernel.mma.commit
// CHECK-NEXT: kernel.mma.wait 1 for %[[A3]], %[[B3]]

// BAND: error: {{.*}}schedule_c4: expected 'products' to be by_band with the other decisions, but got by_step
