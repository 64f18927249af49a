// No name decides: a machine's numbers do.

// RUN: rm -rf %t && split-file %s %t
// RUN: hone machine --arch=h200 -o %t/h200.machine
// RUN: sed 's/name = h200/name = other/; s/device = H200/device = Other/' %t/h200.machine > %t/other.machine
// RUN: sed 's/memory_gbs = 4300/memory_gbs = 2150/' %t/other.machine > %t/slow.machine
// RUN: sed 's/processors = 132/processors = 78/; s/clusters = 66 30 15 7/clusters = 39 18 9 4/; s/tflops = 989/tflops = 584/' %t/other.machine > %t/small.machine

// The same numbers under another name give the same schedules, by default and by the policy.
// DEFINE: %{default} = hone-opt %t/twelve.mlir --hone-select-schedule=
// RUN: %{default}"arch=h200 guess=false shipped=false" > %t/default.mlir
// RUN: %{default}"arch=%t/other.machine guess=false shipped=false" | sed 's|<"%t/other.machine">|<h200>|' | diff %t/default.mlir -
// RUN: grep -o 'hone.schedule<[^>]*>' %t/default.mlir > %t/default.txt
// RUN: count 12 < %t/default.txt
// RUN: hone-opt %t/one.mlir --hone-select-schedule="arch=h200 shipped=false" > %t/policy.mlir
// RUN: hone-opt %t/one.mlir --hone-select-schedule="arch=%t/other.machine shipped=false" | sed 's|<"%t/other.machine">|<h200>|' | diff %t/policy.mlir -

// Other numbers give others somewhere.
// RUN: %{default}"arch=%t/small.machine guess=false shipped=false" | grep -o 'hone.schedule<[^>]*>' > %t/small.txt
// RUN: not diff %t/default.txt %t/small.txt > %t/small.diff

// So explain prints them.
// RUN: hone explain %t/twelve.mlir --arch=%t/slow.machine --pipeline='guess=false shipped=false' | FileCheck %s --check-prefix=SLOW
// RUN: hone explain %t/twelve.mlir --arch=%t/small.machine --pipeline='guess=false shipped=false' | FileCheck %s --check-prefix=SMALL
// SLOW: arch {{.*}}slow.machine (sm_90a)
// SLOW: machine {{ *}}132 processors, 2150 GB/s, 989 TFLOP/s, 1.83 GHz, 50.0 MB cache, 66 30 15 7 clusters of 2 to 16
// SMALL: machine {{ *}}78 processors, 4300 GB/s, 584 TFLOP/s, 1.83 GHz, 50.0 MB cache, 39 18 9 4 clusters of 2 to 16

//--- twelve.mlir
func.func @f(
    %a0: memref<4096x4096xf16>, %b0: memref<4096x4096xf16>, %c0: memref<4096x4096xf16>,
    %a1: memref<8192x512xf16>, %b1: memref<512x1024xf16>, %c1: memref<8192x1024xf16>,
    %a2: memref<128x8192xf16>, %b2: memref<8192x8192xf16>, %c2: memref<128x8192xf16>,
    %a3: memref<16x4096xf16>, %b3: memref<4096x4096xf16>, %c3: memref<16x4096xf16>,
    %a4: memref<2048x256xbf16>, %b4: memref<256x2048xbf16>, %c4: memref<2048x2048xbf16>,
    %a5: memref<1024x16384xf16>, %b5: memref<16384x1024xf16>, %c5: memref<1024x1024xf32>,
    %a6: memref<8192x64xbf16>, %b6: memref<64x8192xbf16>, %c6: memref<8192x8192xbf16>,
    %a7: memref<640x5120xf16>, %b7: memref<5120x1280xf16>, %c7: memref<640x1280xf16>,
    %a8: memref<333x1024xf16>, %b8: memref<1024x4096xf16>, %c8: memref<333x4096xf16>,
    %a9: memref<12288x768xbf16>, %b9: memref<768x3072xbf16>, %c9: memref<12288x3072xf32>,
    %a10: memref<64x65536xf16>, %b10: memref<65536x64xf16>, %c10: memref<64x64xf32>,
    %a11: memref<1x4096xf16>, %b11: memref<4096x11008xf16>, %c11: memref<1x11008xf16>) {
  hone.matmul ins(%a0, %b0 : memref<4096x4096xf16>, memref<4096x4096xf16>) outs(%c0 : memref<4096x4096xf16>) init(zero) acc(f32)
  hone.matmul ins(%a1, %b1 : memref<8192x512xf16>, memref<512x1024xf16>) outs(%c1 : memref<8192x1024xf16>) init(zero) acc(f32)
  hone.matmul ins(%a2, %b2 : memref<128x8192xf16>, memref<8192x8192xf16>) outs(%c2 : memref<128x8192xf16>) init(zero) acc(f32)
  hone.matmul ins(%a3, %b3 : memref<16x4096xf16>, memref<4096x4096xf16>) outs(%c3 : memref<16x4096xf16>) init(zero) acc(f32)
  hone.matmul ins(%a4, %b4 : memref<2048x256xbf16>, memref<256x2048xbf16>) outs(%c4 : memref<2048x2048xbf16>) init(zero) acc(f32)
  hone.matmul ins(%a5, %b5 : memref<1024x16384xf16>, memref<16384x1024xf16>) outs(%c5 : memref<1024x1024xf32>) init(zero) acc(f32)
  hone.matmul ins(%a6, %b6 : memref<8192x64xbf16>, memref<64x8192xbf16>) outs(%c6 : memref<8192x8192xbf16>) init(zero) acc(f32)
  hone.matmul ins(%a7, %b7 : memref<640x5120xf16>, memref<5120x1280xf16>) outs(%c7 : memref<640x1280xf16>) init(zero) acc(f32)
  hone.matmul ins(%a8, %b8 : memref<333x1024xf16>, memref<1024x4096xf16>) outs(%c8 : memref<333x4096xf16>) init(zero) acc(f32)
  hone.matmul ins(%a9, %b9 : memref<12288x768xbf16>, memref<768x3072xbf16>) outs(%c9 : memref<12288x3072xf32>) init(zero) acc(f32)
  hone.matmul ins(%a10, %b10 : memref<64x65536xf16>, memref<65536x64xf16>) outs(%c10 : memref<64x64xf32>) init(zero) acc(f32)
  hone.matmul ins(%a11, %b11 : memref<1x4096xf16>, memref<4096x11008xf16>) outs(%c11 : memref<1x11008xf16>) init(zero) acc(f32)
  return
}
//--- one.mlir
func.func @f(%a3: memref<16x4096xf16>, %b3: memref<4096x4096xf16>, %c3: memref<16x4096xf16>) {
  hone.matmul ins(%a3, %b3 : memref<16x4096xf16>, memref<4096x4096xf16>) outs(%c3 : memref<16x4096xf16>) init(zero) acc(f32)
  return
}
