// RUN: hone-opt %s --split-input-file --verify-diagnostics

//===-- Roles -------------------------------------------------------------------------------===//

func.func @warps() {
  // expected-error @+1 {{'kernel.role' op expected 1 to 4 warps or a multiple of 4, but got 6}}
  kernel.role "producer" warps 6 one_thread {
  }
  return
}

// -----

func.func @start() {
  kernel.role "producer" warps 1 one_thread {
  }
  // expected-error @+1 {{'kernel.role' op expected a role of 4 warps to start at a multiple of 4, but it starts at 1; put smaller roles after it}}
  kernel.role "consumer" warps 4 {
  ^bb0(%group: i32):
  }
  return
}

// -----

func.func @registers() {
  // expected-error @+1 {{'kernel.role' op expected registers to be a multiple of 8 from 24 to 256, but got 20}}
  kernel.role "producer" warps 4 registers 20 one_thread {
  }
  return
}

// -----

func.func @registers_of_a_warp() {
  // expected-error @+1 {{'kernel.role' op expected a register budget on a role of whole groups of 4 warps, but got 1 warps}}
  kernel.role "producer" warps 1 registers 40 one_thread {
  }
  return
}

// -----

func.func @no_group() {
  // expected-error @+1 {{'kernel.role' op expected one i32 region argument, the group, but got 0}}
  kernel.role "consumer" warps 4 {
  }
  return
}

// -----

func.func @barrier_outside() {
  // expected-error @+1 {{'kernel.group.barrier' op expected a role of groups of 4 warps around it}}
  kernel.group.barrier
  return
}

// -----

func.func @barriers_offset() {
  // expected-error @+1 {{'kernel.barriers' op expected an offset that is a multiple of 8 bytes, but got 4}}
  %0 = kernel.barriers at 4 : !kernel.barriers<4 of 1>
  return
}

// -----

//===-- The copy engine ---------------------------------------------------------------------===//

func.func @load_by_many(%m: !kernel.map<64 x 64 x f16, rank = 2>, %r: !kernel.ring<4 of 64 x 64 x f16>, %b: !kernel.barriers<4 of 1>, %i: i32) {
  // expected-error @+1 {{'kernel.load' op expected a role with one_thread, or of groups of 4 warps, around it}}
  kernel.load %m[%i, %i] to %r[%i] signals %b : !kernel.map<64 x 64 x f16, rank = 2> to !kernel.ring<4 of 64 x 64 x f16>, !kernel.barriers<4 of 1>
  return
}

// -----

func.func @load_type(%m: !kernel.map<64 x 64 x bf16, rank = 2>, %r: !kernel.ring<4 of 64 x 64 x f16>, %b: !kernel.barriers<4 of 1>, %i: i32) {
  kernel.role "producer" warps 1 one_thread {
    // expected-error @+1 {{'kernel.load' op expected a ring of 'bf16', but got one of 'f16'}}
    kernel.load %m[%i, %i] to %r[%i] signals %b : !kernel.map<64 x 64 x bf16, rank = 2> to !kernel.ring<4 of 64 x 64 x f16>, !kernel.barriers<4 of 1>
  }
  return
}

// -----

func.func @load_box(%m: !kernel.map<64 x 32 x f16, rank = 2>, %r: !kernel.ring<4 of 64 x 64 x f16>, %b: !kernel.barriers<4 of 1>, %i: i32) {
  kernel.role "producer" warps 1 one_thread {
    // expected-error @+1 {{'kernel.load' op expected boxes of 64 columns, as a panel of the ring has, but got 32}}
    kernel.load %m[%i, %i] to %r[%i] signals %b : !kernel.map<64 x 32 x f16, rank = 2> to !kernel.ring<4 of 64 x 64 x f16>, !kernel.barriers<4 of 1>
  }
  return
}

// -----

