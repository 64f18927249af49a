// Every instruction set gets PTX of the first version that has it. From sm_100 on
// the kernels are those of mma_sync, which is said; chips have their code.

// RUN: hone-opt %s --hone-select-schedule="schedule='mma_sync, tile = 16x16x16, warps = 1x1, stages = 2'" --hone-build-kernel --hone-lower-kernel --hone-emit --remark-policy=all --remark-format=emitRemark --remarks-filter=hone -o %t.mlir 2> %t.said
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t.said
// RUN: hone explain %S/../examples/mm.mlir --arch=b200 2>&1 | FileCheck %s --check-prefix=B200
// RUN: not hone explain %S/../examples/mm.mlir --arch=rtx590 2>&1 | FileCheck %s --check-prefix=NAME

// SAID-DAG: Remark="no kind of schedule is made for sm_103f: mma_sync serves it, with the tensor core instructions of sm_80"
// SAID-DAG: Remark="no kind of schedule is made for gb10: mma_sync serves it
// SAID-NOT: is made for sm_90
// B200: mma_sync serves it
// B200: arch b200 (sm_100)
// B200-NEXT: schedule mma_sync
// NAME: error: expected arch to be one of {{.*}}, but got 'rtx590'; did you mean 'rtx5090'?

!a = memref<64x32xf16>
!b = memref<32x64xf16>
!c = memref<64x64xf32>

func.func @every(%a: !a, %b: !b, %c: !c) {
  // CHECK-DAG: .version 8.0\0A.target sm_80\0A
  hone.matmul ins(%a, %b : !a, !b) outs(%c : !c) init(zero) acc(f32) arch(#hone.arch<sm_80>)
  // CHECK-DAG: .version 8.0\0A.target sm_86\0A
  hone.matmul ins(%a, %b : !a, !b) outs(%c : !c) init(zero) acc(f32) arch(#hone.arch<sm_86>)
  // CHECK-DAG: .version 8.0\0A.target sm_89\0A
  hone.matmul ins(%a, %b : !a, !b) outs(%c : !c) init(zero) acc(f32) arch(#hone.arch<sm_89>)
  // CHECK-DAG: .version 8.0\0A.target sm_90\0A
  hone.matmul ins(%a, %b : !a, !b) outs(%c : !c) init(zero) acc(f32) arch(#hone.arch<sm_90>)
  // CHECK-DAG: .version 8.0\0A.target sm_90a\0A
  hone.matmul ins(%a, %b : !a, !b) outs(%c : !c) init(zero) acc(f32) arch(#hone.arch<sm_90a>)
  // CHECK-DAG: .version 8.6\0A.target sm_100\0A
  hone.matmul ins(%a, %b : !a, !b) outs(%c : !c) init(zero) acc(f32) arch(#hone.arch<sm_100>)
  // CHECK-DAG: .version 8.6\0A.target sm_100a\0A
  hone.matmul ins(%a, %b : !a, !b) outs(%c : !c) init(zero) acc(f32) arch(#hone.arch<sm_100a>)
  // CHECK-DAG: .version 8.8\0A.target sm_100f\0A
  hone.matmul ins(%a, %b : !a, !b) outs(%c : !c) init(zero) acc(f32) arch(#hone.arch<sm_100f>)
  // CHECK-DAG: .version 8.8\0A.target sm_103\0A
  hone.matmul ins(%a, %b : !a, !b) outs(%c : !c) init(zero) acc(f32) arch(#hone.arch<sm_103>)
  // CHECK-DAG: .version 8.8\0A.target sm_103a\0A
  hone.matmul ins(%a, %b : !a, !b) outs(%c : !c) init(zero) acc(f32) arch(#hone.arch<sm_103a>)
  // CHECK-DAG: .version 8.8\0A.target sm_103f\0A
  hone.matmul ins(%a, %b : !a, !b) outs(%c : !c) init(zero) acc(f32) arch(#hone.arch<sm_103f>)
  // CHECK-DAG: .version 9.0\0A.target sm_110\0A
  hone.matmul ins(%a, %b : !a, !b) outs(%c : !c) init(zero) acc(f32) arch(#hone.arch<sm_110>)
  // CHECK-DAG: .version 9.0\0A.target sm_110a\0A
  hone.matmul ins(%a, %b : !a, !b) outs(%c : !c) init(zero) acc(f32) arch(#hone.arch<sm_110a>)
  // CHECK-DAG: .version 9.0\0A.target sm_110f\0A
  hone.matmul ins(%a, %b : !a, !b) outs(%c : !c) init(zero) acc(f32) arch(#hone.arch<sm_110f>)
  // CHECK-DAG: .version 8.7\0A.target sm_120\0A
  hone.matmul ins(%a, %b : !a, !b) outs(%c : !c) init(zero) acc(f32) arch(#hone.arch<sm_120>)
  // CHECK-DAG: .version 8.7\0A.target sm_120a\0A
  hone.matmul ins(%a, %b : !a, !b) outs(%c : !c) init(zero) acc(f32) arch(#hone.arch<sm_120a>)
  // CHECK-DAG: .version 8.8\0A.target sm_120f\0A
  hone.matmul ins(%a, %b : !a, !b) outs(%c : !c) init(zero) acc(f32) arch(#hone.arch<sm_120f>)
  // CHECK-DAG: .version 8.8\0A.target sm_121\0A
  hone.matmul ins(%a, %b : !a, !b) outs(%c : !c) init(zero) acc(f32) arch(#hone.arch<sm_121>)
  // CHECK-DAG: .version 8.8\0A.target sm_121a\0A
  hone.matmul ins(%a, %b : !a, !b) outs(%c : !c) init(zero) acc(f32) arch(#hone.arch<sm_121a>)
  // CHECK-DAG: .version 8.8\0A.target sm_121f\0A
  hone.matmul ins(%a, %b : !a, !b) outs(%c : !c) init(zero) acc(f32) arch(#hone.arch<sm_121f>)
  hone.matmul ins(%a, %b : !a, !b) outs(%c : !c) init(zero) acc(f32) arch(#hone.arch<gb10>)
  return
}
