// RUN: hone-opt %s --hone-lower-kernel --split-input-file --verify-diagnostics
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-lower-kernel)' --split-input-file --verify-diagnostics

gpu.module @kernels [#nvvm.target] attributes {hone.plans = {}} {
  // expected-error @+1 {{expected a kernel with a known_block_size, but got none}}
  gpu.func @block_size() kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels [#nvvm.target] attributes {hone.plans = {}} {
  gpu.func @block_size_of_op() kernel {
    // expected-error @+1 {{expected a gpu.func with a known_block_size of [threads, 1, 1] around 'kernel.barrier', but got none}}
    kernel.barrier
    gpu.return
  }
}

// -----

gpu.module @kernels [#nvvm.target] attributes {hone.plans = {}} {
  gpu.func @block_of_two_dimensions() kernel attributes {known_block_size = array<i32: 32, 4, 1>} {
    // expected-error @+1 {{expected a gpu.func with a known_block_size of [threads, 1, 1] around 'kernel.barrier', but got none}}
    kernel.barrier
    gpu.return
  }
}

// -----

gpu.module @kernels [#nvvm.target] attributes {hone.plans = {}} {
  gpu.func @warps_of_block() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    // expected-error @+1 {{expected a block of 128 threads for '!kernel.acc<32 x 32 x f32, warps = 2 x 2>', but got 64}}
    %acc = kernel.zero : !kernel.acc<32 x 32 x f32, warps = 2 x 2>
    gpu.return
  }
}

// -----

gpu.module @kernels [#nvvm.target] attributes {hone.plans = {}} {
  gpu.func @barrier_of_a_role() kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    kernel.role "producer" warps 4 one_thread {
      // expected-error @+1 {{expected a role of all of the block's 256 threads around a 'kernel.barrier', but got 128; use kernel.role.barrier}}
      kernel.barrier
    }
    gpu.return
  }
}
