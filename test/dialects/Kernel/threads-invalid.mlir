// Products by threads need fragments with a depth, and slots whose lines run along k.

// RUN: hone-opt %s --split-input-file --verify-diagnostics
// RUN: mlir-opt %plugin %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expected a depth of 4 elements of f32, but got 8 of 'f32'}}
func.func private @depth(!kernel.fragment<"a", 64 x f32, warps = 2 x 2, depth = 8>)

// -----

// expected-error @+1 {{expected a depth of 4 elements of f32, but got 4 of 'f16'}}
func.func private @depth_of_halves(!kernel.fragment<"a", 64 x f16, warps = 2 x 2, depth = 4>)

// -----

func.func @read_transposed(%ring: !kernel.ring<2 of 16 x 64 x f32>, %slot: i32) {
  // expected-error @+1 {{'kernel.read' op expected lines along k for a fragment with a depth, but got transposed; transpose the copy}}
  %0 = kernel.read %ring[%slot] step 0 transposed : !kernel.ring<2 of 16 x 64 x f32> -> !kernel.fragment<"a", 64 x f32, warps = 2 x 2, depth = 4>
  return
}

// -----

func.func @read_step(%ring: !kernel.ring<2 of 64 x 16 x f32>, %slot: i32) {
  // expected-error @+1 {{'kernel.read' op expected a step below 4, the k4 steps of a slot, but got 4}}
  %0 = kernel.read %ring[%slot] step 4 : !kernel.ring<2 of 64 x 16 x f32> -> !kernel.fragment<"a", 64 x f32, warps = 2 x 2, depth = 4>
  return
}

// -----

func.func @mma_depth(%a: !kernel.fragment<"a", 64 x f32, warps = 2 x 2, depth = 4>, %b: !kernel.fragment<"b", 64 x f32, warps = 2 x 2, depth = 4>, %acc: !kernel.acc<64 x 64 x f32, warps = 2 x 2>) {
  // expected-error @+1 {{'kernel.mma' op expected fragments without a depth, but got one of 4; use kernel.fma}}
  %0 = kernel.mma %a, %b, %acc : !kernel.fragment<"a", 64 x f32, warps = 2 x 2, depth = 4>, !kernel.fragment<"b", 64 x f32, warps = 2 x 2, depth = 4>, !kernel.acc<64 x 64 x f32, warps = 2 x 2>
  return
}

// -----

func.func @fma_depth(%a: !kernel.fragment<"a", 64 x f32, warps = 2 x 2, depth = 4>, %b: !kernel.fragment<"b", 64 x f32, warps = 2 x 2>, %acc: !kernel.acc<64 x 64 x f32, warps = 2 x 2>) {
  // expected-error @+1 {{'kernel.fma' op expected fragments with a depth, but got one without; use kernel.mma}}
  %0 = kernel.fma %a, %b, %acc : !kernel.fragment<"a", 64 x f32, warps = 2 x 2, depth = 4>, !kernel.fragment<"b", 64 x f32, warps = 2 x 2>, !kernel.acc<64 x 64 x f32, warps = 2 x 2>
  return
}

// -----

func.func @fma_sides(%b: !kernel.fragment<"b", 64 x f32, warps = 2 x 2, depth = 4>, %acc: !kernel.acc<64 x 64 x f32, warps = 2 x 2>) {
  // expected-error @+1 {{'kernel.fma' op expected fragments "a" and "b", but got "b" and "b"}}
  %0 = kernel.fma %b, %b, %acc : !kernel.fragment<"b", 64 x f32, warps = 2 x 2, depth = 4>, !kernel.fragment<"b", 64 x f32, warps = 2 x 2, depth = 4>, !kernel.acc<64 x 64 x f32, warps = 2 x 2>
  return
}

// -----

func.func @fma_extents(%a: !kernel.fragment<"a", 64 x f32, warps = 2 x 2, depth = 4>, %b: !kernel.fragment<"b", 64 x f32, warps = 2 x 2, depth = 4>, %acc: !kernel.acc<64 x 128 x f32, warps = 2 x 2>) {
  // expected-error @+1 {{'kernel.fma' op expected an accumulator of 64 x 64, but got 64 x 128}}
  %0 = kernel.fma %a, %b, %acc : !kernel.fragment<"a", 64 x f32, warps = 2 x 2, depth = 4>, !kernel.fragment<"b", 64 x f32, warps = 2 x 2, depth = 4>, !kernel.acc<64 x 128 x f32, warps = 2 x 2>
  return
}

// -----

func.func @copy_halves(%m: !kernel.matrix<f16, align = 16>, %ring: !kernel.ring<2 of 64 x 16 x f16>, %slot: i32) {
  // expected-error @+1 {{'kernel.copy' op expected elements of 32 bits to transpose, but got 'f16'}}
  kernel.copy %m[%slot, %slot] to %ring[%slot] transposed : !kernel.matrix<f16, align = 16> to !kernel.ring<2 of 64 x 16 x f16>
  return
}

// -----

func.func @copy_lines(%m: !kernel.matrix<f32, align = 16>, %ring: !kernel.ring<2 of 12 x 16 x f32>, %slot: i32) {
  // expected-error @+1 {{'kernel.copy' op expected a multiple of 8 lines of a multiple of 4 elements to transpose to, but got 12 of 16}}
  kernel.copy %m[%slot, %slot] to %ring[%slot] transposed : !kernel.matrix<f32, align = 16> to !kernel.ring<2 of 12 x 16 x f32>
  return
}
