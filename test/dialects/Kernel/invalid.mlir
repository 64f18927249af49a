// RUN: hone-opt %s --split-input-file --verify-diagnostics
// RUN: mlir-opt %plugin %s --split-input-file --verify-diagnostics

//===-- Types -------------------------------------------------------------------------------===//

// expected-error @+1 {{expected a scalar element type, but got 'vector<2xf16>'}}
func.func private @matrix_element(!kernel.matrix<vector<2xf16>, align = 4>)

// -----

// expected-error @+1 {{expected align to be 1, 2, 4, 8 or 16 bytes, but got 6}}
func.func private @matrix_align(!kernel.matrix<f16, align = 6>)

// -----

// expected-error @+1 {{expected align to be 1, 2, 4, 8 or 16 bytes, but got 32}}
func.func private @matrix_align_large(!kernel.matrix<f16, align = 32>)

// -----

// expected-error @+1 {{expected align to be 1, 2, 4, 8 or 16 bytes, but got 0}}
func.func private @matrix_align_zero(!kernel.matrix<f16, align = 0>)

// -----

// expected-error @+1 {{expected a scalar element type, but got 'index'}}
func.func private @operand_element(!kernel.operand<index, "n">)

// -----

// expected-error @+1 {{expected dims to be "", "m", "n" or "mn", but got "nm"}}
func.func private @operand_dims(!kernel.operand<f32, "nm">)

// -----

// expected-error @+1 {{expected extents of 1 to 65536, but got 0 of 128 x 32}}
func.func private @ring_slots(!kernel.ring<0 of 128 x 32 x f16>)

// -----

// expected-error @+1 {{expected extents of 1 to 65536, but got 2 of 65537 x 32}}
func.func private @ring_lines(!kernel.ring<2 of 65537 x 32 x f16>)

// -----

// expected-error @+1 {{expected element type f16, bf16, f32, f8E4M3FN, f8E5M2, i8 or i32, but got 'f64'}}
func.func private @ring_element(!kernel.ring<2 of 128 x 32 x f64>)

// -----

// expected-error @+1 {{expected lines of 32, 64, a multiple of 128 or an odd multiple of 16 bytes, but got 96; use a width of 16, 32 or a multiple of 64}}
func.func private @ring_width(!kernel.ring<2 of 128 x 48 x f16>)

// -----

// Code for these would be without end.
// expected-error @+1 {{expected a ring of at most 262144 bytes, but got 100663296}}
func.func private @ring_bytes(!kernel.ring<3 of 4096 x 4096 x f16>)

// -----

// expected-error @+1 {{expected at most 1024 rows for each of 2 warps, but got 4096}}
func.func private @fragment_too_many(!kernel.fragment<"b", 4096 x f16, warps = 2 x 2>)

// -----

// expected-error @+1 {{expected at most 1024 elements for each of 32 threads, but got 32 x 4096}}
func.func private @acc_too_many(!kernel.acc<32 x 4096 x f32, warps = 1 x 1>)

// -----

// expected-error @+1 {{expected side "a" or "b", but got "c"}}
func.func private @fragment_side(!kernel.fragment<"c", 128 x f16, warps = 2 x 2>)

// -----

// expected-error @+1 {{expected element type f16, bf16, f32, i8 or a float of 8 bits, but got 'f64'}}
func.func private @fragment_element(!kernel.fragment<"a", 128 x f64, warps = 2 x 2>)

// -----

// expected-error @+1 {{expected 1 to 32 warps, but got 0 x 2}}
func.func private @fragment_warps(!kernel.fragment<"a", 128 x f16, warps = 0 x 2>)

// -----

// A product that wraps in 64 bits is also refused.
// expected-error @+1 {{expected 1 to 32 warps, but got 1152921504606846976 x 16}}
func.func private @fragment_warps_wrap(!kernel.fragment<"a", 128 x f16, warps = 1152921504606846976 x 16>)

// -----

// expected-error @+1 {{expected rows to be a multiple of 16 for each of 4 warps and at most 65536, but got 96}}
func.func private @fragment_rows_a(!kernel.fragment<"a", 96 x f16, warps = 4 x 2>)

// -----

// B is split over the warps along N.
// expected-error @+1 {{expected rows to be a multiple of 16 for each of 2 warps and at most 65536, but got 16}}
func.func private @fragment_rows_b(!kernel.fragment<"b", 16 x f16, warps = 4 x 2>)

