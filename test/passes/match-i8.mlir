// Products of signed integers of 8 bits are added in i32, whatever the extension is called and however operands lie;
// what follows makes floats of the sums. Unsigned ones, and other sums, are left with the reason.

// RUN: hone-opt %s --hone-match=arch=h200 --remark-policy=all --remark-format=emitRemark --remarks-filter=hone -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: hone-opt %s --hone-match=arch=h200 | FileCheck %s
// RUN: hone-opt %s --hone-match=arch=h200 --hone-select-schedule="arch=h200 shipped=false guess=false" | FileCheck %s --check-prefix=PACKS

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#col = affine_map<(m, n) -> (n)>

// WHY-DAG: matched {{.*}}Function=named{{.*}}a = i8:row:16, b = i8:col:16, acc = i32, c = i32:16, init = read
// CHECK-LABEL: @named
// CHECK: hone.matmul {{.*}}i8{{.*}} init(read) acc(i32) ->
func.func @named(%a: tensor<256x96xi8>, %b: tensor<128x96xi8>, %c: tensor<256x128xi32>) -> tensor<256x128xi32> {
  %0 = linalg.matmul indexing_maps = [#a, #b, #c] ins(%a, %b : tensor<256x96xi8>, tensor<128x96xi8>) outs(%c : tensor<256x128xi32>) -> tensor<256x128xi32>
  return %0 : tensor<256x128xi32>
}

// CHECK-LABEL: @batch
// CHECK: hone.matmul {{.*}}tensor<4x256x96xi8>{{.*}} init(zero) acc(i32)
func.func @batch(%a: tensor<4x256x96xi8>, %b: tensor<4x96x128xi8>) -> tensor<4x256x128xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<4x256x128xi32>
  %c = linalg.fill ins(%zero : i32) outs(%e : tensor<4x256x128xi32>) -> tensor<4x256x128xi32>
  %0 = linalg.batch_matmul ins(%a, %b : tensor<4x256x96xi8>, tensor<4x96x128xi8>) outs(%c : tensor<4x256x128xi32>) -> tensor<4x256x128xi32>
  return %0 : tensor<4x256x128xi32>
}

// An extension ahead of the product moves into it; so does a bias ahead of the sum.
// CHECK-LABEL: @extended
// CHECK-SAME: %[[A:[a-z0-9]*]]: tensor<256x96xi8>, %[[B:[a-z0-9]*]]: tensor<128x96xi8>, %[[BIAS:[a-z0-9]*]]: tensor<128xi32>
// CHECK: hone.matmul ins(%[[A]], col %[[B]] : {{.*}} init(zero) acc(i32) epilogue(%[[BIAS]][n] : tensor<128xi32>) {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: i32, %[[IN:.*]]: i32):
// CHECK-NEXT: arith.addi %[[SUM]], %[[IN]] : i32
func.func @extended(%a: tensor<256x96xi8>, %b: tensor<128x96xi8>, %bias: tensor<128xi32>) -> tensor<256x128xi32> {
  %e = tensor.empty() : tensor<256x128xi32>
  %c = linalg.broadcast ins(%bias : tensor<128xi32>) outs(%e : tensor<256x128xi32>) dimensions = [0]
  %x = arith.extsi %a : tensor<256x96xi8> to tensor<256x96xi32>
  %y = arith.extsi %b : tensor<128x96xi8> to tensor<128x96xi32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<256x96xi32>, tensor<128x96xi32>) outs(%c : tensor<256x128xi32>) {
  ^bb0(%l: i32, %r: i32, %sum: i32):
    %p = arith.muli %l, %r : i32
    %s = arith.addi %sum, %p : i32
    linalg.yield %s : i32
  } -> tensor<256x128xi32>
  return %0 : tensor<256x128xi32>
}

