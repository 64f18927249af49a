// RUN: hone-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{schedule_r3: expected a bound above 16, but got 16}}
func.func private @a() attributes {x = #hone.ranges<m to 16: ws | m to 16: ws>}

// -----

// expected-error @+1 {{schedule_r1: expected ranges of one extent, m, n or k, but got m and n}}
func.func private @a() attributes {x = #hone.ranges<m to 16: ws | n to 32: ws>}

// -----

// expected-error @+1 {{expected m, n or k, but got 'batch'}}
func.func private @a() attributes {x = #hone.ranges<batch to 16: ws>}

// -----

// expected-error @+1 {{expected a bound of at most 20 digits, but got more}}
func.func private @a() attributes {x = #hone.ranges<m to 123456789012345678901234567890: ws>}

// -----

// expected-error @+1 {{m to 16: schedule_c14: expected stages to be 2 to 12, but got 99; use 12}}
func.func private @a() attributes {x = #hone.ranges<m to 16: mma_sync, stages = 99>}

// -----

func.func @known(%a: memref<64x4096xf16>, %b: memref<4096x512xf16>, %c: memref<64x512xf16>) {
  // expected-error @+1 {{schedule_r2: expected ranges of an extent that is not known, but got m = 64; use one schedule}}
  hone.matmul ins(%a, %b : memref<64x4096xf16>, memref<4096x512xf16>) outs(%c : memref<64x512xf16>) init(zero) acc(f32)
    schedule(#hone.schedule<mma_sync>) ranges(#hone.ranges<m to 16: mma_sync>)
  return
}

// -----

func.func @no_last(%a: memref<?x4096xf16>, %b: memref<4096x512xf16>, %c: memref<?x512xf16>) {
  // expected-error @+1 {{expected a schedule for values above the ranges, but got none}}
  hone.matmul ins(%a, %b : memref<?x4096xf16>, memref<4096x512xf16>) outs(%c : memref<?x512xf16>) init(zero) acc(f32)
    ranges(#hone.ranges<m to 16: mma_sync>)
  return
}

// -----

func.func @pinned(%a: tensor<?x64xf16>, %b: tensor<64x64xf16>, %c: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-error @+1 {{expected attribute 'hone.ranges' to be a #hone.ranges, but got "m to 16"}}
  %0 = linalg.matmul {hone.ranges = "m to 16"} ins(%a, %b : tensor<?x64xf16>, tensor<64x64xf16>) outs(%c : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
