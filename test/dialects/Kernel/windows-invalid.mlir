// Maps of windows, and loads through them, that no copy engine executes.
// RUN: hone-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expected rank 3 to 5, but got 2}}
func.func @rank(%m: !kernel.map<64 x 64 x f16, rank = 2, window>) { return }

// -----

// expected-error @+1 {{expected 'window'}}
func.func @flag(%m: !kernel.map<64 x 64 x f32, rank = 4, rounded, other>) { return }

// -----

func.func @without_offsets(%m: !kernel.map<64 x 64 x f16, rank = 4, window>, %r: !kernel.ring<4 of 64 x 64 x f16>, %b: !kernel.barriers<4 of 1>, %i: i32) {
  kernel.role "producer" warps 1 one_thread {
    // expected-error @+1 {{'kernel.load' op expected 2 offsets, one for each dimension of pixels of a window, but got 0}}
    kernel.load %m[%i, %i, %i, %i] to %r[%i] signals %b : !kernel.map<64 x 64 x f16, rank = 4, window> to !kernel.ring<4 of 64 x 64 x f16>, !kernel.barriers<4 of 1>
  }
  return
}

// -----

func.func @offsets_of_tiles(%m: !kernel.map<64 x 64 x f16, rank = 4>, %r: !kernel.ring<4 of 64 x 64 x f16>, %b: !kernel.barriers<4 of 1>, %i: i32) {
  kernel.role "producer" warps 1 one_thread {
    // expected-error @+1 {{'kernel.load' op expected 0 offsets, one for each dimension of pixels of a window, but got 2}}
    kernel.load %m[%i, %i, %i, %i] offsets(%i, %i) to %r[%i] signals %b : !kernel.map<64 x 64 x f16, rank = 4> to !kernel.ring<4 of 64 x 64 x f16>, !kernel.barriers<4 of 1>
  }
  return
}

// -----

func.func @two_boxes(%m: !kernel.map<64 x 64 x f16, rank = 3, window>, %r: !kernel.ring<4 of 128 x 64 x f16>, %b: !kernel.barriers<4 of 1>, %i: i32) {
  kernel.role "producer" warps 1 one_thread {
    // expected-error @+1 {{'kernel.prefetch' op expected one box of 128 lines for each part of a window, but got boxes of 64}}
    kernel.prefetch %m[%i, %i, %i] offsets(%i) like %r : !kernel.map<64 x 64 x f16, rank = 3, window> like !kernel.ring<4 of 128 x 64 x f16>
  }
  return
}

// -----

func.func @store(%m: !kernel.map<64 x 64 x f16, rank = 3, window>, %r: !kernel.ring<1 of 64 x 64 x f16>, %i: i32) {
  kernel.role "consumer" warps 4 {
  ^bb0(%group: i32):
    // expected-error @+1 {{'kernel.store.async' op expected a map without a window, but got '!kernel.map<64 x 64 x f16, rank = 3, window>'}}
    kernel.store.async %r[%i] from %i to %m[%i, %i, %i] : !kernel.ring<1 of 64 x 64 x f16> to !kernel.map<64 x 64 x f16, rank = 3, window>
  }
  return
}
