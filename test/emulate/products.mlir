// Products of every type and layout, of one row, of odd and of no extents, run whole from emitted code.
//
// DEFINE: %{run} = hone run %s --arch=sm_90a --stand-in --json --function
// RUN: %{run}=f16_nn | FileCheck %s
// RUN: %{run}=f16_nt | FileCheck %s
// RUN: %{run}=bf16_tn | FileCheck %s
// RUN: %{run}=bf16_tt | FileCheck %s
// RUN: %{run}=one_row | FileCheck %s
// RUN: %{run}=one_row_short | FileCheck %s
// RUN: %{run}=one_column | FileCheck %s
// RUN: %{run}=one_element | FileCheck %s
// RUN: %{run}=two_rows | FileCheck %s
// RUN: %{run}=f32_exact | FileCheck %s
// RUN: %{run}=f32_split --pipeline=f32=tf32x3 | FileCheck %s
// RUN: %{run}=bytes | FileCheck %s
// RUN: %{run}=short_floats | FileCheck %s
// RUN: %{run}=batches | FileCheck %s
// RUN: %{run}=batches_odd | FileCheck %s
// RUN: %{run}=open --dims=35,64 --pipeline=ranges=2 | FileCheck %s
// RUN: %{run}=overflows | FileCheck %s
// CHECK: "wrong": 0

func.func @f16_nn(%a: tensor<40x72xf16>, %b: tensor<72x56xf16>) -> tensor<40x56xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x56xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<40x56xf32>) -> tensor<40x56xf32>
  %c = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%a, %b : tensor<40x72xf16>, tensor<72x56xf16>) outs(%i : tensor<40x56xf32>) -> tensor<40x56xf32>
  return %c : tensor<40x56xf32>
}

func.func @f16_nt(%a: tensor<40x72xf16>, %b: tensor<56x72xf16>) -> tensor<40x56xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x56xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<40x56xf32>) -> tensor<40x56xf32>
  %c = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%a, %b : tensor<40x72xf16>, tensor<56x72xf16>) outs(%i : tensor<40x56xf32>) -> tensor<40x56xf32>
  return %c : tensor<40x56xf32>
}

func.func @bf16_tn(%a: tensor<72x40xbf16>, %b: tensor<72x56xbf16>) -> tensor<40x56xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x56xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<40x56xf32>) -> tensor<40x56xf32>
  %c = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%a, %b : tensor<72x40xbf16>, tensor<72x56xbf16>) outs(%i : tensor<40x56xf32>) -> tensor<40x56xf32>
  return %c : tensor<40x56xf32>
}

func.func @bf16_tt(%a: tensor<71x33xbf16>, %b: tensor<57x71xbf16>) -> tensor<33x57xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x57xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<33x57xf32>) -> tensor<33x57xf32>
  %c = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%a, %b : tensor<71x33xbf16>, tensor<57x71xbf16>) outs(%i : tensor<33x57xf32>) -> tensor<33x57xf32>
  return %c : tensor<33x57xf32>
}

func.func @one_row(%a: tensor<1x96xbf16>, %b: tensor<333x96xbf16>) -> tensor<1x333xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x333xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<1x333xf32>) -> tensor<1x333xf32>
  %c = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%a, %b : tensor<1x96xbf16>, tensor<333x96xbf16>) outs(%i : tensor<1x333xf32>) -> tensor<1x333xf32>
  return %c : tensor<1x333xf32>
}

func.func @one_row_short(%a: tensor<1x100xf16>, %b: tensor<100x257xf16>) -> tensor<1x257xf16> {
  %z = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<1x257xf16>
  %i = linalg.fill ins(%z : f16) outs(%e : tensor<1x257xf16>) -> tensor<1x257xf16>
  %c = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%a, %b : tensor<1x100xf16>, tensor<100x257xf16>) outs(%i : tensor<1x257xf16>) -> tensor<1x257xf16>
  return %c : tensor<1x257xf16>
}

func.func @one_column(%a: tensor<77x64xf16>, %b: tensor<64x1xf16>) -> tensor<77x1xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<77x1xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<77x1xf32>) -> tensor<77x1xf32>
  %c = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%a, %b : tensor<77x64xf16>, tensor<64x1xf16>) outs(%i : tensor<77x1xf32>) -> tensor<77x1xf32>
  return %c : tensor<77x1xf32>
}

func.func @one_element(%a: tensor<1x35xf16>, %b: tensor<35x1xf16>) -> tensor<1x1xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x1xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<1x1xf32>) -> tensor<1x1xf32>
  %c = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%a, %b : tensor<1x35xf16>, tensor<35x1xf16>) outs(%i : tensor<1x1xf32>) -> tensor<1x1xf32>
  return %c : tensor<1x1xf32>
}