func.func @load_rank(%m: !kernel.map<64 x 64 x f16, rank = 3>, %r: !kernel.ring<4 of 64 x 64 x f16>, %b: !kernel.barriers<4 of 1>, %i: i32) {
  kernel.role "producer" warps 1 one_thread {
    // expected-error @+1 {{'kernel.load' op expected 3 coordinates, as the map has, but got 2}}
    kernel.load %m[%i, %i] to %r[%i] signals %b : !kernel.map<64 x 64 x f16, rank = 3> to !kernel.ring<4 of 64 x 64 x f16>, !kernel.barriers<4 of 1>
  }
  return
}

// -----

func.func @load_part(%m: !kernel.map<64 x 64 x f16, rank = 2>, %r: !kernel.ring<4 of 64 x 64 x f16>, %b: !kernel.barriers<4 of 1>, %i: i32) {
  kernel.role "producer" warps 1 one_thread {
    // expected-error @+1 {{'kernel.load' op expected a slot of 64 lines, those of a box, for each of 2 parts, but got 64}}
    kernel.load %m[%i, %i] to %r[%i] signals %b part %i of 2 : !kernel.map<64 x 64 x f16, rank = 2> to !kernel.ring<4 of 64 x 64 x f16>, !kernel.barriers<4 of 1>
  }
  return
}

// -----

func.func @load_barriers(%m: !kernel.map<64 x 64 x f16, rank = 2>, %r: !kernel.ring<4 of 64 x 64 x f16>, %b: !kernel.barriers<3 of 1>, %i: i32) {
  kernel.role "producer" warps 1 one_thread {
    // expected-error @+1 {{'kernel.load' op expected a barrier for each of 4 slots, but got 3}}
    kernel.load %m[%i, %i] to %r[%i] signals %b : !kernel.map<64 x 64 x f16, rank = 2> to !kernel.ring<4 of 64 x 64 x f16>, !kernel.barriers<3 of 1>
  }
  return
}

// -----

//===-- Tensor cores ------------------------------------------------------------------------===//

func.func @mma_panels(%a: !kernel.ring<4 of 64 x 32 x f16>, %b: !kernel.ring<4 of 64 x 64 x f16>, %acc: !kernel.acc<64 x 64 x f32, warps = 4 x 1>, %i: i32) {
  kernel.role "consumer" warps 4 {
  ^bb0(%group: i32):
    // expected-error @+1 {{'kernel.mma.async' op expected slots of a with panels of 128 bytes, but got 64}}
    %0 = kernel.mma.async %a[%i] rows %i, %b[%i] cols %i step 0 to %acc : !kernel.ring<4 of 64 x 32 x f16>, !kernel.ring<4 of 64 x 64 x f16>, !kernel.acc<64 x 64 x f32, warps = 4 x 1>
  }
  return
}

// -----

func.func @mma_types(%a: !kernel.ring<4 of 64 x 128 x f8E4M3FN>, %b: !kernel.ring<4 of 64 x 128 x i8>, %acc: !kernel.acc<64 x 64 x f32, warps = 4 x 1>, %i: i32) {
  kernel.role "consumer" warps 4 {
  ^bb0(%group: i32):
    // expected-error @+1 {{'kernel.mma.async' op expected both factors of one element type, or of floats of 8 bits, but got 'f8E4M3FN' and 'i8'}}
    %0 = kernel.mma.async %a[%i] rows %i, %b[%i] cols %i step 0 to %acc : !kernel.ring<4 of 64 x 128 x f8E4M3FN>, !kernel.ring<4 of 64 x 128 x i8>, !kernel.acc<64 x 64 x f32, warps = 4 x 1>
  }
  return
}

// -----

func.func @mma_step(%a: !kernel.ring<4 of 64 x 64 x f16>, %acc: !kernel.acc<64 x 64 x f32, warps = 4 x 1>, %i: i32) {
  kernel.role "consumer" warps 4 {
  ^bb0(%group: i32):
    // expected-error @+1 {{'kernel.mma.async' op expected a step below 4, the k16 steps of a slot of a, but got 4}}
    %0 = kernel.mma.async %a[%i] rows %i, %a[%i] cols %i step 4 to %acc : !kernel.ring<4 of 64 x 64 x f16>, !kernel.ring<4 of 64 x 64 x f16>, !kernel.acc<64 x 64 x f32, warps = 4 x 1>
  }
  return
}

