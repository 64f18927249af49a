// A product of quarters and eighths in each type, followed by erf: of 32 terms it is 1, where B
// has 1/8, and -2 in the last column.

#same = affine_map<(i, j) -> (i, j)>

func.func private @f32(%a: tensor<16x32xf32>, %b: tensor<32x24xf32>) -> tensor<16x24xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x24xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x24xf32>) -> tensor<16x24xf32>
  %c = linalg.matmul ins(%a, %b : tensor<16x32xf32>, tensor<32x24xf32>) outs(%zeros : tensor<16x24xf32>) -> tensor<16x24xf32>
  %erf = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<16x24xf32>) outs(%empty : tensor<16x24xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = math.erf %x : f32
    linalg.yield %y : f32
  } -> tensor<16x24xf32>
  return %erf : tensor<16x24xf32>
}

func.func private @print_f32() {
  %c2 = arith.constant 2 : index
  %c23 = arith.constant 23 : index
  %quarter = arith.constant 0.25 : f32
  %eighth = arith.constant 0.125 : f32
  %less = arith.constant -0.25 : f32
  %ea = tensor.empty() : tensor<16x32xf32>
  %a = linalg.fill ins(%quarter : f32) outs(%ea : tensor<16x32xf32>) -> tensor<16x32xf32>
  %eb = tensor.empty() : tensor<32x24xf32>
  %b = linalg.generic {indexing_maps = [#same], iterator_types = ["parallel", "parallel"]} outs(%eb : tensor<32x24xf32>) {
  ^bb0(%o: f32):
    %j = linalg.index 1 : index
    %last = arith.cmpi eq, %j, %c23 : index
    %x = arith.select %last, %less, %eighth : f32
    linalg.yield %x : f32
  } -> tensor<32x24xf32>
  %r = call @f32(%a, %b) : (tensor<16x32xf32>, tensor<32x24xf32>) -> tensor<16x24xf32>
  %first = tensor.extract %r[%c2, %c2] : tensor<16x24xf32>
  %second = tensor.extract %r[%c2, %c23] : tensor<16x24xf32>
  vector.print %first : f32
  vector.print %second : f32
  return
}

func.func private @f16(%a: tensor<16x32xf16>, %b: tensor<32x24xf16>) -> tensor<16x24xf16> {
  %zero = arith.constant 0.0 : f16
  %empty = tensor.empty() : tensor<16x24xf16>
  %zeros = linalg.fill ins(%zero : f16) outs(%empty : tensor<16x24xf16>) -> tensor<16x24xf16>
  %c = linalg.matmul ins(%a, %b : tensor<16x32xf16>, tensor<32x24xf16>) outs(%zeros : tensor<16x24xf16>) -> tensor<16x24xf16>
  %erf = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<16x24xf16>) outs(%empty : tensor<16x24xf16>) {
  ^bb0(%x: f16, %o: f16):
    %y = math.erf %x : f16
    linalg.yield %y : f16
  } -> tensor<16x24xf16>
  return %erf : tensor<16x24xf16>
}

func.func private @print_f16() {
  %c2 = arith.constant 2 : index
  %c23 = arith.constant 23 : index
  %quarter = arith.constant 0.25 : f16
  %eighth = arith.constant 0.125 : f16
  %less = arith.constant -0.25 : f16
  %ea = tensor.empty() : tensor<16x32xf16>
  %a = linalg.fill ins(%quarter : f16) outs(%ea : tensor<16x32xf16>) -> tensor<16x32xf16>
  %eb = tensor.empty() : tensor<32x24xf16>
  %b = linalg.generic {indexing_maps = [#same], iterator_types = ["parallel", "parallel"]} outs(%eb : tensor<32x24xf16>) {
  ^bb0(%o: f16):
    %j = linalg.index 1 : index
    %last = arith.cmpi eq, %j, %c23 : index
    %x = arith.select %last, %less, %eighth : f16
    linalg.yield %x : f16
  } -> tensor<32x24xf16>
  %r = call @f16(%a, %b) : (tensor<16x32xf16>, tensor<32x24xf16>) -> tensor<16x24xf16>
  %first = tensor.extract %r[%c2, %c2] : tensor<16x24xf16>
  %second = tensor.extract %r[%c2, %c23] : tensor<16x24xf16>
  vector.print %first : f16
  vector.print %second : f16
  return
}

func.func private @bf16(%a: tensor<16x32xbf16>, %b: tensor<32x24xbf16>) -> tensor<16x24xbf16> {
  %zero = arith.constant 0.0 : bf16
  %empty = tensor.empty() : tensor<16x24xbf16>
  %zeros = linalg.fill ins(%zero : bf16) outs(%empty : tensor<16x24xbf16>) -> tensor<16x24xbf16>
  %c = linalg.matmul ins(%a, %b : tensor<16x32xbf16>, tensor<32x24xbf16>) outs(%zeros : tensor<16x24xbf16>) -> tensor<16x24xbf16>
  %erf = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<16x24xbf16>) outs(%empty : tensor<16x24xbf16>) {
  ^bb0(%x: bf16, %o: bf16):
    %y = math.erf %x : bf16
    linalg.yield %y : bf16
  } -> tensor<16x24xbf16>
  return %erf : tensor<16x24xbf16>
}

func.func private @print_bf16() {
  %c2 = arith.constant 2 : index
  %c23 = arith.constant 23 : index
  %quarter = arith.constant 0.25 : bf16
  %eighth = arith.constant 0.125 : bf16
  %less = arith.constant -0.25 : bf16
  %ea = tensor.empty() : tensor<16x32xbf16>
  %a = linalg.fill ins(%quarter : bf16) outs(%ea : tensor<16x32xbf16>) -> tensor<16x32xbf16>
  %eb = tensor.empty() : tensor<32x24xbf16>
  %b = linalg.generic {indexing_maps = [#same], iterator_types = ["parallel", "parallel"]} outs(%eb : tensor<32x24xbf16>) {
  ^bb0(%o: bf16):
    %j = linalg.index 1 : index
    %last = arith.cmpi eq, %j, %c23 : index
    %x = arith.select %last, %less, %eighth : bf16
    linalg.yield %x : bf16
  } -> tensor<32x24xbf16>
  %r = call @bf16(%a, %b) : (tensor<16x32xbf16>, tensor<32x24xbf16>) -> tensor<16x24xbf16>
  %first = tensor.extract %r[%c2, %c2] : tensor<16x24xbf16>
  %second = tensor.extract %r[%c2, %c23] : tensor<16x24xbf16>
  vector.print %first : bf16
  vector.print %second : bf16
  return
}

func.func @main() {
  call @print_f32() : () -> ()
  call @print_f16() : () -> ()
  call @print_bf16() : () -> ()
  return
}
