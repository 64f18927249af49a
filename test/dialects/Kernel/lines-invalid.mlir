// RUN: hone-opt %s --split-input-file --verify-diagnostics

func.func @outside_of_a_role(%ring: !kernel.ring<2 of 64 x 64 x f16>, %c: !kernel.matrix<f16, align = 2>, %i: i32) {
  // expected-error @+1 {{'kernel.store.lines' op expected a role of groups of 4 warps around it}}
  kernel.store.lines 64 of %ring[%i] from %i to %c[%i, %i] : !kernel.ring<2 of 64 x 64 x f16> to !kernel.matrix<f16, align = 2>
  return
}

// -----

func.func @other_elements(%ring: !kernel.ring<2 of 64 x 64 x f16>, %c: !kernel.matrix<bf16, align = 2>, %i: i32) {
  kernel.role "consumer" warps 4 {
  ^bb0(%group: i32):
    // expected-error @+1 {{expected slots and a matrix of the same elements}}
    kernel.store.lines 64 of %ring[%i] from %i to %c[%i, %i] : !kernel.ring<2 of 64 x 64 x f16> to !kernel.matrix<bf16, align = 2>
  }
  return
}

// -----

func.func @more_lines(%ring: !kernel.ring<2 of 64 x 64 x f16>, %c: !kernel.matrix<f16, align = 2>, %i: i32) {
  kernel.role "consumer" warps 4 {
  ^bb0(%group: i32):
    // expected-error @+1 {{expected slots of at least 128 lines, but got 64}}
    kernel.store.lines 128 of %ring[%i] from %i to %c[%i, %i] : !kernel.ring<2 of 64 x 64 x f16> to !kernel.matrix<f16, align = 2>
  }
  return
}

// -----

func.func @copies_other_elements(%a: !kernel.matrix<f16, align = 2>, %to: !kernel.matrix<bf16, align = 16>, %i: i32) {
  // expected-error @+1 {{expected matrices of the same elements}}
  kernel.copy.lines run %i of %a to %to : !kernel.matrix<f16, align = 2> to !kernel.matrix<bf16, align = 16>
  return
}

// -----

func.func @converts_to_words(%a: !kernel.matrix<i8, align = 1>, %to: !kernel.matrix<f32, align = 16>, %i: i32) {
  // expected-error @+1 {{expected matrices of the same elements}}
  kernel.copy.lines run %i of %a to %to : !kernel.matrix<i8, align = 1> to !kernel.matrix<f32, align = 16>
  return
}

// -----

func.func @transposes_and_converts(%a: !kernel.matrix<f8E5M2, align = 1>, %to: !kernel.matrix<f16, align = 16>, %i: i32) {
  // expected-error @+1 {{'kernel.transpose.lines' op expected matrices of the same elements}}
  kernel.transpose.lines run %i of %a to %to : !kernel.matrix<f8E5M2, align = 1> to !kernel.matrix<f16, align = 16>
  return
}

// -----

func.func @copies_double_words(%a: !kernel.matrix<f64, align = 8>, %to: !kernel.matrix<f64, align = 16>, %i: i32) {
  // expected-error @+1 {{expected elements of 1, 2 or 4 bytes, but got 'f64'}}
  kernel.copy.lines run %i of %a to %to : !kernel.matrix<f64, align = 8> to !kernel.matrix<f64, align = 16>
  return
}

// -----

func.func @splits_halves(%a: !kernel.matrix<f16, align = 2>, %to: !kernel.matrix<f16, align = 16>, %i: i32) {
  // expected-error @+1 {{expected f32 to split, but got 'f16'}}
  kernel.copy.lines run %i of %a to %to and %to : !kernel.matrix<f16, align = 2> to !kernel.matrix<f16, align = 16> and !kernel.matrix<f16, align = 16>
  return
}

// -----

func.func @parts_differ(%a: !kernel.matrix<f32, align = 4>, %to: !kernel.matrix<f32, align = 16>, %i: i32) {
  // expected-error @+1 {{expected both parts in matrices of the same type}}
  kernel.copy.lines run %i of %a to %to and %a : !kernel.matrix<f32, align = 4> to !kernel.matrix<f32, align = 16> and !kernel.matrix<f32, align = 4>
  return
}

// -----

func.func @copies_to_any_line(%a: !kernel.matrix<f16, align = 2>, %to: !kernel.matrix<f16, align = 8>, %i: i32) {
  // expected-error @+1 {{expected a target whose lines start at multiples of 16 bytes}}
  kernel.copy.lines run %i of %a to %to : !kernel.matrix<f16, align = 2> to !kernel.matrix<f16, align = 8>
  return
}

// -----

func.func @transposes_other_elements(%a: !kernel.matrix<f32, align = 4>, %to: !kernel.matrix<f16, align = 16>, %i: i32) {
  // expected-error @+1 {{'kernel.transpose.lines' op expected matrices of the same elements}}
  kernel.transpose.lines run %i of %a to %to : !kernel.matrix<f32, align = 4> to !kernel.matrix<f16, align = 16>
  return
}