// -----

func.func @mma_step_of_f32(%a: !kernel.ring<4 of 64 x 32 x f32>, %acc: !kernel.acc<64 x 64 x f32, warps = 4 x 1>, %i: i32) {
  kernel.role "consumer" warps 4 {
  ^bb0(%group: i32):
    // expected-error @+1 {{'kernel.mma.async' op expected a step below 4, the k8 steps of a slot of a, but got 4}}
    %0 = kernel.mma.async %a[%i] rows %i, %a[%i] cols %i step 4 to %acc : !kernel.ring<4 of 64 x 32 x f32>, !kernel.ring<4 of 64 x 32 x f32>, !kernel.acc<64 x 64 x f32, warps = 4 x 1>
  }
  return
}

// -----

func.func @mma_transposed_f32(%a: !kernel.ring<4 of 64 x 64 x f32>, %acc: !kernel.acc<64 x 64 x f32, warps = 4 x 1>, %i: i32) {
  kernel.role "consumer" warps 4 {
  ^bb0(%group: i32):
    // expected-error @+1 {{'kernel.mma.async' op expected slots of b whose lines run along k, as those of all but 2 bytes do, but got transposed ones of 'f32'}}
    %0 = kernel.mma.async %a[%i] rows %i, %a[%i] cols %i transposed step 0 to %acc : !kernel.ring<4 of 64 x 64 x f32>, !kernel.ring<4 of 64 x 64 x f32>, !kernel.acc<64 x 64 x f32, warps = 4 x 1>
  }
  return
}

// -----

func.func @mma_rows(%a: !kernel.ring<4 of 32 x 64 x f16>, %acc: !kernel.acc<64 x 32 x f32, warps = 4 x 1>, %i: i32) {
  kernel.role "consumer" warps 4 {
  ^bb0(%group: i32):
    // expected-error @+1 {{'kernel.mma.async' op expected slots of a with at least 64 rows, but got 32}}
    %0 = kernel.mma.async %a[%i] rows %i, %a[%i] cols %i step 0 to %acc : !kernel.ring<4 of 32 x 64 x f16>, !kernel.ring<4 of 32 x 64 x f16>, !kernel.acc<64 x 32 x f32, warps = 4 x 1>
  }
  return
}

// -----

func.func @mma_half(%a: !kernel.ring<4 of 64 x 64 x f16>, %acc: !kernel.acc<64 x 64 x f16, warps = 4 x 1>, %i: i32) {
  kernel.role "consumer" warps 4 {
  ^bb0(%group: i32):
    // expected-error @+1 {{'kernel.mma.async' op expected an accumulator of 64 rows and at most 256 columns of f32 over 4 x 1 warps, but got '!kernel.acc<64 x 64 x f16, warps = 4 x 1>'}}
    %0 = kernel.mma.async %a[%i] rows %i, %a[%i] cols %i step 0 to %acc : !kernel.ring<4 of 64 x 64 x f16>, !kernel.ring<4 of 64 x 64 x f16>, !kernel.acc<64 x 64 x f16, warps = 4 x 1>
  }
  return
}

// -----

func.func @mma_of_integers(%a: !kernel.ring<4 of 64 x 128 x i8>, %acc: !kernel.acc<64 x 64 x f32, warps = 4 x 1>, %i: i32) {
  kernel.role "consumer" warps 4 {
  ^bb0(%group: i32):
    // expected-error @+1 {{'kernel.mma.async' op expected an accumulator of 64 rows and at most 256 columns of i32 over 4 x 1 warps, but got '!kernel.acc<64 x 64 x f32, warps = 4 x 1>'}}
    %0 = kernel.mma.async %a[%i] rows %i, %a[%i] cols %i step 0 to %acc : !kernel.ring<4 of 64 x 128 x i8>, !kernel.ring<4 of 64 x 128 x i8>, !kernel.acc<64 x 64 x f32, warps = 4 x 1>
  }
  return
}

// -----

