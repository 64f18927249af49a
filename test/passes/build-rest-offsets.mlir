// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-outline-rest{arch=sm_90a},hone-build-rest{arch=sm_90a},canonicalize,cse)' | FileCheck %s

// The bytes from one element to the next are those of a memref in LLVM: a
// boolean has one.
#id = affine_map<(i) -> (i)>

// CHECK-LABEL: func.func @second_half_of_a_mask(
// CHECK-SAME: %[[X:.*]]: memref<32xi8>, %[[MASK:.*]]: memref<2x32xi1>)
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[START:.*]] = memref.extract_aligned_pointer_as_index {{.*}}i1
// CHECK: %[[HALF:.*]] = arith.addi %[[START]], %[[BYTES]] : index
// CHECK: %[[WORD:.*]] = arith.index_cast %[[HALF]] : index to i64
// CHECK: kernel.launch {{.*}} = %[[WORD]]
func.func @second_half_of_a_mask(%x: memref<32xi8>, %mask: memref<2x32xi1>) {
  %half = memref.subview %mask[1, 0] [1, 32] [1, 1] : memref<2x32xi1> to memref<32xi1, strided<[1], offset: 32>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<32xi8>) outs(%half : memref<32xi1, strided<[1], offset: 32>>) {
  ^bb0(%in: i8, %out: i1):
    %zero = arith.constant 0 : i8
    %isSet = arith.cmpi ne, %in, %zero : i8
    linalg.yield %isSet : i1
  }
  return
}

// CHECK-LABEL: func.func @part_of_a_mask_is_read(
// CHECK-SAME: %[[MASK:.*]]: memref<64xi1>, %[[AT:.*]]: index, %{{.*}}: memref<8xf32>)
// CHECK: %[[START:.*]] = memref.extract_aligned_pointer_as_index {{.*}}i1
// CHECK: %[[PLACE:.*]] = arith.addi %[[START]], %{{.*}} : index
// CHECK: %[[WORD:.*]] = arith.index_cast %[[PLACE]] : index to i64
// CHECK: kernel.launch {{.*}} = %[[WORD]]
func.func @part_of_a_mask_is_read(%mask: memref<64xi1>, %at: index, %y: memref<8xf32>) {
  %part = memref.subview %mask[%at] [8] [1] : memref<64xi1> to memref<8xi1, strided<[1], offset: ?>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%part : memref<8xi1, strided<[1], offset: ?>>) outs(%y : memref<8xf32>) {
  ^bb0(%in: i1, %out: f32):
    %0 = arith.uitofp %in : i1 to f32
    linalg.yield %0 : f32
  }
  return
}

// Four bytes of an f32.
// CHECK-LABEL: func.func @part_of_floats(
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 48 : index
// CHECK: arith.addi %{{.*}}, %[[BYTES]] : index
func.func @part_of_floats(%x: memref<64xf32>, %y: memref<8xf32>) {
  %part = memref.subview %x[12] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: 12>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%part : memref<8xf32, strided<[1], offset: 12>>) outs(%y : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %in : f32
    linalg.yield %0 : f32
  }
  return
}

// Numbers of 4 bits stay where they are: no kernel takes them.
// CHECK-LABEL: func.func @four_bits(
// CHECK: linalg.generic
// CHECK-NOT: kernel.launch
func.func @four_bits(%x: memref<64xi4>, %y: memref<64xi8>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : memref<64xi4>) outs(%y : memref<64xi8>) {
  ^bb0(%in: i4, %out: i8):
    %0 = arith.extsi %in : i4 to i8
    linalg.yield %0 : i8
  }
  return
}