// -----

// expected-error @+1 {{expected element type f16, bf16, f32, i8 or i32, but got 'f64'}}
func.func private @acc_element(!kernel.acc<64 x 64 x f64, warps = 2 x 2>)

// -----

// expected-error @+1 {{expected 1 to 32 warps, but got 8 x 8}}
func.func private @acc_warps(!kernel.acc<128 x 128 x f32, warps = 8 x 8>)

// -----

// expected-error @+1 {{expected rows to be a multiple of 16 for each of 2 warps and at most 65536, but got 48}}
func.func private @acc_rows(!kernel.acc<48 x 64 x f32, warps = 2 x 2>)

// -----

// expected-error @+1 {{expected cols to be a multiple of 8 for each of 4 warps and at most 65536, but got 8}}
func.func private @acc_cols(!kernel.acc<32 x 8 x f32, warps = 2 x 4>)

//===-- Where things are --------------------------------------------------------------------===//

// -----

func.func @matrix_of_buffer(%a: !kernel.buffer<f16>, %at: i64, %m: i32) {
  // expected-error @+1 {{'kernel.matrix' op expected the buffer's element type 'f16', but got 'bf16'}}
  %0 = kernel.matrix %a at %at[%m, %m] stride %at : !kernel.buffer<f16> -> !kernel.matrix<bf16, align = 2>
  return
}

// -----

func.func @operand_of_buffer(%a: !kernel.buffer<f16>, %at: i64) {
  // expected-error @+1 {{'kernel.operand' op expected the buffer's element type 'f16', but got 'f32'}}
  %0 = kernel.operand %a at %at strides(%at, %at) : !kernel.buffer<f16> -> !kernel.operand<f32, "n">
  return
}

// -----

func.func @ring_offset() {
  // expected-error @+1 {{'kernel.ring' op expected an offset that is a multiple of 1024 bytes, but got 512}}
  %0 = kernel.ring at 512 : !kernel.ring<2 of 128 x 32 x f16>
  return
}

// -----

func.func @ring_offset_negative() {
  // expected-error @+1 {{'kernel.ring' op expected an offset that is a multiple of 1024 bytes, but got -1024}}
  %0 = kernel.ring at -1024 : !kernel.ring<2 of 128 x 32 x f16>
  return
}

//===-- Copies ------------------------------------------------------------------------------===//

// -----

func.func @copy_element(%a: !kernel.matrix<f16, align = 16>, %ring: !kernel.ring<2 of 128 x 32 x bf16>, %i: i32) {
  // expected-error @+1 {{'kernel.copy' op expected a ring of 'f16', but got one of 'bf16'}}
  kernel.copy %a[%i, %i] to %ring[%i] : !kernel.matrix<f16, align = 16> to !kernel.ring<2 of 128 x 32 x bf16>
  return
}

// -----

func.func @copy_wait() {
  // expected-error @+1 {{'kernel.copy.wait' op attribute 'pending' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  kernel.copy.wait -1
  return
}

//===-- Tensor cores ------------------------------------------------------------------------===//

// -----

func.func @read_element(%ring: !kernel.ring<2 of 128 x 32 x f16>, %i: i32) {
  // expected-error @+1 {{'kernel.read' op expected a fragment of 'f16', but got one of 'bf16'}}
  %0 = kernel.read %ring[%i] step 0 : !kernel.ring<2 of 128 x 32 x f16> -> !kernel.fragment<"a", 128 x bf16, warps = 2 x 2>
  return
}

// -----

func.func @read_rows(%ring: !kernel.ring<2 of 128 x 32 x f16>, %i: i32) {
  // expected-error @+1 {{'kernel.read' op expected a fragment of 128 rows, as a slot has, but got 64}}
  %0 = kernel.read %ring[%i] step 0 : !kernel.ring<2 of 128 x 32 x f16> -> !kernel.fragment<"a", 64 x f16, warps = 2 x 2>
  return
}

// -----

func.func @read_rows_transposed(%ring: !kernel.ring<2 of 128 x 32 x f16>, %i: i32) {
  // expected-error @+1 {{'kernel.read' op expected a fragment of 32 rows, as a slot has, but got 128}}
  %0 = kernel.read %ring[%i] step 0 transposed : !kernel.ring<2 of 128 x 32 x f16> -> !kernel.fragment<"a", 128 x f16, warps = 2 x 2>
  return
}