func.func @mma_columns_of_integers(%a: !kernel.ring<4 of 64 x 128 x i8>, %acc: !kernel.acc<64 x 40 x i32, warps = 4 x 1>, %i: i32) {
  kernel.role "consumer" warps 4 {
  ^bb0(%group: i32):
    // expected-error @+1 {{'kernel.mma.async' op expected a multiple of 16 columns above 32 of 'i8', but got 40}}
    %0 = kernel.mma.async %a[%i] rows %i, %a[%i] cols %i step 0 to %acc : !kernel.ring<4 of 64 x 128 x i8>, !kernel.ring<4 of 64 x 128 x i8>, !kernel.acc<64 x 40 x i32, warps = 4 x 1>
  }
  return
}

// -----

//===-- Registers to shared memory ----------------------------------------------------------===//

func.func @slice(%acc: !kernel.acc<64 x 64 x f32, warps = 4 x 1>) {
  // expected-error @+1 {{'kernel.slice' op expected columns that start at a multiple of 8 and end by 64, but got 48 and 32 more}}
  %0 = kernel.slice %acc from 48 : !kernel.acc<64 x 64 x f32, warps = 4 x 1> -> !kernel.acc<64 x 32 x f32, warps = 4 x 1>
  return
}

// -----

func.func @stage(%acc: !kernel.acc<64 x 64 x f16, warps = 4 x 1>, %r: !kernel.ring<2 of 64 x 32 x f16>, %i: i32) {
  // expected-error @+1 {{'kernel.stage' op expected slots of 64 lines or more, of 64 elements, but got '!kernel.ring<2 of 64 x 32 x f16>'}}
  kernel.stage %acc to %r[%i] at %i : !kernel.acc<64 x 64 x f16, warps = 4 x 1> to !kernel.ring<2 of 64 x 32 x f16>
  return
}

// -----

func.func @unstage(%r: !kernel.ring<2 of 64 x 64 x bf16>, %i: i32) {
  // expected-error @+1 {{'kernel.unstage' op expected a ring of 'f16', but got one of 'bf16'}}
  %0 = kernel.unstage %r[%i] at %i : !kernel.ring<2 of 64 x 64 x bf16> -> !kernel.acc<64 x 64 x f16, warps = 4 x 1>
  return
}

// -----

func.func @load_for_itself(%m: !kernel.map<64 x 64 x f16, rank = 2>, %r: !kernel.ring<4 of 64 x 64 x f16>, %b: !kernel.barriers<4 of 1>, %i: i32) {
  kernel.role "producer" warps 1 one_thread {
    // expected-error @+1 {{'kernel.load' op expected a part where other blocks get it, too}}
    kernel.load %m[%i, %i] to %r[%i] signals %b blocks %i : !kernel.map<64 x 64 x f16, rank = 2> to !kernel.ring<4 of 64 x 64 x f16>, !kernel.barriers<4 of 1>
  }
  return
}

// -----

func.func @arrive_both(%b: !kernel.barriers<4 of 1>, %i: i32) {
  kernel.role "consumer" warps 4 {
  ^bb0(%group: i32):
    // expected-error @+1 {{'kernel.arrive' op expected a mask or a number of blocks, but got both}}
    kernel.arrive %b[%i] blocks %i everywhere 2 : !kernel.barriers<4 of 1>
  }
  return
}

// -----

func.func @arrive_far(%b: !kernel.barriers<4 of 1>, %i: i32) {
  kernel.role "consumer" warps 4 {
  ^bb0(%group: i32):
    // expected-error @+1 {{'kernel.arrive' op expected 1 to 16 blocks, but got 17}}
    kernel.arrive %b[%i] everywhere 17 : !kernel.barriers<4 of 1>
  }
  return
}

// -----

func.func @arrive_alone(%b: !kernel.barriers<4 of 1>, %i: i32) {
  kernel.role "producer" warps 1 one_thread {
    // expected-error @+1 {{'kernel.arrive' op expected a role of groups of 4 warps around it}}
    kernel.arrive %b[%i] blocks %i : !kernel.barriers<4 of 1>
  }
  return
}

