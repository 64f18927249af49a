// TOSA's quantised products with their rescaling, lowered by upstream: one launch each, apart from the sums that a zero
// point needs, and the same bits.

// DEFINE: %{tosa} = func.func(tosa-to-linalg-named,tosa-to-linalg),tosa-to-arith{include-apply-rescale=true}
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(%{tosa},hone-match{arch=h200})' | FileCheck %s
// RUN: %python %hone_src/test/tools/fused_on_cpu.py hone-opt %mlir_lib_dir %s 'builtin.module(%{tosa})' | FileCheck %s --check-prefix=BITS

// BITS: rescaled: 1 products, same, {{[0-9][0-9]+}} different values
// BITS-NEXT: single: 2 products, same, {{[0-9][0-9]+}} different values
// BITS-NEXT: channels: 1 products, same, {{[0-9][0-9]+}} different values
// BITS-NEXT: biased: 1 products, same, {{[0-9][0-9]+}} different values

// CHECK-LABEL: @rescaled
// CHECK: hone.matmul {{.*}} init(zero) acc(i32) epilogue {
// CHECK: arith.muli {{.*}} : i64
// CHECK: arith.shrsi {{.*}} : i64
// CHECK: %[[BYTE:.*]] = arith.trunci {{.*}} : i32 to i8
// CHECK-NEXT: hone.yield %[[BYTE]] : i8
// CHECK-NOT: linalg
func.func @rescaled(%a: tensor<1x19x32xi8>, %b: tensor<1x32x24xi8>) -> tensor<1x19x24xi8> {
  %zero = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.matmul %a, %b, %zero, %zero : (tensor<1x19x32xi8>, tensor<1x32x24xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x19x24xi32>
  %factor = "tosa.const"() {values = dense<1073741824> : tensor<1xi32>} : () -> tensor<1xi32>
  %shift = "tosa.const"() {values = dense<38> : tensor<1xi8>} : () -> tensor<1xi8>
  %from = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  %to = "tosa.const"() {values = dense<5> : tensor<1xi8>} : () -> tensor<1xi8>
  %1 = tosa.rescale %0, %factor, %shift, %from, %to {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x19x24xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x19x24xi8>
  return %1 : tensor<1x19x24xi8>
}

// Activations with a zero point.
// CHECK-LABEL: @single
// CHECK: hone.matmul
// CHECK: hone.matmul {{.*}} init(zero) acc(i32) epilogue(%{{.*}}[n] : tensor<24xi32>) {
// CHECK: hone.yield {{.*}} : i8
// CHECK-NOT: linalg
func.func @single(%a: tensor<1x19x32xi8>, %b: tensor<1x32x24xi8>) -> tensor<1x19x24xi8> {
  %za = "tosa.const"() {values = dense<-3> : tensor<1xi8>} : () -> tensor<1xi8>
  %zero = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.matmul %a, %b, %za, %zero : (tensor<1x19x32xi8>, tensor<1x32x24xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x19x24xi32>
  %factor = "tosa.const"() {values = dense<1395864371> : tensor<1xi32>} : () -> tensor<1xi32>
  %shift = "tosa.const"() {values = dense<39> : tensor<1xi8>} : () -> tensor<1xi8>
  %from = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  %to = "tosa.const"() {values = dense<-7> : tensor<1xi8>} : () -> tensor<1xi8>
  %1 = tosa.rescale %0, %factor, %shift, %from, %to {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x19x24xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x19x24xi8>
  return %1 : tensor<1x19x24xi8>
}

// A factor and a shift for each column are operands of the epilogue, of i32 and of i8.
// CHECK-LABEL: @channels
// CHECK: hone.matmul {{.*}} epilogue(%{{.*}}[n], %{{.*}}[n] : tensor<2xi32>, tensor<2xi8>) {
// CHECK: arith.extui {{.*}} : i8 to i32
// CHECK: hone.yield {{.*}} : i8
// CHECK-NOT: linalg
func.func @channels(%a: tensor<1x19x32xi8>, %b: tensor<1x32x2xi8>) -> tensor<1x19x2xi8> {
  %zero = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.matmul %a, %b, %zero, %zero : (tensor<1x19x32xi8>, tensor<1x32x2xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x19x2xi32>
  %factor = "tosa.const"() {values = dense<[1395864371, 1073741824]> : tensor<2xi32>} : () -> tensor<2xi32>
  %shift = "tosa.const"() {values = dense<[39, 37]> : tensor<2xi8>} : () -> tensor<2xi8>
  %from = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  %to = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %1 = tosa.rescale %0, %factor, %shift, %from, %to {input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x19x2xi32>, tensor<2xi32>, tensor<2xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x19x2xi8>
  return %1 : tensor<1x19x2xi8>
}

// CHECK-LABEL: @biased
// CHECK: hone.matmul {{.*}} epilogue(%{{.*}}[n] : tensor<24xi32>) {
// CHECK: arith.addi
// CHECK: hone.yield {{.*}} : i8
// CHECK-NOT: linalg
func.func @biased(%a: tensor<1x19x32xi8>, %b: tensor<1x32x24xi8>, %bias: tensor<1x1x24xi32>) -> tensor<1x19x24xi8> {
  %zero = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.matmul %a, %b, %zero, %zero : (tensor<1x19x32xi8>, tensor<1x32x24xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x19x24xi32>
  %sum = tosa.add %0, %bias : (tensor<1x19x24xi32>, tensor<1x1x24xi32>) -> tensor<1x19x24xi32>
  %factor = "tosa.const"() {values = dense<1073741824> : tensor<1xi32>} : () -> tensor<1xi32>
  %shift = "tosa.const"() {values = dense<39> : tensor<1xi8>} : () -> tensor<1xi8>
  %from = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  %to = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %1 = tosa.rescale %sum, %factor, %shift, %from, %to {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x19x24xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x19x24xi8>
  return %1 : tensor<1x19x24xi8>
}