// -----

func.func @read_step(%ring: !kernel.ring<2 of 128 x 32 x f16>, %i: i32) {
  // expected-error @+1 {{'kernel.read' op expected a step below 2, the k16 steps of a slot, but got 2}}
  %0 = kernel.read %ring[%i] step 2 : !kernel.ring<2 of 128 x 32 x f16> -> !kernel.fragment<"a", 128 x f16, warps = 2 x 2>
  return
}

// -----

func.func @read_step_negative(%ring: !kernel.ring<2 of 128 x 32 x f16>, %i: i32) {
  // expected-error @+1 {{'kernel.read' op expected a step below 2, the k16 steps of a slot, but got -1}}
  %0 = kernel.read %ring[%i] step -1 : !kernel.ring<2 of 128 x 32 x f16> -> !kernel.fragment<"a", 128 x f16, warps = 2 x 2>
  return
}

// -----

func.func @mma_sides(%a: !kernel.fragment<"b", 64 x f16, warps = 2 x 2>, %b: !kernel.fragment<"b", 64 x f16, warps = 2 x 2>, %acc: !kernel.acc<64 x 64 x f32, warps = 2 x 2>) {
  // expected-error @+1 {{'kernel.mma' op expected fragments "a" and "b", but got "b" and "b"}}
  %0 = kernel.mma %a, %b, %acc : !kernel.fragment<"b", 64 x f16, warps = 2 x 2>, !kernel.fragment<"b", 64 x f16, warps = 2 x 2>, !kernel.acc<64 x 64 x f32, warps = 2 x 2>
  return
}

// -----

func.func @mma_elements(%a: !kernel.fragment<"a", 64 x f16, warps = 2 x 2>, %b: !kernel.fragment<"b", 64 x bf16, warps = 2 x 2>, %acc: !kernel.acc<64 x 64 x f32, warps = 2 x 2>) {
  // expected-error @+1 {{'kernel.mma' op expected both fragments of one element type, or of floats of 8 bits, but got 'f16' and 'bf16'}}
  %0 = kernel.mma %a, %b, %acc : !kernel.fragment<"a", 64 x f16, warps = 2 x 2>, !kernel.fragment<"b", 64 x bf16, warps = 2 x 2>, !kernel.acc<64 x 64 x f32, warps = 2 x 2>
  return
}

// -----

func.func @read_bytes_as_words(%ring: !kernel.ring<4 of 64 x 128 x i8>, %i: i32) {
  // expected-error @+1 {{'kernel.read' op expected a fragment of 'i8' or of 16 bits, but got one of 'f32'}}
  %0 = kernel.read %ring[%i] step 0 : !kernel.ring<4 of 64 x 128 x i8> -> !kernel.fragment<"a", 64 x f32, warps = 2 x 2>
  return
}

// -----

func.func @mma_integers_apart(%a: !kernel.fragment<"a", 64 x i8, warps = 2 x 2>, %b: !kernel.fragment<"b", 64 x i8, warps = 2 x 2>, %acc: !kernel.acc<64 x 64 x i32, warps = 2 x 2>) {
  // expected-error @+1 {{'kernel.mma' op expected fragments of floats to add steps apart, because sums of integers are exact, but got 'i8'}}
  %0 = kernel.mma %a, %b, %acc apart : !kernel.fragment<"a", 64 x i8, warps = 2 x 2>, !kernel.fragment<"b", 64 x i8, warps = 2 x 2>, !kernel.acc<64 x 64 x i32, warps = 2 x 2>
  return
}

// -----

// The accumulator is never narrowed.
func.func @mma_accumulator(%a: !kernel.fragment<"a", 64 x f16, warps = 2 x 2>, %b: !kernel.fragment<"b", 64 x f16, warps = 2 x 2>, %acc: !kernel.acc<64 x 64 x f16, warps = 2 x 2>) {
  // expected-error @+1 {{'kernel.mma' op expected an accumulator of f32 without runs, but got '!kernel.acc<64 x 64 x f16, warps = 2 x 2>'}}
  %0 = kernel.mma %a, %b, %acc : !kernel.fragment<"a", 64 x f16, warps = 2 x 2>, !kernel.fragment<"b", 64 x f16, warps = 2 x 2>, !kernel.acc<64 x 64 x f16, warps = 2 x 2>
  return
}