// -----

// expected-error @+1 {{expected f32 where the engine rounds to tf32, but got 'f16'}}
func.func @rounded_type(%m: !kernel.map<64 x 64 x f16, rank = 2, rounded>) { return }

// -----

func.func @rounded_store(%m: !kernel.map<64 x 32 x f32, rank = 2, rounded>, %r: !kernel.ring<1 of 64 x 32 x f32>, %i: i32) {
  kernel.role "consumer" warps 4 {
  ^bb0(%group: i32):
    // expected-error @+1 {{'kernel.store.async' op expected a map that does not round, but got '!kernel.map<64 x 32 x f32, rank = 2, rounded>'}}
    kernel.store.async %r[%i] from %i to %m[%i, %i] : !kernel.ring<1 of 64 x 32 x f32> to !kernel.map<64 x 32 x f32, rank = 2, rounded>
  }
  return
}

// -----

func.func @fetched_rows(%a: !kernel.fragment<"a", 128 x f32, warps = 4 x 1>, %b: !kernel.ring<4 of 64 x 32 x f32>, %acc: !kernel.acc<64 x 64 x f32, warps = 4 x 1>, %i: i32) {
  kernel.role "consumer" warps 4 {
  ^bb0(%group: i32):
    // expected-error @+1 {{'kernel.mma.fetched' op expected a fragment "a" of 64 rows over 4 x 1 warps, but got '!kernel.fragment<"a", 128 x f32, warps = 4 x 1>'}}
    %0 = kernel.mma.fetched %a, %b[%i] cols %i step 0 to %acc : !kernel.fragment<"a", 128 x f32, warps = 4 x 1>, !kernel.ring<4 of 64 x 32 x f32>, !kernel.acc<64 x 64 x f32, warps = 4 x 1>
  }
  return
}

// -----

func.func @fetched_columns(%a: !kernel.fragment<"a", 64 x f32, warps = 4 x 1>, %b: !kernel.ring<4 of 32 x 64 x f32>, %acc: !kernel.acc<64 x 64 x f32, warps = 4 x 1>, %i: i32) {
  kernel.role "consumer" warps 4 {
  ^bb0(%group: i32):
    // expected-error @+1 {{'kernel.mma.fetched' op expected slots of b whose lines run along k, as those of all but 2 bytes do, but got transposed ones of 'f32'}}
    %0 = kernel.mma.fetched %a, %b[%i] cols %i transposed step 0 to %acc : !kernel.fragment<"a", 64 x f32, warps = 4 x 1>, !kernel.ring<4 of 32 x 64 x f32>, !kernel.acc<64 x 64 x f32, warps = 4 x 1>
  }
  return
}

// -----

func.func @split_type(%a: !kernel.fragment<"a", 64 x f16, warps = 4 x 1>) {
  // expected-error @+1 {{'kernel.split' op expected a fragment of f32 for tensor cores, but got '!kernel.fragment<"a", 64 x f16, warps = 4 x 1>'}}
  %high, %low = kernel.split %a : !kernel.fragment<"a", 64 x f16, warps = 4 x 1>
  return
}

// -----

func.func @read_rows(%r: !kernel.ring<4 of 32 x 32 x f32>, %i: i32) {
  // expected-error @+1 {{'kernel.read' op expected a fragment of at most 32 rows, as a slot has, but got 64}}
  %f = kernel.read %r[%i] rows %i step 0 : !kernel.ring<4 of 32 x 32 x f32> -> !kernel.fragment<"a", 64 x f32, warps = 4 x 1>
  return
}

// -----

func.func @worker_of_none() {
  // expected-error @+1 {{'kernel.worker' op expected clusters of 1 to 16 blocks, but got 0}}
  %worker, %workers = kernel.worker of 0
  return
}

// -----

func.func @worker_of_many() {
  // expected-error @+1 {{'kernel.worker' op expected clusters of 1 to 16 blocks, but got 2147483647}}
  %worker, %workers = kernel.worker of 2147483647
  return
}
