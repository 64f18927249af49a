// Products of signed integers of 8 bits are added in i32, for any name of the extension and any order of operands;
// later ops make floats of the sums. Unsigned ones, and other sums, are left with the reason.

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

// Sums of integers become bytes, and so do those of floats.
// WHY-DAG: matched {{.*}}Function=bytes{{.*}}c = i8:16, init = zero, epilogue = "sitofp(acc):f32 | mulf($0, n:f32) | roundeven($1) | fptosi($2):i32 | maxsi($3, -128:i32) | minsi($4, 127:i32) | trunci($5):i8"
// CHECK-LABEL: @bytes
// CHECK: hone.matmul {{.*}} outs({{.*}} : tensor<256x128xi8>) init(zero) acc(i32) epilogue
// CHECK: %[[BYTE:.*]] = arith.trunci {{.*}} : i32 to i8
// CHECK-NEXT: hone.yield %[[BYTE]] : i8
func.func @bytes(%a: tensor<256x96xi8>, %b: tensor<96x128xi8>, %cols: tensor<128xf32>) -> tensor<256x128xi8> {
  %c = arith.constant dense<0> : tensor<256x128xi32>
  %e = tensor.empty() : tensor<256x128xi8>
  %0 = linalg.matmul ins(%a, %b : tensor<256x96xi8>, tensor<96x128xi8>) outs(%c : tensor<256x128xi32>) -> tensor<256x128xi32>
  %1 = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %cols : tensor<256x128xi32>, tensor<128xf32>) outs(%e : tensor<256x128xi8>) {
  ^bb0(%s: i32, %q: f32, %o: i8):
    %least = arith.constant -128 : i32
    %most = arith.constant 127 : i32
    %x = arith.sitofp %s : i32 to f32
    %y = arith.mulf %x, %q : f32
    %r = math.roundeven %y : f32
    %i = arith.fptosi %r : f32 to i32
    %l = arith.maxsi %i, %least : i32
    %u = arith.minsi %l, %most : i32
    %t = arith.trunci %u : i32 to i8
    linalg.yield %t : i8
  } -> tensor<256x128xi8>
  return %1 : tensor<256x128xi8>
}

// CHECK-LABEL: @quantized_floats
// CHECK: hone.matmul {{.*}} outs({{.*}} : tensor<256x128xi8>) init(zero) acc(f32) epilogue
func.func @quantized_floats(%a: tensor<256x96xf16>, %b: tensor<96x128xf16>) -> tensor<256x128xi8> {
  %c = arith.constant dense<0.0> : tensor<256x128xf32>
  %least = arith.constant dense<-128.0> : tensor<256x128xf32>
  %most = arith.constant dense<127.0> : tensor<256x128xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<256x96xf16>, tensor<96x128xf16>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  %1 = math.roundeven %0 : tensor<256x128xf32>
  %2 = arith.maximumf %1, %least : tensor<256x128xf32>
  %3 = arith.minimumf %2, %most : tensor<256x128xf32>
  %4 = arith.fptosi %3 : tensor<256x128xf32> to tensor<256x128xi8>
  return %4 : tensor<256x128xi8>
}

// A conversion to an unsigned integer stays after the product.
// WHY-DAG: Function=unsigned_result | Remark="not fused into the matmul: no lowering for 'arith.fptoui' in an epilogue"
// CHECK-LABEL: @unsigned_result
// CHECK: hone.matmul {{.*}} : tensor<256x128xf32>) init(zero) acc(i32) epilogue
// CHECK: arith.fptoui
func.func @unsigned_result(%a: tensor<256x96xi8>, %b: tensor<96x128xi8>) -> tensor<256x128xi8> {
  %c = arith.constant dense<0> : tensor<256x128xi32>
  %0 = linalg.matmul ins(%a, %b : tensor<256x96xi8>, tensor<96x128xi8>) outs(%c : tensor<256x128xi32>) -> tensor<256x128xi32>
  %1 = arith.sitofp %0 : tensor<256x128xi32> to tensor<256x128xf32>
  %2 = arith.fptoui %1 : tensor<256x128xf32> to tensor<256x128xi8>
  return %2 : tensor<256x128xi8>
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

// WHY-DAG: Function=words | Remark="not matched: element type i32; kernels multiply f16
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

// Operands in an order that tensor cores cannot read are packed.
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
// Few rows of B are turned where they are multiplied.
// PACKS-LABEL: @batch
// PACKS: ws, side = b
// PACKS-NOT: pack =
// PACKS-LABEL: @extended
// PACKS-NOT: pack =
// PACKS-LABEL: @scaled
// PACKS-LABEL: @bytes
// PACKS-LABEL: @rows
// PACKS: ws, side = b
// PACKS-NOT: pack =
// Few products are not worth a copy of odd lines.
// PACKS-LABEL: @odd
// PACKS: mma_sync