// -----

func.func @mma_extents(%a: !kernel.fragment<"a", 64 x f16, warps = 2 x 2>, %b: !kernel.fragment<"b", 64 x f16, warps = 2 x 2>, %acc: !kernel.acc<64 x 128 x f32, warps = 2 x 2>) {
  // expected-error @+1 {{'kernel.mma' op expected an accumulator of 64 x 64, but got 64 x 128}}
  %0 = kernel.mma %a, %b, %acc : !kernel.fragment<"a", 64 x f16, warps = 2 x 2>, !kernel.fragment<"b", 64 x f16, warps = 2 x 2>, !kernel.acc<64 x 128 x f32, warps = 2 x 2>
  return
}

// -----

func.func @mma_warps(%a: !kernel.fragment<"a", 64 x f16, warps = 2 x 2>, %b: !kernel.fragment<"b", 64 x f16, warps = 1 x 4>, %acc: !kernel.acc<64 x 64 x f32, warps = 2 x 2>) {
  // expected-error @+1 {{'kernel.mma' op expected one grid of warps for a, b and acc}}
  %0 = kernel.mma %a, %b, %acc : !kernel.fragment<"a", 64 x f16, warps = 2 x 2>, !kernel.fragment<"b", 64 x f16, warps = 1 x 4>, !kernel.acc<64 x 64 x f32, warps = 2 x 2>
  return
}

//===-- Results -----------------------------------------------------------------------------===//

// -----

func.func @epilogue_coordinates(%acc: !kernel.acc<64 x 64 x f32, warps = 2 x 2>, %i: i32) {
  // expected-error @+1 {{'kernel.epilogue' op expected two coordinates and two extents, but got 1 and 2}}
  %0 = kernel.epilogue %acc at [%i] of [%i, %i] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : !kernel.acc<64 x 64 x f32, warps = 2 x 2> -> !kernel.acc<64 x 64 x f32, warps = 2 x 2>
  return
}

// -----

func.func @epilogue_shape(%acc: !kernel.acc<64 x 64 x f32, warps = 2 x 2>, %i: i32) {
  // expected-error @+1 {{'kernel.epilogue' op expected a result of the accumulator's shape, but got '!kernel.acc<64 x 64 x f32, warps = 1 x 4>'}}
  %0 = kernel.epilogue %acc at [%i, %i] of [%i, %i] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : !kernel.acc<64 x 64 x f32, warps = 2 x 2> -> !kernel.acc<64 x 64 x f32, warps = 1 x 4>
  return
}

// -----

func.func @epilogue_arguments(%acc: !kernel.acc<64 x 64 x f32, warps = 2 x 2>, %e: !kernel.operand<f16, "n">, %i: i32) {
  // expected-error @+1 {{'kernel.epilogue' op expected region arguments 'f32', 'f16', but got 'f32', 'f32'}}
  %0 = kernel.epilogue %acc at [%i, %i] of [%i, %i] with (%e : !kernel.operand<f16, "n">) {
  ^bb0(%sum: f32, %v: f32):
    kernel.yield %sum : f32
  } : !kernel.acc<64 x 64 x f32, warps = 2 x 2> -> !kernel.acc<64 x 64 x f32, warps = 2 x 2>
  return
}

// -----

func.func @epilogue_yield(%acc: !kernel.acc<64 x 64 x f32, warps = 2 x 2>, %i: i32) {
  // expected-error @+1 {{'kernel.epilogue' op expected the region to yield 'f16'}}
  %0 = kernel.epilogue %acc at [%i, %i] of [%i, %i] {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } : !kernel.acc<64 x 64 x f32, warps = 2 x 2> -> !kernel.acc<64 x 64 x f16, warps = 2 x 2>
  return
}

// -----

func.func @epilogue_without_yield(%acc: !kernel.acc<64 x 64 x f32, warps = 2 x 2>, %i: i32) {
  // expected-error @+1 {{'kernel.epilogue' op expected the region to yield 'f32'}}
  %0 = "kernel.epilogue"(%acc, %i, %i, %i, %i) <{operandSegmentSizes = array<i32: 1, 2, 2, 0>}> ({
  ^bb0(%sum: f32):
  }) : (!kernel.acc<64 x 64 x f32, warps = 2 x 2>, i32, i32, i32, i32) -> !kernel.acc<64 x 64 x f32, warps = 2 x 2>
  return
}

