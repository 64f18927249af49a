// Two products with memory between them, in a loop, by a function that calls
// another.
func.func private @layer(%x: memref<24x40xf16>, %w: memref<40x40xf16>, %y: memref<24x40xf16>) attributes {no_inline} {
  %zero = arith.constant 0.0 : f16
  linalg.fill ins(%zero : f16) outs(%y : memref<24x40xf16>)
  linalg.matmul ins(%x, %w : memref<24x40xf16>, memref<40x40xf16>) outs(%y : memref<24x40xf16>)
  return
}

func.func @layers(%x: memref<24x40xf16>, %w: memref<40x40xf16>, %y: memref<24x40xf16>, %n: index) -> memref<24x40xf16>
    attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = memref.alloc() : memref<24x40xf16>
  scf.for %i = %c0 to %n step %c1 {
    func.call @layer(%x, %w, %t) : (memref<24x40xf16>, memref<40x40xf16>, memref<24x40xf16>) -> ()
    func.call @layer(%t, %w, %y) : (memref<24x40xf16>, memref<40x40xf16>, memref<24x40xf16>) -> ()
  }
  %r = memref.alloc() : memref<24x40xf16>
  func.call @layer(%y, %w, %r) : (memref<24x40xf16>, memref<40x40xf16>, memref<24x40xf16>) -> ()
  return %r : memref<24x40xf16>
}
