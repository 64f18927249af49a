// Functions of math on vectors of each type and of ranks 1 and 2, which print their results.
// No product of Hone's is in it: the order of passes alone is tested.

func.func private @f32(%x: vector<4xf32>, %y: vector<2x4xf32>) {
  %size = math.absf %x : vector<4xf32>
  %erf = math.erf %x : vector<4xf32>
  %tanh = math.tanh %x : vector<4xf32>
  %exp = math.exp %x : vector<4xf32>
  %power = math.powf %size, %x : vector<4xf32>
  vector.print %erf : vector<4xf32>
  vector.print %tanh : vector<4xf32>
  vector.print %exp : vector<4xf32>
  vector.print %power : vector<4xf32>
  %erfs = math.erf %y : vector<2x4xf32>
  vector.print %erfs : vector<2x4xf32>
  return
}

func.func private @f16(%x: vector<4xf16>, %y: vector<2x4xf16>) {
  %size = math.absf %x : vector<4xf16>
  %erf = math.erf %x : vector<4xf16>
  %tanh = math.tanh %x : vector<4xf16>
  %exp = math.exp %x : vector<4xf16>
  %power = math.powf %size, %x : vector<4xf16>
  vector.print %erf : vector<4xf16>
  vector.print %tanh : vector<4xf16>
  vector.print %exp : vector<4xf16>
  vector.print %power : vector<4xf16>
  %erfs = math.erf %y : vector<2x4xf16>
  vector.print %erfs : vector<2x4xf16>
  return
}

func.func private @bf16(%x: vector<4xbf16>, %y: vector<2x4xbf16>) {
  %size = math.absf %x : vector<4xbf16>
  %erf = math.erf %x : vector<4xbf16>
  %tanh = math.tanh %x : vector<4xbf16>
  %exp = math.exp %x : vector<4xbf16>
  %power = math.powf %size, %x : vector<4xbf16>
  vector.print %erf : vector<4xbf16>
  vector.print %tanh : vector<4xbf16>
  vector.print %exp : vector<4xbf16>
  vector.print %power : vector<4xbf16>
  %erfs = math.erf %y : vector<2x4xbf16>
  vector.print %erfs : vector<2x4xbf16>
  return
}

func.func @main() {
  %x_f32 = arith.constant dense<[0.5, -0.5, 1.0, -1.5]> : vector<4xf32>
  %y_f32 = vector.broadcast %x_f32 : vector<4xf32> to vector<2x4xf32>
  call @f32(%x_f32, %y_f32) : (vector<4xf32>, vector<2x4xf32>) -> ()
  %x_f16 = arith.constant dense<[0.5, -0.5, 1.0, -1.5]> : vector<4xf16>
  %y_f16 = vector.broadcast %x_f16 : vector<4xf16> to vector<2x4xf16>
  call @f16(%x_f16, %y_f16) : (vector<4xf16>, vector<2x4xf16>) -> ()
  %x_bf16 = arith.constant dense<[0.5, -0.5, 1.0, -1.5]> : vector<4xbf16>
  %y_bf16 = vector.broadcast %x_bf16 : vector<4xbf16> to vector<2x4xbf16>
  call @bf16(%x_bf16, %y_bf16) : (vector<4xbf16>, vector<2x4xbf16>) -> ()
  return
}