// -----

func.func @yield_alone(%i: f32) {
  // expected-error @+1 {{'kernel.yield' op expects parent op 'kernel.epilogue'}}
  kernel.yield %i : f32
}

// -----

func.func @store_element(%tile: !kernel.acc<64 x 64 x f32, warps = 2 x 2>, %c: !kernel.matrix<f16, align = 16>, %i: i32) {
  // expected-error @+1 {{'kernel.store' op expected a matrix of 'f32', but got one of 'f16'}}
  kernel.store %tile to %c[%i, %i] : !kernel.acc<64 x 64 x f32, warps = 2 x 2> to !kernel.matrix<f16, align = 16>
  return
}

//===-- Launches ----------------------------------------------------------------------------===//

// -----

func.func @launch_names(%i: i64) {
  // expected-error @+1 {{'kernel.launch' op expected a name for each argument, but got 2 names and 1 arguments}}
  "kernel.launch"(%i) <{plan = @kernels::@plan, names = ["a", "b"]}> : (i64) -> ()
  return
}

// -----

func.func @launch_name_text(%i: i64) {
  // expected-error @+1 {{'kernel.launch' op expected names of letters, digits and underscores, but got "a b"}}
  "kernel.launch"(%i) <{plan = @kernels::@plan, names = ["a b"]}> : (i64) -> ()
  return
}

// -----

func.func @launch_name_none(%i: i64) {
  // expected-error @+1 {{'kernel.launch' op expected names of letters, digits and underscores, but got "none"}}
  "kernel.launch"(%i) <{plan = @kernels::@plan, names = ["none"]}> : (i64) -> ()
  return
}

// -----

func.func @launch_argument_type(%i: i32) {
  // expected-error @+1 {{'kernel.launch' op operand #0 must be variadic of 64-bit signless integer, but got 'i32'}}
  "kernel.launch"(%i) <{plan = @kernels::@plan, names = ["a"]}> : (i32) -> ()
  return
}

// -----

func.func @mma_split(%a: !kernel.fragment<"a", 64 x f16, warps = 2 x 2>, %b: !kernel.fragment<"b", 64 x f16, warps = 2 x 2>, %acc: !kernel.acc<64 x 64 x f32, warps = 2 x 2>) {
  // expected-error @+1 {{'kernel.mma' op expected fragments of f32 to split, but got 'f16'}}
  %0 = kernel.mma %a, %b, %acc split : !kernel.fragment<"a", 64 x f16, warps = 2 x 2>, !kernel.fragment<"b", 64 x f16, warps = 2 x 2>, !kernel.acc<64 x 64 x f32, warps = 2 x 2>
  return
}

// -----

func.func @read_step_of_f32(%ring: !kernel.ring<4 of 64 x 16 x f32>, %slot: i32) {
  // expected-error @+1 {{'kernel.read' op expected a step below 2, the k8 steps of a slot, but got 2}}
  %0 = kernel.read %ring[%slot] step 2 : !kernel.ring<4 of 64 x 16 x f32> -> !kernel.fragment<"a", 64 x f32, warps = 2 x 2>
  return
}

//===-- Launch plans ------------------------------------------------------------------------===//

// -----

