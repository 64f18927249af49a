// Every form of argument.
func.func @fixed(%a: memref<24x40xf32>, %b: memref<40x56xf32>, %c: memref<24x56xf32>) {
  linalg.matmul ins(%a, %b : memref<24x40xf32>, memref<40x56xf32>) outs(%c : memref<24x56xf32>)
  return
}

func.func @strided(%a: memref<?x?xf32, strided<[?, 1], offset: ?>>, %b: memref<40x?xf32, strided<[?, ?], offset: 3>>,
                   %c: memref<?x?xf32, strided<[?, 1]>>) {
  linalg.matmul ins(%a, %b : memref<?x?xf32, strided<[?, 1], offset: ?>>, memref<40x?xf32, strided<[?, ?], offset: 3>>)
    outs(%c : memref<?x?xf32, strided<[?, 1]>>)
  return
}

func.func @half(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %sum: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%sum : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Scalars of every kind, given and returned.
func.func @scalars(%int: index, %flag: i1, %small: i8, %short: i16, %word: i32, %long: i64, %f16: f16, %bf16: bf16, %f32: f32, %f64: f64)
    -> (index, i1, i8, i16, i32, i64, f16, bf16, f32, f64) {
  return %int, %flag, %small, %short, %word, %long, %f16, %bf16, %f32, %f64 : index, i1, i8, i16, i32, i64, f16, bf16, f32, f64
}

func.func @one(%x: memref<f32>) -> f32 {
  %0 = memref.load %x[] : memref<f32>
  return %0 : f32
}

func.func @nothing() {
  return
}

func.func private @kinds_nothing(%x: f32) -> f32 attributes {no_inline} {
  %0 = arith.addf %x, %x : f32
  return %0 : f32
}
func.func @caller(%x: f32) -> f32 {
  %0 = call @kinds_nothing(%x) : (f32) -> f32
  return %0 : f32
}

// Calls a function that is public, too.
func.func @twice(%a: tensor<?x16xf32>, %b: tensor<16x16xf32>) -> tensor<?x16xf32> {
  %0 = call @once(%a, %b) : (tensor<?x16xf32>, tensor<16x16xf32>) -> tensor<?x16xf32>
  %1 = call @once(%0, %b) : (tensor<?x16xf32>, tensor<16x16xf32>) -> tensor<?x16xf32>
  return %1 : tensor<?x16xf32>
}
func.func @once(%a: tensor<?x16xf32>, %b: tensor<16x16xf32>) -> tensor<?x16xf32> attributes {no_inline} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%m) : tensor<?x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x16xf32>, tensor<16x16xf32>) outs(%f : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %0 : tensor<?x16xf32>
}
