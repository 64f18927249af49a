//===- Header.cpp - Printer of the C header NAME.h ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header is the complete documentation for its user: how to link, the
// meaning of every argument, and the guarantees of a function. It includes
// nothing of Hone's.
//
//===----------------------------------------------------------------------===//

#include "Interface.h"
#include "hone-c/Version.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace hone;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// The rules
//===----------------------------------------------------------------------===//

/// {0} is the name, {1} the version, {2} the arch, {3} the libraries to link.
static constexpr char kHostRules[] =
    R"(/* {0}.h - what {0}.o has, written by Hone {1} for the host.
 *
 *   cc program.c {0}.o {3}
 *
 * A function works on the calling thread, and may be called by several threads at
 * once. It returns 0, or a number above 0; {0}_message() then has the reason.
 * `stream` is for programs that are also built for a GPU, and may be NULL.
)";

static constexpr char kDeviceRules[] =
    R"(/* {0}.h - what {0}.o has, written by Hone {1} for {2}.
 *
 *   cc program.c {0}.o {3}
 *
 * A function puts its work on `stream` (a CUstream or cudaStream_t; NULL is the
 * default stream), in the calling thread's current context, or device 0's primary
 * one where the thread has none. It returns 0, or a number above 0 (HoneStatus of
 * hone-c/Runtime.h); {0}_message() then has the reason. The first call in a context
 * loads the kernels. Functions may be called by several threads at once, for several
 * devices, and while a stream is captured.
)";

static constexpr char kDeviceMemory[] =
    R"( *
 * It does not wait for the work: wait for the stream before you read a result.
 * Memory is the device's; a pointer `value` is the host's, and set when it returns.
)";

static constexpr char kHostMemory[] =
    R"( *
 * It copies from and to memory of the host, and returns with the results there.
)";

static constexpr char kMemory[] =
    R"( *
 * Pointers are to the element at index zero. Sizes and strides count elements;
 * row-major memory has no gaps. f16 and bf16 are passed as their 16 bits. An argument
 * that changes must not overlap another.
 */
)";

static void printRules(const Interface &interface, llvm::raw_ostream &os) {
  os << formatv(interface.isHost ? kHostRules : kDeviceRules, interface.name,
                HONE_VERSION_STRING, interface.arch, interface.libraries);
  if (!interface.isHost)
    os << (interface.takesHostMemory ? kHostMemory : kDeviceMemory);
  os << kMemory;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// The numbers and parameters for `values`, "8 x a_size1".
static std::string describe(const ExportedArgument &argument,
                            ArrayRef<int64_t> values, StringRef kind,
                            StringRef separator) {
  SmallVector<std::string> words;
  for (auto [dim, value] : llvm::enumerate(values))
    words.push_back(ShapedType::isDynamic(value)
                        ? formatv("{0}_{1}{2}", argument.name, kind, dim).str()
                        : std::to_string(value));
  return llvm::join(words, separator);
}

/// "8 x a_size1 of f16, row-major"
static std::string describeMemory(const ExportedArgument &argument) {
  MemRefType type = argument.memref();
  std::string element = toText(type.getElementType());
  if (type.getRank() == 0)
    return "one " + element;
  std::string text =
      describe(argument, type.getShape(), "size", " x ") + " of " + element;
  if (argument.isDense())
    return text + (type.getRank() > 1 ? ", row-major" : "");
  SmallVector<int64_t> strides;
  int64_t offset;
  argument.getStrides(strides, offset);
  return text + ", strides " + describe(argument, strides, "stride", ", ");
}

static std::string describe(const ExportedArgument &argument) {
  if (!argument.memref())
    return toText(argument.type);
  StringRef access = argument.isResult    ? "result: "
                     : argument.isWritten ? "changed: "
                                          : "";
  return access.str() + describeMemory(argument);
}

static std::string typeInC(const ExportedFunction &function,
                           const Parameter &parameter) {
  using Kind = Parameter::Kind;
  switch (parameter.kind) {
  case Kind::size:
  case Kind::stride:
    return "int64_t ";
  case Kind::result:
    return *scalarInC(function.results[parameter.index]) + " *";
  case Kind::scalar:
    return *scalarInC(function.arguments[parameter.index].type) + " ";
  case Kind::pointer: {
    const ExportedArgument &argument = function.arguments[parameter.index];
    return (argument.isWritten ? "" : "const ") +
           elementInC(argument.memref().getElementType()) + " *";
  }
  }
  llvm_unreachable("expected a kind of parameter");
}

/// Each MLIR argument starts a line of C parameters.
static void printParameters(const ExportedFunction &function,
                            llvm::raw_ostream &os) {
  constexpr size_t kWidth = 80;
  constexpr StringRef kIndent = "\n    ";
  size_t column = kWidth;
  for (const Parameter &parameter : function.parameters()) {
    std::string text = typeInC(function, parameter) + parameter.name;
    bool isPart = parameter.kind == Parameter::Kind::size ||
                  parameter.kind == Parameter::Kind::stride;
    bool fits = isPart && column + text.size() + 3 <= kWidth;
    os << "," << (fits ? StringRef(" ") : kIndent) << text;
    column = (fits ? column + 2 : kIndent.size() - 1) + text.size();
  }
}

static void printFunction(const ExportedFunction &function,
                          llvm::raw_ostream &os) {
  SmallVector<std::pair<std::string, std::string>> lines;
  for (const ExportedArgument &argument : function.arguments)
    lines.push_back({argument.name, describe(argument)});
  for (auto [index, type] : llvm::enumerate(function.results))
    lines.push_back(
        {formatv("value{0}", index).str(), "result: " + toText(type)});
  size_t width = 0;
  for (const auto &line : lines)
    width = std::max(width, line.first.size());
  os << "\n/* @" << function.symbol;
  for (const auto &[name, text] : lines)
    os << "\n *   " << llvm::left_justify(name, width + 2) << text;
  if (!function.numbers.empty())
    os << "\n *   Products have numbers = " << function.numbers << ".";
  bool isOneLine = lines.empty() && function.numbers.empty();
  os << (isOneLine ? " " : "\n ") << "*/\nint " << function.name
     << "(void *stream";
  printParameters(function, os);
  os << ");\n";
}

std::string hone::printHeader(const Interface &interface) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printRules(interface, os);
  std::string guard = StringRef(interface.name).upper() + "_H";
  os << formatv("#ifndef {0}\n#define {0}\n\n#include <stdbool.h>\n"
                "#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n"
                "#endif\n",
                guard);
  for (const ExportedFunction &function : interface.functions)
    printFunction(function, os);
  os << "\n/* Why the calling thread's last call failed. */\nconst char *"
     << messageName(interface.name)
     << "(void);\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif /* " << guard
     << " */\n";
  return text;
}