// expected-error @+1 {{launch plan: expected a number, a function or the name of an argument, but got 'b'}}
gpu.module @guard attributes {hone.plans = {p = #kernel.plan<"hone-plan 2", "args a", "alternative b % 2 == 0", "launch k">}} {
}

// -----

gpu.module @at_the_line attributes {hone.plans = {p = #kernel.plan<
  "hone-plan 2",
  "args a m",
  "alternative a % 16 == 0",
  "launch k",
  // expected-error @+1 {{launch plan: expected three expressions separated by ';', but got 'ceildiv(m, 64)'}}
  "grid ceildiv(m, 64)",
  "block 128 ; 1 ; 1">}} {
}

// -----

// expected-error @+1 {{launch plan: expected 'hone-plan 2', but got 'args a'}}
gpu.module @version attributes {hone.plans = {p = #kernel.plan<"args a", "alternative 1", "launch k">}} {
}

// -----

// Only compiled programs have plans of earlier versions.
// expected-error @+1 {{launch plan: expected 'hone-plan 2', but got 'hone-plan 1'}}
gpu.module @earlier attributes {hone.plans = {p = #kernel.plan<"hone-plan 1", "args a", "alternative 1", "launch k">}} {
}

// -----

// expected-error @+1 {{launch plan: expected 'launch', but got nothing}}
gpu.module @no_launch attributes {hone.plans = {p = #kernel.plan<"hone-plan 2", "args a", "alternative 1">}} {
}

// -----

// expected-error @+1 {{launch plan: expected 'hone-plan 2', but got nothing}}
gpu.module @nothing attributes {hone.plans = {p = #kernel.plan<>}} {
}

// -----

// expected-error @+1 {{expected a line of a launch plan, but got characters that do not print}}
gpu.module @two_lines attributes {hone.plans = {p = #kernel.plan<"hone-plan 2\0Aargs a", "alternative 1", "launch k">}} {
}

// -----

// expected-error @+1 {{expected string}}
gpu.module @no_text attributes {hone.plans = {p = #kernel.plan<42>}} {
}

// -----

gpu.module @segments {
gpu.func @f(%ends: !kernel.buffer<f32>, %i: i32) kernel {
  // expected-error @+1 {{expected ends of segments in i32, but got 'f32'}}
  %0:6 = kernel.segment %i of %ends[%i] rows %i depth %i by 64 columns %i : !kernel.buffer<f32>
  gpu.return
}
}

// -----

gpu.module @after {
gpu.func @f(%ends: !kernel.buffer<i32>, %i: i32) kernel {
  // expected-error @+1 {{expected a segment, a row and a number of tiles after 'after', but got 2 values}}
  %0:6 = kernel.segment %i of %ends[%i] rows %i depth %i by 64 columns %i after %i, %i : !kernel.buffer<i32>
  gpu.return
}
}

// -----

gpu.module @height {
gpu.func @f(%ends: !kernel.buffer<i32>, %i: i32) kernel {
  // expected-error @+1 {{attribute 'height' failed to satisfy constraint: 32-bit signless integer attribute whose value is positive}}
  %0:6 = kernel.segment %i of %ends[%i] rows %i depth %i by 0 columns %i : !kernel.buffer<i32>
  gpu.return
}
}

// -----

gpu.module @bounds {
gpu.func @f(%ends: !kernel.buffer<f32>, %i: i32) kernel {
  // expected-error @+1 {{expected ends of segments in i32, but got 'f32'}}
  %0:2 = kernel.segment.bounds %i of %ends[%i] rows %i : !kernel.buffer<f32>
  gpu.return
}
}

// -----

gpu.module @index {
gpu.func @f(%a: !kernel.matrix<f32, align = 16>, %index: !kernel.buffer<f32>, %ring: !kernel.ring<2 of 32 x 64 x f32>, %i: i32) kernel {
  // expected-error @+1 {{expected an index of i32 or i64, but got 'f32'}}
  kernel.copy %a[%i, %i] through %index[%i] : !kernel.buffer<f32> to %ring[%i] : !kernel.matrix<f32, align = 16> to !kernel.ring<2 of 32 x 64 x f32>
  gpu.return
}
}

// -----

gpu.module @index_transposed {
gpu.func @f(%a: !kernel.matrix<f32, align = 16>, %index: !kernel.buffer<i32>, %ring: !kernel.ring<2 of 32 x 64 x f32>, %i: i32) kernel {
  // expected-error @+1 {{expected an index of lines, but got transposed; leave out one}}
  kernel.copy %a[%i, %i] through %index[%i] : !kernel.buffer<i32> to %ring[%i] transposed : !kernel.matrix<f32, align = 16> to !kernel.ring<2 of 32 x 64 x f32>
  gpu.return
}
}

// -----

gpu.module @index_count {
gpu.func @f(%a: !kernel.matrix<f32, align = 16>, %index: !kernel.buffer<i32>, %ring: !kernel.ring<2 of 32 x 64 x f32>, %i: i32) kernel {
  // expected-error @+1 {{expected an index and its count, but got only one}}
  "kernel.copy"(%a, %i, %i, %index, %ring, %i) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1, 1>}> : (!kernel.matrix<f32, align = 16>, i32, i32, !kernel.buffer<i32>, !kernel.ring<2 of 32 x 64 x f32>, i32) -> ()
  gpu.return
}
}