func.func @two_rows(%a: tensor<2x48xf16>, %b: tensor<131x48xf16>) -> tensor<2x131xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x131xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<2x131xf32>) -> tensor<2x131xf32>
  %c = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%a, %b : tensor<2x48xf16>, tensor<131x48xf16>) outs(%i : tensor<2x131xf32>) -> tensor<2x131xf32>
  return %c : tensor<2x131xf32>
}

func.func @f32_exact(%a: tensor<24x56xf32>, %b: tensor<56x40xf32>) -> tensor<24x40xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x40xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<24x40xf32>) -> tensor<24x40xf32>
  %c = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%a, %b : tensor<24x56xf32>, tensor<56x40xf32>) outs(%i : tensor<24x40xf32>) -> tensor<24x40xf32>
  return %c : tensor<24x40xf32>
}

func.func @f32_split(%a: tensor<24x56xf32>, %b: tensor<40x56xf32>) -> tensor<24x40xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x40xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<24x40xf32>) -> tensor<24x40xf32>
  %c = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%a, %b : tensor<24x56xf32>, tensor<40x56xf32>) outs(%i : tensor<24x40xf32>) -> tensor<24x40xf32>
  return %c : tensor<24x40xf32>
}

func.func @bytes(%a: tensor<40x64xi8>, %b: tensor<48x64xi8>) -> tensor<40x48xi32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<40x48xi32>
  %i = linalg.fill ins(%z : i32) outs(%e : tensor<40x48xi32>) -> tensor<40x48xi32>
  %c = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%a, %b : tensor<40x64xi8>, tensor<48x64xi8>) outs(%i : tensor<40x48xi32>) -> tensor<40x48xi32>
  return %c : tensor<40x48xi32>
}

func.func @short_floats(%a: tensor<32x64xf8E4M3FN>, %b: tensor<48x64xf8E4M3FN>) -> tensor<32x48xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x48xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<32x48xf32>) -> tensor<32x48xf32>
  %c = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%a, %b : tensor<32x64xf8E4M3FN>, tensor<48x64xf8E4M3FN>) outs(%i : tensor<32x48xf32>) -> tensor<32x48xf32>
  return %c : tensor<32x48xf32>
}

func.func @batches(%a: tensor<3x17x32xf16>, %b: tensor<3x32x24xf16>) -> tensor<3x17x24xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x17x24xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<3x17x24xf32>) -> tensor<3x17x24xf32>
  %c = linalg.contract indexing_maps = [affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (b, k, j)>, affine_map<(b, i, j, k) -> (b, i, j)>]
    ins(%a, %b : tensor<3x17x32xf16>, tensor<3x32x24xf16>) outs(%i : tensor<3x17x24xf32>) -> tensor<3x17x24xf32>
  return %c : tensor<3x17x24xf32>
}

func.func @batches_odd(%a: tensor<2x15x33xbf16>, %b: tensor<2x21x33xbf16>) -> tensor<2x15x21xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x15x21xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<2x15x21xf32>) -> tensor<2x15x21xf32>
  %c = linalg.contract indexing_maps = [affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (b, j, k)>, affine_map<(b, i, j, k) -> (b, i, j)>]
    ins(%a, %b : tensor<2x15x33xbf16>, tensor<2x21x33xbf16>) outs(%i : tensor<2x15x21xf32>) -> tensor<2x15x21xf32>
  return %c : tensor<2x15x21xf32>
}

func.func @open(%a: tensor<?x?xf16>, %b: tensor<48x?xf16>) -> tensor<?x?xf32> {
  %z = arith.constant 0.0 : f32
  %cdm = arith.constant 0 : index
  %dm = tensor.dim %a, %cdm : tensor<?x?xf16>
  %cdn = arith.constant 1 : index
  %dn = tensor.dim %b, %cdn : tensor<48x?xf16>
  %e = tensor.empty(%dm, %dn) : tensor<?x?xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %c = linalg.contract indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%a, %b : tensor<?x?xf16>, tensor<48x?xf16>) outs(%i : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}

// exp(-x) is more than f16 has where x is below -11.09: the result is -0 there.
func.func @overflows(%a: tensor<17x64xf16>, %b: tensor<64x40xf16>) -> tensor<17x40xf16> {
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f16
  %e = tensor.empty() : tensor<17x40xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<17x40xf32>) -> tensor<17x40xf32>
  %c = linalg.matmul ins(%a, %b : tensor<17x64xf16>, tensor<64x40xf16>) outs(%i : tensor<17x40xf32>) -> tensor<17x40xf32>
  %eh = tensor.empty() : tensor<17x40xf16>
  %r = linalg.map ins(%c : tensor<17x40xf32>) outs(%eh : tensor<17x40xf16>) (%x: f32, %o: f16) {
    %h = arith.truncf %x : f32 to f16
    %n = arith.negf %h : f16
    %p = math.exp %n : f16
    %s = arith.addf %p, %one : f16
    %d = arith.divf %h, %s : f16
    linalg.yield %d : f16
  }
  return %r : tensor<17x40xf16>
}
