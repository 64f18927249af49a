//===- Kernel.cpp - Dialect kernel ----------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration, types and kernel.launch. The ops on matrices and fragments are in
// MatrixOps.cpp.
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/AddressMap.h"
#include "dialects/Kernel/KernelInterfaces.h"
#include "dialects/Kernel/Verifiers.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hone::kernel;

#include "dialects/Kernel/KernelDialect.cpp.inc"

void KernelDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Kernel/KernelTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Kernel/KernelOps.cpp.inc"
      >();
  registerAttributes();
  attachEffects(getContext());
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Bounds that keep every product of extents inside 64 bits. A block has at
/// most 1024 threads, which are 32 warps.
constexpr int64_t kMaxExtent = 65536, kMaxWarps = 32;

/// More than any chip has, and small enough to unroll.
constexpr int64_t kMaxRingBytes = 256 << 10, kMaxThreadElements = 1024;

/// True for f16 and bf16.
static bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

LogicalResult MatrixType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 Type element, int64_t align) {
  if (!element.isIntOrFloat())
    return emitError() << "expected a scalar element type, but got " << element;
  if (align < 1 || align > 16 || (align & (align - 1)))
    return emitError()
           << "expected align to be 1, 2, 4, 8 or 16 bytes, but got " << align;
  return success();
}

LogicalResult OperandType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  Type element, StringRef dims) {
  if (!element.isIntOrFloat())
    return emitError() << "expected a scalar element type, but got " << element;
  if (dims != "" && dims != "m" && dims != "n" && dims != "mn")
    return emitError()
           << "expected dims to be \"\", \"m\", \"n\" or \"mn\", but got \""
           << dims << "\"";
  return success();
}

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t slots, int64_t lines, int64_t width,
                               Type element) {
  for (int64_t extent : {slots, lines, width})
    if (extent < 1 || extent > kMaxExtent)
      return emitError() << "expected extents of 1 to " << kMaxExtent
                         << ", but got " << slots << " of " << lines << " x "
                         << width;
  if (!isSlotElement(element))
    return emitError() << "expected element type " << kSlotElements
                       << ", but got " << element;
  int64_t elementBytes = element.getIntOrFloatBitWidth() / 8;
  int64_t bytes = width * elementBytes;
  bool isOdd = bytes % kChunkBytes == 0 && bytes / kChunkBytes % 2;
  if (bytes != 32 && bytes != 64 && bytes % 128 && !isOdd)
    return emitError()
           << "expected lines of 32, 64, a multiple of 128 or an odd multiple "
              "of 16 bytes, but got "
           << bytes << "; use a width of " << 32 / elementBytes << ", "
           << 64 / elementBytes << " or a multiple of " << 128 / elementBytes;
  if (slots * lines * bytes > kMaxRingBytes)
    return emitError() << "expected a ring of at most " << kMaxRingBytes
                       << " bytes, but got " << slots * lines * bytes;
  return success();
}

static LogicalResult verifyWarps(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t warpsM, int64_t warpsN) {
  if (warpsM >= 1 && warpsN >= 1 && warpsM <= kMaxWarps &&
      warpsN <= kMaxWarps && warpsM * warpsN <= kMaxWarps)
    return success();
  return emitError() << "expected 1 to " << kMaxWarps << " warps, but got "
                     << warpsM << " x " << warpsN;
}

/// Checks that `rows` split over `warps` is a whole number of pieces.
static LogicalResult verifySplit(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef what, int64_t rows, int64_t warps,
                                 int64_t piece = 16) {
  if (rows < 1 || rows > kMaxExtent || rows % (warps * piece))
    return emitError() << "expected " << what << " to be a multiple of "
                       << piece << " for each of " << warps
                       << " warps and at most " << kMaxExtent << ", but got "
                       << rows;
  return success();
}

LogicalResult FragmentType::verify(function_ref<InFlightDiagnostic()> emitError,
                                   StringRef side, int64_t rows, Type element,
                                   int64_t warpsM, int64_t warpsN,
                                   int64_t depth) {
  if (side != "a" && side != "b")
    return emitError() << "expected side \"a\" or \"b\", but got \"" << side
                       << "\"";
  if (!isHalf(element) && !element.isF32() && !isByte(element))
    return emitError() << "expected element type f16, bf16, f32, i8 or a float "
                          "of 8 bits, but got "
                       << element;
  if (depth && (depth != kThreadStep || !element.isF32()))
    return emitError() << "expected a depth of " << kThreadStep
                       << " elements of f32, but got " << depth << " of "
                       << element;
  if (failed(verifyWarps(emitError, warpsM, warpsN)))
    return failure();
  int64_t warps = side == "a" ? warpsM : warpsN;
  if (failed(verifySplit(emitError, "rows", rows, warps)))
    return failure();
  if (rows / warps > kMaxThreadElements)
    return emitError() << "expected at most " << kMaxThreadElements
                       << " rows for each of " << warps << " warps, but got "
                       << rows;
  return success();
}

