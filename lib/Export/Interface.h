//===- Interface.h - C interface of a module --------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A public function of a bufferized module becomes a function of C. Each of its
// arguments becomes one parameter or several:
//
//   | argument                             | parameters                       |
//   |--------------------------------------|----------------------------------|
//   | memref<8x4xf32> %a                   | float *a                         |
//   | memref<?x4xf32> %a                   | float *a, int64_t a_size0        |
//   | memref<?x4xf32, strided<[?, 1]>> %a  | ..., int64_t a_stride0           |
//   | f32 %x                               | float x                          |
//
// A pointer is to the element at index zero, whatever offset the type has, and
// strides count elements. Results are in the caller's memory: a tensor is an
// argument already (Prepare.cpp), a scalar is written through a host pointer.
//
// The header prints these parameters and the dispatcher implements them, from
// the same list.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_EXPORT_INTERFACE_H
#define HONE_LIB_EXPORT_INTERFACE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace hone {

/// Attributes of arguments, between the steps of an export: memory for a result
/// (upstream's name), and arguments that the function changes.
inline constexpr llvm::StringLiteral kResultAttr = "bufferize.result";
inline constexpr llvm::StringLiteral kWrittenAttr = "export.written";
/// Attribute of a function: the numbers of its products, as text.
inline constexpr llvm::StringLiteral kProductNumbersAttr = "export.numbers";

/// One parameter of a C function.
struct Parameter {
  enum class Kind { pointer, size, stride, scalar, result };
  Kind kind;
  unsigned index;   ///< of the argument, or of the result
  unsigned dim = 0; ///< of a size or stride
  std::string name;
};

struct ExportedArgument {
  std::string name;
  mlir::Type type; ///< a MemRefType or a scalar
  bool isWritten = false;
  bool isResult = false;

  mlir::MemRefType memref() const {
    return mlir::dyn_cast<mlir::MemRefType>(type);
  }
  /// The layout, which the export check has found to be strided.
  void getStrides(llvm::SmallVectorImpl<int64_t> &strides,
                  int64_t &offset) const;
  /// True if the strides follow from the sizes.
  bool isDense() const { return memref().getLayout().isIdentity(); }
};

struct ExportedFunction {
  std::string name;   ///< in C
  std::string symbol; ///< in the module
  std::vector<ExportedArgument> arguments;
  std::vector<mlir::Type> results; ///< scalars
  /// Of its products, "invariant"; empty: all are deterministic.
  std::string numbers;

  /// All but the stream, which comes first.
  std::vector<Parameter> parameters() const;
};

struct Interface {
  std::string name; ///< prefix of all names
  std::string arch; ///< h200, host
  bool isHost = false;
  bool takesHostMemory = false; ///< instead of memory of the device
  std::string libraries;        ///< "-lhone_rt -lm"
  std::vector<ExportedFunction> functions;
};

/// The function that returns the reason of a failed call.
inline std::string messageName(llvm::StringRef name) {
  return (name + "_message").str();
}

/// Gives the arguments of `function`, which was read from `op`, names for C.
void chooseNames(ExportedFunction &function, mlir::func::FuncOp op);

/// Reports the first op that no C program could call, or that needs more than
/// libhone_rt. `module` is the original one.
llvm::Error checkExportable(mlir::ModuleOp module, llvm::StringRef name);

/// Converts public functions to the form in which C calls them; runs between
/// bufferization and placement.
std::unique_ptr<mlir::Pass> createPrepareExport();

/// Reads the functions of a module after the pipeline.
llvm::Expected<Interface> readInterface(mlir::ModuleOp module,
                                        llvm::StringRef name);

/// "float"; none for types without a C type. An element of 16 bits is void in
/// memory, because compilers have different names for it.
std::optional<std::string> scalarInC(mlir::Type type);
std::string elementInC(mlir::Type type);
/// "f16"
std::string toText(mlir::Type type);

/// NAME.h
std::string printHeader(const Interface &interface);

/// Adds the functions of the header to a module in the LLVM dialect, in which
/// their callees have the names of `bodyName`.
mlir::LogicalResult addDispatchers(mlir::ModuleOp lowered,
                                   const Interface &interface);
std::string bodyName(const ExportedFunction &function);

/// The libraries that the object file needs, "-lhone_rt -lm"; fails if it needs
/// anything else.
llvm::Expected<std::string> librariesFor(llvm::StringRef object);

/// "loc: text", like other errors of passes.
llvm::Error errorAt(mlir::Location location, const llvm::Twine &text);

} // namespace hone

#endif // HONE_LIB_EXPORT_INTERFACE_H
