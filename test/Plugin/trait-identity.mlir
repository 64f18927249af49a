// The plugin and MLIR use the same type ids of traits, for MLIR's ops and for Hone's.
// RUN: mlir-opt %plugin --load-pass-plugin=%hone_obj/lib/libHoneTestTraits.so %s \
// RUN:   --pass-pipeline='builtin.module(test-hone-traits)' --mlir-print-op-generic | FileCheck %s

// CHECK: "builtin.module"() ({
func.func @upstream(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>, %c: tensor<8x8xf32>, %x: f32) -> tensor<8x8xf32> {
  // CHECK: "linalg.matmul"
  // CHECK: "linalg.yield"(%{{.*}}) {traits.seen = ["IsTerminator", "ReturnLike", "ConditionallySpeculatable", "MemoryEffectOpInterface"]}
  // CHECK: traits.seen = ["ConditionallySpeculatable", "MemoryEffectOpInterface", "DestinationStyleOpInterface", "LinalgOp", "isa<LinalgOp>", "isa<BufferizableOpInterface>"]
  %d = linalg.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: "arith.addf"{{.*}}traits.seen = ["NOperands<2>", "ConditionallySpeculatable", "MemoryEffectOpInterface"]
  %y = arith.addf %x, %x : f32
  return %d : tensor<8x8xf32>
}

func.func @hone(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: "hone.matmul"
  // CHECK: "hone.yield"(%{{.*}}) {traits.seen = ["IsTerminator", "ReturnLike", "ConditionallySpeculatable", "MemoryEffectOpInterface"]}
  // CHECK: traits.seen = ["IsIsolatedFromAbove", "ConditionallySpeculatable", "MemoryEffectOpInterface", "DestinationStyleOpInterface", "isa<BufferizableOpInterface>"]
  %d = hone.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x8xf32>) outs(%c : tensor<8x8xf32>) init(zero) acc(f32) epilogue {
  ^bb0(%sum: f32):
    hone.yield %sum : f32
  } -> tensor<8x8xf32>
  return %d : tensor<8x8xf32>
}
// CHECK: traits.seen = ["IsIsolatedFromAbove", "SymbolTable"