/// Checks that every thread gets the same number of whole runs.
static LogicalResult verifyRuns(function_ref<InFlightDiagnostic()> emitError,
                                int64_t rows, int64_t cols, int64_t threads,
                                int64_t run) {
  if (run != 1 && run != 2 && run != 4 && run != 8)
    return emitError() << "expected runs of 1, 2, 4 or 8 elements, but got "
                       << run;
  for (int64_t extent : {rows, cols})
    if (extent < 1 || extent > kMaxExtent)
      return emitError() << "expected extents of 1 to " << kMaxExtent
                         << ", but got " << rows << " x " << cols;
  if (cols % 16 || rows * cols % (threads * run))
    return emitError() << "expected a multiple of 16 columns, and of " << run
                       << " elements for each of " << threads
                       << " threads, but got " << rows << " x " << cols;
  return success();
}

LogicalResult AccType::verify(function_ref<InFlightDiagnostic()> emitError,
                              int64_t rows, int64_t cols, Type element,
                              int64_t warpsM, int64_t warpsN, int64_t run) {
  if (!isHalf(element) && !isSum(element) && !element.isSignlessInteger(8))
    return emitError()
           << "expected element type f16, bf16, f32, i8 or i32, but got "
           << element;
  if (failed(verifyWarps(emitError, warpsM, warpsN)))
    return failure();
  int64_t threads = warpsM * warpsN * kWarpSize;
  if (rows > 0 && rows <= kMaxExtent && cols <= kMaxExtent &&
      rows * cols / threads > kMaxThreadElements)
    return emitError() << "expected at most " << kMaxThreadElements
                       << " elements for each of " << threads
                       << " threads, but got " << rows << " x " << cols;
  if (run != 0)
    return verifyRuns(emitError, rows, cols, threads, run);
  if (failed(verifySplit(emitError, "rows", rows, warpsM)))
    return failure();
  return verifySplit(emitError, "cols", cols, warpsN, /*piece=*/8);
}

/// `, rounded, window` of a map, either of them, or nothing
static ParseResult parseMapFlags(AsmParser &parser, bool &rounded,
                                 bool &window) {
  rounded = window = false;
  if (failed(parser.parseOptionalComma()))
    return success();
  rounded = succeeded(parser.parseOptionalKeyword("rounded"));
  if (rounded && failed(parser.parseOptionalComma()))
    return success();
  window = true;
  return parser.parseKeyword("window");
}

static void printMapFlags(AsmPrinter &printer, bool rounded, bool window) {
  if (rounded)
    printer << ", rounded";
  if (window)
    printer << ", window";
}

#define GET_TYPEDEF_CLASSES
#include "dialects/Kernel/KernelTypes.cpp.inc"

//===----------------------------------------------------------------------===//
// kernel.launch
//===----------------------------------------------------------------------===//

/// True for a name that is valid in the text of the op and of a plan. `none` is
/// an empty list.
static bool isArgumentName(StringRef name) {
  return !name.empty() && name != "none" && !llvm::isDigit(name.front()) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

LogicalResult LaunchOp::verify() {
  if (getNames().size() != getArgs().size())
    return emitOpError("expected a name for each argument, but got ")
           << getNames().size() << " names and " << getArgs().size()
           << " arguments";
  for (auto name : getNames().getAsRange<StringAttr>())
    if (!isArgumentName(name.getValue()))
      return emitOpError(
                 "expected names of letters, digits and underscores, but got ")
             << name;
  return success();
}

/// Parses `a = %0, b = %1`; all arguments are i64.
static ParseResult
parseLaunchArgs(OpAsmParser &parser, ArrayAttr &names,
                SmallVectorImpl<OpAsmParser::UnresolvedOperand> &args) {
  SmallVector<Attribute> keys;
  auto parseOne = [&]() -> ParseResult {
    StringRef key;
    if (parser.parseKeyword(&key) || parser.parseEqual() ||
        parser.parseOperand(args.emplace_back()))
      return failure();
    keys.push_back(parser.getBuilder().getStringAttr(key));
    return success();
  };
  // An empty list is closed by the caller's parenthesis.
  if (succeeded(parser.parseOptionalKeyword("none")) ||
      succeeded(parser.parseCommaSeparatedList(parseOne))) {
    names = parser.getBuilder().getArrayAttr(keys);
    return success();
  }
  return failure();
}

static void printLaunchArgs(OpAsmPrinter &printer, Operation *, ArrayAttr names,
                            OperandRange args) {
  if (args.empty())
    printer << "none";
  llvm::interleaveComma(llvm::zip(names, args), printer, [&](auto pair) {
    auto [name, arg] = pair;
    printer << cast<StringAttr>(name).getValue() << " = " << arg;
  });
}

/// Parses the types of values that an op passes through, once for both sides.
static ParseResult parseSameTypes(OpAsmParser &parser,
                                  SmallVectorImpl<Type> &operands,
                                  SmallVectorImpl<Type> &results) {
  if (parser.parseTypeList(operands))
    return failure();
  results.assign(operands.begin(), operands.end());
  return success();
}

static void printSameTypes(OpAsmPrinter &printer, Operation *,
                           TypeRange operands, TypeRange) {
  llvm::interleaveComma(operands, printer);
}

#define GET_OP_CLASSES
#include "dialects/Kernel/KernelOps.cpp.inc"
