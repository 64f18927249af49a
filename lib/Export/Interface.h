//===- Interface.h - What a C program sees of a module ----------*- C++ -*-===//
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
// strides count elements. Results are memory of the caller's: a tensor is an
// argument already (Prepare.cpp), a scalar is written through a
// pointer of the host.
//
// The header prints these parameters, and the dispatcher, which the header
// declares, takes them: both read one list.
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
/// (upstream's name), and what the function changes.
inline constexpr llvm::StringLiteral kResultAttr = "bufferize.result";
inline constexpr llvm::StringLiteral kWrittenAttr = "export.written";

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
  /// The layout; one that is strided was checked for.
  void getStrides(llvm::SmallVectorImpl<int64_t> &strides,
                  int64_t &offset) const;
  /// True if strides follow from the sizes.
  bool isDense() const { return memref().getLayout().isIdentity(); }
};

struct ExportedFunction {
  std::string name;   ///< in C
  std::string symbol; ///< in the module
  std::vector<ExportedArgument> arguments;
  std::vector<mlir::Type> results; ///< scalars

  /// All but the stream, which comes first.
  std::vector<Parameter> parameters() const;
};

struct Interface {
  std::string name; ///< what all names start with
  std::string arch; ///< h200, host
  bool isHost = false;
  bool takesHostMemory = false; ///< rather than memory of the device
  std::string libraries;        ///< "-lhone_rt -lm"
  std::vector<ExportedFunction> functions;
};

/// The function that says why a call failed.
inline std::string messageName(llvm::StringRef name) {
  return (name + "_message").str();
}

/// Gives the arguments of `function`, which was read from `op`, names for C.
void chooseNames(ExportedFunction &function, mlir::func::FuncOp op);

/// Says of the first op that no C program could call, or that would need more
/// than libhone_rt, what is wrong with it. `module` is as it was read.
llvm::Error checkExportable(mlir::ModuleOp module, llvm::StringRef name);

/// Gives public functions the form in which C calls them; stands between
/// bufferization and placement.
std::unique_ptr<mlir::Pass> createPrepareExport();

/// The functions of a module that the pipeline is done with.
llvm::Expected<Interface> readInterface(mlir::ModuleOp module,
                                        llvm::StringRef name);

/// "float"; nothing for types that C has none for. An element of 16 bits is
/// void in memory, since compilers disagree about what it is called.
std::optional<std::string> scalarInC(mlir::Type type);
std::string elementInC(mlir::Type type);
/// "f16"
std::string toText(mlir::Type type);

/// NAME.h
std::string printHeader(const Interface &interface);

/// Adds the functions that the header declares to a module in the LLVM dialect,
/// in which those that they call have the names of `bodyName`.
mlir::LogicalResult addDispatchers(mlir::ModuleOp lowered,
                                   const Interface &interface);
std::string bodyName(const ExportedFunction &function);

/// What the object file must be linked with, "-lhone_rt -lm"; an error if it
/// needs anything else.
llvm::Expected<std::string> librariesFor(llvm::StringRef object);

/// "loc: text" as other errors of passes.
llvm::Error errorAt(mlir::Location location, const llvm::Twine &text);

} // namespace hone

#endif // HONE_LIB_EXPORT_INTERFACE_H
