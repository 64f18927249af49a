// RUN: mlir-opt %plugin %s --verify-roundtrip | FileCheck %s
// RUN: mlir-opt %plugin %s --mlir-print-op-generic | mlir-opt %plugin | FileCheck %s

// CHECK-LABEL: func @choices(
// CHECK: %{{.*}}, %{{.*}}, %{{.*}} = hone.route %{{.*}} groups 7 : tensor<45x2xi32> -> tensor<90xi32>, tensor<90xi32>, tensor<7xi32>
func.func @choices(%experts: tensor<45x2xi32>) -> (tensor<90xi32>, tensor<90xi32>, tensor<7xi32>) {
  %rows, %places, %ends = hone.route %experts groups 7 : tensor<45x2xi32> -> tensor<90xi32>, tensor<90xi32>, tensor<7xi32>
  return %rows, %places, %ends : tensor<90xi32>, tensor<90xi32>, tensor<7xi32>
}

// CHECK-LABEL: func @one(
// CHECK: hone.route %{{.*}} groups 1024 : tensor<?xi64> -> tensor<?xi32>, tensor<?xi32>, tensor<1024xi32>
func.func @one(%experts: tensor<?xi64>) -> (tensor<?xi32>, tensor<?xi32>, tensor<1024xi32>) {
  %rows, %places, %ends = hone.route %experts groups 1024 : tensor<?xi64> -> tensor<?xi32>, tensor<?xi32>, tensor<1024xi32>
  return %rows, %places, %ends : tensor<?xi32>, tensor<?xi32>, tensor<1024xi32>
}