// WHY-DAG: matched {{.*}}Function=scaled{{.*}}c = f16:16, init = zero, epilogue = "sitofp(acc):f32 | mulf($0, m:f32) | mulf($1, n:f32)"
// CHECK-LABEL: @scaled
// CHECK: hone.matmul {{.*}} init(zero) acc(i32) epilogue(%{{.*}}[m], %{{.*}}[n] : tensor<256xf32>, tensor<128xf32>) {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: i32, %[[R:.*]]: f32, %[[S:.*]]: f32):
// CHECK-NEXT: %[[X:.*]] = arith.sitofp %[[SUM]] : i32 to f32
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[X]], %[[R]] : f32
// CHECK-NEXT: %[[Z:.*]] = arith.mulf %[[Y]], %[[S]] : f32
// CHECK-NEXT: arith.truncf %[[Z]] : f32 to f16
func.func @scaled(%a: tensor<256x96xi8>, %b: tensor<128x96xi8>, %rows: tensor<256xf32>, %cols: tensor<128xf32>) -> tensor<256x128xf16> {
  %c = arith.constant dense<0> : tensor<256x128xi32>
  %e = tensor.empty() : tensor<256x128xf16>
  %0 = linalg.contract indexing_maps = [#a, #b, #c] ins(%a, %b : tensor<256x96xi8>, tensor<128x96xi8>) outs(%c : tensor<256x128xi32>) -> tensor<256x128xi32>
  %1 = linalg.generic {indexing_maps = [#id, #row, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %rows, %cols : tensor<256x128xi32>, tensor<256xf32>, tensor<128xf32>) outs(%e : tensor<256x128xf16>) {
  ^bb0(%s: i32, %r: f32, %q: f32, %o: f16):
    %x = arith.sitofp %s : i32 to f32
    %y = arith.mulf %x, %r : f32
    %z = arith.mulf %y, %q : f32
    %t = arith.truncf %z : f32 to f16
    linalg.yield %t : f16
  } -> tensor<256x128xf16>
  return %1 : tensor<256x128xf16>
}

// WHY-DAG: Function=unsigned | Remark="not matched: a factor is an unsigned i8, which no kernel multiplies; use arith.extsi where it is signed"
// CHECK-LABEL: @unsigned
// CHECK: linalg.matmul
func.func @unsigned(%a: tensor<256x96xi8>, %b: tensor<96x128xi8>, %c: tensor<256x128xi32>) -> tensor<256x128xi32> {
  %0 = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : tensor<256x96xi8>, tensor<96x128xi8>) outs(%c : tensor<256x128xi32>) -> tensor<256x128xi32>
  return %0 : tensor<256x128xi32>
}

// WHY-DAG: Function=narrow | Remark="not matched: it accumulates in i8, and kernels add integers in i32"
// CHECK-LABEL: @narrow
// CHECK: linalg.matmul
func.func @narrow(%a: tensor<256x96xi8>, %b: tensor<96x128xi8>, %c: tensor<256x128xi8>) -> tensor<256x128xi8> {
  %0 = linalg.matmul ins(%a, %b : tensor<256x96xi8>, tensor<96x128xi8>) outs(%c : tensor<256x128xi8>) -> tensor<256x128xi8>
  return %0 : tensor<256x128xi8>
}

// WHY-DAG: Function=words | Remark="not matched: element type i32"
// CHECK-LABEL: @words
// CHECK: linalg.matmul
func.func @words(%a: tensor<256x96xi32>, %b: tensor<96x128xi32>, %c: tensor<256x128xi32>) -> tensor<256x128xi32> {
  %0 = linalg.matmul ins(%a, %b : tensor<256x96xi32>, tensor<96x128xi32>) outs(%c : tensor<256x128xi32>) -> tensor<256x128xi32>
  return %0 : tensor<256x128xi32>
}

// Zero points are dropped where they are 0.
// CHECK-LABEL: @quantized
// CHECK: hone.matmul {{.*}} acc(i32)
func.func @quantized(%a: tensor<256x96xi8>, %b: tensor<96x128xi8>, %c: tensor<256x128xi32>) -> tensor<256x128xi32> {
  %zero = arith.constant 0 : i32
  %0 = linalg.quantized_matmul ins(%a, %b, %zero, %zero : tensor<256x96xi8>, tensor<96x128xi8>, i32, i32) outs(%c : tensor<256x128xi32>) -> tensor<256x128xi32>
  return %0 : tensor<256x128xi32>
}

// CHECK-LABEL: @quantized_batch
// CHECK: hone.matmul {{.*}} acc(i32)
func.func @quantized_batch(%a: tensor<2x256x96xi8>, %b: tensor<2x96x128xi8>, %c: tensor<2x256x128xi32>) -> tensor<2x256x128xi32> {
  %zero = arith.constant 0 : i32
  %0 = linalg.quantized_batch_matmul ins(%a, %b, %zero, %zero : tensor<2x256x96xi8>, tensor<2x96x128xi8>, i32, i32) outs(%c : tensor<2x256x128xi32>) -> tensor<2x256x128xi32>
  return %0 : tensor<2x256x128xi32>
}

// What the tensor cores do not read as it lies is packed.
// CHECK-LABEL: @rows
// CHECK: hone.matmul {{.*}} acc(i32)
func.func @rows(%a: tensor<256x96xi8>, %b: tensor<96x128xi8>, %c: tensor<256x128xi32>) -> tensor<256x128xi32> {
  %0 = linalg.matmul ins(%a, %b : tensor<256x96xi8>, tensor<96x128xi8>) outs(%c : tensor<256x128xi32>) -> tensor<256x128xi32>
  return %0 : tensor<256x128xi32>
}

// CHECK-LABEL: @odd
// CHECK: hone.matmul {{.*}} acc(i32)
func.func @odd(%a: tensor<256x97xi8>, %b: tensor<129x97xi8>, %c: tensor<256x129xi32>) -> tensor<256x129xi32> {
  %0 = linalg.matmul indexing_maps = [#a, #b, #c] ins(%a, %b : tensor<256x97xi8>, tensor<129x97xi8>) outs(%c : tensor<256x129xi32>) -> tensor<256x129xi32>
  return %0 : tensor<256x129xi32>
}

// Zeros directly in front of a product on memrefs are where its sum starts.
// CHECK-LABEL: @memory
// CHECK-NOT: linalg.fill
// CHECK: hone.matmul {{.*}} init(zero) acc(i32)
func.func @memory(%a: memref<256x96xi8>, %b: memref<96x128xi8>, %c: memref<256x128xi32>) {
  %zero = arith.constant 0 : i32
  linalg.fill ins(%zero : i32) outs(%c : memref<256x128xi32>)
  linalg.matmul ins(%a, %b : memref<256x96xi8>, memref<96x128xi8>) outs(%c : memref<256x128xi32>)
  return
}

// PACKS-LABEL: @named
// PACKS-NOT: pack =
// PACKS-LABEL: @batch
// PACKS: pack = b>
// PACKS-LABEL: @extended
// PACKS-NOT: pack =
// PACKS-LABEL: @scaled
// PACKS-LABEL: @rows
// PACKS: pack = b>
// Few products are not worth a copy of odd lines.
// PACKS-LABEL: @odd
// PACKS: mma_sync
